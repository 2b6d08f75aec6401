"""Two learners on shared splits of one data set."""

from bestofk.inference.procedure import Procedure
from bestofk.inference.two_learners.paired_tests import PAIRED_TESTS

PROCEDURES: tuple[Procedure, ...] = tuple(test.procedure for test in PAIRED_TESTS.values())
