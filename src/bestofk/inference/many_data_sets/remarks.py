"""Cautions and remarks for tests over data sets, given the data."""

from bestofk.inference.cautions import Caution, caution_if

ALPHA = 0.05  # level of remarks about results that have none of their own
LEAST_DATA_SETS = 6  # two-sided Wilcoxon and sign tests of fewer cannot reach 0.05: 2 / 2^5

INDEPENDENT = "The data sets are independent of each other and a sample of those that matter."
SYMMETRIC = "The differences are symmetric around their median, and their sizes can be compared."
RANKED_WITHIN = "Only the order of the learners within each data set counts."
COMPARABLE = "Sizes of differences can be compared between data sets."


def not_equal(p_value: float) -> tuple[Caution, ...]:
    """Return that not shown is not equal, where nothing is shown at 0.05."""
    text = f"No significant difference (p = {p_value:.2g}), which is not the same as equal."
    return caution_if(p_value > ALPHA, "not-equal", text)


def pairs_not_equal(n_open: int, n_pairs: int, alpha: float) -> tuple[Caution, ...]:
    """Return the remark that "can't tell" does not mean "equal", where pairs are undecided."""
    text = f"{n_open} of {n_pairs} pairs are undecided at {alpha:g}, which does not mean equal."
    return caution_if(n_open > 0, "not-equal", text)


def few_data_sets(n_data_sets: int) -> tuple[Caution, ...]:
    """Return that ranks of so few data sets show little, and distributions of many hold badly."""
    text = (
        f"Only {n_data_sets} data sets: little can be shown, and the p value rests on a "
        "distribution for many data sets."
    )
    return caution_if(n_data_sets < LEAST_DATA_SETS, "few-scores", text)


def few_differences(n_differences: int, alternative: str) -> tuple[Caution, ...]:
    """Return the least p value that so few signs can give, where that is above 0.05."""
    sides = 2 if alternative == "two-sided" else 1
    least = min(1.0, sides * 0.5**n_differences)
    text = (
        f"Only {n_differences} data sets with a difference: no p value below {least:.2g} is "
        f"possible ({alternative})."
    )
    return caution_if(least > ALPHA, "few-scores", text)


def all_ties(things: str) -> tuple[Caution, ...]:
    """Return that nothing but ties was seen."""
    text = f"All {things} are tied, so statistic and p value show no evidence."
    return (Caution("degenerate", text),)


def all_alike() -> tuple[Caution, ...]:
    """Return that the statistic is infinite."""
    text = "All data sets order the learners the same way: do not trust a small p value."
    return (Caution("degenerate", text),)


def multiplicity(n_hypotheses: int, family: str, correction: str) -> tuple[Caution, ...]:
    """Return the family, its size and its adjustment, where there is more than one hypothesis."""
    text = (
        f"{n_hypotheses} hypotheses were tested together ({family}), adjusted by {correction}; "
        "other families looked at are not covered."
    )
    return caution_if(n_hypotheses > 1, "multiplicity", text)
