"""
Write a CSV as people have them, and compare learners on it without an option
=============================================================================

Semicolons, decimal commas, a running number, dates, yes/no, whole numbers that are codes,
5 % missing, repeated rows. Every guess is printed.

.. code-block:: sh

    python examples/csv_with_everything.py [FOLDER]
"""

import sys
from pathlib import Path

import numpy as np

from bestofk import compare, load_data
from bestofk.report import ScoreDistributionDisplay

N_ROWS = 160
N_REPEATED = 4
HEADER = "patient_id;admitted;age;smoker;ward;crp;temperature;complaint;outcome"
COMPLAINTS = ("cough", "fever", "pain")


def write_csv(path: Path) -> None:
    """Write a table as people have them."""
    rng = np.random.default_rng(2006)
    rows = []
    for number in range(N_ROWS):
        crp, temperature = rng.gamma(2.0, 15.0), rng.normal(37.8, 0.7)
        age, smokes = int(rng.integers(18, 90)), rng.random() < 0.3
        strain = 0.05 * (crp - 30) + 1.2 * (temperature - 37.8) + 0.02 * (age - 54) + smokes
        fields = [
            f"{rng.integers(1, 29)}.{rng.integers(1, 13)}.2024",
            str(age),
            "yes" if smokes else "no",
            str(rng.integers(1, 5)),
            f"{crp:.1f}".replace(".", ","),
            f"{temperature:.1f}".replace(".", ","),
            COMPLAINTS[rng.integers(3)],
        ]
        fields = ["" if rng.random() < 0.05 else field for field in fields]
        outcome = "stays" if strain + rng.normal(0, 0.8) > 0 else "home"
        rows.append(";".join([str(1001 + number), *fields, outcome]))
    rows += rows[:N_REPEATED]
    path.write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")


def main(folder: Path) -> None:
    """Write the table, compare on it and draw the scores."""
    path = folder / "patients.csv"
    write_csv(path)
    data = load_data(path, drop=["patient_id"])
    for text in (*data.notes, *data.warnings):
        print("-", text)
    result = compare(data, cv="5x5")
    print(f"best: {result.best}; may be best: {', '.join(result.candidates)}")

    display = ScoreDistributionDisplay.from_comparison(result).plot()
    display.ax_.set_title("Error of the 25 splits of patients.csv")
    display.figure_.savefig(folder / "csv_with_everything.png", dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
