"""Details below the answer over many data sets, pairs in words, and remarks about single ones."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from bestofk.inference import Caution
from bestofk.inference.results import degrees
from bestofk.measures.words import better_side
from bestofk.report.findings import FindingsAcross, MissingResult
from bestofk.report.sentences.answers import finding_in_words, versus_pick
from bestofk.report.sentences.details import ALL_PAIRS, other_notes, overridden, target_methods
from bestofk.verdict import EQUIVALENT
from bestofk.verdict.complete_scores import first_names, first_of
from bestofk.verdict.many_data_sets import AcrossPair, VerdictAcross
from bestofk.words import fixed, grouped, number, p_value, probability, times

# A number that stands alone, not one in a name such as 5nn or n_neighbors=9.
_NUMBER = re.compile(r"(?<![\w=.])\d[\d.,]*(?!\w)")
_VALUE = re.compile(r"[\d,]+(?:\.\d+)?")  # of such a number; a date has more than one point
_QUOTED = re.compile(r"'[^']*'")
_PLURAL = re.compile(r"s\b")
_EXAMPLE = "; repeat "  # before the first of several failures, which says more


def details_across(findings: FindingsAcross) -> list[str]:
    """Return the facts below the tables of a verdict over many data sets.

    Parameters
    ----------
    findings : FindingsAcross
        What is to be reported.

    Returns
    -------
    list of str
        One text per fact: plan, test, preference, equivalent pairs, other differences, all
        learners together, single data sets, notes.
    """
    verdict = findings.verdict
    texts = list(plan_lines(findings))
    if verdict is not None:
        texts += [
            *_preference(findings, verdict),
            *_equivalent(verdict),
            _other_answers(verdict),
            _omnibus(verdict),
            _within(findings, verdict),
        ]
    return [text for text in (*texts, *other_notes(findings)) if text]


def plan_lines(findings: FindingsAcross) -> Iterator[str]:
    """Return the sampling plan, the deciding measure, and the number of runs."""
    measure = findings.measure
    yield f"{findings.plan_sentence}."
    yield from target_methods(part.target_transform for part in findings.parts.values())
    test = f" Test: {family_line(findings.verdict)}." if findings.verdict else ""
    yield f"Measure: {measure.title} ({better_side(measure)} is better).{test}"
    if measure.has_positive and measure.pos_label is None:
        of_class = grouped((part.measure.whose, name) for name, part in findings.parts.items())
        classes = (f"{whose} ({', '.join(names)})" for whose, names in of_class.items() if whose)
        yield f"Positive: {'; '.join(classes)}."
    if not findings.has_runs:
        yield "No runs: the scores were given."
        return
    text = f"{times(findings.n_fitted + findings.n_reused, 'run')}"
    text += f", {findings.n_reused:,} of them found in the store" if findings.n_reused else ""
    text += f", {findings.n_failed:,} failed" if findings.n_failed else ""
    yield f"{text}."


def family_line(verdict: VerdictAcross) -> str:
    """Return test, family, correction and level in one line."""
    family = f"{verdict.control} against the others" if verdict.control else "all pairs"
    by_ranks, n_tests = verdict.is_by_ranks, verdict.n_tests
    test = f"{verdict.matrix.procedure} of mean ranks" if by_ranks else "Wilcoxon signed-rank tests"
    if verdict.has_preference:
        test = f"one-sided {test}"
    line = f"{test}, {family} ({n_tests})"
    if n_tests > 1 and (verdict.has_preference or not by_ranks):
        line += f", {verdict.correction.capitalize()} correction"
    return f"{line}, level {100 * verdict.alpha:g}%"


def _preference(findings: FindingsAcross, verdict: VerdictAcross) -> Iterator[str]:
    """Say what was preferred, and what was overridden by which learner."""
    if verdict.has_preference:
        yield verdict.preference
        yield overridden(versus_pick(findings))
        yield ALL_PAIRS


def missing_lines(findings: FindingsAcross) -> list[str]:
    """Return a line per learner and reason: the data sets without a result, and a message."""
    kinds = grouped(((cell.learner, cell.reason or "no value"), cell) for cell in findings.missing)
    return [
        f"{learner} on {times(len(cells), 'data set')} ({reason}): "
        f"{', '.join(cell.data_set for cell in cells)}." + _first_message(cells)
        for (learner, reason), cells in kinds.items()
    ]


def _first_message(cells: Sequence[MissingResult]) -> str:
    cell = next((cell for cell in cells if cell.message), None)
    return f" On {cell.data_set}: {cell.message}" if cell else ""


def _equivalent(verdict: VerdictAcross) -> Iterator[str]:
    pairs = [pair for pair in verdict.pairs if pair.answer == EQUIVALENT]
    if pairs:
        said = first_of(
            [
                f"{pair.first} and {pair.second} ({fixed(100 * pair.p_equivalent, 0, whole=100)}%)"
                for pair in pairs
            ]
        )
        yield (
            f"About the same (differences within {verdict.rope:g} on most data sets, at least "
            f"{100 * (1 - verdict.alpha):g}% likely): {said}."
        )


def _other_answers(verdict: VerdictAcross) -> str:
    edges = [e for e in verdict.edges if verdict.best not in (e.worse, e.better)]
    if not edges:
        return ""
    said = first_of([f"{edge.better} better than {edge.worse}" for edge in edges])
    return f"Other significant differences: {said}."


def _omnibus(verdict: VerdictAcross) -> str:
    result = verdict.omnibus
    if result is None:
        return ""
    if math.isinf(result.statistic):
        at_random = _all_alike(verdict)
        shown = "differ" if at_random <= verdict.alpha else "do not differ significantly"
        return (
            f"All learners together {shown}: all data sets order them the same way, which has "
            f"probability {p_value(at_random)} if their order is down to chance "
            f"({result.procedure}: F = inf, where its distribution says nothing)."
        )
    shown = "differ" if result.reject(verdict.alpha) else "do not differ significantly"
    return (
        f"All learners together {shown} ({result.procedure}: F = {number(result.statistic, 3)}, "
        f"df = {degrees(result.df)}, p {_p_value(result.p_value)})."
    )


def _p_value(value: float) -> str:
    return "< 0.0001" if value < 0.0001 else f"= {p_value(value)}"


def _all_alike(verdict: VerdictAcross) -> float:
    """Return how probable it is that orders by chance are the same on all data sets."""
    ranks = Counter(verdict.mean_ranks.values())
    orders = math.factorial(ranks.total()) // math.prod(math.factorial(n) for n in ranks.values())
    return float(orders) ** (1 - len(verdict.data_sets))


def _within(findings: FindingsAcross, verdict: VerdictAcross) -> str:
    """Say what the data sets show one by one of the best and its nearest rival."""
    if not findings.within_test or len(verdict.order) < 2:
        return ""
    rival = verdict.order[1]
    marks = findings.marks(verdict.best, verdict.alpha)[:, findings.learners.index(rival)]
    better, worse = int((marks < 0).sum()), int((marks > 0).sum())
    return (
        f"On single data sets, {verdict.best} is significantly better than {rival} on {better} and "
        f"worse on {worse} of {len(marks)} ({findings.within_test}, {100 * verdict.alpha:g}% each, "
        "not corrected)."
    )


def pair_in_words(pair: AcrossPair) -> str:
    r"""Return the evidence about a pair: counts, difference, p values, probabilities, answer.

    Examples
    --------
    >>> pair = AcrossPair("a", "b", 0.1, 0.0, 0.2, 3, 1, 8, 0.02, 0.04, 0.01, 0.02, 0.97,
    ...     "better", "b is better")
    >>> print(pair_in_words(pair).replace(", p", ",\np"))
    a against b: 3/1/8, loss 0.1000 higher (0.0000 to 0.2000),
    p = 0.0200, corrected 0.0400,
    probability of a 0.01, alike 0.02, b 0.97: b is better
    """
    side = "lower" if pair.difference < 0 else "higher"
    low, high = (-pair.high, -pair.low) if side == "lower" else (pair.low, pair.high)
    parts = [
        f"{pair.first} against {pair.second}: {pair.wins}/{pair.ties}/{pair.losses}",
        f"loss {number(abs(pair.difference))} {side} ({number(low)} to {number(high)})",
    ]
    if not math.isnan(pair.p_adjusted):
        parts.append(f"p = {p_value(pair.p_value)}, corrected {p_value(pair.p_adjusted)}")
    if not math.isnan(pair.p_equivalent):
        parts.append(
            f"probability of {pair.first} {probability(pair.p_first_better)}, alike "
            f"{probability(pair.p_equivalent)}, {pair.second} {probability(pair.p_second_better)}"
        )
    return f"{', '.join(parts)}: {finding_in_words(pair.answer, pair.finding)}"


def grouped_remarks(about: Mapping[str, Sequence[str]]) -> list[str]:
    """Return one sentence for all remarks that differ only in numbers or quoted names.

    Parameters
    ----------
    about : mapping of str to sequence of str
        Remarks by data set; every data set is named, also one without remarks.

    Returns
    -------
    list of str
        What is about most data sets first. Of several different remarks the one with the largest
        number, and on which data set; cautions keep their code.

    Examples
    --------
    >>> grouped_remarks({"a": ["2 rows are odd."], "b": ["7 rows are odd."], "c": []})
    ['On 2 data sets, most on b: 7 rows are odd.']
    """
    kinds: dict[str, dict[str, str]] = {}
    for data_set, texts in about.items():
        for text in dict.fromkeys(texts):
            kinds.setdefault(_kind(text), {}).setdefault(data_set, text)
    widest_first = sorted(kinds.values(), key=lambda kind: -len(kind))
    return [_sentence(kind, len(about)) for kind in widest_first]


def all_remarks(about: Mapping[str, Sequence[str]]) -> list[str]:
    """Return every different remark, with the data sets that it is about.

    Examples
    --------
    >>> all_remarks({"a": ["Odd."], "b": ["Odd.", "Few."]})
    ['a, b: Odd.', 'b: Few.']
    """
    by_text = grouped((text, name) for name, own in about.items() for text in dict.fromkeys(own))
    return [f"{', '.join(data_sets)}: {text}" for text, data_sets in by_text.items()]


def _kind(text: str) -> str:
    """Return what is alike in remarks of one kind: no numbers, quoted names, plurals, examples."""
    start = text.partition(_EXAMPLE)[0]
    return _PLURAL.sub("", _NUMBER.sub("#", _QUOTED.sub("''", start)))


def _sentence(kind: Mapping[str, str], n_data_sets: int) -> str:
    """Return the sentence about remarks of one kind, by their data sets."""
    names = list(kind)
    worst = max(names, key=lambda name: _first_number(kind[name]))
    text = kind[worst]
    if len(set(kind.values())) == 1:
        whole = text if len(names) == n_data_sets else f"{first_names(names)}: {text}"
    else:
        is_most = _first_number(text) > min(map(_first_number, kind.values()))
        which = f"most on {worst}" if is_most else f"such as {worst}"
        whole = f"On {len(names)} data sets, {which}: {text}"
    return Caution(text.code, whole) if isinstance(text, Caution) else whole


def _first_number(text: str) -> float:
    match = _NUMBER.search(text)
    value = _VALUE.match(match[0]) if match else None
    return float(value[0].replace(",", "")) if value else 0.0
