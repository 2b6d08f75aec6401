"""Conversion of command-line text to arguments of the library: learners, roles, costs ..."""

from collections.abc import Sequence
from typing import Any

from bestofk.checks import check_known
from bestofk.errors import InvalidArgumentError

_WORDS = {"true": True, "false": False}
_DIRECTIONS = {"lower": False, "higher": True}


def words(texts: Sequence[str] | None) -> list[str]:
    """Return the words of an option that may be given several times or with commas.

    Examples
    --------
    >>> words(["cart,lda", "1nn"])
    ['cart', 'lda', '1nn']
    """
    parts = [part.strip() for text in texts or () for part in text.split(",")]
    return [part for part in parts if part]


def words_or_none(texts: Sequence[str] | None) -> list[str] | None:
    """Return the words of an option; None if there are none."""
    return words(texts) or None


def learner_names(texts: Sequence[str] | None) -> list[str]:
    """Return the learners of an option that may be given several times or with commas.

    Examples
    --------
    >>> learner_names(["c45(pruning=none,min_cases=5),cart", "1nn"])
    ['c45(pruning=none,min_cases=5)', 'cart', '1nn']
    """
    from bestofk.learners import split_at_commas

    return [part for text in texts or () for part in split_at_commas(text) if part]


def parse_learner(text: str) -> Any:
    """Return a name of the catalogue, or the (name, estimator) pair of FILE.py:NAME."""
    from bestofk.learners.from_file import is_of_file, learner_from_file

    return learner_from_file(text) if is_of_file(text) else text


def parse_learners(texts: Sequence[str] | None) -> list[Any] | None:
    """Return the learners of an option: names, and (name, estimator) pairs of files."""
    items = learner_names(texts)
    if texts and not items:
        raise InvalidArgumentError(
            "--learners must name at least one; got none. Leave it out for the default set."
        )
    return [parse_learner(item) for item in items] or None


def parse_roles(texts: Sequence[str] | None) -> dict[str, str]:
    """Return the role of each column, from texts COLUMN=ROLE."""
    roles = {}
    for text in texts or ():
        column, equals, order = text.partition("=ordinal:")
        role = f"ordinal:{order}"
        if not equals:
            column, equals, role = text.rpartition("=")
        if not (equals and column and role):
            raise InvalidArgumentError(
                f"--role must have the form COLUMN=ROLE; got {text!r}. Write --role age=numeric."
            )
        roles[column] = role
    return roles


def parse_costs(text: str | None) -> list[list[float]] | None:
    """Return the rows of a cost matrix; None if none is given."""
    if text is None:
        return None
    try:
        rows = [[float(cost) for cost in row.split(",")] for row in text.split(";")]
    except ValueError as error:
        raise InvalidArgumentError(
            f"--cost-matrix must be numbers, with commas in rows and semicolons between them; got "
            f'{text!r}. Write "0,1;5,0".'
        ) from error
    if len({len(row) for row in rows}) > 1:
        raise InvalidArgumentError(
            f'rows of --cost-matrix must have the same length; got {text!r}. Write "0,1;5,0".'
        )
    return rows


def parse_power(text: str | None) -> float | None:
    """Return P, typed as a number or a fraction; None if none is given.

    Examples
    --------
    >>> parse_power("1/64"), parse_power("0.25")
    (0.015625, 0.25)
    """
    if text is None:
        return None
    from fractions import Fraction

    try:
        return float(Fraction(text.strip()))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise InvalidArgumentError(
            f"--p must be a number of at least 0; got {text!r}. Write 1/64 or 0.25."
        ) from None


def parse_budget(text: str | None) -> float | None:
    """Return a budget in seconds; None if none is given."""
    from bestofk.evaluation.options import seconds_of

    return None if text is None else seconds_of(text, "--budget")


def preference(text: str | None) -> str | list[str] | dict[str, float] | None:
    """Return a preference: a word, a list of learners, or the cost of each learner."""
    if text is None or not ("," in text or "=" in text):
        return text
    parts = learner_names([text])
    if not any("=" in part and not part.endswith(")") for part in parts):  # that of settings
        return parts if len(parts) > 1 else text
    return dict(_learner_cost(part) for part in parts)


def _learner_cost(part: str) -> tuple[str, float]:
    name, sign, cost = part.rpartition("=")
    try:
        if sign:
            return name, float(cost)
    except ValueError:
        pass
    raise InvalidArgumentError(
        f"--prefer must be learner=cost for every learner; got {part!r}. "
        "Write for example cart=2,logistic=1."
    )


def parse_missing_marks(texts: Sequence[str] | None) -> Any:
    """Return the marks of missing values: a list for all columns, or a dict (None: other columns).

    Examples
    --------
    >>> parse_missing_marks(["NA,?"]), parse_missing_marks(["NA", "size=-1", "y="])
    (['NA', '?'], {None: ['NA'], 'size': ['-1'], 'y': []})
    """
    marks: dict[str | None, list[str]] = {}
    for text in texts or ():
        column, equals, listed = text.rpartition("=")
        marks.setdefault(column if equals else None, []).extend(words([listed]))
    return marks.get(None, marks or None) if marks.keys() <= {None} else marks


def parse_date_forms(texts: Sequence[str] | None) -> dict[str, str] | None:
    """Return the date format of each column, from texts COLUMN=FORM."""
    forms = {}
    for text in texts or ():
        column, equals, form = text.partition("=")
        if not (equals and column and form):
            raise InvalidArgumentError(
                f"--date-format must have the form COLUMN=FORM; got {text!r}. Write for example "
                "--date-format day=%d/%m/%Y."
            )
        forms[column] = form
    return forms or None


def parse_columns(texts: Sequence[str] | None) -> dict[str, str]:
    """Return the column of each role, from texts ROLE=COLUMN.

    Examples
    --------
    >>> parse_columns(["learner=clf", "value=f(x)=y"])
    {'learner': 'clf', 'value': 'f(x)=y'}
    """
    columns: dict[str, str] = {}
    for text in texts or ():
        role, sign, column = text.partition("=")
        if not sign or role.strip() in columns:
            raise InvalidArgumentError(
                f"--map must be ROLE=COLUMN, once per role; got {text!r}. Write for example "
                "--map learner=model."
            )
        columns[role.strip()] = column
    return columns


def greater_is_better(direction: str | None) -> bool | None:
    """Return whether higher scores are better; None if no direction is given."""
    if direction is None:
        return None
    check_choice("--direction", direction, tuple(_DIRECTIONS))
    return _DIRECTIONS[direction]


def plain_value(text: str) -> Any:
    """Convert a text to a whole number, a number or a truth value; return others unchanged.

    Examples
    --------
    >>> [plain_value(text) for text in ("1", "0.5", "True", "gini")]
    [1, 0.5, True, 'gini']
    """
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def numbers(text: str, option: str, example: str) -> list[float]:
    """Return the numbers of a text, which are separated by commas."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError as error:
        raise InvalidArgumentError(
            f"{option} must be numbers separated by commas; got {text!r}. Write {example}."
        ) from error


def whole_numbers(text: str, option: str, example: str) -> list[int]:
    """Return the whole numbers of a text, which are separated by commas."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdigit() for part in parts):
        raise InvalidArgumentError(
            f"{option} must be whole numbers separated by commas; got {text!r}. Write {example}."
        )
    return [int(part) for part in parts]


def check_choice(option: str, value: str, choices: Sequence[str]) -> None:
    """Raise unless the value of an option is one of its choices."""
    listed = " or ".join(choices) if len(choices) < 3 else f"one of {', '.join(choices)}"
    check_known(value, option, choices, rule=listed)
