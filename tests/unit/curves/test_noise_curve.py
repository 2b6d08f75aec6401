import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from tests.unit.curves.given_learners import FirstClass

from bestofk.curves.noise import NoiseCurves, noise_curve
from bestofk.data import from_arrays
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation import Observer
from bestofk.inference import Sampling
from bestofk.inference.adjust import adjust_p_values
from bestofk.learners.noisy_training import NoisyTraining
from bestofk.measures import get_measure
from bestofk.randomness import derive_seed
from bestofk.resampling import make_plan

pytestmark = pytest.mark.usefixtures("in_this_process")

ERROR = get_measure("error", task="classification", classes=["a", "b"])
MSE = get_measure("mse", task="regression", classes=[])


class Counter(Observer):
    """Counts runs that are found in the store, and runs that are done."""

    def __init__(self):
        self.n_reused, self.n_done = 0, 0

    def start(self, request, store, *, n_reused, snapshot):
        self.n_reused += sum(n_reused)

    def finished(self, learner, records, store):
        self.n_done += len(records)


class FailsOnGaps(FirstClass):
    def fit(self, X, y):
        if np.isnan(X).any():
            raise ValueError("no gaps, please")
        return super().fit(X, y)

    def predict(self, X):
        assert not np.isnan(X).any()
        return super().predict(X)


def rows(n=60):
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(150)[:n]
    return X[order], y[order]


