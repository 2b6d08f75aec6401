import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from bestofk.data import from_arrays
from bestofk.errors import InvalidArgumentError

X = np.arange(8.0).reshape(4, 2)
Y = np.array(list("abab"))


def test_arrays_are_kept_as_handed_in():
    data = from_arrays(X, Y)
    assert data.features is X
    assert data.target is Y
    assert dict(data.roles) == {"x0": "numeric", "x1": "numeric"}
    assert data.feature_rows(np.array([1, 3])).tolist() == [[2.0, 3.0], [6.0, 7.0]]


def test_pandas_frames_are_kept_and_sliced_with_names_and_types():
    frame = pd.DataFrame({"n": [1, 2, 3, 4], "c": pd.Categorical(list("uvuv"))}, index=[9, 9, 7, 1])
    target = pd.Series([0, 1, 0, 1], index=[9, 9, 7, 1])
    data = from_arrays(frame, target)
    assert data.features is frame
    assert data.target is target
    part = data.feature_rows(np.array([0, 3]))
    assert part.dtypes.equals(frame.dtypes)
    assert part["n"].tolist() == [1, 4]
    assert data.target_rows(np.array([1, 2])).tolist() == [1, 0]


def test_polars_frames_are_kept_and_sliced_with_names_and_types():
    frame = pl.DataFrame({"n": [1, None, 3, 4], "s": list("uvuv")})
    target = pl.Series("y", list("abab"))
    data = from_arrays(frame, target)
    assert data.feature_rows(np.array([0, 3])).equals(frame[[0, 3]])
    assert data.target_rows(np.array([1, 2])).to_list() == ["b", "a"]
    assert data.y.tolist() == [0, 1, 0, 1]
    assert dict(data.roles) == {"n": "numeric", "s": "nominal"}


def test_arrow_tables_can_be_sliced():
    pa = pytest.importorskip("pyarrow")
    data = from_arrays(pa.table({"a": [1, 2, 3, 4]}), list("abab"))
    assert data.feature_rows(np.array([0, 2])).to_dict("list") == {"a": [1, 3]}


def test_lazy_frames_are_collected():
    lazy = pl.LazyFrame({"a": [1, 2, 3, 4], "y": list("abab")})
    data = from_arrays(lazy, "y")
    assert data.feature_names == ["a"]
    assert data.id == from_arrays([[1], [2], [3], [4]], list("abab")).id


def test_labels_that_are_bytes_are_texts():
    frame = pd.DataFrame({"a": [b"u", b"v", b"u", b"v"], "b": [1, 2, 3, 4]})
    plain = from_arrays([["u", 1], ["v", 2], ["u", 3], ["v", 4]], list("abab"))
    for labels in (np.array(list("abab"), dtype="S1"), pd.Series([b"a", b"b"] * 2)):
        data = from_arrays(frame, labels)
        assert data.classes.tolist() == ["a", "b"]
        assert data.id == plain.id


def test_lists_of_numbers_and_texts_keep_both():
    data = from_arrays([[1.5, "u", True], [2.5, "v", None]] * 2, [1, 0, 1, 0])
    assert data.roles == {"x0": "numeric", "x1": "nominal", "x2": "numeric"}


def test_objects_that_are_numbers_are_a_target_of_numbers():
    for labels in ([True, False, True, False], [1, 0, 1, 0], [1.0, 2.0, 1.0, 2.0]):
        data = from_arrays(X[:4], np.array(labels, dtype=object))
        assert data.target_array.dtype == np.array(labels).dtype


def test_roles_go_by_type():
    frame = pd.DataFrame(
        {
            "n": [1.0, None],
            "b": [True, False],
            "t": ["u", "v"],
            "d": pd.to_datetime(["2020-01-01", "2020-01-02"]),
            "o": pd.Categorical(["u", "v"], ordered=True),
        }
    )
    roles = from_arrays(frame, [0, 1]).roles
    assert list(roles.values()) == ["numeric", "boolean", "nominal", "date", "ordinal"]
    objects = np.array([[1, "u"], [2, "v"]], dtype=object)
    assert list(from_arrays(objects, [0, 1]).roles.values()) == ["numeric", "nominal"]


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_the_target_may_be_named_as_a_column(kind):
    data = from_arrays(kind({"a": [1, 2], "kind": ["u", "v"]}), "kind")
    assert list(data.features.columns) == ["a"]
    assert data.classes.tolist() == ["u", "v"]


def test_groups_and_weights_are_arrays():
    data = from_arrays(X, Y, groups=list("ppqq"), sample_weight=[1, 0, 2, 3])
    assert data.groups.tolist() == list("ppqq")
    assert data.sample_weight.dtype == np.float64


