"""Status of runs: its meanings, which one file knows."""

import ast
from pathlib import Path

import numpy as np
import pytest

import bestofk
from bestofk.evaluation import status

SOURCE = Path(bestofk.__file__).parent
ONE_PLACE = SOURCE / "evaluation" / "status.py"
TEXTS = {name: value for name, value in vars(status).items() if isinstance(value, str)}
NAMES = {name for name in TEXTS if name.isupper()} | {"FAILURES"}


@pytest.mark.parametrize("meaning", [v for v in vars(status).values() if type(v) is status.Meaning])
def test_a_meaning_is_the_same_of_one_run_and_of_many(meaning):
    texts = ["ok", "error", "timeout", "memory", "lost", "missing"]
    assert meaning(np.array(texts)).tolist() == [meaning(text) for text in texts]


def test_a_run_is_missing_lost_or_done_and_what_is_done_went_well_or_failed():
    texts = np.array(["ok", "error", "timeout", "memory", "lost", "missing"])
    ended = status.is_done(texts).astype(int) + status.is_lost(texts) + status.is_missing(texts)
    assert (ended == 1).all()
    assert (status.is_done(texts) == (status.is_ok(texts) ^ status.has_failed(texts))).all()


def compared(path: Path) -> list[str]:
    """Return the places in a file that compare the status of runs with a text."""
    tree = ast.parse(path.read_text())
    taken = {
        name.asname or name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "bestofk.evaluation.status"
        for name in node.names
        if name.name in NAMES
    }
    known = {text for name, text in TEXTS.items() if name in NAMES}

    def is_text(node: ast.AST) -> bool:
        """Return whether something is a status, or a list of some."""
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            return any(map(is_text, node.elts))
        node = node.value if isinstance(node, ast.Starred) else node
        return isinstance(node, ast.Name) and node.id in taken

    def is_status(node: ast.AST) -> bool:
        while isinstance(node, ast.Subscript):
            node = node.value
        return isinstance(node, ast.Attribute) and node.attr == "status"

    places = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            texts = [s for s in sides if isinstance(s, ast.Constant) and s.value in known]
            if any(map(is_text, sides)) or (texts and any(map(is_status, sides))):
                places.append(f"{path.relative_to(SOURCE)}:{node.lineno}")
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("np.isin", "np.equal"):
            places += [f"{path.relative_to(SOURCE)}:{node.lineno}"] * any(map(is_text, node.args))
    return places


def test_no_other_file_compares_the_status_of_runs():
    files = [path for path in SOURCE.rglob("*.py") if path != ONE_PLACE]
    found = [place for path in files for place in compared(path)]
    # the answer of a worker of Dask has a status, too
    assert [place for place in found if "dask_cluster" not in place] == []
