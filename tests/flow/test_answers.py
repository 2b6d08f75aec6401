"""The first three lines in six situations, against golden files in `answers/`.

Numbers differ by version and machine, so they are left out of the comparison; run
`python -m tests.flow.test_answers` to write the files anew.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from sklearn.datasets import load_diabetes
from tests.given import ROOT, data_folder

from bestofk import compare
from bestofk.data import load_data
from bestofk.evaluation import Observer
from bestofk.report.sentences.answers import answer
from bestofk.verdict.complete_scores import MOST_NAMES

FILES = Path(__file__).resolve().parent / "answers"
MOST_WORDS = 60
LIGHT = ["nearest-mean", "naive-bayes", "logistic", "lda", "5nn", "cart", "majority"]
SEVENTEEN = [
    *LIGHT, "qda", "1nn", "c45", "c45-unpruned", "id3", "hddt", "kernel-naive-bayes",
    "sklearn-cart", "c45rules", "linear-svm",
]  # fmt: skip


class CutOff(Observer):
    """Interrupts after 40 runs, as Ctrl-C does."""

    def __init__(self) -> None:
        self.n_runs = 0

    def finished(self, learner, records, store):
        self.n_runs += len(records)
        if self.n_runs > 40:
            raise KeyboardInterrupt


def patients(folder: Path):
    data = load_data(ROOT / "docs" / "patients.csv", target="outcome", drop=["patient_id"])
    return compare(None, data, max_repeats=3)


def iris(folder: Path):
    return compare(LIGHT, "iris")


def unbalanced(folder: Path):
    return compare(LIGHT, load_data(data_folder() / "uci" / "hepatitis.arff", target="class"))


def regression(folder: Path):
    path = folder / "diabetes.csv"
    load_diabetes(as_frame=True).frame.to_csv(path, index=False)
    return compare(None, load_data(path, target="target"), cv="3x5")


def seventeen(folder: Path):
    return compare(SEVENTEEN, "waveform:300:0", cv="2x5")


def interrupted(folder: Path):
    return compare(LIGHT, "wine", cv="4x5", progress=CutOff(), batched="never")


SITUATIONS: list[Callable[[Path], object]] = [
    patients, iris, unbalanced, regression, seventeen, interrupted,
]  # fmt: skip


def lines_of(situation, folder: Path) -> list[str]:
    return list(answer(situation(folder).findings))


def without_numbers(text: str) -> str:
    return re.sub(r"\d[\d.,]*\d|\d", "#", text)


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda item: item.__name__)
def test_three_lines_name_the_pick_the_others_and_the_claim(situation, tmp_path):
    lines = lines_of(situation, tmp_path)
    golden = (FILES / f"{situation.__name__}.txt").read_text(encoding="utf-8").splitlines()
    assert [without_numbers(line) for line in lines] == [without_numbers(line) for line in golden]
    assert len(" ".join(lines).split()) <= MOST_WORDS
    assert lines[0].startswith("Use ")
    assert "new data" in lines[2].lower()
    for names in re.findall(r": ([^.]*)\.", lines[1]):
        assert len(names.partition(" + ")[0].split(", ")) <= MOST_NAMES


if __name__ == "__main__":
    import tempfile

    for item in SITUATIONS:
        with tempfile.TemporaryDirectory() as made:
            text = "\n".join(lines_of(item, Path(made))) + "\n"
        (FILES / f"{item.__name__}.txt").write_text(text, encoding="utf-8")
        print(text)  # noqa: T201
