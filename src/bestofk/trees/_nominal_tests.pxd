from libc.stdint cimport int16_t, int64_t

from bestofk.trees._split_search cimport Measured, SplitRules

# Levels that more than two classes may divide in all 2**(m-1) - 1 ways.
cpdef enum:
    MOST_EXHAUSTIVE = 10

# The levels of an attribute at a node: counts float64 (m, c), class weights; mapping int16 (m,):
# branch of each level, set by the tests that divide levels.
cdef struct Levels:
    const double* counts
    Py_ssize_t n_levels, n_classes
    int16_t* mapping

# Buffers: float64 (m,), float64 (3 c,), int64 (m,).
cdef struct LevelBuffers:
    double* size
    double* sides
    int64_t* order

cdef Measured measured_branches(
    SplitRules rules, const Levels* levels, double weight, double* total, double* known
) noexcept nogil

cdef Measured measured_division(
    SplitRules rules, const Levels* levels, double weight, const LevelBuffers* buffers
) noexcept nogil
