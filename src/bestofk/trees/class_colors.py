"""Colors of classes in the pictures of a tree."""

from __future__ import annotations

from typing import Final

# Okabe & Ito (2008), which color-blind readers can distinguish; black is kept for lines and text.
_COLORS: Final = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#F0E442",
    "#999999",
)


def class_colors(n_classes: int) -> list[str]:
    """Return a color for each class, in every picture the same.

    Parameters
    ----------
    n_classes : int
        How many there are. After eight the same colors come again, lighter each time.

    Returns
    -------
    list of str
        As `#rrggbb`.

    Examples
    --------
    >>> class_colors(2)
    ['#0072B2', '#E69F00']
    """
    n_rounds = -(-n_classes // len(_COLORS))
    return [
        lighter(_COLORS[k % len(_COLORS)], k // len(_COLORS) / n_rounds) for k in range(n_classes)
    ]


def lighter(color: str, share: float) -> str:
    """Return a color with a share of white in it.

    Parameters
    ----------
    color : str
        As `#rrggbb`.
    share : float
        Of white, 0 to 1.

    Returns
    -------
    str

    Examples
    --------
    >>> lighter("#0072B2", 0.5)
    '#80b9d9'
    """
    if share == 0:
        return color
    parts = [int(color[i : i + 2], 16) for i in (1, 3, 5)]
    return "#" + "".join(f"{int(part + (255 - part) * share + 0.5):02x}" for part in parts)
