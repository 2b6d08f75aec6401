"""Calibration: the levels of tests, the truth of claims, and the bias of estimates."""

from bestofk.calibration.claims import calibrate_claims
from bestofk.calibration.estimates import estimate_bias
from bestofk.calibration.simulation import calibrate

__all__ = ["calibrate", "calibrate_claims", "estimate_bias"]
