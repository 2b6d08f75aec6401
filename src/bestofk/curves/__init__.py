"""Verdicts under changing conditions: rows, noise, imbalance, costs, settings."""

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from bestofk.curves.cost import cost_curve
    from bestofk.curves.imbalance import imbalance_effect
    from bestofk.curves.learning import learning_curve
    from bestofk.curves.noise import noise_curve
    from bestofk.curves.validation import validation_curve

__all__ = [
    "cost_curve",
    "imbalance_effect",
    "learning_curve",
    "noise_curve",
    "validation_curve",
]

__getattr__, __dir__, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "cost": ["cost_curve"],
        "imbalance": ["imbalance_effect"],
        "learning": ["learning_curve"],
        "noise": ["noise_curve"],
        "validation": ["validation_curve"],
    },
)
