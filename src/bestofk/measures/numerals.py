"""Numbers as texts: none that is not 0 reads as 0, and no probability below 1 as certain.

A number that comes from random draws is printed up to the first digit that its Monte Carlo error
reaches, and no further.
"""

from __future__ import annotations

import math
from collections.abc import Callable

# Standard error of a drawn 2.5% quantile over that of the mean, of normal draws.
QUANTILE_ERROR = 2.7
_LEAST_P = 1e-300  # p values below are not known: numbers of the machine end there


def fixed(value: float, decimals: int, *, whole: float = math.inf, sign: str = "") -> str:
    """Return a number with so many decimals, or on which side of the nearest step it lies.

    Parameters
    ----------
    value : float
        Finite.
    decimals : int
        At least 0.
    whole : float, optional
        Value that stands for certainty, 1 or 100; smaller ones are not rounded up to it.
    sign : {"", "+"}
        "+" writes the sign of positive values too.

    Examples
    --------
    >>> fixed(0.936, 2), fixed(2e-8, 2), fixed(-2e-8, 2), fixed(0.0, 2)
    ('0.94', '<0.01', '>-0.01', '0.00')
    >>> fixed(0.9999, 2, whole=1), fixed(1.0, 2, whole=1), fixed(99.97, 1, whole=100)
    ('>0.99', '1.00', '>99.9')
    """
    text, step = f"{value:{sign}.{decimals}f}", 10.0**-decimals
    if value and not float(text):
        return f"{f'<{sign}' if value > 0 else '>-'}{step:.{decimals}f}"
    if value < whole <= float(text):
        return f">{whole - step:.{decimals}f}"
    return text.removeprefix("-") if not value else text


def p_text(value: float, usual: Callable[[float], str] = "{:.4g}".format) -> str:
    """Return a p value, as `usual` writes it but near 0 and 1.

    Examples
    --------
    >>> p_text(0.0691412), p_text(3.2e-41), p_text(0.0), p_text(0.999999), p_text(1.0)
    ('0.06914', '3.2e-41', '<1e-300', '>0.9999', '1')
    """
    if value < _LEAST_P:
        return f"<{_LEAST_P:g}"
    return fixed(value, 4, whole=1) if 0.9999 < value < 1 else usual(value)


def drawn(probability: float, n_draws: float, *, whole: int = 1) -> str:
    """Return a probability that is a share of random draws, with the digits it is known to.

    The last digit is the first that the standard error sqrt(p (1 - p) / n_draws) reaches.

    Parameters
    ----------
    probability : float
        0-1, or nan.
    n_draws : float
        Independent draws.
    whole : {1, 100}
        100 prints a percentage without decimals, and without its sign.

    Examples
    --------
    >>> drawn(0.048312, 9999), drawn(0.048312, 200), drawn(0.0, 9999), drawn(0.99998, 9999)
    ('0.048', '0.05', '<0.0001', '>0.9999')
    >>> drawn(0.86, 200, whole=100), drawn(0.86, 10, whole=100), drawn(float("nan"), 100)
    ('86', '90', '-')
    """
    if math.isnan(probability):
        return "-"
    least = 1 / (n_draws + 1)  # of so few draws no share below is known
    if least <= probability <= 1 - least:
        error = whole * math.sqrt(probability * (1 - probability) / n_draws)
        places = -math.floor(math.log10(float(f"{error:.0e}")))
        places = min(places, 0) if whole == 100 else places
        return fixed(round(whole * probability, places), max(0, places), whole=whole)
    places = -math.ceil(math.log10(whole * least))
    step, decimals = 10.0**-places, max(0, places)
    return f"<{step:.{decimals}f}" if probability < 0.5 else f">{whole - step:.{decimals}f}"


def drawn_mean(value: float, error: float) -> str:
    """Return a figure of random draws with the digits that its standard error leaves.

    Parameters
    ----------
    value : float
        Any unit.
    error : float
        Its Monte Carlo standard error; with 0 four digits are printed.

    Examples
    --------
    >>> drawn_mean(0.0483124, 0.0021), drawn_mean(1234.5, 31), drawn_mean(0.5, 0.0)
    ('0.048', '1.23e+03', '0.5')
    """
    if not value or not error:
        return f"{value:.4g}"
    known = math.floor(math.log10(abs(value))) - math.floor(math.log10(float(f"{error:.0e}")))
    return f"{value:.{min(max(known + 1, 1), 4)}g}"
