from .inner_losses import choose_setting as choose_setting
from .spaces import read_settings as read_settings
from .tuned import Tuned as Tuned
