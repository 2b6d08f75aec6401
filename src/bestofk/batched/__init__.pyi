from .form import BatchedForm as BatchedForm
from .form import BatchedPredictions as BatchedPredictions
from .forms import FormChoice as FormChoice
from .forms import batched_form as batched_form
from .forms import choose_form as choose_form
from .parts import Parts as Parts
from .shared_table import SharedTable as SharedTable
from .shared_table import Subsets as Subsets
