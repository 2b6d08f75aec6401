import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import Sampling
from bestofk.verdict.orderings import ordering, orderings

FIVE_BY_TWO = Sampling("k-fold", 5, 2, n_train=75, n_test=75)
NAMES = ["majority", "nearest-mean", "logistic", "cart", "1nn"]


def far_apart() -> np.ndarray:
    """Losses in the order 5 3 4 2 1 of learners, every pair but 3 and 4 far apart."""
    noise = np.random.default_rng(0).normal(size=(5, 10)) / 100
    return (noise + np.array([0.9, 0.7, 0.400, 0.401, 0.1])[:, None]).T


def test_a_clear_winner_is_named_by_all_but_one_ordering() -> None:
    table = orderings(far_apart(), sampling=FIVE_BY_TWO, names=NAMES)
    assert table.picks.keys() == {"1nn", ""}
    assert table.picks[""] == ["ANOVA as selector"]
    assert table.disagreement.startswith("The orderings that name a best agree on the best: 1nn by")
    assert table.disagreement.endswith(" No best is named by ANOVA as selector.")
    rows = {row.name: row for row in table.rows}
    assert rows["multitest-holm"].order == ("1nn", "logistic", "cart", "nearest-mean", "majority")
    assert rows["multitest-holm"].may_be_best == ("1nn",)
    assert rows["candidates"].may_be_best == rows["with-the-best"].may_be_best == ("1nn",)


def test_noise_alone_shows_who_decides_by_what() -> None:
    losses = np.random.default_rng(5).normal(size=(3, 10)) / 100 + 0.2
    losses -= losses.mean(axis=1, keepdims=True) - np.array([[0.2], [0.199], [0.198]])
    table = orderings(losses.T, sampling=FIVE_BY_TWO, names=NAMES[:3])
    best = {row.name: row.best for row in table.rows}
    assert best == {
        "lowest-mean": "logistic",
        "multitest-bonferroni": "majority",
        "multitest-holm": "majority",
        "testfirst": None,
        "anova": "majority",
        "newman-keuls": "majority",
        "candidates": None,
        "with-the-best": None,
    }
    assert "name 2 different learners: logistic by lowest mean; majority by" in table.disagreement
    frame = table.to_frame()
    assert frame["may_be_best"][6] == "majority, nearest-mean, logistic"
    assert frame["order"][0] == "logistic, nearest-mean, majority"
    assert frame["why"][5] == "Underlined together: logistic, nearest-mean, majority."


def test_another_preference_gives_another_pick() -> None:
    losses = np.random.default_rng(6).normal(size=(3, 10)) / 100 + 0.2
    costs = {"majority": 9, "nearest-mean": 1, "logistic": 5}
    table = orderings(losses.T, sampling=FIVE_BY_TWO, names=NAMES[:3], prefer=costs)
    rows = {row.name: row for row in table.rows}
    assert rows["multitest-holm"].best == rows["anova"].best == "nearest-mean"
    assert table.preference.startswith("Preference by a table of costs")


def test_the_learners_may_be_given_in_any_order() -> None:
    losses, turned = far_apart(), [3, 0, 4, 2, 1]
    names = [NAMES[i] for i in turned]
    table = orderings(losses, sampling=FIVE_BY_TWO, names=NAMES, prefer=NAMES)
    other = orderings(losses[:, turned], sampling=FIVE_BY_TWO, names=names, prefer=NAMES)
    assert [row.order for row in table.rows] == [row.order for row in other.rows]
    assert [row.why for row in table.rows] == [row.why for row in other.rows]


def test_twins_leave_the_preference_alone() -> None:
    table = orderings(np.full((10, 3), 0.2), sampling=FIVE_BY_TWO)
    named = {row.best for row in table.rows}
    assert named == {"learner 1", None}
    assert table.picks[""] == ["candidate set", "comparisons with the best"]


def test_the_table_reads_from_top_to_bottom() -> None:
    text = str(orderings(far_apart(), sampling=FIVE_BY_TWO, names=NAMES, test="5x2cv-t"))
    lines = text.splitlines()
    assert lines[0] == (
        "Best by every ordering, 5x2cv paired t test, one-way analysis of variance and "
        "Newman-Keuls test, alpha = 0.05"
    )
    assert " ".join(lines[1].split()) == "lowest mean 1nn Lowest mean loss; no test was used."
    assert lines[-2].startswith("The orderings that name a best")
    assert lines[-1].startswith("! The 5x2cv t statistic rests on the first of its ten")


def test_multitest_names_who_overrode_whom() -> None:
    table = orderings(far_apart(), sampling=FIVE_BY_TWO, names=NAMES, only=["multitest"])
    row = table.rows[0]
    overridden = NAMES[: NAMES.index(row.best)]
    said = ", ".join(f"{name} (than {row.best})" for name in overridden)
    assert row.why == f"Preferred but significantly worse: {said}."
    rest = [name for name in NAMES if name != row.best]
    preferred = orderings(
        far_apart(), sampling=FIVE_BY_TWO, names=NAMES, prefer=[row.best, *rest], only=["multitest"]
    )
    reversed_row = preferred.rows[0]
    assert reversed_row.why == "The most preferred learner, and no other is significantly better."


def test_a_few_orderings_can_be_asked() -> None:
    table = orderings(far_apart(), sampling=FIVE_BY_TWO, only=["testfirst", "newman_keuls"])
    assert [row.name for row in table.rows] == ["testfirst", "newman-keuls"]
    assert ordering("MultiTest_Holm").name == "multitest-holm"


def test_an_ordering_alone_that_names_none_is_reported() -> None:
    table = orderings(far_apart(), sampling=FIVE_BY_TWO, only=["anova"])
    assert table.disagreement == "No ordering names a best."


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("lowest-mean", "Best by lowest mean, without a test"),
        ("anova", "Best by ANOVA as selector, one-way analysis of variance, alpha = 0.05"),
        ("newman-keuls", "Best by Newman-Keuls rules, Newman-Keuls test, alpha = 0.05"),
        ("with-the-best", "Best by comparisons with the best, 5x2cv paired t test, alpha = 0.05"),
    ],
)
def test_the_heading_names_the_test_that_was_used(name, head) -> None:
    table = orderings(far_apart(), sampling=FIVE_BY_TWO, only=[name], test="5x2cv-t")
    assert str(table).splitlines()[0] == head


def test_bad_input_is_refused() -> None:
    with pytest.raises(DesignError, match="must have at least 2 learners; got 1"):
        orderings([[0.1]] * 10, sampling=FIVE_BY_TWO)
    with pytest.raises(InvalidArgumentError, match=r"a row for each of the 10 splits.*got 4 x 2"):
        orderings(np.zeros((4, 2)), sampling=FIVE_BY_TWO)
    with pytest.raises(InvalidArgumentError, match="Did you mean 'testfirst'"):
        orderings(far_apart(), sampling=FIVE_BY_TWO, only=["testfrist"])
    with pytest.raises(InvalidArgumentError, match="alpha must be a number above 0"):
        orderings(far_apart(), sampling=FIVE_BY_TWO, alpha=0)
    with pytest.raises(DesignError, match="the plan allows; got 'paired-t'"):
        orderings(far_apart(), sampling=FIVE_BY_TWO, test="paired-t")
