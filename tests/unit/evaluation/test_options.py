"""Amounts of memory, and limits."""

import numpy as np
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.guarded.limits import Limits, check_limits
from bestofk.evaluation.options import bytes_of


@pytest.mark.parametrize(
    ("amount", "n_bytes"),
    [
        (5000, 5000),
        (np.int64(7), 7),
        ("5000", 5000),
        ("1e3 B", 1000),
        ("2KB", 2000),
        ("0.5 mb", 500_000),
        ("4GB", 4_000_000_000),
        ("3TB", 3_000_000_000_000),
        ("1KiB", 1024),
        ("1.5MiB", 1_572_864),
        (" 2 GiB ", 2_147_483_648),
        ("1TiB", 1_099_511_627_776),
    ],
)
def test_memory_is_a_number_of_bytes_or_has_a_unit(amount, n_bytes):
    assert bytes_of(amount, "memory") == n_bytes


@pytest.mark.parametrize("amount", ["", "GB", "4G", "4 0GB", "-1GB", 0, "nan", "1e999GB", True])
def test_what_is_no_amount_of_memory_is_refused(amount):
    with pytest.raises(InvalidArgumentError) as error:
        bytes_of(amount, "memory")
    assert str(error.value) == (
        f"memory must be an amount of memory above 0; got {amount!r}. Write 500MB, 4GB or 2GiB."
    )


@pytest.mark.parametrize("seconds", [0, -1.0, np.nan, np.inf, "1", True])
def test_a_limit_of_seconds_is_a_positive_number(seconds):
    with pytest.raises(InvalidArgumentError, match="timeout must be a positive number of seconds"):
        check_limits(Limits(seconds=seconds))


@pytest.mark.parametrize("n_bytes", [0, -1, 1.5, "4GB", True])
def test_a_limit_of_memory_is_a_positive_whole_number(n_bytes):
    with pytest.raises(InvalidArgumentError, match="memory must be a positive whole number of byt"):
        check_limits(Limits(n_bytes=n_bytes))


def test_limits_may_be_left_out():
    assert Limits() == (None, None)
    check_limits(Limits())
    check_limits(Limits(np.float64(1.5), np.int64(3)))
