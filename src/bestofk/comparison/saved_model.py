"""Saved model: the pick of a comparison in a file, with what its use depends on."""

from __future__ import annotations

import platform
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import pandas as pd
from sklearn.exceptions import InconsistentVersionWarning

from bestofk.checks import wrong_source
from bestofk.comparison.comparison import Comparison
from bestofk.comparison.fitted_learner import FittedLearner
from bestofk.errors import BestofkWarning, InvalidArgumentError
from bestofk.evaluation.identity.packages import version_of_package


@dataclass(frozen=True)
class SavedModel:
    """The pick of a comparison, trained on all rows.

    Like any pickle, its file can run arbitrary code when it is loaded.

    Parameters
    ----------
    learner : FittedLearner
        Its `columns` say which inputs it takes, of which type and with which levels.
    name : str
        Of the learner.
    target : str
        Name of the predicted column; "prediction" if it has none.
    classes : tuple
        Labels in sorted order; empty for regression.
    pos_label : label or None
        The positive class, if there are two classes.
    versions : dict of str to str
        Versions of bestofk, scikit-learn, numpy and python at training.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from bestofk import compare
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "pick.joblib"
    >>> SavedModel.of(compare(["lda"], "play-tennis", cv="1x2")).save(path)
    >>> SavedModel.load(path).predictions("play-tennis").head(2)
      play
    0   no
    1   no
    """

    learner: FittedLearner
    name: str
    target: str
    classes: tuple[Any, ...]
    pos_label: Any
    versions: dict[str, str]

    @classmethod
    def of(cls, comparison: Comparison) -> SavedModel:
        """Train the pick of a comparison on all rows."""
        data = comparison.evaluation.data
        target = next((name for name, role in data.roles.items() if role == "target"), "prediction")
        classes, pick = tuple(data.classes.tolist()), str(comparison.best)
        return cls(comparison.fit(), pick, target, classes, data.pos_label, _versions())

    def save(self, path: Path) -> None:
        """Write the model to a file, with the classes of your own learners."""
        import cloudpickle

        path.write_bytes(cloudpickle.dumps(self))

    @classmethod
    def load(cls, path: Path) -> SavedModel:
        """Read a model from a file. It can run code: load only your own files.

        Raises
        ------
        InvalidArgumentError
            If the file holds no such model, or needed packages are missing.

        Warns
        -----
        BestofkWarning
            If it was trained with another version of scikit-learn.
        """
        if problem := wrong_source(path, "model"):
            raise InvalidArgumentError(problem)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", InconsistentVersionWarning)
                saved = joblib.load(path)
            if not isinstance(saved, cls):
                raise TypeError(f"it holds something else, {type(saved).__name__}")
        except Exception as error:
            raise InvalidArgumentError(
                "model must be a file of 'bestofk compare --save-model' that can be loaded here; "
                f"got {path} ({type(error).__name__}: {error}). Write one by that command."
            ) from error
        before, now = saved.versions["scikit-learn"], _versions()["scikit-learn"]
        if before != now:
            warnings.warn(
                f"{path} was trained with scikit-learn {before}, and this is {now}: predictions "
                "may differ. Train it again to be sure.",
                BestofkWarning,
                stacklevel=2,
            )
        return saved

    def predictions(self, rows: Any, *, probabilities: bool = False) -> pd.DataFrame:
        """Return the prediction of each row, in a column named like the target.

        Parameters
        ----------
        rows : str, Path or DataFrame
            As for `FittedLearner.predict`.
        probabilities : bool, default=False
            Whether to add a column ``P(class)`` for each class.
        """
        X = self.learner.features_of(rows)
        table = pd.DataFrame({self.target: self.learner.estimator_.predict(X)})
        if not probabilities:
            return table
        if not hasattr(self.learner, "predict_proba"):
            raise InvalidArgumentError(
                f"probabilities must be left out for {self.name}; it gives none. Its predictions "
                "come without them."
            )
        names = [f"P({label})" for label in self.learner.classes_]
        return table.join(pd.DataFrame(self.learner.estimator_.predict_proba(X), columns=names))


def _versions() -> dict[str, str]:
    packages = ("bestofk", "scikit-learn", "numpy")
    own = {package: version_of_package(package) for package in packages}
    return own | {"python": platform.python_version()}