@pytest.mark.parametrize(
    "features",
    [
        np.array([[1.0, np.nan], [1.0, np.nan], [2.0, 0.0], [2.0, -0.0]]),
        np.array([[1, "u"], [1, "u"], [2, None], [2, None]], dtype=object),
        pd.DataFrame({"a": [1, 1, 2, 2], "b": ["u", "u", None, None]}, index=[5, 5, 3, 1]),
        pl.DataFrame({"a": [1, 1, 2, 2], "target": ["u", "u", None, None]}),
    ],
)
def test_repeated_rows_are_counted_with_their_target(features):
    for target, said in [
        ("aabb", "2 rows equal another: delete true copies, which flatter scores."),
        ("aaba", "1 row equals another: delete true copies, which flatter scores."),
        ("abab", "2 rows have the same inputs as another row but a different class"),
    ]:
        assert from_arrays(features, list(target)).warnings[0].startswith(said)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([[1], [1]], "column 'a' must be made of .*; got list. Convert the values, for"),
        ([1j, 2], "column 'a' must be made of .*; got complex"),
        ([dt.date(2020, 1, 1), 1], "column 'a' must be made of .*; got date and int"),
        ([1.0, np.inf], "column 'a' must hold finite numbers; got 1 infinite value. Make them"),
    ],
)
def test_columns_that_no_learner_reads_are_refused_by_name(column, message):
    with pytest.raises(InvalidArgumentError, match=message):
        from_arrays(pd.DataFrame({"a": column}), [0, 0])
    cells = np.empty((2, 1), dtype=object)
    cells[:, 0] = column
    with pytest.raises(InvalidArgumentError, match=message.replace("'a'", "'x0'")):
        from_arrays(cells, [0, 0])


def test_names_are_texts_where_some_are_texts_or_have_levels():
    frame = pd.DataFrame([[1, 2], [3, 4]], columns=["a", 0])
    assert from_arrays(frame, [0, 1]).features.columns.tolist() == ["a", "0"]
    levels = pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")])
    data = from_arrays(frame.set_axis(levels, axis=1), "('a', 'y')")
    assert data.feature_names == ["('a', 'x')"]
    assert from_arrays(pd.DataFrame([[1, 2], [3, 4]]), "1").features.columns.tolist() == [0]


def test_numbers_of_the_other_byte_order_are_read():
    swapped = X.astype(">f8")
    for features in (swapped, pd.DataFrame(swapped)):
        assert from_arrays(features, Y).id == from_arrays(X, Y).id
    assert from_arrays(X, (np.arange(4) % 2).astype(">i4")).target.dtype == np.int64


LABELS_OF_ONE_COLUMN = {
    "list": list("abab"),
    "column": Y.reshape(-1, 1),
    "index": pd.Index(Y),
    "index of categories": pd.CategoricalIndex(Y),
    "categories": pd.Categorical(Y, ["b", "a", "never"]),
    "frame": pd.DataFrame({"y": Y}),
    "frame of polars": pl.DataFrame({"y": Y}),
    "texts of numpy": np.array(Y, dtype=np.dtypes.StringDType()),
}


@pytest.mark.parametrize("y", LABELS_OF_ONE_COLUMN.values(), ids=LABELS_OF_ONE_COLUMN)
def test_a_target_may_be_any_single_column(y):
    assert from_arrays(X, y).id == from_arrays(X, Y).id
    assert from_arrays(X, Y, groups=y).groups.tolist() == list("abab")


def test_labels_that_scikit_learn_does_not_take_are_numbers_or_texts():
    parts = pd.cut(pd.Series(range(4)), 2)
    for labels in (parts, pd.Series(parts.astype(pd.IntervalDtype()))):
        assert from_arrays(X, labels).target.tolist() == parts.astype(str).tolist()
    prices = pd.Series([Decimal("1.5"), Decimal(2), Decimal(3), Decimal(4)])
    data = from_arrays(X, prices, sample_weight=prices)
    assert data.target.tolist() == data.sample_weight.tolist() == [1.5, 2.0, 3.0, 4.0]
    assert from_arrays(X, pd.to_timedelta([1, 2, 3, 36], unit="h")).y[-1] == 1.5


ROWS = pd.DataFrame(X, index=[3, 1, 2, 0])
LABELS = pd.Series(Y, index=[3, 1, 2, 0])


