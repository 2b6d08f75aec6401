"""Learners on many data sets."""

from bestofk.inference.procedure import Procedure

PROCEDURES: tuple[Procedure, ...] = ()
