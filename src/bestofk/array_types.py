"""Types of arrays, as signatures name them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Positions = NDArray[np.intp]  # of rows, columns or learners, as numpy counts them
Codes = NDArray[np.int16]  # classes, levels or branches of trees as numbers
Folds = NDArray[np.int32]  # that test each row: a row of them per repeat
Values = NDArray[Any]  # labels, numbers, or whatever a column holds
