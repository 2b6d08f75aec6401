from .calibration import calibrate as calibrate
from .comparison import BestOfK as BestOfK
from .comparison import Comparison as Comparison
from .comparison import ComparisonAcross as ComparisonAcross
from .comparison import compare as compare
from .curves import cost_curve as cost_curve
from .curves import imbalance_effect as imbalance_effect
from .curves import learning_curve as learning_curve
from .curves import noise_curve as noise_curve
from .curves import validation_curve as validation_curve
from .data import DataSet as DataSet
from .data import load_data as load_data
from .evaluation import Store as Store
from .evaluation import merge_stores as merge_stores
from .measures import make_measure as make_measure
from .recommendation import recommend as recommend
from .score_tables import apply_procedure as apply_procedure
from .score_tables import compare_scores as compare_scores
from .score_tables import compare_scores_across as compare_scores_across
from .studies import Study as Study
from .tuning import Tuned as Tuned

__version__: str
