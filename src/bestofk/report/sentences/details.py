"""Details below the answer: one fact per line, the most useful ones first; and caveats."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from bestofk.checks import is_number
from bestofk.inference import Caution, Chance
from bestofk.inference.two_learners.t_tests import OVERLAP
from bestofk.learners.earlier_values import LAST_SEASON
from bestofk.measures import Measure, words
from bestofk.measures.ties import is_noise
from bestofk.measures.words import is_share, points, short_title, size_in_words
from bestofk.report.findings import Findings, FindingsAcross, LearnerFindings
from bestofk.report.findings.one_data_set import ChosenSettings, SettingCount
from bestofk.report.sentences.answers import (
    OVERRIDDEN,
    VersusPick,
    prices_of_plausible,
    versus_pick,
    what_would_help,
)
from bestofk.verdict.preference import COST_FACTOR
from bestofk.verdict.verdict import n_tests
from bestofk.words import drawn, listing, memory, p_value_in_words, seconds, significant, times

# From here on "almost surely"; and the most that is claimed of draws afresh.
_ALMOST_SURELY, _MOST_SURE = 0.95, 0.99

ALL_PAIRS = (
    "MultiTest asks only whether a less preferred learner is significantly better. To test every "
    "pair both ways, compare without a preference."
)
_MUCH_MEMORY = 100e6  # bytes; the packages that a first run imports take some tens of millions
_TIMING = {
    "alone": "Seconds are from runs timed alone; the others ran in parallel (crowded).",
    "crowded": "Seconds are crowded: the runs ran in parallel with others.",
}

_MISCALIBRATION = (
    "Miscalibration: how much lower the log loss would be after the best monotone correction of "
    "the probabilities (isotonic regression), each class against the rest. In brackets: what "
    "perfectly calibrated probabilities would show on these rows by chance."
)

_NO_LONGER_WIN = "because {} could no longer win"
# Codes of cautions that hold for nearly every comparison; docs/warnings.md explains them.
STANDING = ("winners-curse", "multiplicity", "not-equal", "untuned")
# From this share of splits on the default is what was chosen, and other settings come second.
_MOSTLY_DEFAULT = 0.5


def details(findings: Findings) -> list[str]:
    """Return the facts below the table, the most useful ones first.

    Parameters
    ----------
    findings : Findings
        What is to be reported.

    Returns
    -------
    list of str
        One text per fact: the plan, the test, what would win by other measures, what tuned
        learners chose, how long was repeated, ties, the preference, what cheaper learners would
        give, other seeds, new data, notes.
    """
    return [text for text in _details(findings) if text]


def _details(findings: Findings) -> Iterator[str]:
    best = findings.verdict.best
    yield findings.headline
    yield _plan(findings)
    yield _test(findings)
    yield other_measures(findings, best) if best is not None else ""
    yield from choices_of_plausible(findings)
    yield from repeats_details(findings)
    if best is not None and len(findings.verdict.order) > 1:
        yield _tie(findings, best)
        yield from _preference(findings, best)
        yield _cheaper(findings, best)
        yield prices_of_plausible(findings)
        yield what_would_help(findings)
        yield _other_seeds(findings)
        yield _smallest_difference(findings)
        yield _share_of_repeats(findings, best)
        yield _nothing_cheaper(findings, best)
        yield _scaled(findings)
    elif best is not None:
        yield what_would_help(findings)
    yield _MISCALIBRATION if findings.has_miscalibration else ""
    yield _TIMING.get(findings.timing, "")
    yield _most_memory(findings)
    yield from choices_of_others(findings)
    yield from other_notes(findings)


def other_notes(findings: Findings | FindingsAcross) -> list[str]:
    """Return the notes that are neither guesses nor caveats with a code."""
    return [
        text
        for text in findings.notes
        if text not in findings.guesses and not isinstance(text, Caution)
    ]


def _plan(findings: Findings) -> str:
    plan = findings.plan_sentence
    text = f"{findings.data_sentence}. {plan[:1].upper()}{plan[1:]}."
    text = " ".join([text, *target_methods([findings.target_transform])])
    if len({len(findings.learner(name).scores) for name in findings.verdict.order}) > 1:
        text += " Differences use only shared splits, so they may not equal the gap between means."
    return text


def _test(findings: Findings) -> str:
    """Return measure, test, number of hypotheses, level and correction."""
    verdict, measure = findings.verdict, findings.measure
    decides = f"{measure.title} ({words.better_side(measure)} is better)"
    if measure.is_root_mean and verdict.n_splits > 1:
        decides += ", the mean over splits of the root over the rows of each"
    n_learners = len(verdict.order)
    if not verdict.test or n_learners < 2:
        return f"Measure: {decides}."
    count = n_tests(n_learners, has_preference=verdict.has_preference)
    test = verdict.test_title
    if measure.is_root_mean and verdict.n_splits == 1:
        test += ", which are squared errors here, in the unit of their root (delta method)"
    text = (
        f"Measure: {decides}. Test: {test}, {times(count, 'one-sided test')} at a "
        f"nominal {100 * verdict.alpha:g}% family-wise level ({verdict.correction.capitalize()})."
    )
    if verdict.rope:
        text += (
            f' "About the same": within {words.size_in_words(measure, verdict.rope)}, with at '
            f"least {100 * (1 - verdict.alpha):g}% probability."
        )
    return text


def _tie(findings: Findings, best: str) -> str:
    better, means = findings.ahead, findings.verdict.means
    if not better:
        return ""
    most = max(means[best] - means[name] for name in better)
    return (
        f"{listing(better)} {'is' if len(better) == 1 else 'are at most'} "
        f"{words.size_in_words(findings.measure, most)} {words.better_side(findings.measure)}"
        ", which counts as a tie; the first in your list wins ties."
    )


def _preference(findings: Findings, best: str) -> Iterator[str]:
    verdict, measure = findings.verdict, findings.measure
    if not verdict.has_preference:
        return
    lowest = findings.picks.get(measure.name, best)
    ahead = ""
    if lowest != best:
        said = words.score_in_words(measure, findings.learner(lowest).mean)
        ahead = (
            f" {lowest} has the {words.best_side(measure)} {words.short_title(measure)}: {said}."
        )
    yield f"{verdict.preference}{ahead}"
    yield overridden(versus_pick(findings))
    yield ALL_PAIRS
    same = "also " if verdict.reversed_best == best else ""
    first = verdict.first_test_best or "no learner"
    yield (
        f"With the preference reversed, {verdict.reversed_best} would {same}be the pick. "
        "TestFirst, which asks if the best average beats all learners preferred to it, picks "
        f"{first}."
    )


def overridden(answers: Mapping[str, VersusPick]) -> str:
    """Say which preferred learners were overridden, each by which learner; empty for none."""
    said = [
        f"{item.learner} by {item.by} (p {p_value_in_words(item.p_adjusted)})"
        for item in answers.values()
        if item.answer == OVERRIDDEN
    ]
    return f"Overridden: {listing(said)}; p values adjusted." if said else ""


def _cheaper(findings: Findings, best: str) -> str:
    verdict = findings.verdict
    choice, own = verdict.alternative, findings.learner(best)
    if choice is None:
        return ""
    other = findings.learner(choice.name)
    durations = {
        "training": (other.fit_seconds, own.fit_seconds),
        "predicting": (other.predict_seconds, own.predict_seconds),
    }
    said = [
        f"{use} takes {seconds(durations[use][0])} instead of {seconds(durations[use][1])}"
        for use in choice.saves
    ]
    price = words.difference_in_words(
        findings.measure, choice.difference, choice.upper_bound, 1 - verdict.alpha
    )
    return (
        f"If time for {listing(choice.saves)} matters, consider {choice.name}: "
        f"{listing(said)}, and it is {price}."
    )


def _nothing_cheaper(findings: Findings, best: str) -> str:
    verdict, own = findings.verdict, findings.learner(best)
    others = [name for name in verdict.candidates if name != best]
    is_known = best in verdict.candidates and not math.isnan(own.fit_seconds)
    if verdict.alternative is not None or verdict.has_preference or not (others and is_known):
        return ""
    plausible = [item for item in findings.learners if item.name in others]
    if any(COST_FACTOR * _seconds(item) < _seconds(own) for item in plausible):
        return ""  # so it seems, but the runs do not show it
    return (
        f"No other plausible learner takes less than half the time of {best} to train and predict."
    )


def _scaled(findings: Findings) -> str:
    """Return errors as a share of that of repeating the last season [1]_; empty without it.

    References
    ----------
    .. [1] Hyndman & Koehler (2006), Another look at measures of forecast accuracy, International
       Journal of Forecasting 22(4).
    """
    measure, means = findings.measure, {item.name: item.mean for item in findings.ordered()}
    seasonal = means.pop(LAST_SEASON, math.nan)
    if measure.greater_is_better or measure.maximum < math.inf or not seasonal > 0:
        return ""
    shares = [f"{name} {significant(mean / seasonal)}" for name, mean in means.items()]
    what = short_title(measure)
    return f"{what[0].upper()}{what[1:]} as a share of that of {LAST_SEASON}: {listing(shares)}."


def _seconds(learner: LearnerFindings) -> float:
    return learner.fit_seconds + learner.predict_seconds


def _most_memory(findings: Findings) -> str:
    """Name the learner that took the most memory, where that is much."""
    known = (item for item in findings.learners if item.peak_bytes >= _MUCH_MEMORY)
    most = max(known, key=lambda item: item.peak_bytes, default=None)
    if most is None:
        return ""
    return f"{most.name} took the most memory: {memory(most.peak_bytes)} at the peak of a run."


def _other_seeds(findings: Findings) -> str:
    """Say how probable it is that another random seed gives the same verdict."""
    result = findings.reseeding
    if result is None or result.best is None:
        return ""
    others = [
        f"{_would_give(chance)} the same {name}"
        for name, chance in (("plausible learners", result.candidates), ("order", result.order))
        if chance is not None
    ]
    rest = f" It {' and '.join(others)}." if others else ""
    return (
        f"Another random seed {_would_give(result.best)} the same pick.{rest} This is about these "
        "rows, not about new data."
    )


def _would_give(chance: Chance) -> str:
    shown = drawn(min(chance.value, _MOST_SURE), chance.n_draws, whole=100)
    if chance.value >= _ALMOST_SURELY:
        return f"would almost surely ({shown}%) give"
    return f"is {shown}% likely to give"


def other_measures(findings: Findings, best: str) -> str:
    """Name the learners that other measures would pick."""
    if findings.verdict.has_preference:  # by other measures, too, MultiTest would decide
        return ""
    picked: dict[str, list[str]] = {}
    for measure in findings.shown:
        name = findings.picks.get(measure.name, best)
        is_in_answer = measure.name == "log_loss" and name == findings.better_probabilities
        if name != best and name not in findings.ahead and not is_in_answer:
            picked.setdefault(name, []).append(words.short_title(measure))
    parts = [f"by {listing(titles)}, {name} would win" for name, titles in picked.items()]
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _smallest_difference(findings: Findings) -> str:
    size = findings.verdict.smallest_difference
    if size is None:
        return ""
    return (
        f"With this plan and {len(findings.verdict.order)} learners, only gaps above "
        f"{words.size_in_words(findings.measure, size)} can be detected."
    )


def _share_of_repeats(findings: Findings, best: str) -> str:
    share = findings.verdict.same_pick_share
    n_repeats = len(np.unique(findings.repeat_of_split[: len(findings.learner(best).scores)]))
    if math.isnan(share) or n_repeats < 2 or findings.verdict.has_preference:
        return ""
    return (
        f"{best} had the {words.best_side(findings.measure)} "
        f"{words.short_title(findings.measure)} in {round(share * n_repeats)} of {n_repeats} "
        "repeats (ties counted)."
    )


def repeats_details(findings: Findings) -> Iterator[str]:
    """Return why repeating ended, and which learners were eliminated before.

    Parameters
    ----------
    findings : Findings
        What is to be reported.

    Yields
    ------
    str
        For a plan that is not adaptive, the number of runs alone.
    """
    yield _ending(findings)
    yield from _eliminated(findings)
    yield from _grown(findings)


def _ending(findings: Findings) -> str:
    history, runs = findings.stopping_history, _runs(findings)
    if history is None:
        return runs
    if history.is_settled:
        return f"Stopped after {times(history.n_repeats, 'repeat')}: {history.ending}. {runs}"
    if history.n_repeats == history.max_repeats:
        return (
            f"Not settled after {times(history.n_repeats, 'repeat')}, the most allowed: more "
            f"repeats could change the pick. {runs}"
        )
    return runs


def _runs(findings: Findings) -> str:
    """Return how many runs were done, found, saved, failed and left."""
    history = findings.stopping_history
    trained = [learner for learner in findings.learners if not learner.members]
    n_done = sum(learner.n_runs for learner in trained)
    if not n_done and not findings.n_unfinished:
        return "No runs: the scores were given."
    text = f"{times(n_done, 'run')}"
    if findings.n_reused:
        text += f", {findings.n_reused:,} of them found in the store"
    if history is not None and not findings.n_unfinished:
        n_all = len(trained) * history.n_repeats * history.n_folds
        if n_all > n_done:
            text += f"; early elimination saved {n_all - n_done:,} of {n_all:,}"
    text += f", {findings.n_failed:,} failed" if findings.n_failed else ""
    text += f", {findings.n_unfinished:,} not done" if findings.n_unfinished else ""
    return f"{text}."


def _eliminated(findings: Findings) -> Iterator[str]:
    history = findings.stopping_history
    if history is None:
        return
    early = [item for item in history.eliminations if item.n_repeats < history.n_repeats]
    beaten = [item for item in early if item.is_beaten]
    if beaten:
        risk = (
            f" At most a {100 * history.level:g}% chance that more repeats would pick one of "
            "them instead."
            if history.level
            else ""
        )
        they = "it" if len(beaten) == 1 else "they"
        shown = _after([(item.learner, item.n_repeats) for item in beaten], "repeat")
        yield f"Eliminated early {_NO_LONGER_WIN.format(they)} on these rows: {shown}.{risk}"
    others = [item for item in early if not item.is_beaten]
    for reason in dict.fromkeys(item.reason for item in others):
        same = [(item.learner, item.n_repeats) for item in others if item.reason == reason]
        yield f"Stopped early because {reason}: {_after(same, 'repeat')}."


def _after(items: list[tuple[str, int]], unit: str) -> str:
    """Return names by the count after which each ended; the unit stands once.

    Examples
    --------
    >>> _after([("cart", 5), ("1nn", 5), ("svm", 8)], "repeat")
    'cart and 1nn (after 5 repeats), svm (8)'
    """
    counts = dict.fromkeys(count for _, count in items)
    groups: list[str] = []
    for count in counts:
        names = listing([name for name, other in items if other == count])
        shown = f"{count:,}" if groups else f"after {times(count, unit)}"
        groups.append(f"{names} ({shown})")
    return ", ".join(groups)


def _grown(findings: Findings) -> Iterator[str]:
    """Report the learners of a large table that were not trained on all rows."""
    history = findings.rows_history
    if history is None:
        return
    if history.ending:
        yield (
            f"Provisional: {history.ending} after {history.n_rows:,} of {history.n_all:,} "
            "training rows. With all of them another learner may win."
        )
    beaten = [(item.learner, item.n_rows) for item in history.eliminations if item.is_beaten]
    if beaten:
        they = "it" if len(beaten) == 1 else "they"
        yield f"Eliminated early {_NO_LONGER_WIN.format(they)}: {_after(beaten, 'row')}."
    for item in history.eliminations:
        if item.is_open:
            yield (
                f"{item.learner} was trained on {item.n_rows:,} rows at most, "
                f"{item.explanation}. It may still be the best: a larger budget or time limit "
                "would let it use more rows."
            )
        elif not item.is_beaten:
            yield f"{item.learner} {item.reason} and was trained on {item.n_rows:,} rows at most."


def caveats(findings: Findings | FindingsAcross) -> list[str]:
    """Return what could change the decision, each with its code in brackets.

    Parameters
    ----------
    findings : Findings or FindingsAcross
        What is to be reported.

    Returns
    -------
    list of str
        The warnings of data, runs and verdict, and how to go on after an interruption.
    """
    texts = [f"{warning} [{code}]" for code, warning in coded_warnings(findings)]
    return texts + ([findings.resume] if findings.resume else [])


def coded_warnings(findings: Findings | FindingsAcross) -> list[tuple[str, str]]:
    """Return code, or "data" or "runs", and text of the warnings of data, runs and verdict.

    Those that hold for nearly every comparison are left out; ``docs/warnings.md`` has them.
    """
    about_data = findings.warnings
    if isinstance(findings, Findings):
        about_data = findings.data_warnings
    warnings = [*findings.warnings, *(note for note in findings.notes if isinstance(note, Caution))]
    return [
        (getattr(text, "code", "data" if text in about_data else "runs"), text)
        for text in warnings
        if getattr(text, "code", "") not in STANDING and text != OVERLAP
    ]


def choices_of_plausible(findings: Findings) -> list[str]:
    """Return what tuned learners chose that are the pick or cannot be ruled out."""
    plausible = findings.verdict.candidates
    return _texts(findings, [item for item in findings.ordered() if item.name in plausible])


def choices_of_others(findings: Findings) -> list[str]:
    """Return what all other tuned learners chose, and whose scores those of tuned ones are."""
    plausible = findings.verdict.candidates
    texts = _texts(findings, [item for item in findings.ordered() if item.name not in plausible])
    if any(item.chosen_settings is not None for item in findings.learners):
        texts.append(
            "Tuned learners chose settings anew in every training set: their scores are those of "
            "tuning, not of one setting."
        )
    return texts


def target_methods(names: Iterable[str]) -> list[str]:
    """Return that learners were trained on the logarithm of the target, where they were."""
    text = "Learners were trained on the logarithm of the target; scores are in the original unit."
    return [text] if any(names) else []


def tuning_methods(parts: Iterable[Findings]) -> list[str]:
    """Return how settings were chosen on some data sets, without a stop at the end."""
    names: dict[str, dict[str, None]] = {}
    for learner in (item for part in parts for item in part.learners):
        if learner.chosen_settings is not None:
            how = learner.chosen_settings.how or "a search of scikit-learn"
            names.setdefault(how, {})[learner.name] = None
    return [
        f"Settings of {listing(tuned)} were chosen inside every training set by {how}"
        for how, tuned in names.items()
    ]


def _texts(findings: Findings, learners: Iterable[LearnerFindings]) -> list[str]:
    return [
        _choices(item.name, item.chosen_settings)
        + _gain(findings, item.name, item.chosen_settings.untuned)
        for item in learners
        if item.chosen_settings is not None
    ]


def _choices(name: str, chosen: ChosenSettings) -> str:
    """Return which values were chosen mostly, and how often the default was kept."""
    kept = chosen.default_kept
    if kept == 1:
        return f"{name} kept its default in all splits."
    if kept is not None and kept >= _MOSTLY_DEFAULT:
        others = _mostly_chosen([item for item in chosen.counts if not item.is_default])
        return f"{name} kept its default in {_percent(kept)} of splits; in the others: {others}."
    text = f"{name}: {_mostly_chosen(chosen.counts)}"
    if kept is None:
        return f"{text}."
    return f"{text}; the default was " + (
        f"kept in {_percent(kept)} of splits." if kept else "never kept."
    )


def _mostly_chosen(counts: Sequence[SettingCount]) -> str:
    names = dict.fromkeys(name for item in counts for name in item.setting)
    return ", ".join(
        _mostly(name, [item.setting.get(name) for item in counts for _ in range(item.n_splits)])
        for name in names
    )


def _mostly(name: str, values: Sequence[Any]) -> str:
    """Return the middle half of numbers, or the most frequent of other values."""
    texts = [_shown(value) for value in values]
    if len(set(texts)) == 1:
        return f"{name} always {texts[0]}"
    if all(map(is_number, values)):
        low, high = np.quantile(np.array(values, dtype=float), [0.25, 0.75], method="nearest")
        return f"{name} mostly {low:g}" + (f" to {high:g}" if high > low else "")
    most = max(dict.fromkeys(texts), key=texts.count)
    return f"{name} mostly {most} ({_percent(texts.count(most) / len(texts))})"


def _gain(findings: Findings, name: str, untuned: str) -> str:
    """Return what tuning gained over the default, with the interval of their pair."""
    verdict, measure = findings.verdict, findings.measure
    pair = next(
        (item for item in verdict.pairs if {item.first, item.second} == {name, untuned}), None
    )
    if pair is None or math.isnan(pair.difference):
        return ""
    gain, low, high = pair.difference, pair.low, pair.high
    if pair.first == name:
        gain, low, high = -gain, -high, -low
    most = np.nanmax(np.abs([gain, low, high]))
    if is_noise(most, abs(verdict.means[untuned])):
        return f" Tuning changed nothing against {untuned}."
    verb, what = ("gained", f"over {untuned}") if gain >= 0 else ("lost", f"against {untuned}")
    ends = " to ".join(_number(measure, end) for end in (low, high))
    between = (
        "" if math.isnan(low) else f" ({100 * (1 - verdict.alpha):g}% interval of the gain: {ends})"
    )
    return f" Tuning {verb} {_size(measure, abs(gain))} {what}{between}."


def _size(measure: Measure, size: float) -> str:
    if is_share(measure):
        return points(measure, size, decimals=1)
    return size_in_words(measure, float(f"{size:.2g}"))


def _number(measure: Measure, value: float) -> str:
    if not is_share(measure):
        return f"{value:.2g}" if abs(value) < 1 else significant(value)
    has_tenths = not value or abs(value) >= 0.0005
    return f"{100 * value:.1f}" if has_tenths else f"{100 * value:.1g}"


def _percent(share: float) -> str:
    """Return a share that is neither none nor all, as one sees."""
    return f"{min(max(round(100 * share), 1), 99)}%"


def _shown(value: Any) -> str:
    if value is None:
        return "not set"
    return f"{value:g}" if is_number(value) else str(value)
