"""K learners on shared splits of one data set.

- `anova_test`, `repeated_measures_anova_test`, `kruskal_wallis_test`: does any learner differ.
- `randomization_test`, `row_randomization_test`: the same by permuting scores or losses.
- `newman_keuls`, `tukey_hsd_test`, `duncan_test`: which neighbors, or which pairs, differ.
- `studentized_range_tail`, `studentized_range_quantile`: the distribution behind the range tests.
"""
