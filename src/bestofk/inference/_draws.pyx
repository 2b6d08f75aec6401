"""Compiled loops over random draws: those of `Generator.permuted` and `Generator.integers`."""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport uint32_t, uint64_t

import numpy as np


# Where the struct begins that all bit generators of numpy share ("Extending" in its reference).
cdef struct Bits:
    void* state
    uint64_t (*next_uint64)(void*) noexcept nogil
    uint32_t (*next_uint32)(void*) noexcept nogil


# blocks float64 (n, k); sums float64 (d, k), zeros: those of each draw are added. O(d n k).
def add_permuted(capsule, const double[:, ::1] blocks, double[:, ::1] sums):
    """Permute the values of each block at random and sum over the blocks, once for each draw."""
    cdef Bits bits = (<Bits*>PyCapsule_GetPointer(capsule, "BitGenerator"))[0]
    cdef Py_ssize_t n_values = blocks.shape[1], d, b, j
    cdef uint32_t widest = 0, mask, last, at
    cdef bint is_place
    cdef double value
    cdef double[::1] work = np.empty(n_values)
    cdef double* values = &work[0]
    while widest < n_values - 1:
        widest = 2 * widest + 1
    with nogil:
        for d in range(sums.shape[0]):
            for b in range(blocks.shape[0]):
                work[:] = blocks[b]
                mask, last = widest, n_values - 1
                # Values behind `last` have their place. A place that is not drawn from those up
                # to it is drawn again: the value is exchanged with itself, which needs no branch.
                while last > 0:
                    at = bits.next_uint32(bits.state) & mask
                    is_place = at <= last
                    at = at if is_place else last
                    value = values[at]
                    values[at] = values[last]
                    values[last] = value
                    last -= is_place
                    mask >>= last <= mask >> 1
                for j in range(n_values):
                    sums[d, j] += values[j]


# values float64 (n,), at least 2; drawn float64 (m + 1,): overwritten but for the first n_left.
# Returns whether a value was drawn behind the first m. O(m).
def draw_values(capsule, const double[::1] values, double[::1] drawn, Py_ssize_t n_left):
    """Draw values at random, with replacement, by both halves of numbers of 64 bits in turn."""
    cdef Bits bits = (<Bits*>PyCapsule_GetPointer(capsule, "BitGenerator"))[0]
    cdef uint32_t n_values = values.shape[0]
    cdef uint32_t surplus = -n_values % n_values  # of 2^32 numbers; all others share evenly
    cdef const double* first = &values[0]
    cdef double* place = &drawn[0]
    cdef uint64_t both, product
    cdef Py_ssize_t i = n_left, n_wanted = drawn.shape[0] - 1
    with nogil:
        while i < n_wanted:
            both = bits.next_uint64(bits.state)
            product = <uint64_t><uint32_t>both * n_values
            place[i] = first[product >> 32]
            i += <uint32_t>product >= surplus  # otherwise the next one takes its place
            product = (both >> 32) * n_values
            place[i] = first[product >> 32]
            i += <uint32_t>product >= surplus
    return i - n_wanted
