from libc.stdint cimport int16_t, int32_t, int64_t

cdef Py_ssize_t hand_list(
    const int64_t* keys,
    Py_ssize_t n,
    const int16_t* side,
    int64_t* filled,
    int64_t* buffer,
    int64_t* out,
) noexcept nogil
