cdef enum:
    LEAF = 0
    THRESHOLD = 1
    MULTIWAY = 2
    # Columns of the numbers of nodes.
    KIND = 0
    ATTRIBUTE = 1
    FIRST_CHILD = 2
    N_CHILDREN = 3
    LOOKUP_START = 4
    DEFAULT = 5

cdef struct Bound:
    double confidence
    double z
    bint is_r8

cdef Bound bound_of(parts)
cdef double estimate_of(const double[:] counts, Bound bound) noexcept nogil
