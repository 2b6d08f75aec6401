"""The first three lines in seventeen situations, against golden files in `answers/`.

Numbers differ by version and machine, so they are left out of the comparison; run
`python -m tests.flow.test_answers` to write the files anew.
"""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
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


def synthetic(n_rows, noise):
    """Return a numeric target that is linear in two of four inputs, with noise of a kind."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(n_rows, 4))
    drawn = noise(rng, n_rows)
    return features, np.exp(1 + 0.3 * features[:, 0]) + features[:, 1] + drawn


def normal(rng, n_rows):
    return rng.normal(size=n_rows)


def heavy(rng, n_rows):
    return np.exp(3 * rng.normal(size=n_rows))


def situation(name, learners, data, **options):
    """Return a situation by name, whose data are a function of a folder."""

    def compared(folder: Path):
        return compare(learners, *data(), **{"cv": "3x5"} | options)

    compared.__name__ = name
    return compared


VALUES = ["mean", "ridge-cv", "cart-regressor", "knn-regressor"]
AREAS = ["naive-bayes", "logistic", "5nn"]
MEASURED = [
    situation("values", VALUES, lambda: synthetic(300, normal)),
    situation(
        "many_values", VALUES, lambda: synthetic(1200, normal)
    ),
    situation(
        "absolute_errors", VALUES, lambda: synthetic(300, normal),
        scoring="mae",
    ),
    situation(
        "few_large_values", VALUES,
        lambda: synthetic(300, heavy),
    ),
    situation(
        "share_explained", VALUES, lambda: synthetic(300, normal),
        scoring="r2",
    ),
    situation("areas", AREAS, lambda: ("breast_cancer",), scoring="auroc"),
    situation(
        "areas_of_halves", AREAS,
        lambda: (load_data(data_folder() / "uci" / "pima.arff", target="class"),),
        scoring="auroc",
    ),
    situation("areas_of_three_classes", AREAS, lambda: ("wine",), scoring="auroc"),
    situation("log_losses", AREAS, lambda: ("breast_cancer",), scoring="log_loss"),
    situation("values_of_one_test_set", VALUES, lambda: synthetic(1200, normal), cv="holdout:0.3"),
    situation(
        "areas_of_one_test_set", AREAS, lambda: ("breast_cancer",), scoring="auroc",
        cv="holdout:0.55",
    ),
]  # fmt: skip
SITUATIONS: list[Callable[[Path], object]] = [
    patients, iris, unbalanced, regression, seventeen, interrupted, *MEASURED,
]  # fmt: skip
SLOW = {regression}  # trains all learners


def lines_of(situation, folder: Path) -> list[str]:
    return list(answer(situation(folder).findings))


def without_numbers(text: str) -> str:
    return re.sub(r"\d[\d.,]*\d|\d", "#", text)


@pytest.mark.parametrize(
    "situation",
    [
        pytest.param(item, id=item.__name__, marks=[pytest.mark.slow] if item in SLOW else [])
        for item in SITUATIONS
    ],
)
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
