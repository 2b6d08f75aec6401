from .study import Study as Study
from .study_file import read_study_file as read_study_file
from .study_settings import DataItem as DataItem
from .study_settings import LearnerItem as LearnerItem
from .study_settings import StudySettings as StudySettings
