"""Decision trees: ID3, C4.5, CART and HDDT, grown by one core, as scikit-learn estimators.

c45, id3, cart, hellinger         the learners
reading, parameters               what a learner is handed
attributes, sorting               what the columns are, sorted once
growth_rules, growing, level      growth level by level: measuring, choosing, dividing
discretization, oblique           intervals of numbers, and directions through them
random_forest                     forests, by loops of their own (`_forest`)
tree, prediction                  the grown tree and its answers
pruning, pruning_methods          what each learner cuts off again
simple_cart                       the ways of Weka's SimpleCart
text_form, json_form, ...         a tree as text, JSON, Graphviz, HTML
impurity, candidate_splits        measures of counts, and all splits of a table with them
node_table                        why a node tests what it tests
display, displays                 pictures

The compiled loops (`_split_search` and the like) are imported by the first fit.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