def curves(values, *, fractions=(0.0, 0.5), measure=ERROR, is_baseline=None, n_repeats=2):
    values = np.array(values, dtype=float)
    n_learners, n_splits = values.shape[1:]
    return NoiseCurves(
        data_name="data", learners=tuple("abc"[:n_learners]), levels=fractions, notes=(),
        is_interrupted=False, measure=measure, alpha=0.05, kind="class", test_values=values,
        sampling=Sampling("k-fold", n_repeats, n_splits // n_repeats, n_train=20, n_test=10),
        is_baseline=is_baseline or (False,) * n_learners,
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["class", "feature"])
def test_curve_is_that_of_a_plain_loop_over_fractions_and_splits(kind):
    X, y = rows()
    learners = {"bayes": GaussianNB(), "5nn": KNeighborsClassifier(5)}
    result = noise_curve(learners, X, y, kind=kind, fractions=[0, 0.1, 0.4], cv="2x3",
                        scoring="accuracy", random_state=5)  # fmt: skip
    plan = make_plan(from_arrays(X, y), "2x3", random_state=5)
    for f, fraction in enumerate(result.fractions):
        for k, estimator in enumerate(learners.values()):
            for index, split in enumerate(plan):
                noisy = NoisyTraining(clone(estimator), kind=kind, fraction=fraction,
                                      random_state=derive_seed(5, "noise"))  # fmt: skip
                noisy.fit(X[split.train_rows], y[split.train_rows])
                right = noisy.predict(X[split.test_rows]) == y[split.test_rows]
                assert result.values[f, k, index] == pytest.approx(right.mean(), rel=1e-12)


def test_frame_has_means_and_their_standard_errors_over_repeats():
    # repeats of learner a without noise: 0.1 and 0.3; with noise 0.2 and 0.2
    result = curves([[[0.0, 0.2, 0.3, 0.3]], [[0.1, 0.3, 0.0, 0.4]]])
    expected = pd.DataFrame({"learner": ["a", "a"], "fraction": [0.0, 0.5], "score": [0.2, 0.2],
                             "score_error": [0.1, 0.0], "n_failed": [0, 0]})  # fmt: skip
    pd.testing.assert_frame_equal(result.to_frame(), expected, rtol=1e-12)
    one_repeat = curves([[[0.0, 0.2]], [[0.1, np.nan]]], n_repeats=1).to_frame()
    assert one_repeat["score_error"].tolist() == pytest.approx([0.1, np.nan], nan_ok=True)
    assert one_repeat["score"].tolist() == pytest.approx([0.1, 0.1])
    assert one_repeat["n_failed"].tolist() == [0, 1]


def test_resistance_is_the_mean_relative_loss_of_accuracy():
    # accuracies of a: 0.8 -> 0.6 -> 0.4, of b: 0.5 -> 0.5 -> 0.45, of c: 1 -> 0.9 -> 0.8
    errors = np.array([[0.2, 0.5, 0.0], [0.4, 0.5, 0.1], [0.6, 0.55, 0.2]])
    result = curves(np.repeat(errors[:, :, None], 4, axis=2), fractions=(0.0, 0.1, 0.3))
    losses = [[0, 0, 0], [0.25, 0, 0.1], [0.5, 0.1, 0.2]]
    np.testing.assert_allclose(result.relative_losses(), losses, atol=1e-12)
    table = result.resistance()
    assert table["learner"].tolist() == ["b", "c", "a"]
    assert table["rank"].tolist() == [1, 2, 3]
    np.testing.assert_allclose(table["relative_loss"], [0.05, 0.15, 0.375])
    np.testing.assert_allclose(table["largest_loss"], [0.1, 0.2, 0.5])


def test_losses_without_a_maximum_grow_and_scores_of_zero_have_no_share_to_lose():
    growing = curves(np.repeat([[[2.0], [4.0]], [[3.0], [5.0]]], 4, axis=2), measure=MSE)
    np.testing.assert_allclose(growing.relative_losses()[1], [0.5, 0.25])
    assert growing.sections().details[-1] == (
        "Growth of the mean squared error under noise, relative, mean over the shares: b 25.0% and "
        "a 50.0%."
    )
    r2 = get_measure("r2", task="regression", classes=[])
    helpless = curves(np.repeat([[[0.0], [0.5]], [[-1.0], [0.6]]], 4, axis=2), measure=r2)
    table = helpless.resistance()
    assert table["learner"].tolist() == ["b", "a"]
    np.testing.assert_allclose(table["relative_loss"], [-0.2, np.nan])
    np.testing.assert_array_equal(table["rank"], [1, np.nan])


def test_baselines_and_equal_losses_are_ranked_fairly():
    errors = np.repeat([[[0.2], [0.2], [0.7]], [[0.3], [0.3], [0.7]]], 4, axis=2)
    result = curves(errors, is_baseline=(False, False, True))
    assert result.resistance()["learner"].tolist() == ["a", "b"]
    assert result.resistance()["rank"].tolist() == [1.5, 1.5]
    picked = curves(1 - errors, is_baseline=(False, False, True)).answer[0]
    assert picked.startswith("Use a or b: ")


def test_pairs_are_corrected_t_tests_and_one_family_over_pairs_and_fractions():
    values = np.random.default_rng(1).uniform(size=(2, 3, 6))
    table = curves(values).pairs()
    assert len(table) == 6
    for row in table.itertuples():
        f = (0.0, 0.5).index(row.fraction)
        d = values[f, "abc".index(row.first)] - values[f, "abc".index(row.second)]
        t = d.mean() / np.sqrt((1 / 6 + 10 / 20) * d.var(ddof=1))
        assert row.difference == pytest.approx(d.mean())
        assert row.p_value == pytest.approx(2 * stats.t.sf(abs(t), 5))
    np.testing.assert_allclose(table["p_adjusted"], adjust_p_values(table["p_value"], "holm"))
    assert (table["shown"] == (table["p_adjusted"] <= 0.05)).all()


def test_second_call_with_a_store_fits_nothing_and_gives_the_same_bits(tmp_path):
    X, y = rows()
    options = {"cv": "2x3", "store": tmp_path / "runs.db", "kind": "missing"}
    first, again = Counter(), Counter()
    learners = ["5nn", "naive-bayes"]
    before = noise_curve(learners, X, y, fractions=[0, 0.2], progress=first, **options)
    after = noise_curve(learners, X, y, fractions=[0, 0.2], progress=again, **options)
    assert (first.n_reused, again.n_reused, again.n_done) == (0, 24, 0)
    assert before.values.tobytes() == after.values.tobytes()
    more = Counter()
    longer = noise_curve(learners, X, y, fractions=[0, 0.1, 0.2], progress=more, **options)
    assert more.n_reused == 24
    assert longer.values[[0, 2]].tobytes() == before.values.tobytes()


def test_numbers_can_be_predicted_from_noisy_features_and_frames():
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"size": rng.normal(size=60), "color": rng.choice(["red", "blue"], 60)})
    y = 3 * X["size"] + (X["color"] == "red") + rng.normal(scale=0.1, size=60)
    for kind in ("feature", "missing"):
        result = noise_curve(["ridge", "mean"], X, y, kind=kind, fractions=[0, 0.3], cv="2x3")
        assert result.relative_losses()[1, 0] > 0.5
        assert result.relative_losses()[1, 1] == 0
    with pytest.raises(InvalidArgumentError, match="for regression; got 'random-class'"):
        noise_curve(["mean"], *rows(), task="regression", kind="random-class")
    with pytest.raises(InvalidArgumentError, match="'feature' or 'missing' for regression"):
        noise_curve([LinearRegression()], X[["size"]], y)


def test_failed_runs_are_told_and_their_learner_is_compared_where_it_finished():
    X, y = rows()
    result = noise_curve({"picky": FailsOnGaps(), "bayes": "naive-bayes"}, X, y, kind="missing",
                        fractions=[0, 0.2], cv="2x3")  # fmt: skip
    assert result.to_frame()["n_failed"].tolist() == [0, 6, 0, 0]
    assert result.pairs()["fraction"].tolist() == [0]
    assert any("picky failed in 6 of 6 runs at 20% noise" in note for note in result.notes)
    assert "no gaps, please. [incomplete]" in " ".join(result.text().split())
    assert result.resistance()["rank"].isna().tolist() == [False, True]


