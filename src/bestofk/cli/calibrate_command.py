"""The command `calibrate`: rejection rates of tests when all learners are equally good."""

from __future__ import annotations

import re
from typing import Final

from bestofk.cli.arguments import check_choice
from bestofk.cli.options import MANY, Given, Option, takes
from bestofk.cli.terminal import prints_to_messages, write_result
from bestofk.errors import InvalidArgumentError

FORMATS: Final = ("text", "markdown", "csv")
# A comma inside the brackets of options separates options, not tests.
_BETWEEN_TESTS: Final = re.compile(r",(?![^(]*\))")


def _tests(texts: list[str] | None) -> list[str]:
    parts = [part.strip() for text in texts or () for part in _BETWEEN_TESTS.split(text)]
    return [part for part in parts if part] or ["corrected-t"]


@takes(
    "data target decimal thousands drop_missing_target learners tests cv null n_rows n_data_sets "
    "alpha delta n_blocks seed n_jobs format",
    data=Option(
        None, "A file or a name of 'bestofk datasets'; none for artificial data.",
        metavar="[DATA]", is_positional=True
    ),
    tests=Option(
        None, 'Tests, with options and plan: "corrected-t,paired-t@10".', MANY, convert=_tests
    ),
    cv=Option("10x10", "Plan of tests that name none."),
    null=Option(None, "symmetric, permuted or design (without data)."),
    n_rows=Option(None, "Rows of each null data set.", int | None),
    n_data_sets=Option(200, "Null data sets.", int),
    alpha=Option(0.05, "Nominal level.", float),
    delta=Option(0.0, "Above 0: power of the design, not level.", float),
    n_blocks=Option(2, "Above 2: MultiTest of equal learners.", int),
    seed=Option(0, "What all draws come from.", int, argument="random_state"),
    format=Option("text", "text, markdown or csv."),
)  # fmt: skip
def calibrate_tests(data: str | None, given: Given, format: str) -> None:
    """Measure how often tests reject although the learners are equally good."""
    check_choice("--format", format, FORMATS)
    if given.arguments["learners"] is None:
        raise InvalidArgumentError(
            "--learners must name at least one; got none. Write --learners nearest-mean,cart."
        )
    from bestofk.calibration.simulation import calibrate
    from bestofk.data import load_data

    with prints_to_messages():
        loaded = load_data(data, **given.reading) if data else None
        result = calibrate(X=loaded, **given.arguments)
    if format == "csv":
        write_result(result.to_frame().to_csv(index=False))
    else:
        write_result(result.to_markdown() if format == "markdown" else str(result))
