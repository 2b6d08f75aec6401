"""Published comparisons of learners, run again."""
