import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import (
    bonferroni_dunn_critical_difference,
    bonferroni_dunn_test,
    control_rank_test,
    nemenyi_critical_difference,
    nemenyi_test,
    pairwise_rank_test,
    studentized_range_quantile,
    studentized_range_tail,
)

ALL_PAIRS = [nemenyi_test, pairwise_rank_test]
CONTROL = [bonferroni_dunn_test, control_rank_test]
SCORES = np.random.default_rng(8).normal(size=(12, 5)) + np.arange(5) * 0.6


def codes(result: object) -> list[str]:
    return [warning.code for warning in result.warnings]


def test_z_is_the_difference_of_mean_ranks_in_standard_errors() -> None:
    losses = [[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.1, 0.3, 0.2], [0.1, 0.2, 0.4]]
    result = pairwise_rank_test(losses, correction="bonferroni")
    assert result.estimate[0, 2] == -1.75 == -result.estimate[2, 0]
    assert result.statistic[0, 2] == pytest.approx(-1.75 / np.sqrt(12 / 24))
    assert result.p_value[0, 2] == result.p_value[2, 0] == pytest.approx(0.013328, rel=1e-4)
    assert result.p_adjusted[0, 2] == pytest.approx(3 * 0.013328, rel=1e-4)
    assert np.isnan(result.p_adjusted.diagonal()).all()
    assert (result.n_hypotheses, result.levels) == (3, (1.0, 2.25, 2.75))


def test_equal_differences_are_the_same_number_and_the_direction_turns_the_signs_alone() -> None:
    losses = [[1, 2, 3, 4]] * 7 + [[4, 3, 2, 1]] * 2 + [[1, 3, 2, 4]]
    result = pairwise_rank_test(losses, correction="bergmann-hommel")
    assert result.estimate[0, 1] == result.estimate[2, 3]
    assert result.p_adjusted[0, 1] == result.p_adjusted[2, 3]
    losses, scores = (nemenyi_test(SCORES, greater_is_better=g) for g in (False, True))
    np.testing.assert_allclose(losses.estimate, -scores.estimate)
    np.testing.assert_allclose(losses.p_adjusted, scores.p_adjusted, rtol=1e-9)


@pytest.mark.parametrize(("test", "alpha"), [(nemenyi_test, 0.1), (bonferroni_dunn_test, 0.05)])
def test_what_is_beyond_the_critical_difference_and_nothing_else_is_rejected(
    test: object, alpha: float
) -> None:
    result = test(SCORES, alpha=alpha)
    beyond = np.abs(np.nan_to_num(result.estimate)) > result.critical_difference
    np.testing.assert_array_equal(result.reject(alpha), beyond)
    assert beyond.any()


def test_critical_differences_are_those_of_the_literature() -> None:
    assert nemenyi_critical_difference(5, 30) == pytest.approx(1.114, abs=5e-4)
    assert bonferroni_dunn_critical_difference(3, 20) == pytest.approx(0.709, abs=5e-4)
    # Demsar (2006), table 5: q / sqrt 2 of 2 and of 10 learners, at 0.05 and at 0.10
    for k, alpha, q in ((2, 0.05, 1.960), (10, 0.05, 3.164), (10, 0.1, 2.920)):
        assert studentized_range_quantile(k, np.inf, alpha=alpha) / np.sqrt(2) == pytest.approx(
            q, abs=5e-4
        )
    assert bonferroni_dunn_critical_difference(4, 10) < nemenyi_critical_difference(4, 10)


def test_no_range_is_exceeded_with_certainty_only_at_zero() -> None:
    np.testing.assert_allclose(
        studentized_range_tail([[0.0, 200.0]], 3, np.inf), [[1.0, 0.0]], atol=1e-12
    )


@pytest.mark.parametrize(
    "difference", [nemenyi_critical_difference, bonferroni_dunn_critical_difference]
)
@pytest.mark.parametrize(("k", "n"), [(1, 10), (-3, 10), (3, 0), (3, -5), (2.5, 10), (True, 10)])
def test_sizes_that_count_nothing_are_refused(difference: object, k: object, n: object) -> None:
    with pytest.raises(InvalidArgumentError, match=r"must be a whole number from [12] up; got"):
        difference(k, n)


def test_the_control_is_held_against_the_others_alone() -> None:
    result = control_rank_test(SCORES, names=list("abcde"), control="c")
    assert result.control == "c"
    assert result.n_hypotheses == 4
    assert np.isnan(np.delete(np.delete(result.p_adjusted, 2, 0), 2, 1)).all()
    all_pairs = pairwise_rank_test(SCORES, names=list("abcde"))
    others = [0, 1, 3, 4]
    np.testing.assert_allclose(result.p_value[2, others], all_pairs.p_value[2, others])
    np.testing.assert_array_equal(result.estimate[2, others], -result.estimate[others, 2])
    assert result.to_frame()["first"].tolist() == ["c"] * 4


