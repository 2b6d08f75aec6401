"""Compiled loops that divide the rows of a level among the branches of its tests.

Shapes and keys are those of `_split_search`.  Everything here trusts its callers.
"""

from libc.math cimport isnan
from libc.stdint cimport int16_t, int32_t, int64_t

from bestofk.trees._split_search cimport ROW_MASK, Nodes, Search


# keys int64 (lists, >= r); line int32 (b,): which list a node tests, -1 for none; left
# float64 (b,): how many of its keys go to branch 0; side int16 (n,) by row, overwritten.  O(r).
def send_listed(
    const int64_t[:, ::1] keys,
    const int64_t[::1] spans,
    const int32_t[::1] line,
    const double[::1] left,
    int16_t[::1] side,
):
    """Send the rows of nodes that test a listed attribute to their branches."""
    cdef Py_ssize_t node, i
    with nogil:
        for node in range(spans.shape[0] - 1):
            if line[node] >= 0:
                for i in range(spans[node], spans[node + 1]):
                    side[keys[line[node], i] & ROW_MASK] = i >= spans[node] + left[node]


# codes int32 (., n); line int32 (b,): which of them a node tests, -1 for none; cut float64 (b,):
# highest rank of branch 0, nan for levels; mapping int16 (b, m): branch of each level;
# stand_in int32 (b, c): rank or level that takes the place of a missing one, -1 for none; side
# int16, by row if each counts one, else by place, overwritten: branch, -1 unknown.  O(r).
def send_coded(
    Search search,
    const int32_t[:, ::1] codes,
    Nodes nodes,
    const int32_t[::1] line,
    const double[::1] cut,
    const int16_t[:, ::1] mapping,
    const int32_t[:, ::1] stand_in,
    int16_t[::1] side,
):
    """Send the rows of nodes that test a ranked or nominal attribute to their branches."""
    cdef const int64_t[::1] spans = nodes.spans
    cdef bint is_by_row = nodes.weight.shape[0] == 0
    cdef Py_ssize_t node, j
    cdef int32_t row, code
    cdef int16_t branch
    with nogil:
        for node in range(spans.shape[0] - 1):
            if line[node] < 0:
                continue
            for j in range(spans[node], spans[node + 1]):
                row = nodes.rows[j]
                code = codes[line[node], row]
                if code < 0:
                    code = stand_in[node, search.y[row]]
                branch = -1
                if code >= 0:
                    branch = mapping[node, code] if isnan(cut[node]) else code > cut[node]
                side[row if is_by_row else j] = branch


# side as send_coded leaves it; first int64 (b,): number of the first branch of each node, -1 for
# leaves; known float64 (branches, c), unknown float64 (b, c): zeros before.  O(r).
def tally(
    Search search,
    Nodes nodes,
    const int16_t[::1] side,
    const int64_t[::1] first,
    double[:, ::1] known,
    double[:, ::1] unknown,
):
    """Sum the class weights of every branch, and of the rows whose branch is unknown."""
    cdef const int64_t[::1] spans = nodes.spans
    cdef bint is_counting = nodes.weight.shape[0] == 0
    cdef Py_ssize_t node, j
    cdef int32_t row
    cdef int16_t k
    with nogil:
        for node in range(spans.shape[0] - 1):
            if first[node] < 0:
                continue
            for j in range(spans[node], spans[node + 1]):
                row = nodes.rows[j]
                k = search.y[row]
                if is_counting:
                    known[first[node] + side[row], k] += 1.0
                elif side[j] >= 0:
                    known[first[node] + side[j], k] += nodes.weight[j]
                else:
                    unknown[node, k] += nodes.weight[j]


# As tally; opened int32 (branches,): number of each branch in the next level, -1 for leaves; filled
# int64 (new b,): where each begins, new_rows int32 (new r,): overwritten.  O(r).
def hand_rows(
    Nodes nodes,
    const int16_t[::1] side,
    const int64_t[::1] first,
    const int32_t[::1] opened,
    int64_t[::1] filled,
    int32_t[::1] new_rows,
):
    """Hand the rows of a level down to the next, all branches being known."""
    cdef const int64_t[::1] spans = nodes.spans
    cdef Py_ssize_t node, j
    cdef int32_t row, new
    with nogil:
        for node in range(spans.shape[0] - 1):
            if first[node] < 0:
                continue
            for j in range(spans[node], spans[node + 1]):
                row = nodes.rows[j]
                new = opened[first[node] + side[row]]
                if new >= 0:
                    new_rows[filled[new]] = row
                    filled[new] += 1


