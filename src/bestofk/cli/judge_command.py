"""The command `test`: which learner is best by scores that somebody else made."""

from __future__ import annotations

from typing import Annotated

import typer

from bestofk.cli.list_commands import Json
from bestofk.cli.terminal import result_console, words, write_result
from bestofk.errors import InvalidArgumentError, nearest_name

_DIRECTIONS = {"lower": False, "higher": True}


def judge_table(
    scores: Annotated[
        str, typer.Argument(metavar="SCORES.csv", help="Scores, long or one column per learner.")
    ],
    measure: Annotated[
        str | None, typer.Option(help="The measure that decides; names that of a wide table.")
    ] = None,
    direction: Annotated[
        str | None, typer.Option(help="lower or higher: which scores are better.")
    ] = None,
    cv: Annotated[
        str | None, typer.Option(help="RxK: R repeats of K folds, such as 10x10.")
    ] = None,
    n_train: Annotated[float | None, typer.Option(help="Rows trained on, on average.")] = None,
    n_test: Annotated[float | None, typer.Option(help="Rows tested on, on average.")] = None,
    dataset: Annotated[str | None, typer.Option(help="The data set, of several.")] = None,
    test: Annotated[str, typer.Option(help="corrected-t, paired-t or 5x2cv-t.")] = "corrected-t",
    correction: Annotated[str, typer.Option(help="holm or bonferroni.")] = "holm",
    alpha: Annotated[float, typer.Option(help="Level of a family of tests.")] = 0.05,
    prefer: Annotated[
        str | None, typer.Option(help="given, or all learners from most to least wanted.")
    ] = None,
    json: Json = False,
) -> None:
    """Find the best learner by a table of scores that somebody else made."""
    from bestofk.report import render, to_json
    from bestofk.score_table import judge_scores

    findings = judge_scores(
        scores,
        measure=measure,
        greater_is_better=_greater_is_better(direction),
        cv=cv,
        n_train=n_train,
        n_test=n_test,
        dataset=dataset,
        test=test,
        correction=correction,
        alpha=alpha,
        prefer=preference(prefer),
    )
    if json:
        write_result(to_json(findings))
    else:
        render(findings, result_console())


def preference(text: str | None) -> str | list[str] | None:
    """Return a preference: a word, or the learners of a list with commas."""
    if text is None or "," not in text:
        return text
    return words([text])


def _greater_is_better(direction: str | None) -> bool | None:
    if direction is None:
        return None
    if direction not in _DIRECTIONS:
        raise InvalidArgumentError(
            f"--direction must be lower or higher; got {direction!r}. "
            + nearest_name(direction, _DIRECTIONS)
        )
    return _DIRECTIONS[direction]
