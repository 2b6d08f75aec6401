"""Resampling plans made from the `cv` argument: a name, a splitter or a list of splits."""

import copy
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestofk.array_types import Bools, Folds, Ints
from bestofk.data.data_set import DataSet
from bestofk.data.notes import listed
from bestofk.errors import InvalidArgumentError
from bestofk.randomness import derive_seed
from bestofk.resampling import plan as schemes
from bestofk.resampling.drawn_rows import (
    Rows,
    bootstrap_rows,
    check_folds,
    fold_assignment,
    hold_out_rows,
    order_of_appearance,
)
from bestofk.resampling.forward import (
    ForwardOptions,
    ForwardPlan,
    forward_plan,
    in_order_of_time,
    is_forward,
)
from bestofk.resampling.plan import FoldPlan, Plan, SplitPlan


def untrained_classes(data: DataSet, plan: Plan) -> Bools:
    """Return which classes each split tests without training on them.

    Parameters
    ----------
    data : DataSet
        The rows; those of weight 0 are not used for training.
    plan : Plan
        Its splits.

    Returns
    -------
    ndarray of shape (n_splits, n_classes), bool
        In repeat-major order; no column for regression.

    Examples
    --------
    >>> from bestofk.data import load_data
    >>> from bestofk.resampling import make_plan
    >>> iris = load_data("iris")
    >>> bool(untrained_classes(iris, make_plan(iris, "5x2")).any())
    False
    """
    if not data.is_classification:
        return np.zeros((len(plan), 0), dtype=bool)
    y, n_classes = data.y, len(data.classes)
    trains = np.ones(len(y), dtype=bool) if data.sample_weight is None else data.sample_weight > 0
    if isinstance(plan, FoldPlan):
        firsts = plan.n_folds * np.arange(plan.n_repeats)[:, None]
        tested, held_out = (
            np.bincount(
                ((plan.folds[:, rows] + firsts) * n_classes + y[rows]).ravel(),
                minlength=len(plan) * n_classes,
            ).reshape(-1, n_classes)
            for rows in (slice(None), trains)
        )
        trained = np.bincount(y[trains], minlength=n_classes) - held_out
    else:
        parts = ([rows[trains[rows]] for rows in plan.train_rows], plan.test_rows)
        trained, tested = (
            np.vstack([np.bincount(y[rows], minlength=n_classes) for rows in part])
            for part in parts
        )
    return np.asarray((tested > 0) & (trained == 0))


def check_trained(data: DataSet, plan: Plan) -> Plan:
    """Return a plan, or raise if every split tests a class without training rows."""
    is_untrained = untrained_classes(data, plan)
    if not is_untrained.any(axis=1).all():
        return plan
    names = [str(label) for label in data.classes[is_untrained.any(axis=0)]]
    n_splits = "the only split" if len(plan) == 1 else f"each of {len(plan)} splits"
    way_out = "The rows may be sorted by the target: shuffle them, or take cv='10x10'."
    if data.sample_weight is not None:
        way_out = "Rows of weight 0 do not train: give some of its rows a sample_weight."
    elif plan.is_grouped:
        way_out = "All rows of such a class are in one group: use other groups, or merge classes."
    raise InvalidArgumentError(
        f"every class that cv tests must have training rows; got none of class {listed(names)} "
        f"in {n_splits} of {plan.name}. {way_out}"
    )


def rows_of_splitter(cv: Any, data: DataSet, *, random_state: int) -> tuple[Rows, ...]:
    """Return the rows of every split of a splitter or of an iterable of (train, test).

    A splitter whose `random_state` is None gets a derived one, so that the plan is reproducible.

    Raises
    ------
    InvalidArgumentError
        If the splitter fails, or a split is not a pair of row numbers, is empty or out of range,
        tests a row twice, or trains on rows that it tests.
    """
    rows = []
    for number, pair in enumerate(_pairs(cv, data, random_state)):
        if not isinstance(pair, tuple | list | np.ndarray) or len(pair) != 2:
            raise InvalidArgumentError(
                f"cv must give pairs of (train, test) rows; got {type(pair).__name__} as split "
                f"{number}. Try cv='10x10'."
            )
        train, test = (_as_rows(part, data.n_samples) for part in pair)
        _check_split(number, train, test)
        rows.append((train, test))
    if not rows:
        raise InvalidArgumentError("cv must give at least one split; got none. Try cv='10x10'.")
    return tuple(rows)


