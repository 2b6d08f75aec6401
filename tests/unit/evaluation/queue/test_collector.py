"""The garbage collector is held back, and then what it was."""

import gc

import pytest

from bestofk.evaluation.queue.collector import paused_collector


def _fail_inside() -> None:
    with paused_collector():
        with paused_collector():
            assert not gc.isenabled()
        assert not gc.isenabled()
        raise KeyError


def test_the_collector_is_off_inside_and_on_again_whatever_happens():
    with pytest.raises(KeyError):
        _fail_inside()
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off():
    gc.disable()
    try:
        with paused_collector():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
