"""Pipeline of preparation and learner as one estimator."""

from typing import Any, Final, Self

from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from bestofk.learners.preparation import TablePreparer
from bestofk.scikit_internals import LINEAR_MODEL, class_in_memory

# Families that suit thousands of columns of words and read sparse rows.
_OF_WORDS: Final = (
    LINEAR_MODEL,
    "sklearn.linear_model.LogisticRegression",
    "sklearn.naive_bayes.BernoulliNB",
    *(f"sklearn.svm.{name}" for name in ("SVC", "NuSVC", "SVR", "NuSVR")),
)


class LearnerPipeline(Pipeline):  # type: ignore[misc]
    """A pipeline that follows scikit-learn's rules for estimators exactly.

    A plain `Pipeline` fits the given steps themselves, which changes its parameters; it hides that
    its first step accepts missing values; and it has no `random_state`. Here `fit` fits clones, the
    tags are those of the first step, one `random_state` reaches all steps, and free texts become
    words if the family of the last step supports that. Everything else is as in `Pipeline`: after
    fitting, `steps`, `named_steps` and indexing give the fitted steps, while `get_params` and
    `clone` use the given ones.

    Parameters
    ----------
    steps : list of (str, estimator)
        As for `Pipeline`.
    random_state : int, RandomState or None, default=None
        Passed to every step whose own `random_state` is None.

    Attributes
    ----------
    steps_ : list of (str, estimator)
        The fitted steps.
    """

    code_version = 1

    def __init__(self, steps: list[tuple[str, Any]], *, random_state: Any = None) -> None:
        super().__init__(steps)
        self.random_state = random_state

    @property
    def steps(self) -> list[tuple[str, Any]]:
        """The fitted steps; before `fit` the given ones."""
        steps: list[tuple[str, Any]] = self.__dict__.get("steps_", self._given_steps)
        return steps

    @steps.setter
    def steps(self, steps: list[tuple[str, Any]]) -> None:
        self._given_steps = steps
        self.__dict__.pop("steps_", None)

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Fit clones of the steps.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their targets.
        **params : dict
            As for `Pipeline.fit`, such as `learner__sample_weight`.

        Returns
        -------
        LearnerPipeline
            Itself.

        Raises
        ------
        ValueError, TypeError
            Errors of a step.
        """
        self.steps_ = Pipeline(self.unfitted_steps()).fit(X, y, **params).steps
        return self

    def unfitted_steps(self) -> list[tuple[str, Any]]:
        """Return clones of the given steps, with random state and treatment of texts set."""
        steps = [(name, clone(step, safe=False)) for name, step in self._given_steps]
        for _, step in steps:
            own = step.get_params(deep=False) if hasattr(step, "get_params") else {}
            if self.random_state is not None and own.get("random_state", 0) is None:
                step.set_params(random_state=self.random_state)
            if isinstance(step, TablePreparer) and step.texts is None:
                known = filter(None, map(class_in_memory, _OF_WORDS))
                has_words = isinstance(steps[-1][1], tuple(known))
                step.set_params(texts="words" if has_words else "topics")
        return steps

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters as given, those of the steps included.

        Parameters
        ----------
        deep : bool, default=True
            Whether to include the steps and their parameters.

        Returns
        -------
        dict of str to object
            Parameters by name, of a step as `step__parameter`.
        """
        params = {"steps": self._given_steps, "random_state": self.random_state}
        for name, step in _pairs(self._given_steps) if deep else ():
            params[name] = step
            inner = step.get_params() if hasattr(step, "get_params") else {}
            params |= {f"{name}__{key}": value for key, value in inner.items()}
        return params

    def __getitem__(self, index: Any) -> Any:
        return Pipeline(self.steps)[index]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        for _, first in _pairs(self.steps)[:1]:
            if hasattr(first, "__sklearn_tags__"):
                tags.input_tags.allow_nan = get_tags(first).input_tags.allow_nan
        return tags


def learner_pipeline(estimator: Any, *, standardize: bool = False) -> LearnerPipeline:
    """Return a pipeline of the preparation of tables and an estimator.

    Parameters
    ----------
    estimator : scikit-learn estimator
        The step `learner`, which receives the prepared matrix.
    standardize : bool, default=False
        Passed to `TablePreparer`, the step `prepare`.

    Returns
    -------
    LearnerPipeline
        The unfitted pipeline. Weights reach the estimator as `learner__sample_weight`.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> list(learner_pipeline(Ridge(), standardize=True).named_steps)
    ['prepare', 'learner']
    """
    preparer = TablePreparer(standardize=standardize)
    return LearnerPipeline([("prepare", preparer), ("learner", estimator)])


def reads_levels(estimator: Any) -> bool:
    """Return whether a learner is from the catalogue, perhaps in wrappers of this package."""
    while not isinstance(estimator, Pipeline) and type(estimator).__module__.startswith("bestofk."):
        estimator = getattr(estimator, "learner", None) or getattr(estimator, "estimator", None)
    return isinstance(estimator, LearnerPipeline)


def _pairs(steps: Any) -> list[tuple[str, Any]]:
    """Return the steps that are (name, step) pairs; `fit` refuses others."""
    if not isinstance(steps, list | tuple):
        return []
    return [step for step in steps if isinstance(step, tuple) and len(step) == 2]
