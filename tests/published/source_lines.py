"""One function for each line of the list of sources that is computed, a file per source.

The name of a function is that of its line with `_` for `-`. What it returns stands next to the
printed number in the list of sources, before the expression itself.
"""

from collections.abc import Callable
from typing import Any

from tests.published.lines import (
    multitest,
    notes,
    ranking,
    slides_on_evaluation,
    slides_on_trees,
    variability,
)

_FILES = (multitest, slides_on_trees, slides_on_evaluation, notes, variability, ranking)
LINES: dict[str, Callable[[], Any]] = {
    name.replace("_", "-"): item
    for file in _FILES
    for name, item in vars(file).items()
    if callable(item) and getattr(item, "__module__", "") == file.__name__
}
