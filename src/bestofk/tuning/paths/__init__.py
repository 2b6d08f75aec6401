"""Shared computation of the settings of one learner, a file per family."""
