"""TODO."""

from bestofk.calibration.simulation import calibrate

__all__ = ["calibrate"]
