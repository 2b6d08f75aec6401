from .rules import choose_setting as choose_setting
from .settings import read_settings as read_settings
from .tuned import Tuned as Tuned
