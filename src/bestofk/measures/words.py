"""Values and differences of a measure in words: percent for shares, else its unit."""

import math

from bestofk.measures.measure import Measure
from bestofk.words import fixed, number, percent, significant

# Measures that are usually given in percent.
_PERCENT = ("error", "accuracy", "mape")


def points(measure: Measure, size: float, decimals: int | None = None) -> str:
    """Return a difference of a measure in words: points of a percentage, or a number.

    Examples
    --------
    >>> from bestofk.measures import get_measure
    >>> error = get_measure("error", task="classification", classes=["a", "b"])
    >>> points(error, 0.01), points(error, 0.005), points(error, 0.0104, decimals=1)
    ('1 point', '0.5 points', '1.0 points')
    """
    if measure.name not in _PERCENT:
        return f"{size:.3g}" if measure.maximum == 1 else significant(size)
    said = f"{100 * size:.3g}" if decimals is None else fixed(100 * size, decimals)
    return f"{said} point{'' if said == '1' else 's'}"


def short_title(measure: Measure) -> str:
    """Return the title of a measure up to its first comma, after which an explanation follows.

    Commas in the name of a class do not count.
    """
    return measure.title if measure.whose else measure.title.partition(",")[0]


def best_side(measure: Measure) -> str:
    """Return the best end of a measure: "highest" or "lowest"."""
    return "highest" if measure.greater_is_better else "lowest"


def better_side(measure: Measure) -> str:
    """Return the direction of better values: "higher" or "lower"."""
    return "higher" if measure.greater_is_better else "lower"


def is_share(measure: Measure) -> bool:
    """Return whether a measure is a share of rows or of the target, printed as a percentage."""
    return measure.name in _PERCENT


def value_in_unit(measure: Measure, value: float) -> str:
    """Return a value or difference of a measure that is not a share, for a table.

    Examples
    --------
    >>> from bestofk.measures import get_measure
    >>> rmse, r2 = (get_measure(name, task="regression", classes=[]) for name in ("rmse", "r2"))
    >>> value_in_unit(rmse, 35_312.4), value_in_unit(rmse, 0.0123), value_in_unit(r2, 0.0123)
    ('35,300', '0.0123', '0.012')
    """
    return number(value, 3) if measure.maximum == 1 else significant(value)


def value_cell(measure: Measure, value: float, decimals: int = 1) -> str:
    """Return a score: percent with the given decimals for a share, else in the measure's unit."""
    if not is_share(measure) or math.isnan(value):
        return value_in_unit(measure, value)
    return f"{fixed(100 * value, decimals, whole=100)}%"


def value_title(measure: Measure) -> str:
    """Return the name of a measure as the title of a column, and after a percentage."""
    title = short_title(measure)
    return title.removesuffix(" rate") if is_share(measure) else title


def score_in_words(measure: Measure, value: float) -> str:
    """Return a mean of a measure in few words: in percent if it counts rows.

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
    return f"{short_title(measure)} {value_in_unit(measure, value)}"


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
        return "0.0" if measure.name in _PERCENT else value_in_unit(measure, 0.0)
    if measure.name in _PERCENT:
        value *= 100
        form = "+.1f" if abs(value) >= 0.1 else "+.2f" if abs(value) >= 0.005 else "+.1g"
        return f"{value:{form}}"
    return f"{'-' if value < 0 else '+'}{value_in_unit(measure, abs(value))}"


def size_in_words(measure: Measure, size: float) -> str:
    """Return the size of a difference: points of a percentage, or a number.

    For measures with maximum 1 the name follows; else the number is in the unit of the measure.

    Examples
    --------
    >>> from bestofk.measures import get_measure
    >>> error = get_measure("error", task="classification", classes=["a", "b"])
    >>> auroc = get_measure("auroc", task="classification", classes=["a", "b"])
    >>> size_in_words(error, 0.0151), size_in_words(auroc, 0.0123)
    ('1.51 points', '0.0123 of AUROC')
    >>> size_in_words(get_measure("rmse", task="regression", classes=[]), 1012.3)
    '1,010'
    """
    said = points(measure, size)
    is_plain = is_share(measure) or measure.maximum != 1
    return said if is_plain else f"{said} of {short_title(measure)}"


def difference_in_words(measure: Measure, difference: float, bound: float, level: float) -> str:
    """Return how much worse (or better) another learner is on average and at most.

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
