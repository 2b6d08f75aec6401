"""Learners defined in a user's Python file."""

import hashlib
import os
import sys
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from bestofk.checks import nearest_name
from bestofk.errors import InvalidArgumentError
from bestofk.learners.entry import set_parameters
from bestofk.learners.written_learners import WrittenLearner, base_name

_FORM = "Write FILE.py:NAME, where NAME is an estimator, a class, or a function without arguments."


def is_of_file(text: str) -> bool:
    """Return whether a written learner refers to a Python file.

    Examples
    --------
    >>> is_of_file("tuned(mine.py:Mine)"), is_of_file("tuned(knn)")
    (True, False)
    """
    base = base_name(text)
    return ".py:" in base or base.endswith(".py")


def name_in_results(text: str) -> str:
    """Return the name of a written learner in results, without making it.

    Examples
    --------
    >>> name_in_results("mine.py:Mine(depth=3)"), name_in_results("tuned( mine.py:Mine )")
    ('Mine(depth=3)', 'tuned(Mine)')
    """
    written = WrittenLearner.read(text)
    return str(replace(written, base=written.base.rpartition(".py:")[2]))


def learner_from_file(reference: str, folder: str | os.PathLike[str] = "") -> tuple[str, Any]:
    """Run a Python file and return a learner that it defines.

    Parameters
    ----------
    reference : str
        `FILE.py:NAME`. NAME is an estimator, a class that needs no arguments, or a
        function without arguments that returns an estimator. Settings may follow in
        brackets, as ``FILE.py:NAME(depth=3)``; ``tuned(FILE.py:NAME)`` tunes it.
    folder : path, default=""
        Base of relative paths; the working folder by default.

    Returns
    -------
    name : str
        NAME, with its settings.
    estimator : object
        Has `fit` and `predict`. Its class is pickled by value, so worker processes do not need the
        file. The file is run again at each call.

    Raises
    ------
    InvalidArgumentError
        If the reference has another form, the file is missing or raises, NAME is not defined or not
        a learner, or a parameter is unknown.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mine.py"
    >>> _ = path.write_text("from sklearn.tree import DecisionTreeClassifier as Tree")
    >>> learner_from_file(f"{path}:Tree")
    ('Tree', DecisionTreeClassifier())
    """
    written = WrittenLearner.read(reference)
    file, colon, name = written.base.rpartition(":")
    if not (colon and file.endswith(".py") and name):
        raise InvalidArgumentError(
            f"learner must have the form FILE.py:NAME; got {reference!r}. {_FORM}"
        )
    path = Path(folder) / file
    if not path.is_file():
        raise InvalidArgumentError(
            f"file of learner {reference!r} must exist; got no file {path.absolute()}. "
            "Check the path."
        )
    module = _run_file(path.resolve())
    if name not in vars(module):
        raise InvalidArgumentError(_no_such_name(module, path, name))
    estimator = _made(vars(module)[name], path.resolve(), reference)
    set_parameters(estimator, written.settings, name)
    return name_in_results(reference), written.tuned(estimator)


def _run_file(path: Path) -> ModuleType:
    """Run a file as a module with a name unique to its path, without writing a compiled file."""
    import cloudpickle

    digest = hashlib.sha256(str(path).encode()).hexdigest()[:8]
    module = ModuleType(f"bestofk_file_{path.stem}_{digest}")
    module.__file__ = str(path)
    before = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module
    try:
        _guarded(lambda: exec(compile(path.read_bytes(), str(path), "exec"), vars(module)), path)
    except InvalidArgumentError:
        del sys.modules[module.__name__]
        if before is not None:
            sys.modules[module.__name__] = before
        raise
    cloudpickle.register_pickle_by_value(module)
    return module


def _guarded(action: Callable[[], Any], path: Path) -> Any:
    """Run user code; report the line if it raises."""
    try:
        return action()
    except (Exception, SystemExit) as error:
        raise InvalidArgumentError(
            f"{path.name} must run without an error; got {type(error).__name__}: {error}"
            f"{_line(error, path)}. Run it with python for details."
        ) from error


def _line(error: BaseException, path: Path) -> str:
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return ""  # its message names the line
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(path)]
    return f" in line {lines[-1]}" if lines else ""


def _made(named: Any, path: Path, reference: str) -> Any:
    """Return the estimator: the object itself, or the result of calling it."""
    estimator = named
    if isinstance(named, type) or (callable(named) and not hasattr(named, "fit")):
        estimator = _guarded(named, path)
    if not (hasattr(estimator, "fit") and hasattr(estimator, "predict")):
        raise InvalidArgumentError(
            f"learner {reference!r} must be an estimator with fit and predict; "
            f"got {type(estimator).__name__}. {_FORM}"
        )
    return estimator


def _no_such_name(module: ModuleType, path: Path, name: str) -> str:
    public = {key: value for key, value in vars(module).items() if not key.startswith("_")}
    known = [key for key, value in public.items() if callable(value) or hasattr(value, "fit")]
    hint = nearest_name(name, known) if known else "It defines nothing that could be a learner."
    return f"NAME must be defined in {path.name}; got {name!r}. {hint}"
