"""Pictures of curves: checked before anything is trained, drawn at the end."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bestofk.cli.terminal import check_new_file, message_console
from bestofk.errors import InvalidArgumentError

if TYPE_CHECKING:
    from bestofk.report.plots import Display

_PICTURES: Final = (".png", ".pdf", ".svg")


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


def write_picture(display: Display, file: Path, *, is_interrupted: bool) -> None:
    """Draw a display into a file; after an interruption only say that it is drawn later.

    Else the same line could not be called again, for its picture would be there.
    """
    if is_interrupted:
        message_console().print(f"{file} is drawn when all runs are done.", markup=False)
        return
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