def _pairs(cv: Any, data: DataSet, random_state: int) -> list[Any]:
    """Return the splits of a splitter or a list."""
    if not hasattr(cv, "split"):
        return list(cv)
    cv = copy.deepcopy(cv)
    if getattr(cv, "random_state", 0) is None:
        cv.random_state = derive_seed(random_state, "splitter", type(cv).__name__)
    try:
        return list(cv.split(np.empty((data.n_samples, 1)), data.target_array, data.groups))
    except Exception as error:
        raise InvalidArgumentError(
            f"cv must split the rows of the data; got {type(error).__name__} of {cv!r}: {error}"
        ) from error


def recognise(rows: tuple[Rows, ...], n_samples: int) -> tuple[str, int, int]:
    """Return the kind of the splits: scheme, number of repeats, number of folds.

    Consecutive splits whose test parts cover every row once are a repeat of cross-validation;
    splits of equal sizes are random hold-outs.
    """
    if len(rows) == 1:
        return schemes.TEST_SET, 1, 1
    n_folds = _folds_of_first_repeat(rows, n_samples)
    if n_folds and len(rows) % n_folds == 0 and _are_repeats(rows, n_samples, n_folds):
        scheme = schemes.LEAVE_ONE_OUT if n_folds == n_samples else schemes.K_FOLD
        return scheme, len(rows) // n_folds, n_folds
    sizes = {(len(train), len(test)) for train, test in rows}
    return (schemes.HOLD_OUT if len(sizes) == 1 else schemes.CUSTOM), len(rows), 1


def _as_rows(rows: Any, n_samples: int) -> Ints:
    try:
        array = np.asarray(rows)
        kind = "masked values" if np.ma.is_masked(rows) else str(array.dtype)
    except ValueError:  # lists of different lengths
        array, kind = np.empty(1), type(rows).__name__
    if array.size and (array.dtype.kind not in "iub" or kind == "masked values"):
        raise InvalidArgumentError(
            f"rows of a split must be whole numbers or truth values; got {kind}. Number the rows "
            "from 0."
        )
    if array.dtype == bool:
        if array.shape != (n_samples,):
            raise InvalidArgumentError(
                f"truth values of a split must be one per row ({n_samples}); got {array.size}. "
                "Make the splits for this data set."
            )
        array = np.flatnonzero(array)
    array = np.sort(array.ravel())
    if len(array) and not (array[0] >= 0 and array[-1] < n_samples):
        raise InvalidArgumentError(
            f"rows of a split must be from 0 to {n_samples - 1}; got {array[0]} to {array[-1]}. "
            "Make the splits for this data set."
        )
    return array.astype(np.int64)


def _check_split(number: int, train: Ints, test: Ints) -> None:
    if not len(train) or not len(test):
        raise InvalidArgumentError(
            f"split {number} of cv must have training and test rows; got {len(train)} and "
            f"{len(test)}. Leave the split out."
        )
    twice = test[1:][test[1:] == test[:-1]]
    if len(twice):
        raise InvalidArgumentError(
            f"split {number} of cv must test each row once; got row {twice[0]} several times. "
            "Only training rows may repeat."
        )
    common = np.intersect1d(train, test)
    if len(common):
        raise InvalidArgumentError(
            f"split {number} of cv must not test rows that it trains on; got {len(common)} such "
            f"rows, row {common[0]} first. Correct the splits."
        )


