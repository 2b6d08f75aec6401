import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import (
    Sampling,
    five_by_two_cv_t_numerators,
    five_by_two_cv_t_test,
    procedure,
)

D = np.array([[4, 3], [2, 2], [3, 1], [2, 2], [3, 3]]) / 100
ZERO = np.zeros((5, 2))


def test_the_first_is_the_test_itself() -> None:
    for side in ("two-sided", "greater", "less"):
        ten = five_by_two_cv_t_numerators(D, ZERO, alternative=side)
        result = five_by_two_cv_t_test(D, ZERO, alternative=side)
        assert (ten.statistic[0, 0], ten.p_value[0, 0]) == pytest.approx(
            (result.statistic, result.p_value)
        )


def test_all_ten_share_the_denominator() -> None:
    ten = five_by_two_cv_t_numerators(D, ZERO)
    np.testing.assert_allclose(ten.statistic, 100 * D / np.sqrt(0.5))
    # t of 2.571 is needed for 0.05: 2 / sqrt(.5) = 2.83 is enough, 1 / sqrt(.5) = 1.41 is not
    assert ten.n_rejected(0.05) == 9
    with pytest.raises(InvalidArgumentError, match="alpha must be a number above 0"):
        ten.n_rejected(5)


def test_the_table_has_a_row_for_each() -> None:
    frame = five_by_two_cv_t_numerators(D, ZERO).to_frame()
    assert list(frame.columns) == ["repeat", "fold", "difference", "statistic", "p_value"]
    assert frame["difference"].tolist() == D.ravel().tolist()
    assert frame.loc[5, ["repeat", "fold"]].tolist() == [2, 1]


def test_what_hangs_on_the_order_is_warned_of() -> None:
    ten = five_by_two_cv_t_numerators(D, ZERO)
    assert [warning.code for warning in ten.warnings] == ["multiplicity", "split-seed"]
    assert ten.warnings[1].startswith("9 of the ten numerators have p at most 0.05")
    assert "9 of 10 with p at most 0.05 two-sided" in repr(ten)


def test_twins_are_flagged_and_agree() -> None:
    ten = five_by_two_cv_t_numerators(D, D)
    assert (ten.flags, ten.n_rejected(0.05)) == (("zero_variance",), 0)
    assert [warning.code for warning in ten.warnings] == ["multiplicity", "degenerate"]


def test_bad_input_is_refused() -> None:
    with pytest.raises(DesignError, match=r"five_by_two_cv_t_numerators must be 5 repeats"):
        five_by_two_cv_t_numerators(D.T, ZERO.T)
    with pytest.raises(InvalidArgumentError, match="alternative must be one of three words"):
        five_by_two_cv_t_numerators(D, ZERO, alternative="bigger")


def test_by_name_it_takes_ten_scores_in_a_row() -> None:
    ten = procedure("5x2cv-t-numerators").run(
        D.ravel(), ZERO.ravel(), sampling=Sampling("k-fold", 5, 2), alternative="greater"
    )
    assert ten.alternative == "greater"
    with pytest.raises(DesignError, match="5x2cv-t-numerators needs exactly 5 repeats"):
        procedure("5x2cv-t-numerators").run(D, ZERO, sampling=Sampling("k-fold", 10, 1))
