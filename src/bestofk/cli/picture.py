"""Picture that a command writes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bestofk.cli.options import Output
from bestofk.cli.terminal import check_new_file
from bestofk.errors import InvalidArgumentError

if TYPE_CHECKING:
    from bestofk.inference import Result
    from bestofk.report.plots import Display

_PICTURES: Final = (".png", ".pdf", ".svg")


def check_picture(output: Output, *, apart_from: Iterable[str | os.PathLike[str] | None]) -> None:
    """Raise if a picture exists or has an unknown suffix, before anything is trained."""
    file = output.picture
    if file is not None and not file.is_dir() and file.suffix.lower() not in _PICTURES:
        # Without a suffix, matplotlib would add one and write to a file that was not checked.
        raise InvalidArgumentError(
            f"--picture must end in .png, .pdf or .svg; got {file}. Write "
            f"{file.with_suffix('.png')}."
        )
    check_new_file(file, "--picture", force=output.force, apart_from=apart_from)


def draw_picture(display: Display | Result, file: Path) -> None:
    """Draw a display, or the usual one of a result, into a file."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure = display.plot().figure_
    try:
        figure.savefig(file, dpi=150)
    except (OSError, ValueError) as error:  # ValueError: too many pixels
        raise InvalidArgumentError(
            f"--picture must be a file that can be written; got {file}: {error}. Name another."
        ) from error
    finally:
        plt.close(figure)