@pytest.mark.parametrize("argument", ["y", "groups", "sample_weight"])
def test_rows_of_pandas_in_another_order_are_refused_with_both_readings(argument):
    other = pd.Series([0, 1, 0, 1])
    for values in (other, other.to_frame()):
        with pytest.raises(InvalidArgumentError) as refusal:
            from_arrays(ROWS, **{"y": LABELS} | {argument: values})
        assert str(refusal.value) == (
            f"{argument} must have its rows in the order of X; got the same index in a different "
            f"order. Hand in {argument}.loc[X.index] to join rows by label, or "
            f"{argument}.to_numpy() if the rows already match by position."
        )
    with pytest.raises(InvalidArgumentError, match="groups must have its rows in the order of y"):
        from_arrays(X, LABELS, groups=other)


def test_labels_that_repeat_cannot_join_rows():
    with pytest.raises(
        InvalidArgumentError, match=r"different order. Hand in y.to_numpy\(\) if the rows"
    ):
        from_arrays(ROWS.set_axis([1, 1, 2, 3]), LABELS.set_axis([1, 2, 1, 3]))


def test_rows_are_joined_by_position_where_labels_are_equal_or_others():
    for y in (LABELS, Y, list(Y), pd.Index(Y), pl.Series(Y)):
        assert from_arrays(ROWS, y).warnings == ()
    assert from_arrays(ROWS.set_axis([3, 5, 6, 8]), LABELS.set_axis(range(4))).warnings == ()
    assert from_arrays(ROWS, LABELS.set_axis([7, 8, 9, 10])).warnings == (
        "Rows of X and y are joined by position, but their indexes have different labels.",
    )


def test_numbers_next_to_texts_are_categories_with_a_warning():
    frame = pd.DataFrame({"age": [31, 40, None, "unknown"]})
    assert from_arrays(frame, list("abab")).warnings == (
        "Column 'age': int and str next to each other; kept as categories.",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((X[:, 0], Y), r"X must have rows and columns \(2 dimensions\); got 1. Hand in X.reshape"),
        ((sparse.csr_matrix(X), Y), "X must be dense; got a sparse matrix"),
        ((object(), Y), "X must be an array or a data frame; got object"),
        ((pd.DataFrame(X, columns=["0", 0]), Y), "names of X must differ; got '0' 2 times"),
        ((pd.DataFrame(X, columns=["a", "a"]), Y), "'a' 2 times"),
        ((pd.Series([1.0, 2.0]), Y), r"an array or a data frame; got Series. Hand in X\.to_fr"),
        ((X, None), "y must be given; got None"),
        ((X, "y"), "y must be an array where X is an array; got the name 'y'"),
        ((pd.DataFrame({"kind": [1]}), "kinds"), "got 'kinds'. Did you mean 'kind'"),
        ((X, Y[:3]), r"as many values as X has rows \(4\); got 3"),
        ((X, X), "y must have 1 dimension; got 2"),
        ((X, [1.0, np.nan, 2.0, np.nan]), "the target must have a value .*; got 2 missing"),
        ((X, pl.Series(["a", None, "b", "a"])), "the target must have a value .*; got 1 missing"),
        ((X, pd.Series(["a", None, "b", "a"])), "the target must have a value .*; got 1 missing"),
        ((X, [1.0, np.inf, 2.0, 3.0]), "the target must be finite; got 1 infinite"),
        ((X, np.array(["a", 1, "b", 2], object)), "must be of one kind; got int and str"),
        (([[1, 2], [3]], [0, 1]), "X must have rows of one length; got rows of 1 and 2 values"),
        (([[1, 2], 3], [0, 1]), "X must have rows of one length"),
        ((X, [[0], [1, 2], 3, 4]), "y must have rows of one length"),
        ((np.ma.array(X, mask=X > 6), Y), "X must have no masked values; got"),
        ((X, np.ma.array(range(4), mask=[0, 1, 1, 0])), "y must have no masked values; got 2"),
        ((X, sparse.csr_matrix(X[:, :1])), "y must be dense; got a sparse matrix"),
        (([{"a": 1}], [0]), r"X must have rows and columns .* Hand in pandas.DataFrame\(X\)"),
        ((X, [dt.date(2020, 1, 1)] * 4), r"numbers or labels; got dates. Use y.astype\(str\) if"),
        ((X, [10**400, 1, 2, 3]), "the target must be finite; got 1 infinite"),
        ((X + 1j, Y), "column 'x0' must be made of .*; got complex"),
        ((X, [1j, 2, 1j, 2]), "y must be made of .*; got complex"),
    ],
)
def test_bad_features_and_targets_get_one_sentence(arguments, message):
    with pytest.raises(InvalidArgumentError, match=message):
        from_arrays(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": [1, 2]}, r"groups must have one value per row, shape \(4,\); got \(2,\)"),
        ({"groups": ["a", None, "b", "c"]}, "groups must have a value .*; got 1 missing"),
        ({"sample_weight": [1, 2]}, "sample_weight must have one value per row"),
        ({"sample_weight": [1, 2, -3, 1]}, "0 or more; got '-3.0'"),
        ({"sample_weight": [1, 2, np.inf, 1]}, "0 or more; got 'inf'"),
        ({"sample_weight": list("abcd")}, "0 or more; got 'a'"),
        ({"sample_weight": [[1], [1, 2], 1, 1]}, "sample_weight must have rows of one length"),
        ({"groups": np.ma.array(range(4), mask=[0, 1, 0, 0])}, "groups must have no masked values"),
        ({"groups": [1, "a", 2, 3]}, "groups must be of one kind; got int and str"),
        ({"task": "both"}, "task must be one of auto, classification, regression; got 'both'"),
    ],
)
def test_bad_options_get_one_sentence(options, message):
    with pytest.raises(InvalidArgumentError, match=message):
        from_arrays(X, Y, **options)