def _folds_of_first_repeat(rows: tuple[Rows, ...], n_samples: int) -> int:
    covered = 0
    for number, (_, test) in enumerate(rows):
        covered += len(test)
        if covered >= n_samples:
            return number + 1 if covered == n_samples else 0
    return 0


def _are_repeats(rows: tuple[Rows, ...], n_samples: int, n_folds: int) -> bool:
    for start in range(0, len(rows), n_folds):
        part = rows[start : start + n_folds]
        tested = np.concatenate([test for _, test in part])
        if not np.array_equal(np.sort(tested), np.arange(n_samples)):
            return False
        if any(len(np.unique(train)) + len(test) != n_samples for train, test in part):
            return False
    return True


CV_FORMS = (
    "'auto', a number of folds such as '10', repeats x folds such as '10x10' or '5x2', "
    "'30xholdout' or '30xholdout:0.33', 'loo', '100xbootstrap', '100xbootstrap:full', 'test:0.3' "
    "or 'test:366' (the last rows), 'forward', 'forward:12' or 'forward:1M' (in order of time), a "
    "scikit-learn splitter, or a list of (train, test) rows"
)
# Rows up to which a plan is chosen; large data need fewer repeats and folds, because their folds
# are large enough to be precise.
_AUTO = ((5_000, "10x10"), (50_000, "10x3"))
_AUTO_LARGE = "3x3"
_HOLD_OUT_SHARE = 1 / 3
_MOST_REPEATS = 100_000


def choose_cv(n_samples: int) -> str:
    """Return the plan that ``cv="auto"`` chooses, which depends only on the number of rows.

    Examples
    --------
    >>> choose_cv(150), choose_cv(20_000), choose_cv(1_000_000)
    ('10x10', '10x3', '3x3')
    """
    return next((name for limit, name in _AUTO if n_samples <= limit), _AUTO_LARGE)


def make_plan(
    data: DataSet,
    cv: Any = "auto",
    *,
    stratify: bool = True,
    random_state: int = 0,
    forward: ForwardOptions | None = None,
) -> Plan:
    """Make the plan of a comparison: the training and test rows of every split.

    Parameters
    ----------
    data : DataSet
        The rows; classes are spread evenly over folds, groups are kept together.
    cv : str, int, scikit-learn splitter or iterable of (train_rows, test_rows)
        ``"auto"``: 10 repeats of 10 folds up to 5,000 rows, 10x3 up to 50,000, 3x3 above.
        ``"RxK"``: R repeats of K folds; an integer: one repeat.  ``"Rxholdout:S"``: R random
        test sets of share S (1/3).  ``"loo"``: every row (or group) alone.
        ``"Rxbootstrap"``: R bootstrap samples, tested out of bag; ``"Rxbootstrap:full"``: tested
        on all rows, of which 63% on average were used for training, so that errors are too low.
        ``"test:S"``: the last rows are the only test set; a share below 1 or a number of rows.
        ``"forward"``: 10 to 20 test periods with equally many rows, each predicted from the rows
        before it in time; ``"forward:12"``: 12 of them; ``"forward:1M"``: periods of the calendar
        (min, h, d, w, M, Q, Y). The first third of the rows is never tested.
    stratify : bool, default=True
        Whether to spread the classes evenly; no effect for regression, leave-one-out, fixed test
        sets and splitters.
    random_state : int, default=0
        Seed of all draws.
    forward : ForwardOptions, optional
        Window, gap and groups of a plan in order of time.

    Returns
    -------
    Plan
        A printable plan with an identity.

    Raises
    ------
    InvalidArgumentError
        If `cv` is not one of the forms, the data set is too small for it, or every split tests a
        class without training rows.

    Examples
    --------
    >>> import numpy as np
    >>> from bestofk.data import DataSet
    >>> data = DataSet("d", np.zeros((20, 1)), np.array([0, 1] * 10), "classification")
    >>> print(make_plan(data, "5x2").title)
    5 repeats of 2-fold cross-validation, stratified
    """
    if isinstance(cv, bool) or cv is None:
        raise InvalidArgumentError(f"cv must be one of {CV_FORMS}; got {cv!r}. Try cv='auto'.")
    options = forward or ForwardOptions()
    if is_forward(cv):
        return forward_plan(data, cv, options, random_state=int(random_state))
    if options.given_names:
        raise InvalidArgumentError(
            f"cv must be 'forward' if {listed(options.given_names)} is given; got {cv!r}. Write "
            "forward, forward:12 or forward:1M."
        )
    if isinstance(cv, str | int | np.integer):
        request = _parse(str(cv).strip().lower(), data)
        plan = _named_plan(data, request, stratify=stratify, random_state=int(random_state))
        return _check_time(data, check_trained(data, plan))
    if not (hasattr(cv, "split") or hasattr(cv, "__iter__")):
        raise InvalidArgumentError(f"cv must be one of {CV_FORMS}; got {cv!r}. Try cv='auto'.")
    return _check_time(data, check_trained(data, given_plan(data, cv, random_state=random_state)))


