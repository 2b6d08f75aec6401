import json
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier

from bestofk.calibration.claim_calibration import (
    ClaimCalibration,
    claim_figures,
    share_interval,
    standard_error,
)
from bestofk.calibration.claim_case import CaseFile, ClaimCase, LearnerClaim, claim_case
from bestofk.calibration.claims import calibrate_claims, class_sizes, possible_sizes, subsample_rows
from bestofk.data import DataSet, load_data, twonorm
from bestofk.errors import DesignError, InvalidArgumentError

LEARNERS = ["nearest-mean", "lda"]


def a_case(number=0, *, stated=0.7, regret=0.0, name="d", n_rows=100, **changes):
    claim = LearnerClaim("lda", True, (stated / 2, stated), 0.004, 0.02, 0.08, 0.05, regret, 15)
    claim = LearnerClaim(**{**claim.__dict__, **changes.pop("claim", {})})
    other = LearnerClaim("cart", True, (0.1, 0.2), 0.03, 0.05, 0.1, 0.07, 0.02, 15)
    fields = {"pick": "lda", "reason": "", **changes}
    return ClaimCase(
        name, n_rows, 9000, number, "error", (0.005, 0.01), level=0.9, learners=(claim, other),
        truth_error=0.001, seconds=1.0, **fields,
    )  # fmt: skip


def four_cases():
    """Stated 0.5 and 0.7 at 100 rows, 0.8 and 1.0 at 300; the second one is false."""
    return (
        a_case(0, stated=0.5, regret=0.01),
        a_case(1, stated=0.7, regret=0.0101),
        a_case(0, stated=0.8, n_rows=300, claim={"true_loss": 0.09}),
        a_case(1, stated=1.0, n_rows=300, claim={"true_loss": 0.01}),
    )


def test_figures_of_four_claims_are_those_computed_by_hand():
    figures = ClaimCalibration(four_cases()).figures()
    assert figures.n_claims == 4
    assert (figures.stated, figures.true) == pytest.approx((0.75, 0.75))
    assert figures.too_high == pytest.approx(0)
    assert figures.brier == pytest.approx((0.25 + 0.49 + 0.04 + 0) / 4)
    assert figures.brier_of_share == pytest.approx(0.75 * 0.25)
    logs = math.log(0.5) + math.log(0.3) + math.log(0.8) + math.log(1 - 1 / 4000)
    assert figures.log_score == pytest.approx(-logs / 4)
    assert figures.stated_regret == pytest.approx(0.004)
    assert figures.true_regret == pytest.approx(0.0201 / 4)
    assert (figures.inside, figures.above, figures.below) == (0.5, 0.25, 0.25)


def test_the_interval_of_the_deviation_is_that_of_claims_that_are_right():
    figures = ClaimCalibration(tuple(a_case(i, stated=0.8) for i in range(9))).figures()
    # all true, so nothing varies; nine draws with probability 0.8 do
    margin = 2.306004 * math.sqrt(0.8 * 0.2 / 9)
    assert figures.too_high == pytest.approx(-0.2)
    assert figures.too_high_high == pytest.approx(-0.2 + margin, abs=1e-6)
    assert figures.too_high_low == pytest.approx(-0.2 - margin, abs=1e-6)


def test_the_table_has_all_claims_then_sizes_then_bins_then_both():
    frame = ClaimCalibration(four_cases()).to_frame()
    assert frame[["n_rows", "bin", "n_claims", "true"]].values.tolist() == [
        ["all", "all", 4, 0.75],
        [100, "all", 2, 0.5],
        [300, "all", 2, 1.0],
        ["all", "40-60%", 1, 1.0],
        ["all", "60-80%", 1, 0.0],
        ["all", "80-90%", 1, 1.0],
        ["all", "90-100%", 1, 1.0],
        [100, "40-60%", 1, 1.0],
        [100, "60-80%", 1, 0.0],
        [300, "80-90%", 1, 1.0],
        [300, "90-100%", 1, 1.0],
    ]


