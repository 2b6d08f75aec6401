from libc.stdint cimport int16_t, int32_t, int64_t

# A key is a number of 64 bits that holds the rank of a value (27 bits), the class (8 bits) and the
# row (28 bits), so that sorted keys are a sorted column.  Of more than 256 classes it holds the
# lowest bits, and the class is looked up.
cpdef enum:
    CLASS_BITS = 28
    CLASS_MASK = 255
    ROW_BITS = 36
    ROW_MASK = (1 << 28) - 1
    MOST_ROWS = 1 << 27

cpdef enum:
    ENTROPY = 0
    GINI = 1
    HELLINGER = 2

cpdef enum:
    MEAN_OVER_PAIRS = 0
    MEAN_OVER_REST = 1
    MAX_OVER_REST = 2

# Columns of what a search finds for a node: how many cuts were possible, the worth of the best
# times the known weight, ranks and rows on its two sides, the known weight on its left.
cpdef enum:
    CUTS = 0
    WORTH = 1
    CODE_LOW = 2
    CODE_HIGH = 3
    ROW_LOW = 4
    ROW_HIGH = 5
    LEFT = 6
    FOUND_WIDTH = 7

# By what attributes are compared, and how the levels of a nominal one are divided.
cpdef enum:
    BY_WORTH = 0
    BY_RATIO = 1
    BY_RATIO_ABOVE_AVERAGE = 2

cpdef enum:
    MULTIWAY = 0
    BINARY = 1
    SUBSET = 2
    GROUP = 3

# What the loops need of the rules of growth, by the names of `GrowthRules`.
cdef class SplitRules:
    cdef readonly int criterion, class_rule, choice, nominal_splits
    cdef readonly bint takes_zero, tenth_rule, counts_weight, numeric_penalty, needs_info
    cdef readonly double min_branch, min_split, max_depth, min_decrease, gap, tie

# What stays the same while a tree grows: y int16 (n,), classes; table float64 (n + 1,), k log2 k,
# or k squared for Gini, of shape (0,) if rows have weights.
cdef class Search:
    cdef readonly SplitRules rules
    cdef const int16_t[::1] y
    cdef const double[::1] table

# What the search of a node knows from the start: its rows, where cuts may be, how much a later cut
# must be better by, the sum of the table over its classes, the worth of no cut, and what a cut
# must beat.  With more than 256 classes, y is looked up; else it is NULL.
cdef struct NodeSearch:
    const double* table
    const int16_t* y
    Py_ssize_t n_classes, n, first, last
    bint is_gini
    double tie, start, base, least

# The rows of b nodes: rows int32 (r,), those of node i at spans[i] to spans[i + 1] - 1; spans int64
# (b + 1,); weight float64 (r,), or (0,) if each counts one; counts float64 (b, c), class weights.
cdef class Nodes:
    cdef const int32_t[::1] rows
    cdef const int64_t[::1] spans
    cdef const double[::1] weight
    cdef const double[:, ::1] counts

# Weight that both sides of a cut need, and the worth by which a later cut must be better.
cdef struct Needs:
    double least, tie

cdef Needs needs_of(
    SplitRules rules, double weight, double known, double n_known, Py_ssize_t n_classes
) noexcept nogil

cdef NodeSearch search_of(
    Search search, Py_ssize_t n, const double* counts, Py_ssize_t n_classes, Needs needs
) noexcept nogil

cdef void cut_list(
    const NodeSearch* node,
    const int64_t* keys,
    const int32_t* reach,
    int64_t* left,
    int64_t* right,
    double* best_cut,
) noexcept nogil

cdef void cut_values(
    const NodeSearch* node,
    int64_t* histogram,
    int64_t* sizes,
    Py_ssize_t n_values,
    const double* values,
    double gap,
    int64_t* sides,
    double* best_cut,
) noexcept nogil

cdef void sort_keys(
    int64_t* keys, Py_ssize_t n, Py_ssize_t n_values, int64_t* buffer
) noexcept nogil

# Result of measuring a test: whether it may stand, its worth less the penalty, the penalty, and the
# split information, 0 where no ratio decides.
cdef struct Measured:
    bint is_valid
    double worth, penalty, info

cdef Measured measured_cut(
    SplitRules rules, const double* cut, double known, double weight
) noexcept nogil

cdef double information(const double* parts, Py_ssize_t n, double weight) noexcept nogil

cdef double ratio_of(double worth, double info) noexcept nogil

cdef double least_worth(
    const double* worth, const unsigned char* is_counted, Py_ssize_t d
) noexcept nogil

cdef Py_ssize_t first_best_of(
    const double* score, const unsigned char* may, Py_ssize_t d, double least, double tie
) noexcept nogil

cdef double worth_of(
    const double* counts,
    Py_ssize_t n_branches,
    Py_ssize_t n_classes,
    int criterion,
    int class_rule,
    double total,
) noexcept nogil
