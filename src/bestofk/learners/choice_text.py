"""Text that a run keeps of what its learner chose."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

# Digits of an inner loss that are kept: enough to draw it.
_DIGITS = 6


def choice_text(estimator: Any) -> str:
    """Return the choice of a fitted learner as JSON; empty where it chose nothing.

    Parameters
    ----------
    estimator : object
        Fitted; with an attribute ``choice_``, as `bestofk.tuning.Tuned` has, or a fitted search of
        scikit-learn.

    Returns
    -------
    str
        "setting": the chosen parameters; "index": their position; "default": the position of the
        default, null where there is none; "losses": the mean inner loss of every setting, smaller
        is better. Values that JSON does not know are written as Python shows them.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> choice = {"setting": {"k": 3}, "index": 1, "default": 0, "losses": [[0.5, 0.7], [0.1, 0.2]]}
    >>> choice_text(SimpleNamespace(choice_=choice))
    '{"default":0,"index":1,"losses":[0.6,0.15],"setting":{"k":3}}'
    """
    choice = getattr(estimator, "choice_", None)
    if isinstance(choice, dict):
        return text_of_choice(choice)
    results = getattr(estimator, "cv_results_", None)
    has_choice = hasattr(estimator, "best_params_")  # RFECV chooses columns
    if has_choice and isinstance(results, dict) and "mean_test_score" in results:
        losses = -np.asarray(results["mean_test_score"], dtype=np.float64)
        return _text(estimator.best_params_, estimator.best_index_, None, losses)
    return ""


def text_of_choice(choice: dict[str, Any]) -> str:
    """Return what a run keeps of the attribute ``choice_`` of a learner; see `choice_text`."""
    losses = np.array(choice["losses"], dtype=np.float64)
    is_known = np.isfinite(losses).any(axis=1)
    means = np.full(len(losses), np.nan)
    means[is_known] = np.nanmean(losses[is_known], axis=1)
    return _text(choice["setting"], choice["index"], choice["default"], means)


def read_choice(text: str) -> dict[str, Any]:
    """Return the content of a text of `choice_text`."""
    content: dict[str, Any] = json.loads(text)
    return content


def _text(setting: dict[str, Any], index: int, default: int | None, losses: Any) -> str:
    known = [float(f"{loss:.{_DIGITS}g}") if np.isfinite(loss) else None for loss in losses]
    content = {"setting": setting, "index": int(index), "default": default, "losses": known}
    return json.dumps(content, sort_keys=True, separators=(",", ":"), default=_shown)


def _shown(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else repr(_without_seeds(value))


def _without_seeds(value: Any) -> Any:
    """Return a copy of an estimator without its seeds, which are others in every run."""
    if not hasattr(value, "get_params") or isinstance(value, type):
        return value
    from sklearn.base import clone

    names = [name for name in value.get_params() if name.split("__")[-1] == "random_state"]
    return clone(value, safe=False).set_params(**dict.fromkeys(names)) if names else value