def test_text_says_who_is_best_where_that_changes_who_resists_and_what_is_shown():
    errors = np.repeat([[[0.1], [0.2]], [[0.4], [0.2]]], 4, axis=2)
    errors += [[[0.002, -0.002, 0.001, -0.001]] * 2, [[0.0] * 4, [0.002, -0.001, -0.002, 0.001]]]
    errors[0, 1] = 0.2  # the differences vary
    report = curves(errors).sections()
    assert report.answer == (
        "Use a: 10.0% error without noise, 40.0% at 50% noise.",
        "Significantly worse: b. b is significantly better at 50% noise.",
        "No claim about new data: this noise was drawn at random, and real errors have causes.",
    )
    assert report.details == [
        "data: error rate (lower is better) by the share of noise; mean of 4 splits.",
        "0% and 50% of the training rows got another class. Test rows stayed clean.",
        "2 corrected resampled t tests of all pairs at all shares at a nominal 5% family-wise "
        "level (Holm): 2 significant.",
        "Loss of accuracy under noise, relative, mean over the shares: b 0% and a 33.3%.",
    ]
    alike = curves(np.full((1, 2, 4), 0.2), fractions=(0.0,)).answer
    assert alike[0] == "Use a or b: 20.0% error without noise."


def test_one_split_leads_to_no_conclusion():
    errors = [[[0.1], [0.2]], [[0.4], [0.2]]]
    result = curves(errors, n_repeats=1)
    assert result.answer[1] == (
        "Nothing was tested: one split does not show what is chance. b has a better mean at 50% "
        "noise, which may be chance."
    )
    assert "significant" not in result.text()


def test_learners_without_any_value_leave_empty_tables_and_a_reason():
    X, y = rows()
    result = noise_curve({"silent": FailsOnGaps()}, X, y, fractions=[0.1, 0.2], cv="2x3",
                        scoring="auroc")  # fmt: skip
    assert result.to_frame()["score"].isna().all()
    assert len(result.pairs()) == 0
    text = " ".join(result.text().split())
    assert text.startswith("No learner has a score in every run, so none is picked. ")
    assert "silent: auroc needs probabilities" in text
    nothing = curves(np.full((2, 2, 4), np.nan))
    assert nothing.resistance()["rank"].isna().all()


@pytest.mark.parametrize("fractions", [[], 0.2, "0.1", [0.2, 0.1], [0, 0.1, 0.1]])
def test_fractions_must_be_ascending_and_none_twice(fractions):
    with pytest.raises(InvalidArgumentError, match="fractions must be at least one number"):
        noise_curve(["5nn"], *rows(), fractions=fractions)


@pytest.mark.parametrize("fractions", [[0, 1], [-0.1, 0.2], [0, np.nan], ["a"], [[0.1]]])
def test_fractions_outside_zero_to_one_are_refused(fractions):
    with pytest.raises(InvalidArgumentError, match="must be a number of at least 0 and below 1"):
        noise_curve(["5nn"], *rows(), fractions=fractions)


def test_unknown_kinds_adaptive_plans_and_losses_relative_to_nothing_are_refused():
    with pytest.raises(InvalidArgumentError, match="Did you mean 'class'"):
        noise_curve(["5nn"], *rows(), kind="clas")
    with pytest.raises(InvalidArgumentError, match="cv of a curve must be a fixed plan"):
        noise_curve(["5nn"], *rows(), cv="adaptive")
    result = curves(np.full((1, 2, 4), 0.1), fractions=(0.2,))
    with pytest.raises(InvalidArgumentError, match="fractions must start with 0"):
        result.resistance()
    assert "under noise" not in result.text()
    with pytest.raises(InvalidArgumentError, match="must include one above 0"):
        curves(np.full((1, 2, 4), 0.1), fractions=(0.0,)).resistance()


class Interrupts(GaussianNB):
    """Learner interrupted by Ctrl-C once the first rows, of one class, have another class too."""

    def fit(self, X, y):
        if len(np.unique(y[:30])) > 1:
            raise KeyboardInterrupt
        return super().fit(X, y)


def test_a_fraction_that_was_interrupted_is_left_out():
    X, y = load_iris(return_X_y=True)
    result = noise_curve(
        {"1nn": KNeighborsClassifier(1), "stops": Interrupts()}, X, y, fractions=[0, 0.3, 0.4],
        cv="1x3",
    )  # fmt: skip
    assert result.is_interrupted
    assert result.fractions == (0.0,)
    assert result.to_frame()["n_failed"].sum() == 0
    assert result.notes[-1].startswith("Interrupted at 30% noise; what was done there is left out")
