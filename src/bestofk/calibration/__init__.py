"""Null calibration: the level that each test really has on given learners and data."""

from bestofk.calibration.simulation import calibrate

__all__ = ["calibrate"]
