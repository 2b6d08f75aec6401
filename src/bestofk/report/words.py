"""Formatting of numbers, names and measures for reports."""

from __future__ import annotations

import math
from collections.abc import Iterable

from bestofk.measures import Measure
from bestofk.measures.numerals import fixed, p_text

# From here on digits are counted less easily than read as a power of ten.
_MANY_DIGITS = 1e9
# Measures that a reader knows best as rows in a hundred.
_ROWS = ("error", "accuracy")
_NUMBERS = (
    *("two", "three", "four", "five", "six", "seven"),
    *("eight", "nine", "ten", "eleven", "twelve"),
)
# An interval has at least so many steps of its last decimal, so that rounding changes little.
_FEWEST_STEPS = 3


def listing(names: Iterable[str], joint: str = "and") -> str:
    """Return names as one says them.

    Examples
    --------
    >>> listing(["cart", "1nn", "lda"])
    'cart, 1nn and lda'
    """
    *first, last = names
    return f"{', '.join(first)} {joint} {last}" if first else last


def times(count: int, noun: str) -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> times(1, "run"), times(1200, "run")
    ('1 run', '1,200 runs')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def number(value: float, digits: int = 4) -> str:
    """Return a value for a table; a dash where there is none.

    Parameters
    ----------
    value : float
        May be nan or infinite.
    digits : int, default=4
        Decimals below 10, significant digits above.

    Examples
    --------
    >>> number(0.05333), number(3421.7), number(0.00001234), number(float("nan"))
    ('0.0533', '3,422', '1.23e-05', '-')
    """
    if math.isnan(value):
        return "-"
    size = abs(value)
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if size >= _MANY_DIGITS:
        return f"{value:.{digits}g}"
    if size >= 1000:
        return f"{value:,.0f}"
    if size >= 10:
        return f"{value:#.{digits}g}".rstrip(".")
    if 0 < size < 0.5 * 10**-digits:
        return f"{value:.2e}"
    return f"{value or 0:.{digits}f}"  # 0, not -0


def percent(share: float) -> str:
    """Return a share as a percentage, without its sign.

    Examples
    --------
    >>> percent(0.0533), percent(0.0012), percent(0.0), percent(1.0)
    ('5.3', '0.12', '0', '100')
    >>> percent(1e-7), percent(0.99999)
    ('<0.001', '>99.9')
    """
    value = 100 * share
    if value in (0, 100):
        return f"{value:.0f}"
    decimals = 1 if abs(value) >= 1 else 2 if abs(value) >= 0.005 else 3
    return fixed(value, decimals, whole=100)


def interval_in_words(low: float, high: float) -> str:
    """Return an interval of a share in percent, with as many decimals as its width asks for.

    Examples
    --------
    >>> interval_in_words(0.038, 0.081), interval_in_words(0.0512, 0.0731)
    ('4-8%', '5.1-7.3%')
    >>> interval_in_words(0.002, 0.081)
    '0.2-8%'
    """
    width = 100 * (high - low)
    digits = next((count for count in range(9) if width * 10**count >= _FEWEST_STEPS), 9)
    ends = [fixed(100 * end, digits, whole=100) for end in (low, high)]
    least, most = (
        fixed(100 * end, digits + 1, whole=100) if text[0] in "<>" else text
        for end, text in zip((low, high), ends, strict=True)
    )
    return f"{least}-{most}%"


def points(measure: Measure, size: float, decimals: int | None = None) -> str:
    """Return a difference by a measure: points of a percentage, else the number.

    Examples
    --------
    >>> from bestofk.measures import get_measure
    >>> error = get_measure("error", task="classification", classes=["a", "b"])
    >>> points(error, 0.01), points(error, 0.005), points(error, 0.0104, decimals=1)
    ('1 point', '0.5 points', '1.0 points')
    """
    if measure.name not in _ROWS:
        return f"{size:.3g}"
    said = f"{100 * size:.3g}" if decimals is None else fixed(100 * size, decimals)
    return f"{said} point{'' if said == '1' else 's'}"


def number_word(count: int) -> str:
    """Return a count from 2 to 12 as a word, others in digits.

    Examples
    --------
    >>> number_word(5), number_word(40)
    ('five', '40')
    """
    return _NUMBERS[count - 2] if 2 <= count <= 12 else str(count)


def seconds(value: float) -> str:
    """Return a duration in a unit that keeps the number short.

    Examples
    --------
    >>> seconds(0.00012), seconds(0.0341), seconds(2.5), seconds(400), seconds(float("nan"))
    ('120 µs', '34 ms', '2.5 s', '6.7 min', '-')
    """
    if math.isnan(value):
        return "-"
    for limit, factor, unit in (
        (1e-3, 1e6, "µs"),
        (1, 1e3, "ms"),
        (100, 1, "s"),
        (6000, 1 / 60, "min"),
    ):
        # 999.6 would be printed as 1000 of the smaller unit
        if value < limit * 0.9995:
            return f"{_short(value * factor)} {unit}"
    return f"{_short(value / 3600)} h"


def memory(n_bytes: float) -> str:
    """Return a number of bytes in a unit that keeps it short; a kB is 1,000 bytes.

    Examples
    --------
    >>> memory(812), memory(61_300_000), memory(4e9), memory(float("nan"))
    ('812 B', '61.3 MB', '4 GB', '-')
    >>> memory(0)  # too little to be measured
    '-'
    """
    if math.isnan(n_bytes) or n_bytes == 0:
        return "-"
    for unit in ("B", "kB", "MB"):
        if n_bytes < 999.5:  # more would be printed as 1e+03
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.3g} GB"


