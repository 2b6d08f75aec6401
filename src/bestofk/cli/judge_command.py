"""The command `test`: a verdict, or one procedure, on scores computed elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from bestofk.cli.across_output import ACROSS_FORMATS, write_across
from bestofk.cli.options import Alpha, Json
from bestofk.cli.terminal import result_console, words, write_result
from bestofk.errors import InvalidArgumentError, nearest_name

FORMATS = ("text", "markdown", "latex")
# What the verdict alone can be told, and what a procedure may know as well.
_OF_THE_VERDICT = ("test", "prefer", "format")
_OF_BOTH = ("alternative", "alpha", "rope", "correction", "control")
_DIRECTIONS = {"lower": False, "higher": True}


def judge_table(
    context: typer.Context,
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
    test: Annotated[str, typer.Option(help="corrected-t, 5x2cv-t, paired-t ...")] = "corrected-t",
    correction: Annotated[str, typer.Option(help="holm or bonferroni.")] = "holm",
    alpha: Alpha = 0.05,
    rope: Annotated[
        float | None, typer.Option(help="Differences up to this size do not matter.")
    ] = None,
    prefer: Annotated[
        str | None, typer.Option(help="given, or all learners from most to least wanted.")
    ] = None,
    procedure: Annotated[
        str | None, typer.Option(help="One procedure in place of the verdict; list: procedures.")
    ] = None,
    learners: Annotated[
        str | None, typer.Option(help="The learners of the procedure, with commas between.")
    ] = None,
    alternative: Annotated[
        str | None, typer.Option(help="Side of the procedure: two-sided, greater or less.")
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Another option of the procedure: method=normal."),
    ] = None,
    control: Annotated[
        str | None, typer.Option(help="Many data sets: the learner others are held against.")
    ] = None,
    json: Json = False,
    format: Annotated[
        str, typer.Option(help="text, markdown or latex; methods or bibtex of many data sets.")
    ] = "text",
) -> None:
    """Find the best learner by a table of scores, or apply one statistical procedure to it."""
    if procedure is not None:
        _apply(
            scores,
            procedure,
            words([learners]) if learners else [],
            _told_options(context, procedure, option or []),
            json=json,
            measure=measure,
            greater_is_better=_greater_is_better(direction),
            cv=cv,
            n_train=n_train,
            n_test=n_test,
            dataset=dataset,
        )
        return
    given = {"--learners": learners, "--alternative": alternative, "--option": option}
    for name, value in given.items():
        if value:
            raise InvalidArgumentError(
                f"{name} must come with --procedure; got it without. The verdict takes all "
                "learners and both sides."
            )
    from bestofk.data.paired_scores import data_sets_of

    options: dict[str, Any] = {
        "measure": measure,
        "greater_is_better": _greater_is_better(direction),
        "cv": cv,
        "n_train": n_train,
        "n_test": n_test,
        "test": test,
        "correction": correction,
        "alpha": alpha,
        "rope": rope,
        "prefer": preference(prefer),
    }
    if dataset is None and len(data_sets_of(scores)) > 1:
        from bestofk.score_tables.across import compare_scores_across

        check_format(format, ACROSS_FORMATS)
        across = compare_scores_across(scores, control=control, **options)
        write_across(across, "json" if json else format, within=test)
        return
    check_format(format, FORMATS)
    if control is not None:
        raise InvalidArgumentError(
            f"--control must come with many data sets; got {control!r} with one. Leave it out."
        )
    _judge_one(scores, "json" if json else format, dataset=dataset, **options)


def _judge_one(scores: str, kind: str, **options: Any) -> None:
    """Print the verdict on one data set."""
    from bestofk.report import render, to_json, to_latex, to_markdown
    from bestofk.score_tables.score_table import compare_scores

    findings = compare_scores(scores, **options)
    writers = {"json": to_json, "markdown": to_markdown, "latex": to_latex}
    if kind in writers:
        write_result(writers[kind](findings))
    else:
        render(findings, result_console())


def check_format(name: str, formats: Sequence[str]) -> None:
    """Raise unless a format is one of those that there are."""
    if name not in formats:
        raise InvalidArgumentError(
            f"--format must be one of {', '.join(formats)}; got {name!r}. "
            + nearest_name(name, formats)
        )


def _told_options(context: typer.Context, name: str, told: Sequence[str]) -> dict[str, Any]:
    """Return the options for a procedure from the command line; refuse those it cannot take."""
    from bestofk.inference import procedure

    given = [param for param in context.params if _is_given(context, param)]
    for item in given:
        if item in _OF_THE_VERDICT:
            raise InvalidArgumentError(
                f"--{item} must come without --procedure, which knows no such thing; got both. "
                "Leave one out."
            )
    options = dict(_told_option(element) for element in told)
    options |= {element: context.params[element] for element in given if element in _OF_BOTH}
    return procedure(name).check_options(options)


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _apply(
    scores: str,
    procedure: str,
    learners: list[str],
    told: dict[str, Any],
    *,
    json: bool,
    **reading: Any,
) -> None:
    """Print what one procedure says of the scores."""
    from bestofk.report import result_json
    from bestofk.score_tables.procedures import apply_procedure

    result = apply_procedure(scores, procedure, *learners, **reading, **told)
    write_result(result_json(result) if json else f"{result}\n")


def preference(text: str | None) -> str | list[str] | dict[str, float] | None:
    """Return a preference: a word, learners with commas between, or learner=cost."""
    if text is None or not ("," in text or "=" in text):
        return text
    parts = words([text])
    if not any("=" in part for part in parts):
        return parts
    return dict(_told_cost(part) for part in parts)


def _told_cost(part: str) -> tuple[str, float]:
    name, sign, cost = part.rpartition("=")
    try:
        if sign:
            return name, float(cost)
    except ValueError:
        pass
    raise InvalidArgumentError(
        f"--prefer must be learner=cost for every learner; got {part!r}. "
        "Write for example cart=2,logistic=1."
    )


def _told_option(text: str) -> tuple[str, Any]:
    """Return an option of a procedure: numbers and truth values as such, the rest as text."""
    name, sign, value = text.partition("=")
    if not sign:
        raise InvalidArgumentError(
            f"--option must be NAME=VALUE; got {text!r}. Write for example method=normal."
        )
    words_of_truth = {"true": True, "false": False}
    if value.lower() in words_of_truth:
        return name, words_of_truth[value.lower()]
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value


def _greater_is_better(direction: str | None) -> bool | None:
    if direction is None:
        return None
    if direction not in _DIRECTIONS:
        raise InvalidArgumentError(
            f"--direction must be lower or higher; got {direction!r}. "
            + nearest_name(direction, _DIRECTIONS)
        )
    return _DIRECTIONS[direction]