# As hand_rows; keys int64 (lists, >= r), overwritten in place: nodes come in order, and what is
# handed down is never ahead of what is read; branches int64 (b, 2): first and last branch of each
# node; begins int64 (new b,): where the new nodes begin; buffer int64 (>= largest node,), filled
# int64 (most branches,): overwritten.  Node by node, so that `side` of its rows stays near.
# O(lists r).
def hand_keys(
    int64_t[:, ::1] keys,
    const int64_t[::1] spans,
    const int16_t[::1] side,
    const int64_t[:, ::1] branches,
    const int32_t[::1] opened,
    const int64_t[::1] begins,
    int64_t[::1] filled,
    int64_t[::1] buffer,
):
    """Hand the sorted keys of a level down to the next, each node sorted as before."""
    cdef Py_ssize_t node, a, v, n_branches, first
    cdef int64_t begin
    cdef int32_t new
    with nogil:
        for node in range(spans.shape[0] - 1):
            first = branches[node, 0]
            n_branches = branches[node, 1] - first
            begin = -1
            if first >= 0:
                for v in range(n_branches):
                    new = opened[first + v]
                    if new >= 0 and begin < 0:
                        begin = begins[new]
            if begin < 0:
                continue
            for a in range(keys.shape[0]):
                for v in range(n_branches):
                    new = opened[first + v]
                    filled[v] = begins[new] - begin if new >= 0 else -1
                hand_list(
                    &keys[a, spans[node]],
                    spans[node + 1] - spans[node],
                    &side[0],
                    &filled[0],
                    &buffer[0],
                    &keys[a, begin],
                )


# keys int64 (n,): of a node, sorted; filled int64 (branches,): where each branch begins in out, -1
# for leaves; overwritten, as is buffer int64 (n,).  Returns how many are handed down.  O(n).
cdef Py_ssize_t hand_list(
    const int64_t* keys,
    Py_ssize_t n,
    const int16_t* side,
    int64_t* filled,
    int64_t* buffer,
    int64_t* out,
) noexcept nogil:
    """Hand the sorted keys of a node down to its branches, each sorted as before."""
    cdef Py_ssize_t i, total = 0
    cdef int64_t at
    cdef int16_t v
    for i in range(n):
        v = side[keys[i] & ROW_MASK]
        at = filled[v]
        if at >= 0:
            buffer[at] = keys[i]
            filled[v] = at + 1
            total += 1
    for i in range(total):
        out[i] = buffer[i]
    return total


# As hand_rows; branches as in hand_keys; shares float64 (branches,): part of an unknown row that a
# branch gets; new_weight float64 (new r,): overwritten.  O(r branches).
def hand_parts(
    Nodes nodes,
    const int16_t[::1] side,
    const int64_t[:, ::1] branches,
    const int32_t[::1] opened,
    const double[::1] shares,
    int64_t[::1] filled,
    int32_t[::1] new_rows,
    double[::1] new_weight,
):
    """Hand the rows of a level down to the next; unknown ones in parts to all branches."""
    cdef const int64_t[::1] spans = nodes.spans
    cdef Py_ssize_t node, j, branch, low, high
    cdef int32_t new
    cdef double share
    with nogil:
        for node in range(spans.shape[0] - 1):
            if branches[node, 0] < 0:
                continue
            for j in range(spans[node], spans[node + 1]):
                low = branches[node, 0] + max(side[j], 0)
                high = low + 1 if side[j] >= 0 else branches[node, 1]
                for branch in range(low, high):
                    new = opened[branch]
                    share = 1.0 if side[j] >= 0 else shares[branch]
                    if new >= 0 and share > 1e-6:
                        new_rows[filled[new]] = nodes.rows[j]
                        new_weight[filled[new]] = nodes.weight[j] * share
                        filled[new] += 1
