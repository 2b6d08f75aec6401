"""Output that pages quote, rewritten from what the program prints now.

    python -m tests.printed_output [PAGE ...]

Without pages it takes README.md and everything in `docs/`. Two kinds of output are rewritten: what
follows a line `$ bestofk ...` in a block of `sh`, and what follows a line `>>> ...`. In a block of
`sh` a line `[...]` stands for lines that are left out; a quote without one is the whole output. A
part between two cuts becomes the lines from the one that is most like its first to the one that is
most like its last. Output that differs only in seconds stays as it is.

What the command cannot place is named, left alone, and ends it with code 1.
"""

import doctest
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from bestofk.cli import main as bestofk
from tests.registries import registries_kept

ROOT = Path(__file__).resolve().parent.parent
DOCS, EXAMPLES = ROOT / "docs", ROOT / "examples"
CUT = "[...]"
LIKENESS = 0.7  # of two lines without their numbers, for one to be taken as the other of today
_BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
_UNIT = r"(?:(?:µs|ms|s|min|h|MB)\b|\$\\mu\$s)"
# Numbers (with their unit), rules of a table and the hash of a plan differ from call to call and
# by version; seconds (and with them the width of a table) do so on one machine.
_NUMBERS = re.compile(rf"(?<=plan )[0-9a-f]{{8}}|-?\d[\d.,]*(?: {_UNIT})?|-{{3,}}")
_SECONDS = re.compile(rf"\d[\d.,]* {_UNIT}|-{{3,}}")


class UnplacedError(Exception):
    """A quoted part that is like nothing in the output of today."""


@dataclass(frozen=True)
class ShellCommand:
    """One line `$ bestofk ...` of a page with its output."""

    line: str
    exit_code: int
    quoted: list[str]
    start: int  # number of the first quoted line in the page, from 0


def shell_commands(page: str) -> list[ShellCommand]:
    """Return the shell lines of a page, in its order."""
    commands: list[ShellCommand] = []
    for block in _BLOCK.finditer(page):
        number = page.count("\n", 0, block.start(1))
        lines = block[1].splitlines()
        for index, line in enumerate(lines):
            if line == "$ echo $?":
                last = commands.pop()
                code = int(lines[index + 1])
                commands.append(ShellCommand(last.line, code, last.quoted, last.start))
                break
            if line.startswith("$ "):
                commands.append(ShellCommand(line[2:], 0, [], number + index + 1))
            elif commands and commands[-1].start > number:  # a block may only show lines to type
                commands[-1].quoted.append(line)
    return commands


def run_command(command: ShellCommand) -> tuple[int, str]:
    """Return exit code and output, both streams in the order in which they were written."""
    program, *arguments = shlex.split(command.line)
    if program != "bestofk":
        raise ValueError(f"a shell line must call bestofk; got {command.line}")
    output = io.StringIO()
    with redirect_stdout(output), redirect_stderr(output):
        code = bestofk(arguments)
    return code, output.getvalue()


@contextmanager
def folder_of_shell_lines() -> Iterator[Path]:
    """Work in a folder of its own with the files that shell lines name, 80 columns wide."""
    columns = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "80"
    try:
        with tempfile.TemporaryDirectory() as name, chdir(name):
            for path in (*DOCS.glob("*.csv"), *DOCS.glob("*.txt"), EXAMPLES / "own_learner.py"):
                shutil.copy(path, name)
            yield Path(name)
    finally:
        if columns is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = columns


def without_numbers(text: str) -> str:
    """Return a text without what differs from call to call and by version."""
    return " ".join(_NUMBERS.sub("#", text).split())


def without_seconds(text: str) -> str:
    """Return a text without what differs from call to call on one machine."""
    return " ".join(_SECONDS.sub("#", text).split())


def quoted_again(quoted: Sequence[str], output: Sequence[str], *, cut: str = CUT) -> list[str]:
    """Return the lines of an output that a page quotes, with cuts where it has them."""
    parts: list[list[str]] = [[]]
    for line in quoted:
        if line.strip() == cut:
            parts.append([])
        else:
            parts[-1].append(line)
    if len(parts) == 1:
        return _kept_if_alike(parts[0], output)
    places = _places([line for part in parts for line in part], output)
    lines: list[str] = []
    taken = 0
    for index, part in enumerate(parts):
        if index:
            lines.append(cut)
        if not part:
            continue
        own, places = (
            [place for place in places[: len(part)] if place is not None],
            places[len(part) :],
        )
        if not own:
            raise UnplacedError("\n".join(part))
        start = 0 if index == 0 else max(own[0], taken)
        taken = len(output) if index == len(parts) - 1 else own[-1] + 1
        lines += _kept_if_alike(part, output[start:taken])
    return lines


def _kept_if_alike(quoted: Sequence[str], output: Sequence[str]) -> list[str]:
    """Return the quoted lines if only seconds differ, else the output."""
    then, now = (without_seconds("\n".join(lines)) for lines in (quoted, output))
    return list(quoted if then == now else output)


