"""Fitted learners on the rows of one test set."""

from bestofk.inference.procedure import Procedure

PROCEDURES: tuple[Procedure, ...] = ()
