"""Names of random streams: class and settings, whatever the code and where it is installed."""

import numpy as np
from sklearn.ensemble import BaggingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from bestofk.evaluation.identity.identity import stream_name
from bestofk.learners import learner_catalogue


def test_usual_settings_are_left_out_and_nested_ones_kept():
    learner = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=2, criterion="gini"))
    assert stream_name(learner) == (
        "Pipeline(steps=[['standardscaler', StandardScaler()], "
        "['decisiontreeclassifier', DecisionTreeClassifier(max_depth=2)]])"
    )
    nested = BaggingClassifier(DecisionTreeClassifier(), n_estimators=3)
    expected = "BaggingClassifier(estimator=DecisionTreeClassifier(), n_estimators=3)"
    assert stream_name(nested) == expected


def test_functions_and_objects_go_by_their_name():
    assert stream_name(FunctionTransformer(np.log1p)) == "FunctionTransformer(func=log1p)"
    assert stream_name(FunctionTransformer(len)) == "FunctionTransformer(func=len)"
    assert stream_name(object()) == "object"
    assert stream_name({"b": 1, "a": (2.5, None)}) == "{'a': [2.5, None], 'b': 1}"


def test_editing_the_code_of_a_class_changes_no_stream():
    def make(shift):
        class Mine:
            def predict(self, X):
                return X + shift

        return Mine()

    assert stream_name(make(1)) == stream_name(make(2)) == "Mine"


def test_every_learner_of_the_catalogue_has_a_stream_of_its_own():
    names = {name: stream_name(entry.make()) for name, entry in learner_catalogue().items()}
    assert len(set(names.values())) == len(names)
    assert not any(" at 0x" in name for name in names.values())
