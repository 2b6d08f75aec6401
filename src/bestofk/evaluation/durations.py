"""Conversion of durations such as 90, "10m" or "2h" to seconds."""

from __future__ import annotations

import math

from bestofk.errors import InvalidArgumentError

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def seconds_of(duration: float | str, name: str) -> float:
    """Return the seconds of a length of time, or raise.

    Parameters
    ----------
    duration : float or str
        Seconds, or a number followed by s, m, h or d.
    name : str
        What the length of time is called, for the message.

    Returns
    -------
    float

    Raises
    ------
    InvalidArgumentError
        If it is no positive time.

    Examples
    --------
    >>> seconds_of("10m", "budget"), seconds_of(90, "budget")
    (600.0, 90.0)
    """
    text = str(duration).strip().lower()
    unit = _UNITS.get(text[-1:])
    try:
        seconds = float(text[:-1]) * unit if unit else float(text)
    except ValueError:
        seconds = math.nan
    if isinstance(duration, bool) or not 0 < seconds < math.inf:
        raise InvalidArgumentError(
            f"{name} must be a length of time above 0; got {duration!r}. Write 90s, 10m or 2h."
        )
    return seconds
