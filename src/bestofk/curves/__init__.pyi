from .cost import cost_curve as cost_curve
from .imbalance import imbalance_effect as imbalance_effect
from .learning import learning_curve as learning_curve
from .noise import noise_curve as noise_curve
from .validation import validation_curve as validation_curve
