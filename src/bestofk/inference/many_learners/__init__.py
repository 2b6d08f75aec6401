"""K learners on shared splits of one data set."""

from bestofk.inference.procedure import Procedure

PROCEDURES: tuple[Procedure, ...] = ()
