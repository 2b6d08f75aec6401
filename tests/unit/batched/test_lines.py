import numpy as np
import pytest

from bestofk.batched.lines import zeros_in_lines


@pytest.mark.parametrize("shape", [(3,), (7, 8), (2, 3, 5)])
def test_zeros_begin_with_a_line_and_are_contiguous(shape):
    for _ in range(5):
        result = zeros_in_lines(*shape)
        assert result.ctypes.data % 64 == 0
        assert result.flags.c_contiguous
        np.testing.assert_array_equal(result, np.zeros(shape))
