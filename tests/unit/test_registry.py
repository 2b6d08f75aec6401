"""Registries: entries by name, loaded when asked for, in any spelling."""

import sys

import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.registry import Registry


class Thing:
    aliases = ("other",)


def test_an_entry_is_loaded_when_it_is_asked_for():
    sys.modules.pop("wave", None)
    registry = Registry("reader", {"wave": "wave.Wave_read", "none": Thing})
    assert list(registry) == ["wave", "none"]
    assert "wave" in registry
    assert "wave" not in sys.modules
    assert registry["wave"] is sys.modules["wave"].Wave_read is registry["wave"]


def test_an_entry_is_found_in_other_spellings():
    registry = Registry("test", {"paired-t": Thing(), "sign-test": None})
    assert registry.aliases == {"paired-t": ("other",), "sign-test": ()}
    for text in ("paired_t", "Paired t test", "OTHER"):
        assert registry.spelled(text) == "paired-t"
    assert registry.find("sign") is None
    with pytest.raises(InvalidArgumentError, match="a known name; got 'pared'"):
        registry.find("pared")


def test_an_exact_name_has_one_spelling():
    registry = Registry("rule", {"odd-even": 1})
    assert registry.exact("odd-even") == 1
    with pytest.raises(InvalidArgumentError, match="a known one; got 'Odd'"):
        registry.exact("odd", got="Odd")


def test_what_is_registered_has_a_new_name_and_can_be_removed():
    registry = Registry("test", {"a": Thing()})
    registry.register("b", 2)
    assert dict(registry)["b"] == 2
    with pytest.raises(InvalidArgumentError, match="name of a test must be new; got 'b'"):
        registry.register("b", 3)
    registry.remove("b")
    assert list(registry) == ["a"]