def _short(value: float) -> str:
    return fixed(value, 0 if value >= 10 else 1)


def short_title(measure: Measure) -> str:
    """Return the title of a measure up to its first comma, which opens an explanation.

    The name of a class may have commas of its own.
    """
    return measure.title if measure.whose else measure.title.partition(",")[0]


def best_side(measure: Measure) -> str:
    """Return which end of a measure is wanted: "highest" or "lowest"."""
    return "highest" if measure.greater_is_better else "lowest"


def better_side(measure: Measure) -> str:
    """Return how a better value compares with a worse one: "higher" or "lower"."""
    return "higher" if measure.greater_is_better else "lower"


def is_share(measure: Measure) -> bool:
    """Return whether a measure counts rows, so that it is printed as a percentage."""
    return measure.name in _ROWS


def value_title(measure: Measure) -> str:
    """Return what a measure is called above a column, and after a percentage."""
    return measure.name if is_share(measure) else short_title(measure)


def score_in_words(measure: Measure, value: float) -> str:
    """Return a mean of a measure in the fewest words: percent where it counts rows.

    Examples
    --------
    >>> from bestofk.measures import get_measure
    >>> error = get_measure("error", task="classification", classes=["a", "b"])
    >>> auroc = get_measure("auroc", task="classification", classes=["a", "b"])
    >>> score_in_words(error, 0.0438), score_in_words(auroc, 0.9972)
    ('4.4% error', 'AUROC 0.997')
    """
    if is_share(measure):
        return f"{percent(value)}% {value_title(measure)}"
    return f"{short_title(measure)} {number(value, 3)}"


def signed_difference(measure: Measure, loss_difference: float) -> str:
    """Return a difference of losses in the unit of the measure, with its sign: points or a number.

    0 has no sign.

    Examples
    --------
    >>> from bestofk.measures import get_measure
    >>> error = get_measure("error", task="classification", classes=["a", "b"])
    >>> auroc = get_measure("auroc", task="classification", classes=["a", "b"])
    >>> signed_difference(error, 0.0062), signed_difference(auroc, 0.0123)
    ('+0.6', '-0.012')
    >>> signed_difference(error, -1e-5), signed_difference(auroc, 0.0)
    ('-0.001', '0.000')
    """
    value = -loss_difference if measure.greater_is_better else loss_difference
    if not value:
        return "0.0" if measure.name in _ROWS else number(0.0, 3)
    if measure.name in _ROWS:
        value *= 100
        form = "+.1f" if abs(value) >= 0.1 else "+.2f" if abs(value) >= 0.005 else "+.1g"
        return f"{value:{form}}"
    return f"{'-' if value < 0 else '+'}{number(abs(value), 3)}"


def size_in_words(measure: Measure, size: float) -> str:
    """Return the size of a difference: points of a percentage, else a number with its measure.

    Examples
    --------
    >>> from bestofk.measures import get_measure
    >>> error = get_measure("error", task="classification", classes=["a", "b"])
    >>> auroc = get_measure("auroc", task="classification", classes=["a", "b"])
    >>> size_in_words(error, 0.0151), size_in_words(auroc, 0.0123)
    ('1.51 points', '0.0123 of AUROC')
    """
    said = points(measure, size)
    return said if measure.name in _ROWS else f"{said} of {short_title(measure)}"


def difference_in_words(measure: Measure, difference: float, bound: float, level: float) -> str:
    """Return how much worse (or better) another learner is on average, and worse at most.

    Parameters
    ----------
    measure : Measure
        The deciding measure.
    difference, bound : float
        Loss of the other minus loss of the pick, and its upper confidence bound.
    level : float
        Confidence of the bound, 0-1.

    Examples
    --------
    >>> from bestofk.measures import get_measure
    >>> error = get_measure("error", task="classification", classes=["a", "b"])
    >>> difference_in_words(error, 0.003, 0.012, 0.95)
    '0.3 points worse on average (at most 1.2 points with 95% confidence)'
    """
    side = "worse" if difference >= 0 else "better"
    text = f"{size_in_words(measure, float(f'{abs(difference):.2g}'))} {side} on average"
    if not math.isfinite(bound):
        return text
    most = size_in_words(measure, float(f"{bound:.2g}")) + (" worse" if difference < 0 else "")
    return f"{text} (at most {most} with {100 * level:g}% confidence)"


def probability(value: float) -> str:
    """Return a probability with two digits; "-" where there is none.

    Examples
    --------
    >>> probability(0.936), probability(2e-8), probability(0.9999), probability(float("nan"))
    ('0.94', '<0.01', '>0.99', '-')
    """
    return "-" if math.isnan(value) else fixed(value, 2, whole=1)


def p_value(value: float) -> str:
    """Return a p value for a table; "-" where there is none.

    Examples
    --------
    >>> p_value(0.0532), p_value(0.0), p_value(0.999999), p_value(float("nan"))
    ('0.0532', '<1e-300', '>0.9999', '-')
    """
    return p_text(value, number)


def p_value_in_words(value: float) -> str:
    """Return a p value for a sentence.

    Examples
    --------
    >>> p_value_in_words(0.0421), p_value_in_words(0.00001), p_value_in_words(0.999)
    ('= 0.042', '< 0.001', '> 0.99')
    """
    if 0.99 < value < 1:
        return "> 0.99"
    return "< 0.001" if value < 0.001 else f"= {value:.2g}"
