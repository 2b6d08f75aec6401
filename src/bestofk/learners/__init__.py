"""Catalogue of learners: names that give scikit-learn pipelines, and support for custom ones.

entry, catalogue the learners by name; one file per family
preparation, columns conversion of a table to numbers, as part of each learner
pipeline                 preparation and learner as one estimator
resolve, from_file learners from the arguments of users
written_learners         learners and their settings from a text
parameter_counts number of parameters of a learner by formula
model_complexity size of a fitted model
traits facts about a family of learners that do not depend on data

scikit-learn is imported only when a learner is made.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
