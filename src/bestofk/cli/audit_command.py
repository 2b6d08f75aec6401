"""The command `audit`: a check of the claim of a published table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bestofk.cli.arguments import check_choice, words
from bestofk.cli.findings_output import write_text
from bestofk.cli.options import MANY, OPTIONS, REQUIRED, Given, Option, takes
from bestofk.cli.terminal import check_new_file, write_result
from bestofk.errors import InvalidArgumentError

_FORMATS = ("text", "markdown", "latex")


def _printed(texts: Sequence[str] | None) -> dict[str, float]:
    """Return the statistics that a paper prints, by name."""
    found = {}
    for text in texts or ():
        name, sign, value = text.rpartition("=")
        try:
            found[name] = float(value)
        except ValueError:
            sign = ""
        if not sign:
            raise InvalidArgumentError(
                f"--printed must be friedman=VALUE or LEARNER=P; got {text!r}. Write for example "
                "--printed friedman=9.28."
            )
    return found


@takes(
    "scores measure direction learners cv alpha rope report force json quiet verbose format "
    "claim rows by printed",
    scores=Option(
        REQUIRED, "LaTeX, Markdown, CSV or text as printed; or runs, as for compare-scores.",
        str, "TABLE", is_positional=True,
    ),
    learners=replace(
        OPTIONS["learners"], help="Learners to keep, separated by commas; default: all.",
        convert=lambda texts: words(texts),
    ),
    cv=Option(
        None, "Plan behind the spreads: 10x10 (repeats x folds), or 30 splits or seeds.",
    ),
    alpha=Option(0.05, "Level of the tests.", float),
    rope=Option(0.01, "Differences up to this share of the unit do not matter.", float),
    claim=Option(
        None, '"X best", "X beats Y", "X significantly better than Y" or "... all".'
    ),
    rows=Option(None, "What the rows are, if the table does not say: data-sets or learners."),
    by=Option(None, "What best refers to: mean or rank."),
    printed=Option(
        None, "A printed statistic to recompute: friedman=9.28, or OTHER=P of Wilcoxon's test.",
        MANY, "NAME=VALUE", convert=_printed,
    ),
    format=Option("text", "text, markdown or latex.", mapping="output"),
)  # fmt: skip
def audit_table(scores: str, given: Given) -> None:
    """Check whether the claim of a published table survives rounding, removals and other seeds."""
    output = given.output
    check_choice("--format", output.format, _FORMATS)
    check_new_file(output.report, "--report", force=output.force, apart_from=(scores,))
    from bestofk.audits import audit

    result = audit(scores, **given.reading, **given.arguments)
    if output.report is not None:
        result.to_html(output.report, overwrite=output.force)
    if output.json:
        write_result(result.to_json())
    elif output.format == "text":
        write_text(result.sections(), output)
    else:
        write_result(getattr(result, f"to_{output.format}")())
