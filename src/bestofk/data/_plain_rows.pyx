"""Loop over the characters of plain rows."""

from libc.stdint cimport int64_t, uint8_t

cdef enum:
    NEWLINE = 10
    RETURN = 13
    BLANK = 32
    QUOTE = 34
    MINUS = 45
    ZERO = 48
    NINE = 57


# text (n,): UTF-8, ends with a newline; separator: between fields, none of the characters above;
# limit: the length that no field has; starts (r, c): one row for each newline of the text,
# overwritten; odd (2, c): counts of the rows but the first are added to it. O(n).
def find_fields(
    const uint8_t[::1] text,
    uint8_t separator,
    Py_ssize_t limit,
    int64_t[:, ::1] starts,
    int64_t[:, ::1] odd,
):
    """Find the first character of each field, behind a blank and a quote; False if not plain.

    Count the fields of each column that do not begin as plain numbers do, and those that begin
    as minus zero.
    """
    cdef Py_ssize_t row, column, start, i = 0
    cdef uint8_t end, begin, after
    cdef bint is_digit, is_odd
    cdef bint is_plain = True
    with nogil:
        for row in range(starts.shape[0]):
            for column in range(starts.shape[1]):
                start = i + (text[i] == BLANK)
                start += text[start] == QUOTE
                starts[row, column] = start
                begin, after = text[start], text[start + 1]
                is_digit = <uint8_t>(after - ZERO) <= 9
                is_odd = (<uint8_t>(begin - MINUS) > NINE - MINUS) | ((begin == ZERO) & is_digit)
                odd[0, column] += is_odd & (row > 0)
                odd[1, column] += (begin == MINUS) & (after == ZERO) & (row > 0)
                start = i
                end = separator
                if text[i] == QUOTE:
                    end = QUOTE
                    i += 1
                while text[i] != end and (
                    text[i] > QUOTE
                    or text[i] != QUOTE and text[i] != NEWLINE and text[i] != RETURN and text[i]
                ):
                    i += 1
                if end == QUOTE:
                    is_plain = text[i] == QUOTE
                    i += is_plain
                if column + 1 < starts.shape[1]:
                    end = separator
                else:
                    end = NEWLINE
                    i += text[i] == RETURN
                is_plain = is_plain and text[i] == end and i - start < limit
                if not is_plain:
                    break
                i += 1
            if not is_plain:
                break
    return is_plain
