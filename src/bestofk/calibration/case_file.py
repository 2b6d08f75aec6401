"""File of cases: one JSON object a line, written as each is done."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from bestofk.calibration.claim_case import ClaimCase
from bestofk.checks import wrong_place
from bestofk.errors import InvalidArgumentError

_START = b'{"experiment"'


@dataclass(frozen=True)
class CaseFile:
    """Cases of one experiment in a file that may hold others.

    Parameters
    ----------
    path : str, Path or None
        None keeps nothing.
    key : str
        Identity of the experiment.
    """

    path: str | os.PathLike[str] | None
    key: str

    @property
    def remark(self) -> str:
        """Sentence on resuming after an interruption."""
        if self.path is None:
            return "Name a file for results to go on another time."
        return f"Call the same again to go on; {self.path} has what is done."

    def read(self) -> dict[tuple[int, int], ClaimCase]:
        """Return the cases of this experiment by size and number; remove a line that was cut off.

        Raises
        ------
        InvalidArgumentError
            If a line is no case.
        OSError
            If the file cannot be written.
        """
        cases: dict[tuple[int, int], ClaimCase] = {}
        if self.path is None:
            return cases
        if problem := wrong_place(Path(self.path), "file of results", "the file of results"):
            raise InvalidArgumentError(problem)
        with open(self.path, "a+b") as file:
            file.seek(0)
            lines = file.read().split(b"\n")
            cut_off = lines.pop()
            if cut_off and not cut_off.startswith(_START):
                lines.append(cut_off)
            for number, line in enumerate(lines, 1):
                case = self._case(line, number)
                if case is not None:
                    cases[case.n_rows, case.number] = case
            file.truncate(sum(len(line) + 1 for line in lines))
        return cases

    def _case(self, line: bytes, number: int) -> ClaimCase | None:
        """Return the case of a line; None where it belongs to another experiment."""
        try:
            fields = json.loads(line)
            return ClaimCase.from_dict(fields) if fields.pop("experiment") == self.key else None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InvalidArgumentError(
                f"file of results must hold one case a line; got line {number} of {self.path}. "
                "Name a new file."
            ) from error

    def add(self, case: ClaimCase) -> None:
        """Write a case at the end."""
        if self.path is None:
            return
        line = json.dumps({"experiment": self.key, **case.to_dict()})
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(f"{line}\n")
