from dataclasses import replace

from bestofk.inference import PosteriorResult

POSTERIOR = PosteriorResult(
    procedure="Bayes", n=10, p_less=0.7, p_rope=0.2, p_greater=0.1, rope=0.01, estimate=-0.02,
    low=-0.05, high=0.01,
)  # fmt: skip


def test_the_three_probabilities_are_shown_with_the_region():
    assert POSTERIOR.rows() == [
        ("difference", "-0.02"),
        ("95% interval", "-0.05 to 0.01"),
        ("P(below -0.01)", "0.7"),
        ("P(within 0.01)", "0.2"),
        ("P(above 0.01)", "0.1"),
        ("n", "10 pairs of scores"),
    ]
    assert repr(POSTERIOR) == "PosteriorResult(Bayes: below 0.7, within 0.01 0.2, above 0.1)"


def test_a_region_without_width_has_no_minus_sign():
    labels = [label for label, _ in replace(POSTERIOR, rope=0.0).rows()]
    assert labels[2:5] == ["P(below 0)", "P(within 0)", "P(above 0)"]
