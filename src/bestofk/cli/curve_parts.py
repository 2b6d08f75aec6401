"""Shared parts of the commands `curve ...`: options, data, plain tables, pictures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bestofk.cli.terminal import check_new_file, message_console
from bestofk.errors import InvalidArgumentError

if TYPE_CHECKING:
    from bestofk.evaluation import Observer
    from bestofk.report.plots import Display

_PICTURES = (".png", ".pdf", ".svg")

Data = Annotated[
    str, typer.Argument(metavar="DATA", help="A file, or a name of 'bestofk datasets'.")
]
Cv = Annotated[str, typer.Option(help="10x3, 10x10, 30xholdout ...; not adaptive.")]
StoreFile = Annotated[Path | None, typer.Option(help="File that keeps every run.")]
Seed = Annotated[int, typer.Option(help="What plan and random streams come from.")]
Picture = Annotated[Path | None, typer.Option(help="Picture to write: .png, .pdf or .svg.")]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing picture.")]


def shown_progress() -> Observer:
    """Return what shows runs done and time left on standard error."""
    from bestofk.report.progress import TerminalProgress

    return TerminalProgress(message_console())


def plain_tables(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rows of tables as plain values; null where there is none."""
    import json

    return {
        name: json.loads(table.to_json(orient="records", double_precision=15))
        for name, table in tables.items()
    }


def check_picture(
    file: Path | None, *, force: bool, apart_from: Iterable[str | Path | None]
) -> None:
    """Refuse a picture that exists or is of no known kind, before anything is trained."""
    if file is not None and not file.is_dir() and file.suffix.lower() not in _PICTURES:
        # Without an ending matplotlib would add one and write into a file that nobody checked.
        raise InvalidArgumentError(
            f"--picture must end in .png, .pdf or .svg; got {file}. Write "
            f"{file.with_suffix('.png')}."
        )
    check_new_file(file, "--picture", force=force, apart_from=apart_from)


def is_drawn(file: Path, *, is_interrupted: bool) -> bool:
    """Return whether a picture is drawn; report it if interrupted runs prevent that.

    Else the same line could not be called again, for its picture would be there.
    """
    if is_interrupted:
        message_console().print(f"{file} is drawn when all runs are done.", markup=False)
    return not is_interrupted


def write_picture(display: Display, file: Path) -> None:
    """Draw a display into a file."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure = display.plot().figure_
    try:
        figure.savefig(file, dpi=150)
    except OSError as error:
        raise InvalidArgumentError(
            f"--picture must be a file that can be written; got {file}: {error}. Name another."
        ) from error
    finally:
        plt.close(figure)