@pytest.mark.parametrize("test", CONTROL)
def test_the_first_learner_is_the_control_unless_named(test: object) -> None:
    assert test(SCORES).control == "learner 1"
    with pytest.raises(InvalidArgumentError, match=r"control must be the name.*mean 'learner 2'"):
        test(SCORES, control="learner2")


def test_holm_and_hochberg_against_a_control_show_at_least_what_bonferroni_shows() -> None:
    dunn, holm, hochberg = (
        control_rank_test(SCORES, correction=c).p_adjusted[0, 1:]
        for c in ("bonferroni", "holm", "HOCHBERG")
    )
    assert (hochberg <= holm).all()
    assert (holm <= dunn).all()


def test_corrections_that_are_unknown_or_take_too_long_are_refused_with_a_way_out() -> None:
    with pytest.raises(InvalidArgumentError, match="Did you mean 'shaffer'"):
        pairwise_rank_test(SCORES, correction="shafer")
    with pytest.raises(InvalidArgumentError, match=r"correction of control_rank_test .*'holm'"):
        control_rank_test(SCORES, correction="hollm")
    ten = np.random.default_rng(1).normal(size=(10, 10))
    with pytest.raises(DesignError, match=r"at most 9; got 10.* Take the correction shaffer"):
        pairwise_rank_test(ten, correction="bergmann-hommel")
    assert pairwise_rank_test(ten[:, :9], correction="Bergmann_Hommel").n_hypotheses == 36


@pytest.mark.parametrize("test", [*ALL_PAIRS, *CONTROL])
def test_all_ties_are_no_evidence_and_a_level_outside_0_1_is_refused(test: object) -> None:
    result = test(np.full((7, 3), 0.3))
    assert result.flags == ("all_ties",)
    assert (result.p_adjusted[0, 1:] == 1).all()
    assert codes(result) == ["degenerate", "multiplicity", "not-equal"]
    with pytest.raises(InvalidArgumentError, match="alpha must be a number above 0"):
        test(SCORES, alpha=5)


def test_the_family_is_named_and_a_verdict_that_hangs_on_a_third_learner() -> None:
    result = control_rank_test(SCORES, names=list("abcde"), control="b")
    text = next(w for w in result.warnings if w.code == "multiplicity")
    assert text.startswith("4 hypotheses were tested together (b against the others), adjusted by")
    assert "multiplicity" not in codes(nemenyi_test(SCORES[:, :2]))
    # a always stands before b; whether that is shown hangs on whether x is there.
    result = nemenyi_test([[1, 2, 3], [1, 2, 3], [1, 3, 2], [1, 3, 2]], names=["a", "b", "x"])
    caution = next(w for w in result.warnings if w.code == "mean-ranks")
    assert not result.reject(0.05).any()
    assert "without b the verdict on a and x changes from not significant" in caution
    clear = np.tile([1.0, 2, 3], (60, 1))
    assert codes(nemenyi_test(clear)) == ["multiplicity"]


@pytest.mark.parametrize("control", [None, "b"])
@pytest.mark.parametrize("seed", range(6))
def test_the_caution_of_mean_ranks_is_what_leaving_out_shows(seed: int, control: object) -> None:
    scores = np.random.default_rng(seed).normal([0, 0.5, 0.9, 0.4], 1, (15, 4)).round(1)
    names = list("abcd")

    def compared(kept: list[int]) -> object:
        table, some = scores[:, kept], [names[j] for j in kept]
        if control:
            return control_rank_test(table, names=some, control=control)
        return pairwise_rank_test(table, names=some)

    def rejected(result: object) -> dict[str, bool]:
        frame = result.to_frame()
        pairs = map("".join, zip(frame["first"], frame["second"], strict=True))
        return dict(zip(pairs, frame["p_adjusted"] <= 0.05, strict=True))

    result = compared([0, 1, 2, 3])
    full, changes = rejected(result), 0
    for index in range(4):
        if names[index] != control:
            without = rejected(compared([j for j in range(4) if j != index]))
            changes += sum(full[pair] != shown for pair, shown in without.items())
    cautions = [w for w in result.warnings if w.code == "mean-ranks"]
    assert bool(cautions) == bool(changes)
    if changes > 1:
        assert f"(more: {changes - 1})" in cautions[0]