def _places(quoted: Sequence[str], output: Sequence[str]) -> list[int | None]:
    """Return for every quoted line the number of the line that it is today, in the same order.

    Dynamic programming over both: the pairs have the greatest sum of likenesses, and are the
    first of those.
    """
    likeness = [[_likeness(old, new) for new in output] for old in quoted]
    best = [[0.0] * (len(output) + 1) for _ in range(len(quoted) + 1)]
    for i in reversed(range(len(quoted))):
        for j in reversed(range(len(output))):
            both = likeness[i][j] + best[i + 1][j + 1] if likeness[i][j] else 0.0
            best[i][j] = max(best[i + 1][j], best[i][j + 1], both)
    places: list[int | None] = []
    j = 0
    for i in range(len(quoted)):
        pairs = (k for k in range(j, len(output)) if likeness[i][k])
        place = next((k for k in pairs if likeness[i][k] + best[i + 1][k + 1] == best[i][j]), None)
        places.append(place)
        j = j if place is None else place + 1
    return places


def _likeness(old: str, new: str) -> float:
    if old == new:
        return 1.0 if old else 0.1  # an empty line says little
    old, new = without_numbers(old), without_numbers(new)
    if new.startswith(old) and old:
        return 0.9  # the end of a paragraph that is quoted in part
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if matcher.real_quick_ratio() < LIKENESS or matcher.quick_ratio() < LIKENESS:
        return 0.0
    ratio = matcher.ratio()
    return 0.9 * ratio if ratio >= LIKENESS else 0.0


Edit = tuple[int, int, list[str]]  # lines of the page from, to, and what they become


def _edits_of_shell_lines(page: str, problems: list[str]) -> Iterator[Edit]:
    for command in shell_commands(page):
        code, output = run_command(command)
        if code != command.exit_code:
            problems.append(f"exit code of {command.line} is {code}\n{output}")
            continue
        try:
            lines = quoted_again(command.quoted, output.rstrip("\n").splitlines())
        except UnplacedError as error:
            problems.append(f"{command.line} prints nothing like\n{error}")
            continue
        yield command.start, command.start + len(command.quoted), lines


class _Recorder(doctest.DocTestRunner):
    """Runner that collects what examples print instead of reporting it."""

    def __init__(self) -> None:
        super().__init__(verbose=False)
        self.edits: list[Edit] = []
        self.problems: list[str] = []

    def report_failure(self, out, test, example, got) -> None:  # type: ignore[no-untyped-def]
        start = example.lineno + example.source.count("\n")
        quoted = example.want.splitlines()
        lines = [line or "<BLANKLINE>" for line in _without_frames(got).splitlines()]
        if example.options.get(doctest.ELLIPSIS) and "..." in [line.strip() for line in quoted]:
            try:
                lines = quoted_again(quoted, lines, cut="...")
            except UnplacedError as error:
                self.problems.append(f"line {start}: prints nothing like\n{error}")
                return
        indented = [" " * example.indent + line for line in lines]
        self.edits.append((start, start + len(quoted), indented))

    def report_unexpected_exception(self, out, test, example, exc_info) -> None:  # type: ignore[no-untyped-def]
        kind, error, _ = exc_info
        self.problems.append(f"line {example.lineno + 1} raises {kind.__name__}: {error}")


def _without_frames(output: str) -> str:
    """Return an output whose traceback, if there is one, is cut as in the pages."""
    head, mark, frames = output.partition("Traceback (most recent call last):\n")
    if not mark:
        return output
    message = re.sub(r"\A(?:[ \t].*\n)+", "", frames)
    return f"{head}{mark}    ...\n{message}"


def _edits_of_examples(page: str, name: str, problems: list[str]) -> Iterator[Edit]:
    names = {"__name__": "__main__"}
    test = doctest.DocTestParser().get_doctest(page, names, name, name, 0)
    recorder = _Recorder()
    with chdir(ROOT), registries_kept():
        recorder.run(test, out=lambda _: None)
    problems += recorder.problems
    yield from recorder.edits


def rewritten(page: str, name: str, problems: list[str]) -> str:
    """Return a page with the output of today; what cannot be placed is added to the problems."""
    with folder_of_shell_lines(), registries_kept():
        edits = [*_edits_of_shell_lines(page, problems)]
    edits += _edits_of_examples(page, name, problems)
    lines = page.split("\n")
    for start, end, output in sorted(edits, reverse=True):
        lines[start:end] = output
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Rewrite the given pages; return 1 if any output could not be placed."""
    os.environ["MPLBACKEND"] = "Agg"
    pages = [Path(argument) for argument in arguments] or [
        ROOT / "README.md",
        *sorted(DOCS.rglob("*.md")),
    ]
    n_problems = 0
    for path in pages:
        problems: list[str] = []
        before = path.read_text(encoding="utf-8")
        after = rewritten(before, path.name, problems)
        if after != before:
            path.write_text(after, encoding="utf-8")
            sys.stdout.write(f"{path}: rewritten\n")
        for problem in problems:
            sys.stdout.write(f"{path}: {problem}\n")
        n_problems += len(problems)
    return 1 if n_problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
