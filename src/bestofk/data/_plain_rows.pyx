"""Loop over the characters of plain rows."""

from libc.stdint cimport int64_t, uint8_t

cdef enum:
    NEWLINE = 10
    RETURN = 13
    BLANK = 32
    QUOTE = 34


# text (n,): UTF-8, ends with a newline; separator: between fields, none of the characters above;
# limit: the length that no field has; starts (r, c): one row for each newline of the text,
# overwritten. O(n).
def find_fields(
    const uint8_t[::1] text, uint8_t separator, Py_ssize_t limit, int64_t[:, ::1] starts
):
    """Find the first character of each field, behind a blank and a quote; False if not plain."""
    cdef Py_ssize_t row, column, start, i = 0
    cdef uint8_t end
    cdef bint is_plain = True
    with nogil:
        for row in range(starts.shape[0]):
            for column in range(starts.shape[1]):
                start = i + (text[i] == BLANK)
                starts[row, column] = start + (text[start] == QUOTE)
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
