"""Statistical procedures: what scores and predictions of learners show.

Takes plain arrays and knows nothing of where they come from. Every procedure states its design
and its side, returns a frozen result with what to distrust, and treats degenerate input by one
stated convention. Four folders, by what procedures take:

- `two_learners`: scores of two learners on shared splits of one data set.
- `many_learners`: scores of K learners on shared splits of one data set.
- `one_test_set`: predictions of fitted learners for the rows of one test set.
- `many_data_sets`: scores of learners on many data sets.

`PROCEDURES` and `procedure` know them all by name; `Caution` is what to distrust, with a code;
`adjust_p_values` and `reject_adjusted` take families of hypotheses; `Sampling`, `paired_test`,
`usable_tests` and `check_test` say which test a plan can carry; `smallest_difference` and related
functions say what a design can detect before any run.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
