"""Checks for authors of learners, batched forms, measures and paired tests."""

from typing import Any

import lazy_loader

from bestofk.errors import warn_of_new_name

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
# Names of version 0.1, which work for one more release.
_RENAMED = {
    "JointAgreement": "BatchedAgreement",
    "check_joint_form": "check_batched_form",
    "joint_agreement": "batched_agreement",
}


def __getattr__(name: str) -> Any:
    """Return what a name means, an old one with a warning."""
    if name in _RENAMED:
        warn_of_new_name(f"bestofk.testing.{name}", f"bestofk.testing.{_RENAMED[name]}")
    return _load(_RENAMED.get(name, name))