def _check_time(data: DataSet, plan: Plan) -> Plan:
    """Return a plan, or raise if rows have a time that it ignores."""
    if data.time is None or isinstance(plan, ForwardPlan):
        return plan
    raise InvalidArgumentError(
        f"cv must be in order of time if a time is given ({data.time.name}); got {plan.name}. "
        "Write forward, forward:12 or forward:1M, or leave the time out."
    )


def given_plan(data: DataSet, cv: Any, *, random_state: int = 0) -> Plan:
    """Return the plan of a splitter or of given pairs of rows, without a check of classes."""
    rows = rows_of_splitter(cv, data, random_state=random_state)
    scheme, n_repeats, n_folds = recognise(rows, data.n_samples)
    name = type(cv).__name__ if hasattr(cv, "split") else "given splits"
    stratified, grouped = "Stratified" in name, "Group" in name
    plan = SplitPlan(
        name, scheme, data.n_samples, n_repeats, n_folds, stratified, grouped, random_state,
        (), rows,
    )  # fmt: skip
    return in_order_of_time(data, plan)


@dataclass(frozen=True)
class _Request:
    """Plan as requested by `cv`, before the rows are examined."""

    name: str
    scheme: str
    n_repeats: int
    n_folds: int = 1
    test_size: float = 0.0
    notes: tuple[str, ...] = ()


def _parse(text: str, data: DataSet) -> _Request:
    if text == "auto":
        taken = choose_cv(data.n_samples)
        request = _parse(taken, data)
        note = f"cv='auto' chose {taken} for {data.n_samples:,} rows."
        return _Request(taken, request.scheme, request.n_repeats, request.n_folds, notes=(note,))
    if match := re.fullmatch(r"(?:(\d{1,18})x)?(\d{1,18})", text):
        repeats = int(match[1] or 1)
        return _Request(f"{repeats}x{int(match[2])}", schemes.K_FOLD, repeats, int(match[2]))
    if match := re.fullmatch(r"(?:(\d{1,18})x)?hold-?out(?::(0?\.\d+))?", text):
        share = float(match[2]) if match[2] else _HOLD_OUT_SHARE
        return _Request(text, schemes.HOLD_OUT, int(match[1] or 1), test_size=share)
    if text in ("loo", "leave-one-out"):
        return _Request("loo", schemes.LEAVE_ONE_OUT, 1)
    if match := re.fullmatch(r"(?:(\d{1,18})x)?bootstrap(:full)?", text):
        scheme = schemes.BOOTSTRAP_FULL if match[2] else schemes.BOOTSTRAP
        return _Request(text, scheme, int(match[1] or 100))
    if match := re.fullmatch(r"test:(\d{0,18}\.?\d{1,18})", text):
        return _Request(text, schemes.TEST_SET, 1, test_size=float(match[1]))
    raise InvalidArgumentError(f"cv must be one of {CV_FORMS}; got {text!r}. Try cv='auto'.")


