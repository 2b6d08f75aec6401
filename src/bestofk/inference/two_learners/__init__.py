"""Two learners on shared splits of one data set.

- `paired_t_test`, `corrected_resampled_t_test`, `calibrated_t_test` (`calibrate_df`): t tests of
  one run, of repeated splits, of repeated cross-validation with fewer degrees of freedom.
- `five_by_two_cv_t_test`, `five_by_two_cv_t_numerators`, `five_by_two_cv_f_test`: 5 repeats of 2
  folds.
- `bayesian_correlated_t`, `posterior_of_pairs`: probabilities, with a region of equivalence.
- `cv_central_limit_test`: the losses of single rows.
- `nested_cv`, `nested_cv_interval`: limits of the expected loss.
- `PAIRED_TESTS`, `paired_test`, `usable_tests`, `check_test`: tests that orderings can use.
"""
