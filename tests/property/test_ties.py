"""A change of units, or a constant added to all scores, changes nothing but numbers."""

import inspect
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.given_procedures import USUAL_PLAN, plan_of

from bestofk import compare, compare_scores, compare_scores_across
from bestofk.inference import PROCEDURES, Procedure, Result, Sampling, check_test
from bestofk.inference.many_learners.pair_evidence import compare_all
from bestofk.inference.many_learners.reseeding import reseed
from bestofk.measures.ties import tied_differences, tied_values
from bestofk.stopping.adaptive_repeats import analyse_race

# Procedures that take scores of any unit, and what they say of them that has no unit.
OF_SCORES = [
    procedure
    for procedure in PROCEDURES.values()
    if procedure.takes.endswith(("-on-splits", "-on-data-sets", "of-data-sets"))
    or procedure.name in ("permutation", "bootstrap", "row-randomization")
]
UNITLESS = ("p_value", "p_adjusted", "effect_size", "p_less", "p_rope", "p_greater", "flags")
NUMBER = re.compile(r"[-+<>]*\d[\d,.]*(?:e[-+]?\d+)?[.,]*")


def score_table(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
    """Return losses: hundredths with ties, normal ones, shares of rows, or with equal learners."""
    kind = rng.integers(4)
    if kind == 0:
        return rng.integers(0, 21, (n, k)) / 100
    if kind == 1:
        return np.abs(rng.normal(1, 0.3, (n, k)))
    if kind == 2:
        return rng.integers(1, 400, (n, k)) / rng.integers(400, 500, (n, 1))
    table = rng.integers(0, 21, (n, k)) / 100
    table[:, 1] = table[:, 0] + rng.choice([0.0, 0.05])
    return table


def unit_of(rng: np.random.Generator) -> float:
    return float(10.0 ** rng.uniform(-60, 60))


def without_numbers(text: str) -> str:
    return re.sub(r"[-\s]+", " ", NUMBER.sub("#", text))


@pytest.mark.parametrize("seed", range(20))
def test_ties_and_orders_do_not_depend_on_the_unit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    exact = rng.integers(1, 400, (50, 8)) / 400
    noisy = exact * (1 + rng.integers(-4, 5, exact.shape) * np.finfo(float).eps)
    for values in (exact, noisy):
        tied = tied_values(unit_of(rng) * values)
        wanted = exact[..., :, None] < exact[..., None, :]
        np.testing.assert_array_equal(tied[..., :, None] < tied[..., None, :], wanted)
        differences = tied_differences(values[:, :4] - values[:, 4:], 1.0)
        np.testing.assert_array_equal(differences == 0, exact[:, :4] == exact[:, 4:])
    apart = exact * np.where(rng.random(exact.shape) < 0.5, 1.0, 1 + 1e-11)
    tied = tied_values(unit_of(rng) * apart)
    same = apart[..., :, None] == apart[..., None, :]
    np.testing.assert_array_equal(tied[..., :, None] == tied[..., None, :], same)


def arguments(rng: np.random.Generator, procedure: Procedure) -> tuple[np.ndarray, ...]:
    """Return positional arguments; each learner is one array or column."""
    if procedure.takes.startswith("two"):
        n = plan_of(procedure).n_scores if "splits" in procedure.takes else int(rng.integers(3, 16))
        return tuple(score_table(rng, n, 2).T)
    if procedure.takes == "splits-of-data-sets":
        tables = [score_table(rng, USUAL_PLAN.n_scores, 2) for _ in range(4)]
        return (np.array([table[:, 0] - table[:, 1] for table in tables]),)
    n = plan_of(procedure).n_scores if "splits" in procedure.takes else int(rng.integers(5, 16))
    return (score_table(rng, n, int(rng.integers(2, 6))),)


def run(procedure: Procedure, given: tuple[np.ndarray, ...], unit: float = 1.0) -> Result:
    """Run a procedure with a region of 0.01 units."""
    options: dict[str, Any] = {
        "sampling": plan_of(procedure),
        "samplings": [USUAL_PLAN] * len(given[0]),
        "n_draws": 200,
        "names": [f"l{index}" for index in range(given[0].shape[-1])],
        "rope": 0.01 * unit,
    }
    known = inspect.signature(procedure.run).parameters
    return procedure.run(*given, **{key: options[key] for key in options if key in known})


def assert_same(first: Result, second: Result) -> None:
    for key in UNITLESS:
        before, after = getattr(first, key, None), getattr(second, key, None)
        if key == "flags" or before is None:
            assert before == after
        else:
            np.testing.assert_allclose(after, before, rtol=1e-6, atol=1e-12)
    assert [str(text)[:20] for text in first.warnings] == [
        str(text)[:20] for text in second.warnings
    ]


@pytest.mark.parametrize("procedure", OF_SCORES, ids=lambda item: item.name)
def test_no_procedure_depends_on_the_unit_or_on_a_constant(procedure: Procedure) -> None:
    for seed in range(1 if procedure.name == "hierarchical-bayes" else 6):
        rng = np.random.default_rng(seed)
        given, unit = arguments(rng, procedure), unit_of(rng)
        result = run(procedure, given)
        assert_same(result, run(procedure, tuple(unit * item for item in given), unit))
        if procedure.takes != "splits-of-data-sets":
            by = rng.uniform(-1000, 1000) * np.ptp(np.concatenate(given))
            assert_same(result, run(procedure, tuple(item + by for item in given)))


def answers_of(verdict: Any) -> list[Any]:
    """Return what a verdict says without numbers."""
    pairs = [(pair.first, pair.second, pair.answer, pair.finding) for pair in verdict.pairs]
    return [verdict.best, verdict.order, verdict.candidates, pairs]


def p_values_of(verdict: Any) -> np.ndarray:
    return np.array([[pair.p_value, pair.p_adjusted, pair.p_equivalent] for pair in verdict.pairs])


def variants(rng: np.random.Generator, table: pd.DataFrame) -> list[tuple[float, pd.DataFrame]]:
    """Return the unit of the same table in another unit, and with a constant added."""
    unit = unit_of(rng)
    spread = float(np.ptp(table.to_numpy()))
    return [(unit, table * unit), (1.0, table + rng.uniform(0, 1000) * spread)]


@pytest.mark.parametrize("seed", range(12))
def test_a_verdict_on_splits_says_the_same_in_every_unit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = list("abcdefgh")[: rng.integers(2, 9)]
    test, cv = [
        ("corrected-t", "2x5"), ("corrected-t", "3x10"), ("paired-t", "1x10"), ("5x2cv-t", "5x2"),
        ("calibrated-t", "10x10"), ("sorted-runs-t", "10x10"),
    ][seed % 6]  # fmt: skip
    n_splits = int(np.prod([int(item) for item in cv.split("x")]))
    table = pd.DataFrame(score_table(rng, n_splits, len(names)), columns=names)
    prefer = rng.permutation(names).tolist() if rng.random() < 0.3 else None
    rope = rng.choice([0.0, 0.02])
    given: dict[str, Any] = {"test": test, "cv": cv, "prefer": prefer, "measure": "rmse"}
    found = compare_scores(table, rope=rope, **given)
    for unit, other in variants(rng, table):
        again = compare_scores(other, rope=rope * unit, **given)
        assert answers_of(again.verdict) == answers_of(found.verdict)
        np.testing.assert_allclose(
            p_values_of(again.verdict), p_values_of(found.verdict), rtol=1e-6, atol=1e-9
        )
        for before, after in zip(found.orderings().rows, again.orderings().rows, strict=True):
            assert (after.best, after.order) == (before.best, before.order)
            assert after.may_be_best == before.may_be_best
        assert without_numbers(str(again)) == without_numbers(str(found))
        assert without_numbers(again.to_latex()) == without_numbers(found.to_latex())


@pytest.mark.parametrize("seed", range(6))
def test_the_usual_region_grows_with_the_unit_and_the_answers_stay(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(1 + score_table(rng, 10, 4), columns=list("abcd"))
    found = compare_scores(table, cv="2x5", measure="rmse")
    unit = unit_of(rng)
    again = compare_scores(table * unit, cv="2x5", measure="rmse")
    assert found.verdict.rope == pytest.approx(0.02 * table.mean().min())
    assert again.verdict.rope == pytest.approx(unit * found.verdict.rope)
    assert answers_of(again.verdict) == answers_of(found.verdict)


@pytest.mark.parametrize("seed", range(12))
def test_a_verdict_over_data_sets_says_the_same_in_every_unit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = list("abcdefgh")[: rng.integers(2, 9)]
    n_sets = int(rng.integers(2, 16))
    sets = pd.DataFrame({"dataset": [f"d{index}" for index in range(n_sets)]})
    table = pd.DataFrame(score_table(rng, n_sets, len(names)), columns=names)
    rope = rng.choice([0.0, 0.02])
    found = compare_scores_across(sets.join(table), measure="mae", rope=rope)
    for unit, other in variants(rng, table):
        again = compare_scores_across(sets.join(other), measure="mae", rope=rope * unit)
        assert (again.verdict is None) == (found.verdict is None)
        for first in names:
            for second in names:
                assert again.win_tie_loss(first, second) == found.win_tie_loss(first, second)
        if found.verdict and again.verdict:
            assert answers_of(again.verdict) == answers_of(found.verdict)
            assert again.verdict.mean_ranks == pytest.approx(found.verdict.mean_ranks)
            for pair in found.verdict.pairs:
                counted = found.win_tie_loss(pair.first, pair.second)
                assert (pair.wins, pair.ties, pair.losses) == counted


@pytest.mark.parametrize("seed", range(10))
def test_a_race_and_other_seeds_do_not_depend_on_the_unit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    losses = score_table(rng, 20, int(rng.integers(2, 9)))
    everyone = np.ones(losses.shape[1], dtype=bool)
    repeats = np.repeat(np.arange(10), 2)
    unit, by = unit_of(rng), rng.uniform(0, 1000) * np.ptp(losses)

    def race(table: np.ndarray) -> Any:
        return analyse_race(table.reshape(10, 2, -1).mean(axis=1).T, everyone, everyone, level=0.01)

    def chances(table: np.ndarray) -> Any:
        plan = Sampling("k-fold", 10, 2, n_train=50, n_test=50)
        evidence = compare_all(table, check_test("corrected-t", plan), plan)
        return reseed(table, repeats, evidence.compared, best=0, alpha=0.05)

    before, seeds = race(losses), chances(losses)
    for table in (losses * unit, losses + by):
        after, again = race(table), chances(table)
        assert (after.leader, after.pick) == (before.leader, before.pick)
        assert after.is_out.tolist() == before.is_out.tolist()
        np.testing.assert_allclose(after.p_values, before.p_values, rtol=1e-6)
        assert (again is None) == (seeds is None)
        if seeds is None:  # a pair without variance
            continue
        assert again.best.value == pytest.approx(seeds.best.value, abs=0.02)
        np.testing.assert_allclose(again.reproducibility, seeds.reproducibility, atol=0.02)


def test_a_comparison_of_a_small_target_is_that_of_a_usual_one() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3))
    y = X @ [1, 2, 0] + 0.3 * rng.normal(size=60)
    learners = ["ridge", "knn-regressor", "mean"]
    texts = []
    for unit in (1.0, 1e-8, 1e-30, 7e11):
        found = compare(learners, X, y * unit, cv="2x3")
        verdict = found.verdict()
        texts.append((verdict.order, verdict.candidates, [pair.answer for pair in verdict.pairs]))
        assert "0.000" not in str(found).splitlines()[0]
    assert texts == texts[:1] * 4