def test_another_distance_has_other_claims():
    figures = ClaimCalibration(four_cases(), within=0.005).figures()
    assert (figures.stated, figures.true) == pytest.approx((0.375, 0.5))


def test_claims_about_candidates_hold_more_than_the_pick():
    result = ClaimCalibration(four_cases())
    figures = claim_figures(result.candidate_claims, 0.01)
    assert (figures.n_claims, figures.stated) == (8, pytest.approx((3 + 0.8) / 8))
    assert figures.true == pytest.approx(3 / 8)


def test_subsamples_of_one_data_set_count_each_and_data_sets_count_together():
    values = [1.0, 1.0, 0.0, 0.0]
    assert standard_error(values, range(4)) == pytest.approx(math.sqrt(1 / 12))
    assert standard_error(values, ["a", "a", "b", "b"]) == pytest.approx(0.5)
    of_one = ClaimCalibration(tuple(a_case(i, regret=0.1 * (i > 1)) for i in range(4)))
    of_two = ClaimCalibration(
        tuple(a_case(i, regret=0.1 * (i > 1), name="ab"[i // 2]) for i in range(4))
    )
    for result, groups in ((of_one, range(4)), (of_two, list("aabb"))):
        figures = result.figures()
        assert (figures.true_low, figures.true_high) == share_interval([1, 1, 0, 0], groups)


def test_the_interval_of_a_share_is_that_of_wilson_and_never_without_a_width():
    low, high = share_interval([1.0] * 8 + [0.0] * 2, range(10))
    # standard error sqrt(0.16 / 9): as from 9 outcomes
    z2 = 1.959963984540054**2
    center, margin = 0.8 + z2 / 18, math.sqrt(z2) * math.sqrt(0.16 / 9 + z2 / 324)
    assert low == pytest.approx((center - margin) / (1 + z2 / 9))
    assert high == pytest.approx((center + margin) / (1 + z2 / 9))
    assert share_interval([0.0, 0.0], "ab")[0] == 0.0
    assert 0.5 < share_interval([0.0, 0.0], "ab")[1] < 0.7


@pytest.mark.parametrize(
    ("stated", "regret", "n", "start"),
    [
        (0.85, [0.0] * 17 + [0.1] * 3, 6, "Claims hold: 85% stated, 85% true over 120 subsamples"),
        (0.95, [0.0] * 12 + [0.1] * 8, 1, "Claims are too high: 95% stated, 60% true over 20"),
        (0.5, [0.0] * 19 + [0.1], 1, "Claims are too careful: 50% stated, 95% true over 20"),
        (
            0.8,
            [0.0] * 4 + [0.1],
            1,
            "Too few subsamples to tell (the difference is known only to 56 points): 80%",
        ),
    ],
)
def test_the_first_sentence_is_the_answer(stated, regret, n, start):
    cases = tuple(a_case(i, stated=stated, regret=r) for i, r in enumerate(regret * n))
    assert str(ClaimCalibration(cases)).startswith(start)


def test_a_size_at_which_claims_fail_is_named():
    right = [a_case(i, stated=0.8, regret=0.1 * (i % 5 == 0)) for i in range(90)]
    wrong = [a_case(i, stated=0.8, regret=0.1 * (i % 2), n_rows=1000) for i in range(20)]
    assert ClaimCalibration((*right, *wrong)).headline() == (
        "Claims hold: 80% stated, 75% true over 110 subsamples of d. "
        "Claims are too high at 1,000 rows: 80% stated, 50% true."
    )


def test_where_nothing_is_claimed_the_reason_stands_first():
    silent = a_case(reason="rows are weighted", claim={"probabilities": None})
    result = ClaimCalibration((silent,), ("A note.",))
    assert result.headline() == "No claim was made on 1 subsample: rows are weighted."
    assert str(result).endswith("- A note.")
    assert math.isnan(result.figures().stated)
    assert str(ClaimCalibration((), ("A note.",))) == "No subsample is finished.\n\n  - A note."
    assert "Stated minus true: +0 points. Chance alone explains" in str(
        ClaimCalibration(four_cases())
    )
    mixed = str(ClaimCalibration((silent, a_case(1))))
    assert "A claim was made in 50% of 2 subsamples: rows are weighted." in mixed


def test_a_case_comes_back_from_json():
    case = a_case(claim={"true_loss": None})
    assert ClaimCase.from_dict(json.loads(json.dumps(case.to_dict()))) == case


def test_a_regret_of_exactly_the_distance_counts():
    assert a_case(regret=0.07 - 0.06).is_within(0.01)
    assert not a_case(regret=0.0101).is_within(0.01)
    with pytest.raises(DesignError, match="case must have a claim"):
        a_case(pick="none").is_within(0.01)


class FirstColumn(ClassifierMixin, BaseEstimator):
    """Predict the class whose number stands in a column."""

    def __init__(self, column=0):
        self.column = column

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.asarray(X)[:, self.column].astype(int)


def rows_with_errors(n, wrong_of_each):
    """Data in whose column j the class of the rows in `wrong_of_each[j]` is wrong."""
    y = np.arange(n) % 2
    columns = []
    for wrong in wrong_of_each:
        column = y.copy()
        column[list(wrong)] = 1 - column[list(wrong)]
        columns.append(column)
    return DataSet("made", np.column_stack(columns).astype(float), y, "classification")


def test_the_truth_is_measured_on_the_rest():
    sample = rows_with_errors(120, [range(3), range(20), range(60)])
    rest = rows_with_errors(1000, [range(100), range(50, 130), range(500)])
    learners = {"a": FirstColumn(0), "b": FirstColumn(1), "c": FirstColumn(2)}
    case = claim_case(learners, sample, rest)
    assert (case.pick, case.n_rows, case.n_rest, case.reason) == ("a", 120, 1000, "")
    assert [claim.true_loss for claim in case.learners] == pytest.approx([0.1, 0.08, 0.5])
    assert [claim.true_regret for claim in case.learners] == pytest.approx([0.02, 0, 0.42])
    # rows 0 to 49 and 100 to 129: one of the two is wrong
    assert case.truth_error == pytest.approx(math.sqrt(80) / 1000)
    assert [case.is_within(within) for within in case.within] == [False, False, True]
    assert case.picked is case.learners[0]
    assert 0.9 < case.stated(0.01) <= 1
    assert case.learners[0].n_runs >= 10


def test_a_class_that_the_sample_lacks_is_an_error_of_every_learner():
    sample, rest = twonorm(100), twonorm(900, random_state=1)
    target = rest.target_array.copy()
    target[:90] = 3
    case = claim_case(LEARNERS, sample, DataSet("t", rest.features, target, rest.task))
    assert all(claim.true_loss >= 0.1 for claim in case.learners)


def test_frames_are_put_together_as_they_are():
    data = twonorm(1100)
    frame = pd.DataFrame(data.features)
    parts = [
        DataSet("t", kind(data.features[rows]), data.target[rows], data.task)
        for kind in (np.asarray, lambda x: pd.DataFrame(x, columns=frame.columns))
        for rows in (slice(0, 100), slice(100, None))
    ]
    of_arrays, of_frames = (claim_case(LEARNERS, *parts[i : i + 2]) for i in (0, 2))
    assert [c.true_loss for c in of_arrays.learners] == [c.true_loss for c in of_frames.learners]


class Failing(DummyClassifier):
    def fit(self, X, y):
        raise ValueError("no idea")


def test_a_learner_that_fails_has_no_truth_and_spoils_no_other():
    case = claim_case([*LEARNERS, Failing()], twonorm(100), twonorm(900, random_state=1))
    assert case.learners[2].true_loss is None
    assert case.picked is not None


class Interrupted(FirstColumn):
    def __init__(self, column=0, at=20):
        super().__init__(column)
        self.at = at

    def fit(self, X, y):
        if len(y) >= self.at:
            raise KeyboardInterrupt
        return super().fit(X, y)


@pytest.mark.parametrize("at", [20, 120], ids=["in the comparison", "in the truth"])
def test_a_case_that_was_interrupted_is_none(at, in_this_process):
    """A comparison that is interrupted returns what it has; a case must not."""
    learners = {"a": FirstColumn(0), "b": Interrupted(1, at)}
    sample = rows_with_errors(120, [range(3), range(20)])
    with pytest.raises(KeyboardInterrupt):
        claim_case(learners, sample, sample)


def test_class_sizes_are_as_in_the_data():
    assert class_sizes(np.array([60, 40]), 10).tolist() == [6, 4]
    assert class_sizes(np.array([55, 25, 20]), 10).tolist() == [6, 2, 2]
    assert class_sizes(np.array([90, 6, 4]), 34).tolist() == [32, 2, 0]
    assert class_sizes(np.array([3]), 3).tolist() == [3]


def test_subsamples_share_no_row_until_all_are_used():
    data = load_data("iris")
    rows = [subsample_rows(data, 30, number) for number in range(6)]
    assert sorted(np.concatenate(rows[:5])) == list(range(150))
    assert all(np.bincount(data.y[part]).tolist() == [10, 10, 10] for part in rows)
    assert rows[5].tolist() != rows[0].tolist()
    again = subsample_rows(data, 30, 3)
    assert again.tolist() == rows[3].tolist()
    assert subsample_rows(data, 30, 3, random_state=1).tolist() != rows[3].tolist()


def quick(data=None, **options):
    options = {"n_rows": 100, "n_subsamples": 3, "progress": False, **options}
    return calibrate_claims(LEARNERS, twonorm(3000) if data is None else data, **options)


def without_seconds(result):
    return [{**case.to_dict(), "seconds": 0} for case in result.cases]


def test_the_experiment_is_the_same_however_it_is_done(tmp_path):
    file = tmp_path / "results.jsonl"
    steps = []
    first = quick(results=file, n_subsamples=2, progress=lambda *done: steps.append(done))
    assert steps == [(1, 2), (2, 2)]
    assert len(file.read_text().splitlines()) == 2
    with file.open("a") as lines:
        lines.write('{"experiment": "cut o')
    resumed = quick(results=file)
    assert len(file.read_text().splitlines()) == 3
    assert [case.to_dict() for case in resumed.cases[:2]] == [c.to_dict() for c in first.cases]
    whole = quick(n_jobs=2)
    assert without_seconds(resumed) == without_seconds(whole)
    assert [case.number for case in whole.cases] == [0, 1, 2]
    assert whole.cases[0].name == "twonorm:3000:0"
    other = quick(results=file, random_state=1, n_subsamples=1)
    assert without_seconds(other) != without_seconds(whole)[:1]
    assert len(file.read_text().splitlines()) == 4
    assert len(quick(results=file, n_subsamples=1).cases) == 1


def test_an_interruption_keeps_what_is_done(tmp_path):
    def interrupt(done, total):
        if done == 2:
            raise KeyboardInterrupt

    result = quick(results=tmp_path / "r.jsonl", progress=interrupt)
    assert (len(result.cases), result.is_interrupted) == (2, True)
    assert result.notes[-1].startswith("Interrupted. Repeat the call to resume;")
    assert quick(progress=interrupt).notes == (
        "Interrupted. Name a file for results to be able to resume.",
    )


def test_a_size_whose_rest_is_small_is_skipped():
    result = quick(n_rows=(100, 2900), n_subsamples=1)
    assert {case.n_rows for case in result.cases} == {100}
    assert result.notes == (
        "Subsamples of 2,900 rows are skipped: at least 400 other rows are needed.",
    )
    with pytest.raises(DesignError, match=r"data must have many more rows .* got 450 rows\. Sub"):
        quick(twonorm(450))


def test_a_size_of_which_nothing_is_claimed_is_not_repeated():
    result = quick(twonorm(700), n_rows=60, n_subsamples=6)
    assert len(result.cases) == 5
    assert result.headline().startswith("No claim was made on 5 subsamples: there are 60 rows")


def test_claims_without_an_interval_cover_nothing_and_miss_nothing():
    result = quick(twonorm(3000), n_rows=100, n_subsamples=2, cv="5x2")
    figures = result.figures(100)
    assert figures.n_claims == 2
    assert np.isnan([figures.inside, figures.above, figures.below]).all()
    assert result.text().splitlines()[3].split()[-3:] == ["-", "-", "-"]


def test_distances_of_losses_without_bound_are_no_points():
    with_values = DataSet("r", np.eye(900, 2), np.arange(900.0), "regression")
    with pytest.raises(DesignError, match=r"must be at most 1, .* got rmse"):
        calibrate_claims(["mean", "ridge"], with_values, n_rows=100, n_subsamples=1)


@pytest.mark.slow
def test_a_size_whose_truth_is_uncertain_is_skipped():
    rng = np.random.default_rng(0)
    noisy = rows_with_errors(1400, [np.flatnonzero(rng.random(1400) < 0.5) for _ in range(9)])
    learners = {f"column {i}": FirstColumn(i) for i in range(9)}
    text = (
        "data must have enough rows for a precise truth; got too few. Subsamples of 100 rows are "
        "skipped: on the 1,300 other rows the truth has a standard error of 0.97 points, and at "
        "most 0.25 is wanted. About 20,000 rows would do."
    )
    with pytest.raises(DesignError, match=text):
        calibrate_claims(learners, noisy, n_rows=100, n_subsamples=2, progress=False)


def test_rare_classes_are_left_out_of_subsamples_and_named():
    data = twonorm(3000)
    target = data.target_array.copy()
    target[:30] = 3
    result = quick(DataSet("rare", data.features, target, data.task), n_subsamples=1)
    assert "Subsamples of 100 rows lack 3: too rare." in result.notes[0]
    assert all(claim.true_loss > 0.01 for claim in result.cases[0].learners)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"n_rows": 5}, "n_rows must be a whole number from 10 up; got 5"),
        ({"n_rows": ()}, "n_rows must name at least one size; got none"),
        ({"n_subsamples": 0}, "n_subsamples must be a whole number from 1 up; got 0"),
        ({"progress": "no"}, "progress must be 'auto', True, False or a callable; got 'no'"),
    ],
)
def test_wrong_arguments_are_refused(options, text):
    with pytest.raises(InvalidArgumentError, match=text):
        quick(**options)


