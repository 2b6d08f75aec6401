"""Catalogue of learners: names that give scikit-learn pipelines, and support for custom ones.

entry, catalogue         what there is, by name; one file per family
preparation, columns     how a table becomes numbers, as part of each learner
pipeline                 preparation and learner as one estimator
resolve, from_file       learners from what was handed in
written_learners         learners and their settings from a text
parameter_counts         how many parameters a learner has by formula
model_complexity         how large a fitted model is
traits                   facts about a family of learners, whatever the data

Nothing of scikit-learn is imported before a learner is made.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
