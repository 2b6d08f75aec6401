"""Numbers, lists and names as texts: the only place that says how they are printed.

No number that is not 0 reads as 0, and no probability below 1 as certain. A number that comes
from random draws is printed up to the first digit that its Monte Carlo error reaches.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

Key = TypeVar("Key")
Item = TypeVar("Item")

# From here on digits are counted less easily than read as a power of ten.
_MANY_DIGITS = 1e9
_SHOWN = 3  # names in a sentence
_NUMBERS = (
    *("two", "three", "four", "five", "six", "seven"),
    *("eight", "nine", "ten", "eleven", "twelve"),
)
# An interval has at least so many steps of its last decimal, so that rounding changes little.
_FEWEST_STEPS = 3
# Standard error of a drawn 2.5% quantile over that of the mean, of normal draws.
QUANTILE_ERROR = 2.7
_LEAST_P = 1e-300  # p values below are not known: numbers of the machine end there
# Characters that a terminal obeys, that turn the direction of a line or end it, and halves of some.
_UNPRINTABLE = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


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
    text = f"{value:{sign}.{decimals}f}"
    shown = float(text)
    if value and not shown:
        return f"{f'<{sign}' if value > 0 else '>-'}{10.0**-decimals:.{decimals}f}"
    if value < whole <= shown:
        return f">{whole - 10.0**-decimals:.{decimals}f}"
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
        Any unit; infinite where an interval has one limit.
    error : float
        Its Monte Carlo standard error; with 0 four digits are printed.

    Examples
    --------
    >>> drawn_mean(0.0483124, 0.0021), drawn_mean(1234.5, 31), drawn_mean(0.5, 0.0)
    ('0.048', '1.23e+03', '0.5')
    """
    if not value or not error or math.isinf(value):
        return f"{value:.4g}"
    known = math.floor(math.log10(abs(value))) - math.floor(math.log10(float(f"{error:.0e}")))
    return f"{value:.{min(max(known + 1, 1), 4)}g}"


def grouped(pairs: Iterable[tuple[Key, Item]]) -> dict[Key, list[Item]]:
    """Return the second parts of pairs by the first, in order of appearance.

    Examples
    --------
    >>> grouped([("slow", "svm"), ("fast", "lda"), ("slow", "forest")])
    {'slow': ['svm', 'forest'], 'fast': ['lda']}
    """
    groups: dict[Key, list[Item]] = {}
    for key, item in pairs:
        groups.setdefault(key, []).append(item)
    return groups


def listing(names: Iterable[str], joint: str = "and") -> str:
    """Return names as a list in words.

    Examples
    --------
    >>> listing(["cart", "1nn", "lda"])
    'cart, 1nn and lda'
    """
    *first, last = names
    return f"{', '.join(first)} {joint} {last}" if first else last


def some_of(names: Sequence[str], joint: str = "and") -> str:
    """Return the first three of some names, and how many more there are.

    Examples
    --------
    >>> some_of(["a", "b"]), some_of(list("abcde"), "or")
    ('a and b', 'a, b, c or 2 more')
    """
    more = len(names) - _SHOWN
    return listing([*names[:_SHOWN], f"{more} more"] if more > 0 else names, joint)


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
    size = abs(value)
    if 0.5 * 10**-digits <= size < 10:  # most are
        return f"{value:.{digits}f}"
    if math.isnan(value):
        return "-"
    if size >= _MANY_DIGITS:  # infinite ones too
        return f"{value:.{digits}g}"
    if size >= 1000:
        return f"{value:,.0f}"
    if size >= 10:
        return f"{value:#.{digits}g}".rstrip(".")
    return f"{value:.2e}" if value else f"{0:.{digits}f}"  # 0, not -0


def significant(value: float, digits: int = 3) -> str:
    """Return a value with so many significant digits; a dash where there is none.

    Examples
    --------
    >>> significant(35_312.4), significant(3.0), significant(0.000312), significant(1.14e9)
    ('35,300', '3.00', '0.000312', '1.14e+09')
    >>> significant(0.0), significant(999.6), significant(float("nan"))
    ('0', '1,000', '-')
    """
    if not value or not math.isfinite(value):
        return number(value, 0)
    rounded = float(f"{value:.{digits}g}")
    if 10**digits <= abs(rounded) < _MANY_DIGITS:
        return f"{rounded:,.0f}"
    return f"{rounded:#.{digits}g}".rstrip(".")


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


def printable(text: str, keep: str = "") -> str:
    r"""Return a text whose control characters are spelled, as JSON spells them.

    Names and messages come from files and learners: none of them may end a line, turn its
    direction or make a terminal do something. Whatever writes text passes foreign parts through
    here, and puts its own line breaks between them.

    Parameters
    ----------
    text : str
        One line, or a text that was put together of such.
    keep : str, default=""
        Characters that stay, such as the line breaks of a whole text.

    Examples
    --------
    >>> printable("a" + chr(27) + "[31mred\nUse b"), printable("a\nb", keep="\n")
    ('a\\u001b[31mred\\nUse b', 'a\nb')
    """
    return _UNPRINTABLE.sub(
        lambda match: match[0] if match[0] in keep else json.dumps(match[0])[1:-1], text
    )


def joined_lines(texts: Iterable[str]) -> str:
    r"""Return texts as lines; each is one line, whatever it holds.

    Examples
    --------
    >>> print(joined_lines(["best: cart\nor not", "last: lda"]))
    best: cart\nor not
    last: lda
    """
    return "\n".join(map(printable, texts))