def check_repeats(n_repeats: int) -> None:
    """Raise if there are too many repeats, which would fill the memory."""
    if n_repeats > _MOST_REPEATS:
        raise InvalidArgumentError(
            f"number of repeats must be at most {_MOST_REPEATS}; got {n_repeats}. Use fewer."
        )


def _named_plan(data: DataSet, request: _Request, *, stratify: bool, random_state: int) -> Plan:
    if request.n_repeats < 1:
        check_folds(data.n_samples, n_folds=request.n_folds, n_repeats=0, unit="rows")
    check_repeats(request.n_repeats)
    fixed = request.scheme in (schemes.LEAVE_ONE_OUT, schemes.TEST_SET)
    strata = data.y if stratify and data.is_classification and not fixed else None
    groups = None
    if data.groups is not None and request.scheme != schemes.TEST_SET:
        groups = order_of_appearance(data.groups)
    head = (request.name, request.scheme, data.n_samples)
    facts = (strata is not None, groups is not None, random_state)
    if request.scheme in (schemes.K_FOLD, schemes.LEAVE_ONE_OUT):
        folds = _folds(data.n_samples, request, strata, groups, random_state)
        n_folds = int(folds.max()) + 1
        notes = request.notes + _rare_class_notes(data, n_folds, strata is not None)
        return FoldPlan(*head, request.n_repeats, n_folds, *facts, notes, folds)
    drawn = _rows(data, request, strata, groups, random_state)
    return SplitPlan(*head, len(drawn), 1, *facts, request.notes, drawn)


def _folds(
    n_samples: int, request: _Request, strata: Ints | None, groups: Ints | None, random_state: int
) -> Folds:
    if request.scheme == schemes.LEAVE_ONE_OUT:
        folds = (np.arange(n_samples) if groups is None else groups).astype(np.int32)[None, :]
        unit = "rows" if groups is None else "groups"
        check_folds(int(folds.max()) + 1, n_folds=int(folds.max()) + 1, n_repeats=1, unit=unit)
        return folds
    return fold_assignment(
        n_samples,
        groups,
        n_folds=request.n_folds,
        n_repeats=request.n_repeats,
        random_state=random_state,
        strata=strata,
    )


def _rows(
    data: DataSet, request: _Request, strata: Ints | None, groups: Ints | None, random_state: int
) -> tuple[tuple[Ints, Ints], ...]:
    drawn: dict[str, Any] = {"random_state": random_state, "strata": strata, "groups": groups}
    if request.scheme == schemes.HOLD_OUT:
        return hold_out_rows(
            data.n_samples, n_repeats=request.n_repeats, test_size=request.test_size, **drawn
        )
    if request.scheme in (schemes.BOOTSTRAP, schemes.BOOTSTRAP_FULL):
        rows = bootstrap_rows(data.n_samples, n_repeats=request.n_repeats, **drawn)
        everything = np.arange(data.n_samples)
        if request.scheme == schemes.BOOTSTRAP_FULL:
            rows = tuple((train, everything) for train, _ in rows)
        return rows
    size = request.test_size
    n_test = round(size * data.n_samples) if size < 1 else int(size)
    if not 1 <= n_test < data.n_samples:
        raise InvalidArgumentError(
            f"number of test rows must be from 1 to {data.n_samples - 1}; got {n_test}. "
            "Write 'test:0.3' for the last 30 % of the rows."
        )
    in_order = np.arange(data.n_samples)
    return ((in_order[:-n_test], in_order[-n_test:]),)


def _rare_class_notes(data: DataSet, n_folds: int, is_stratified: bool) -> tuple[str, ...]:
    if not is_stratified or n_folds <= data.class_counts.min():
        return ()
    rare = [
        f"{label!s} ({count})"
        for label, count in zip(data.classes, data.class_counts, strict=True)
        if count < n_folds
    ]
    return (
        f"Classes with fewer rows than the {n_folds} folds are missing from some test parts: "
        f"{', '.join(rare)}.",
    )
