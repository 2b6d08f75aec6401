"""Calibration: the level that tests really have, and how often claims come true."""

from bestofk.calibration.claims import calibrate_claims
from bestofk.calibration.simulation import calibrate

__all__ = ["calibrate", "calibrate_claims"]
