"""Table of code that computes the same predictions as the code of an earlier version.

    python -m tests.equal_code PATH_OF_THE_EARLIER_SRC

Run it after a change that moves or renames code without changing a prediction, and after
`tests/contract` has passed: it writes `evaluation/equal_code.csv`, so that runs stored by the
earlier version keep their keys. Code that was changed since then gets new keys again.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import bestofk

SOURCE = Path(bestofk.__file__).parent
TABLE = SOURCE / "evaluation" / "equal_code.csv"
COLUMNS = ["digest", "equal_to", "packages", "roots"]

# Prints a JSON list of [names of the roots, digest, packages] for every learner of the catalogue,
# for the code of runs, and for every batched form; works with the modules of both versions.
_RECORD = """
import importlib, json, sys
def first(*names):
    for name in names:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError:
            pass
digests = first("bestofk.evaluation.code_digests", "bestofk.evaluate.code_digests")
identity = first("bestofk.evaluation.identity", "bestofk.evaluate.identity")
from bestofk.learners import learner_catalogue
rows, plain = [], digests.digest_of
def recorded(roots, **options):
    found = plain(roots, **options)
    rows.append([sorted(name for _, name in roots), found.text, list(found.packages)])
    return found
for module in list(sys.modules.values()):
    if getattr(module, "digest_of", None) is plain and module is not digests:
        module.digest_of = recorded
from bestofk.data import load_data
from bestofk.evaluation.batched_fit import batched_fits
from bestofk.evaluation.run import RunnableLearner
from bestofk.resampling import make_plan
data = load_data("iris")
for name, entry in learner_catalogue().items():
    known = identity.identify(name, entry.make())
    learner = RunnableLearner(name, entry.make(), known.unseeded)
    for fit in batched_fits([learner], data, make_plan(data, "2x2"), "always"):
        if fit is not None:
            known.batched_identity(fit.code)
json.dump(rows, sys.stdout)
"""


def recorded_digests(source: Path) -> dict[str, tuple[str, str]]:
    """Return digest and packages for the names of roots, as the code in a folder has them."""
    environment = {**os.environ, "PYTHONPATH": str(source)}
    done = subprocess.run(
        [sys.executable, "-c", _RECORD], env=environment, capture_output=True, text=True, check=True
    )
    return {
        " ".join(names): (digest, " ".join(packages))
        for names, digest, packages in json.loads(done.stdout)
    }


def main(earlier: Path) -> None:
    """Write the table."""
    TABLE.unlink(missing_ok=True)
    now, before = recorded_digests(SOURCE.parent), recorded_digests(earlier)
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for roots in sorted(now.keys() & before.keys()):
            (digest, packages), (_, packages_before) = now[roots], before[roots]
            # a key names the version of each package, also of one that is used no more
            is_kept = set(packages_before.split()) <= set(packages.split())
            if now[roots] != before[roots] and is_kept:
                writer.writerow([digest, *before[roots], roots])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
