"""The queue of runs: which are missing, which comes next, where it is done, what comes back."""