@pytest.mark.parametrize(
    "make",
    [
        lambda a, y: (np.array([a, a]).T, np.array(y, dtype=object)),
        lambda a, y: ([[v, v] for v in a], list(y)),
        lambda a, y: (pd.DataFrame({"a": a, "b": a}), pd.Series(y)),
        lambda a, y: (pd.DataFrame({"a": a, "b": a, "y": y}, index=[5, 5, 3, 2]), "y"),
        lambda a, y: (pl.DataFrame({"a": a, "b": a}), pl.Series(y)),
        lambda a, y: (pl.DataFrame({"a": a, "b": a, "y": y}), "y"),
        lambda a, y: (pd.DataFrame({"a": a, "b": a}), ["u", float("nan"), "v", "u"]),
    ],
)
def test_rows_without_a_target_are_left_out_and_counted(make):
    X, y = make([1.0, 2.0, 3.0, 4.0], ["u", None, "v", "u"])
    with pytest.raises(InvalidArgumentError, match=r"got 1 missing.*drop_missing_target=True"):
        from_arrays(X, y)
    more = {"groups": [1, 2, 3, 4], "sample_weight": [1, 2, 3, 4]}
    data = from_arrays(X, y, **more, drop_missing_target=True)
    assert list(data.target) == ["u", "v", "u"]
    assert np.asarray(data.features)[:, 0].tolist() == [1, 3, 4]
    assert data.groups.tolist() == [1, 3, 4]
    assert data.sample_weight.tolist() == [1, 3, 4]
    assert data.notes[0] == "Left out: 1 row without a target, as asked for."


def test_numbers_without_a_target_are_left_out():
    y = np.array([1.5, np.nan, 2.5, np.nan])
    data = from_arrays(np.eye(4), y, drop_missing_target=True)
    assert data.target.tolist() == [1.5, 2.5]
    with pytest.raises(InvalidArgumentError, match="got 4 missing"):
        from_arrays(np.eye(4), np.full(4, np.nan), drop_missing_target=True)
    with pytest.raises(InvalidArgumentError, match="groups must have one value per row"):
        from_arrays(np.eye(4), y, groups=[1, 2, 3], drop_missing_target=True)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_get_hints_at_groups_and_at_numbers_that_are_texts(frame):
    patients, towns = [i // 3 for i in range(30)], [f"t{i % 3}" for i in range(30)]
    prices = [f"{i},400" for i in range(30)]
    X = frame({"patient_id": patients, "price": prices, "town": towns})
    y = list("ab") * 15
    warnings = from_arrays(X, y).warnings
    assert warnings[0].startswith("Column 'patient_id' is named as an identifier and has 10 diff")
    assert warnings[1].startswith("Column 'price': numbers stored as texts, such as '")
    assert len(warnings) == 2
    assert len(from_arrays(X, y, groups=np.arange(30) // 3).warnings) == 1


@pytest.mark.parametrize("seed", range(5))
def test_repeated_rows_are_those_that_pandas_would_drop(seed):
    rng = np.random.default_rng(seed)
    numbers = rng.choice([0.0, -0.0, 1.5, np.nan], 60)
    texts = pd.Categorical(rng.choice(["a", "b", None], 60), categories=["b", "a", "c"])
    frame = pd.DataFrame({"x": numbers, "k": texts, "n": rng.integers(0, 12, 60)})
    target = rng.choice(["u", "v"], 60)
    n_repeated = 60 - len(frame.assign(target=target).drop_duplicates())
    assert from_arrays(frame, target).warnings[0].startswith(f"{n_repeated} rows equal another:")
    coarse = frame[["x", "k"]]  # 4 x 3 ways: 60 rows must repeat
    assert not any("equal another" in said for said in from_arrays(coarse, target).warnings)
