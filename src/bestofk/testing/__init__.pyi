from .agreement import BatchedAgreement as BatchedAgreement
from .batched_forms import batched_agreement as batched_agreement
from .batched_forms import check_batched_form as check_batched_form
from .extensions import check_learner as check_learner
from .extensions import check_measure as check_measure
from .extensions import check_paired_test as check_paired_test
