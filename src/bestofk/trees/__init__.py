"""Decision trees: ID3, C4.5, CART and HDDT, grown by one core, as scikit-learn estimators.

c45, id3, cart, hellinger         the learners
reading, parameters input and parameters of a learner
attributes, sorting kinds of the columns, which are sorted once
growth_rules, growing, level      growth level by level: measuring, choosing, dividing
discretization, oblique           intervals of numbers, and directions through them
random_forest forests, by separate loops (`_forest`)
tree, prediction the grown tree and its predictions
pruning, pruning_methods pruning of each learner
simple_cart growth as in Weka's SimpleCart
text_form, json_form, ...         a tree as text, JSON, Graphviz, HTML
impurity, candidate_splits        measures of counts, and all splits of a table with them
node_table reasons for the test of a node
display, displays                 pictures

The compiled loops (such as `_split_search`) are imported by the first fit.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
