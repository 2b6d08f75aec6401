"""Dates as inputs of the catalogue: parts of them, as suits each learner."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier

from bestofk import compare, load_data
from bestofk.batched.forms import batched_form
from bestofk.cli import main
from bestofk.comparison.saved_model import SavedModel
from bestofk.data import from_arrays
from bestofk.data.table_columns import date_column
from bestofk.learners import learner_catalogue
from bestofk.learners.noisy_training import NoisyTraining
from bestofk.learners.preparation import TablePreparer
from bestofk.learners.resampled_training import ResampledTraining, _with_synthetic_rows
from bestofk.trees.known_columns import KnownColumns

START = dt.datetime(2023, 12, 20)


def visits(n=300, seed=0, hours=1):
    """Return moments of a year and a bit, whose day of week decides, next to a number."""
    rng = np.random.default_rng(seed)
    when = pd.Series(START + pd.to_timedelta(rng.integers(0, 400 * 24, n) * hours, unit="h"))
    return pd.DataFrame(
        {
            "when": when,
            "size": rng.normal(size=n).round(3),
            "kind": np.where(when.dt.day_of_week < 2, "early", "late"),
        }
    )


@pytest.fixture
def path(tmp_path):
    frame = visits()
    frame["when"] = frame["when"].dt.strftime("%d.%m.%Y %H:%M")
    frame.loc[[3, 50], "when"] = ""
    frame.to_csv(tmp_path / "visits.csv", index=False)
    return tmp_path / "visits.csv"


def accuracy(result):
    table = result.to_frame()
    table = table[table["measure"].str.contains("error")]
    return 1 - table.groupby("learner")["value"].mean()


def test_one_sentence_says_what_dates_become(path):
    data = load_data(path)
    parts = "year, month, day of week, hour and elapsed time"
    assert f"Column 'when': dates, %d.%m.%Y; read as {parts}." in data.notes
    assert data.n_features == 2
    assert data.reading[0].startswith("visits: 300 rows, 1 date and 1 numeric inputs")
    frame = from_arrays(visits().drop(columns="kind"), visits()["kind"])
    assert frame.notes[0] == f"Column 'when': dates; read as {parts}."
    summary = next(column for column in data.columns if column.name == "when")
    assert summary.reason.endswith(f"; read as {parts}")


@pytest.mark.parametrize(
    ("role", "became", "says"),
    [
        ("date", "date", "date, as asked for; read as year, month, day of week, hour and elapsed"),
        ("calendar", "calendar", "calendar, as asked for; read as month, day of week and hour."),
        ("calendar:%d.%m.%Y", "calendar", "calendar, as asked for; read as month, day of week"),
        ("number", "numeric", "number, as asked for; read as days since 1970-01-01."),
    ],
)
def test_roles_say_what_is_made_of_dates(path, role, became, says):
    data = load_data(path, roles={"when": role})
    assert data.roles["when"] == became
    assert any(note.startswith(f"Column 'when': {says}") for note in data.notes)
    assert data.features["when"].dtype == np.float64
    usual = load_data(path)
    assert data.features["when"].equals(usual.features["when"])
    assert (data.id == usual.id) == (became == "date")


def test_the_form_of_dates_and_a_role_go_together(tmp_path):
    path = tmp_path / "due.csv"
    pd.DataFrame({"due": ["1/2/2024", "3/4/2024"] * 10, "y": [0, 1] * 10}).to_csv(path, index=False)
    for role, became in (("calendar", "calendar"), ("number", "numeric"), ("nominal", "date")):
        data = load_data(path, roles={"due": role}, date_format={"due": "%m/%d/%Y"})
        assert data.roles["due"] == became
        assert data.features["due"].iloc[0] == dt.date(2024, 1, 2).toordinal() - 719163


def test_times_of_day_are_their_hour(tmp_path):
    path = tmp_path / "times.csv"
    times = [f"{hour}:{minute:02}" for hour in range(24) for minute in (0, 30)]
    pd.DataFrame({"at": times, "y": [0, 1] * 24}).to_csv(path, index=False)
    data = load_data(path)
    assert "Column 'at': dates, %H:%M; read as hour." in data.notes
    tree = KnownColumns().fit_transform(data.levelled)
    assert tree["at_hour"].tolist() == [half / 2 for half in range(48)]
    names = TablePreparer(standardize=True).fit(data.levelled).get_feature_names_out()
    assert names.tolist() == ["at_hour_sin", "at_hour_cos"]
    hours = [dt.time(*map(int, text.split(":"))) for text in times]
    assert from_arrays(pd.DataFrame({"at": hours}), [0, 1] * 24).id == data.id


def test_moments_of_files_with_an_offset_count_in_utc(tmp_path):
    path = tmp_path / "zones.csv"
    moments = ["2024-01-01T01:30+02:00", "1969-12-31T20:00-05:00", "2024-01-02T12:00Z"] * 8
    pd.DataFrame({"at": moments, "y": [0, 1, 1] * 8}).to_csv(path, index=False)
    parts = KnownColumns().fit_transform(load_data(path).levelled)
    assert parts["at_hour"][:3].tolist() == [23.5, 1, 12]
    assert parts["at_year"][:3].tolist() == [2023, 1970, 2024]
    assert parts["at_day_of_week"][:3].tolist() == [7, 4, 2]


def test_trees_get_parts_and_learners_with_a_scale_pairs(path):
    data = load_data(path)
    plain = ["when_year", "when_month", "when_day_of_week", "when_hour", "when_elapsed_time"]
    pairs = [
        "when_year", "when_month_sin", "when_month_cos", "when_day_of_week_sin",
        "when_day_of_week_cos", "when_hour_sin", "when_hour_cos", "when_elapsed_time",
    ]  # fmt: skip
    for name, parts in (
        ("forest", plain), ("gradient-boosting", plain), ("5nn", pairs), ("logistic", pairs),
        ("svm", pairs), ("mlp", pairs), ("lda", pairs),
    ):  # fmt: skip
        learner = learner_catalogue()[name].make().fit(data.levelled, data.target)
        assert learner[0].get_feature_names_out().tolist() == ["size", *parts], name
        assert learner[:-1].transform(data.levelled).shape[1] == 1 + len(parts)
    tree = KnownColumns().fit_transform(data.levelled)
    assert list(tree.columns) == ["size", *plain]
    calendar = load_data(path, roles={"when": "calendar"})
    assert list(KnownColumns().fit_transform(calendar.levelled).columns) == ["size", *plain[1:4]]


def test_missing_dates_are_filled_as_numbers_are(path):
    data = load_data(path)
    preparer = TablePreparer().fit(data.levelled)
    matrix = preparer.transform(data.levelled)
    known = np.delete(matrix, [3, 50], axis=0)
    assert matrix[[3, 50], 1:] == pytest.approx(np.tile(known[:, 1:].mean(axis=0), (2, 1)))
    tree = KnownColumns().fit_transform(data.levelled)
    assert tree.iloc[[3, 50], 1:].isna().all().all()
    assert tree.drop(index=[3, 50]).notna().all().all()


def test_the_day_of_week_decides_and_is_found(path):
    names = ["forest", "random-forest", "logistic", "c45", "cart", "5nn", "svm"]
    found = accuracy(compare(names, load_data(path), cv="1x5"))
    assert found[["forest", "random-forest", "c45", "cart", "logistic", "svm"]].min() > 0.95
    as_days = accuracy(compare(names, load_data(path, roles={"when": "number"}), cv="1x5"))
    assert as_days.max() < 0.85


def test_learners_of_users_get_days_of_files(path):
    data = load_data(path)
    boosted = HistGradientBoostingClassifier(max_iter=5, early_stopping=False)
    result = compare({"own": boosted, "majority": "majority"}, data, cv="1x3")
    assert result.to_frame()["value"].notna().all()
    model = result.fit("own").estimator_.fit(data.features, data.target)
    assert model.feature_names_in_.tolist() == ["when", "size"]
    assert (data.features.dtypes == np.float64).all()


def test_frames_give_the_scores_of_files(path):
    data = load_data(path)
    frame = visits()
    frame.loc[[3, 50], "when"] = pd.NaT
    X = frame.drop(columns="kind")
    sources = data, from_arrays(X, frame["kind"]), from_arrays(pl.from_pandas(X), frame["kind"])
    scores = [
        compare(["logistic", "cart", "forest", "1nn"], source, cv="1x3").to_frame()[
            ["learner", "measure", "value"]
        ]
        for source in sources
    ]
    assert scores[0].equals(scores[1])
    assert scores[0].equals(scores[2])
    assert sources[1].id == data.id


@pytest.mark.parametrize("role", ["date", "calendar"])
def test_a_second_run_takes_all_from_the_store(path, tmp_path, role):
    data = load_data(path, roles={"when": role})
    names = ["logistic", "cart", "random-forest(n_estimators=9)"]
    first, again = (compare(names, data, cv="1x3", store=tmp_path / "runs.db") for _ in range(2))
    assert first.evaluation.n_fitted == 9
    assert again.evaluation.n_fitted == 0
    assert first.to_frame().equals(again.to_frame())
    number = load_data(path, roles={"when": "number"})
    assert compare(names, number, cv="1x3", store=tmp_path / "runs.db").evaluation.n_fitted == 9


@pytest.mark.parametrize("role", ["date", "calendar"])
@pytest.mark.parametrize("name", ["logistic", "cart", "random-forest(n_estimators=20)"])
def test_a_saved_model_reads_new_rows_as_those_it_was_trained_on(path, tmp_path, name, role):
    data = load_data(path, roles={"when": role})
    SavedModel.of(compare([name], data, cv="1x3")).save(tmp_path / "pick.joblib")
    saved = SavedModel.load(tmp_path / "pick.joblib")
    new = visits(60, seed=1)
    new["when"] = new["when"].dt.strftime("%d.%m.%Y %H:%M")
    new[["when", "size"]].to_csv(tmp_path / "new.csv", index=False)
    of_file = saved.predictions(tmp_path / "new.csv")["kind"]
    assert np.mean(of_file == new["kind"]) > 0.9
    dates = new.assign(when=pd.to_datetime(new["when"], format="%d.%m.%Y %H:%M"))
    assert of_file.equals(saved.predictions(dates)["kind"])
    again = clone(saved.learner).fit(new, new["kind"])  # to other rows, with the same parts
    assert np.mean(again.predict(dates) == new["kind"]) > 0.95


# Tables of dates: most of them in one year, one day but for few rows, with hours, times of day.
TABLES = {
    "days": lambda rng, n: 17990.0 + np.sort(rng.integers(0, 400, n)),
    "nearly one day": lambda rng, n: 18000 + 40.25 * rng.integers(1, 9, n) * (rng.random(n) < 0.03),
    "hours": lambda rng, n: 18000 + rng.integers(0, 24 * 300, n) / 24,
    "times": lambda rng, n: rng.integers(0, 1440, n) / 1440,
    "one day": lambda rng, n: np.full(n, 18000.0),
}


ROLES = [("calendar", True), ("calendar", False), ("date", True), ("date", False)]


@pytest.mark.parametrize(
    ("role", "has_gaps"),
    [ROLES[0], *(pytest.param(*case, marks=pytest.mark.slow) for case in ROLES[1:])],
)
@pytest.mark.parametrize("kind", TABLES)
def test_batched_forms_predict_what_plain_learners_do(kind, role, has_gaps):
    rng = np.random.default_rng(3)
    n, n_folds = 120, 4
    days = TABLES[kind](rng, n)
    if has_gaps:
        days[rng.random(n) < 0.1] = np.nan
    kinds = pd.Categorical(rng.choice(["a", "b", "d"], n))
    features = pd.DataFrame({"x": rng.normal(size=n), "when": date_column(days, role), "c": kinds})
    values = np.nan_to_num(days) % 7 + features["x"].to_numpy() + rng.normal(size=n)
    codes = (values > np.median(values)).astype(np.int64)
    folds = rng.integers(0, n_folds, n).astype(np.int32)
    folds[np.argsort(days)[:30]] = 0  # what is left may be without some parts
    compared = 0
    for name in ("1nn", "5nn", "lda", "naive-bayes", "ridge", "forest", "cart", "c45", "logistic",
                 "nearest-mean", "ridge-classifier", "forest-regressor"):  # fmt: skip
        entry = learner_catalogue()[name]
        y, classes = (codes, np.array([0, 1])) if entry.task == "classification" else (values, [])
        form = batched_form(
            entry.make(), features, y, y, np.array(classes), n_folds, even_if_slower=True
        )
        if form is None:
            assert (has_gaps, "forest" in name) == (True, True), name
            continue
        states = np.zeros((1, n_folds), dtype=np.int64)
        answers = form.predict(folds[None], states)
        for fold in range(n_folds):
            if answers.is_done is not None and not answers.is_done[0, fold]:
                continue
            compared += 1
            learner = entry.make()
            if "random_state" in learner[-1].get_params():
                learner.set_params(learner__random_state=0)
            learner.fit(features[folds != fold], y[folds != fold])
            test = features[folds == fold]
            if answers.probabilities is not None:
                shares = answers.probabilities[0, folds == fold]
                assert shares == pytest.approx(learner.predict_proba(test), abs=2e-3), name
            else:
                labels = answers.labels[0, folds == fold]
                assert labels == pytest.approx(learner.predict(test), abs=1e-6), name
    assert compared > 30


@pytest.mark.parametrize("dtype", ["M8[s]", object])
def test_arrays_of_dates_are_read_too(dtype):
    frame = visits()
    dates = frame["when"].dt.to_pydatetime() if dtype is object else frame["when"].to_numpy(dtype)
    table = np.array(dates).reshape(-1, 1)
    names = ["logistic", "cart", "c45", "random-forest(n_estimators=20)"]
    comparison = compare(names, table, frame["kind"], cv="1x3")
    assert accuracy(comparison).min() > 0.9
    for name in names:
        predicted = comparison.fit(name).predict(table[:50])
        assert np.mean(predicted == frame["kind"][:50]) > 0.9
    assert comparison.evaluation.data.id == from_arrays(frame[["when"]], frame["kind"]).id


@pytest.mark.parametrize("role", ["date", "calendar"])
@pytest.mark.parametrize("kind", ["feature", "missing"])
def test_noise_leaves_dates_what_they_are(path, role, kind):
    data = load_data(path, roles={"when": role})
    cart = learner_catalogue()["cart"].make()
    learner = NoisyTraining(cart, kind=kind, fraction=0.2, random_state=0)
    fitted = learner.fit(data.levelled, data.target_array)
    assert np.mean(fitted.predict(data.levelled) == data.target_array) > 0.9


def test_synthetic_rows_have_dates_of_rows_that_are_there(path):
    pytest.importorskip("imblearn")
    data = load_data(path)
    rows = np.delete(np.arange(300), [3, 50])
    table, target = data.levelled.iloc[rows], data.target_array[rows]
    added, _ = _with_synthetic_rows(table, target, seed=0)
    assert len(added) > len(table)
    assert added["when"].dtype == table["when"].dtype
    assert set(added["when"]) <= set(table["when"])
    learner = ResampledTraining(learner_catalogue()["cart"].make(), "smote", random_state=0)
    assert np.mean(learner.fit(table, target).predict(table) == target) > 0.9


def test_inspect_shows_what_dates_become(path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["inspect", str(path), "--role", "when=calendar"]) == 0
    shown = "calendar, as asked for; read as month, day of week and hour"
    assert shown in capsys.readouterr().out
