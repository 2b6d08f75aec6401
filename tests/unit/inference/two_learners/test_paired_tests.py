import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import PAIRED_TESTS, Sampling, check_test, paired_test, usable_tests


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("corrected_t", "corrected-t"),
        ("corrected_resampled_t", "corrected-t"),
        ("corrected-resampled-t", "corrected-t"),
        ("paired_t", "paired-t"),
        ("5x2cv_t", "5x2cv-t"),
        ("cv52_t", "5x2cv-t"),
    ],
)
def test_other_spellings_are_understood(alias: str, name: str) -> None:
    assert paired_test(alias).name == name
    assert paired_test(name).name == name


def test_names_are_those_of_the_registry() -> None:
    names = ["corrected-t", "paired-t", "5x2cv-t", "calibrated-t", "sorted-runs-t"]
    own = {name: test.name for name, test in PAIRED_TESTS.items()}
    assert own == {name: name for name in [*names, "diebold-mariano"]}
    with pytest.raises(InvalidArgumentError, match=r"got 'corected-t'. Did you mean 'corrected-t'"):
        paired_test("corected-t")


@pytest.mark.parametrize(
    ("sampling", "names"),
    [
        (Sampling("k-fold", 5, 2, 50, 50), ["corrected-t", "5x2cv-t"]),
        (Sampling("k-fold", 1, 10, 90, 10), ["corrected-t", "paired-t"]),
        (
            Sampling("k-fold", 10, 10, 90, 10),
            ["corrected-t", "calibrated-t", "sorted-runs-t"],
        ),
        (Sampling("k-fold", 10, 3, 66, 33), ["corrected-t"]),
        (Sampling("leave-one-out", 1, 150, 149, 1), ["corrected-t"]),
        (Sampling("test-set", 1, 1, 90, 10), []),
        (Sampling("forward", 12, 1, 90, 10), ["diebold-mariano"]),
        (Sampling("forward", 1, 12, 90, 10), ["diebold-mariano"]),
        (Sampling("forward", 7, 1, 90, 10), []),
    ],
)
def test_the_plan_decides_what_is_usable(sampling: Sampling, names: list[str]) -> None:
    assert usable_tests(sampling) == names
    for name in names:
        assert check_test(name, sampling).name == name


def test_a_test_that_the_plan_cannot_carry_is_refused_naming_the_others() -> None:
    with pytest.raises(DesignError, match=r"got '5x2cv-t'.*Usable here: corrected-t, paired-t\."):
        check_test("cv52_t", Sampling("k-fold", 1, 10, 90, 10))
    with pytest.raises(DesignError, match=r"No test is usable here\."):
        check_test("corrected-t", Sampling("test-set", 1, 1, 90, 10))