def test_sizes_are_told_what_they_lack():
    target = np.repeat(np.arange(60), 50)
    data = DataSet("many", np.zeros((3000, 1)), target, "classification")
    with pytest.raises(DesignError, match="100 rows are skipped: too few rows of every class but"):
        possible_sizes(data, [100], 2)
    target[:1000], target[1000:1500] = 98, 99
    data = DataSet("many", np.zeros((3000, 1)), target, "classification")
    kept, notes = possible_sizes(data, [1000, 100], 20)
    assert kept == [100, 1000]
    assert notes == [
        "Subsamples of 100 rows lack 30, 31, 32, 33, 34 and 25 more classes: too rare. In the "
        "rest, their rows count as errors of every learner.",
        "Subsamples of 1,000 rows share rows: there are only 3,000.",
    ]
    assert possible_sizes(data, [2000, 1000], 9)[1] == [
        "Subsamples of 1,000, 2,000 rows share rows: there are only 3,000."
    ]


def test_groups_and_weights_are_refused():
    data = twonorm(3000)
    grouped = DataSet("g", data.features, data.target, data.task, groups=np.arange(3000) // 2)
    with pytest.raises(DesignError, match="data must have neither groups nor weights"):
        quick(grouped)


def test_a_file_of_other_things_is_refused_and_stays(tmp_path):
    file = tmp_path / "data.csv"
    for text in ("a,b\n1,2\n", "hello", '{"a": 1}\n'):
        file.write_text(text)
        with pytest.raises(InvalidArgumentError, match="must hold one case per line; got line 1"):
            CaseFile(file, "key").read()
        assert file.read_text() == text
