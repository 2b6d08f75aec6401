import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.inference import OmnibusResult

RESULT = OmnibusResult(
    procedure="Friedman test", n=6, statistic=4.5, df=2.0, p_value=0.1054, symbol="chi2",
    names=("cart", "lda"), levels=(1.25, 1.75), level_of="mean rank", n_of="data sets",
    effect_size=0.375, effect_size_of="Kendall W",
)  # fmt: skip


def test_every_learner_is_shown_with_its_level():
    assert RESULT.rows() == [
        ("chi2", "4.5"),
        ("df", "2"),
        ("p value", "0.1054"),
        ("Kendall W", "0.375"),
        ("n", "6 data sets"),
        ("mean rank of cart", "1.25"),
        ("mean rank of lda", "1.75"),
    ]
    assert (
        repr(RESULT) == "OmnibusResult(Friedman test: chi2 = 4.5, df = 2, p = 0.1054, 2 learners)"
    )


def test_rejection_is_at_most_alpha():
    assert RESULT.reject(0.1054)
    assert not RESULT.reject(0.1)
    with pytest.raises(InvalidArgumentError, match="alpha must be a number above 0 and below 1"):
        RESULT.reject(0)


def test_the_frame_has_one_row_with_names_in_one_text():
    frame = RESULT.to_frame()
    assert frame.loc[0, "names"] == "cart lda"
    assert frame.loc[0, "levels"] == (1.25, 1.75)
    assert frame.loc[0, "p_value"] == 0.1054
