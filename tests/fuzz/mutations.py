"""Mutations of valid files: of their bytes, lines and fields."""

import gzip
import re
from collections.abc import Callable
from random import Random

_PLAIN_FIELDS = (
    "0",
    "1",
    "-1",
    "1e9",
    "0.5",
    "3",
    "?",
    "1e-9",
    "100",
    "yes",
    "no",
    "red",
    "x",
    "2.50",
)
# What readers of numbers, texts, dates and names have to cope with.
HARD_FIELDS = (
    "", " ", "?", "NA", "nan", "NaN", "inf", "-inf", "Infinity", "null", "None", "n/a", "-", ".",
    "k.A.", "0", "-0", "00", "+1", "1e308", "1e309", "-1e400", "5e-324", "1e-400", "1e300",
    "9" * 400, "9" * 5000, "0x" + "f" * 5000,
    "-" + "9" * 400, "0." + "0" * 400 + "1", "9223372036854775808",
    "-9223372036854775809", "18446744073709551616", "9007199254740993", "0x10", "1_000", "1,000",
    "1.000", "1,5", "1.234,56", "1,234,567", "$1,000", "12%", "1e", "e5", "1 000", "1\u00a0000",
    "1\u202f000", "\u0661\u0662\u0663", "\u00b2", "\u00bd", "\u2212" + "5", "1;2", "a,b", '"',
    '""', '"a', "'", "''", "'a", "\\", "\\'", "{", "}", "{1 2}", "%", "#", "# x", "@data",
    "@attribute", "true", "FALSE", "yes", "no", "ok", "2020-02-30", "9999-12-31", "0000-00-00",
    "0001-01-01", "1677-09-20", "31.12.2020", "12/31/20", "2020-01-01T25:61:61Z",
    "2020-01-01 00:00:00+99:99", "Infinityx", "\u00e4\u00f6\u00fc", "\U0001f600", "\u200b",
    "\ufeff", "\u202e", "\x1b[31mred\x1b[0m", "\x07", "\x0b", "\x0c", "\x1c", "\u2028", "\x85",
    "=1+1", "=cmd|' /C calc'!A0", "[red]", "[/]", "%s%n", "{0}", "a" * 300, "b c", "x" * 70_000,
    "a\nUse x: 0% error", "&a [*a, *a]",
    "dataset", "learner", "value", "repeat", "fold", "class", "majority", "1", "2",
)  # fmt: skip
_MOST_BYTES = 2_000_000  # what is larger may take its time
_SEPARATORS = [b",", b";", b"\t", b"|", b" "]
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
_FIELD = re.compile(rb"[^,;\t\n\r {}]+")

Mutation = Callable[[bytes, Random], bytes]


def hard_field(rng: Random) -> bytes:
    """Return a field that is hard to read, most often; at times in an older encoding."""
    text = rng.choice(HARD_FIELDS if rng.random() < 0.7 else _PLAIN_FIELDS)
    return text.encode(rng.choice(["utf-8"] * 9 + ["cp1252"]), "replace")


# -- bytes ---------------------------------------------------------------------------------


def _place(content: bytes, rng: Random) -> int:
    return rng.randrange(len(content) + 1)


def flip_bit(content: bytes, rng: Random) -> bytes:
    """Turn one bit around."""
    if not content:
        return content
    at = rng.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :]


def insert_bytes(content: bytes, rng: Random) -> bytes:
    """Insert some bytes of any kind, NUL and half characters among them."""
    at = _place(content, rng)
    new = rng.choice([b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\r", b"\n", b"\x1a", b'"', b"\\"])
    return content[:at] + new * rng.choice([1, 1, 1, 2, 1000]) + content[at:]


def insert_often(content: bytes, rng: Random) -> bytes:
    """Insert a sign of some format so often that searching it in a bad way takes minutes."""
    signs = [b"\\'", b"''", b'""', b'"', b"\\", b",", b";", b"%", b"{", b"[", b"- ", b"a: ", b"\n",
             b" ", b"0", b"1,", b".", b"#", b"&a [*a", b"\r\n,"]  # fmt: skip
    at = _place(content, rng)
    return content[:at] + rng.choice(signs) * rng.choice([50, 5_000, 50_000]) + content[at:]


def cut_out(content: bytes, rng: Random) -> bytes:
    """Leave out a part."""
    start, end = sorted((_place(content, rng), _place(content, rng)))
    return content[:start] + content[min(end, start + rng.choice([1, 4, 40, 4000])) :]


def truncate(content: bytes, rng: Random) -> bytes:
    """End the file early."""
    return content[: _place(content, rng)]


def repeat_part(content: bytes, rng: Random) -> bytes:
    """Put in a part again, at times very often."""
    start = _place(content, rng)
    part = content[start : start + rng.choice([1, 8, 80])]
    return content[:start] + part * rng.choice([2, 3, 50, 2000]) + content[start:]


def encode_otherwise(content: bytes, rng: Random) -> bytes:
    """Write the text in another encoding, or pack it."""
    text = content.decode("utf-8", "replace")
    form = rng.choice(["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252", "gzip", "half gzip"])
    if "gzip" in form:
        packed = gzip.compress(content, mtime=0)
        return packed if form == "gzip" else packed[: _place(packed, rng)]
    return text.encode(form, "replace")


# -- lines ---------------------------------------------------------------------------------


def _with_lines(change: Callable[[list[bytes], Random], list[bytes]]) -> Mutation:
    def mutate(content: bytes, rng: Random) -> bytes:
        return b"\n".join(change(content.split(b"\n"), rng))

    mutate.__name__ = change.__name__
    return mutate


def drop_line(lines: list[bytes], rng: Random) -> list[bytes]:
    """Leave out a line."""
    at = rng.randrange(len(lines))
    return lines[:at] + lines[at + 1 :]


def repeat_line(lines: list[bytes], rng: Random) -> list[bytes]:
    """Put in a line again, next to itself or at the end."""
    line = rng.choice(lines)
    at = rng.choice([len(lines), lines.index(line)])
    return lines[:at] + [line] * rng.choice([1, 1, 1, 200]) + lines[at:]


def swap_lines(lines: list[bytes], rng: Random) -> list[bytes]:
    """Let two lines change places; the header may be one of them."""
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return lines


def insert_line(lines: list[bytes], rng: Random) -> list[bytes]:
    """Insert a line of another kind."""
    new = [b"", b"   ", b"# note", b"sep=;", b",,,,", b'"', b"%", b"---", b"a: [", hard_field(rng)]
    at = rng.randrange(len(lines) + 1)
    return [*lines[:at], rng.choice(new), *lines[at:]]


def end_lines_otherwise(lines: list[bytes], rng: Random) -> list[bytes]:
    """End all lines, or one of them, in another way."""
    end = rng.choice([b"\r", b"\r\r", b" ", b",", b";"])
    if rng.random() < 0.5:
        return [line + end for line in lines]
    at = rng.randrange(len(lines))
    lines[at] += end
    return lines


# -- fields --------------------------------------------------------------------------------


def _replaced(content: bytes, match: re.Match[bytes], new: bytes) -> bytes:
    return content[: match.start()] + new + content[match.end() :]


def change_field(content: bytes, rng: Random) -> bytes:
    """Put something hard into a field."""
    fields = list(_FIELD.finditer(content))
    return _replaced(content, rng.choice(fields), hard_field(rng)) if fields else content


def change_number(content: bytes, rng: Random) -> bytes:
    """Put something hard in the place of a number."""
    numbers = list(_NUMBER.finditer(content))
    return _replaced(content, rng.choice(numbers), hard_field(rng)) if numbers else content


def change_column(content: bytes, rng: Random) -> bytes:
    """Put something hard into the same field of every line, or of every other."""
    new, column, step = hard_field(rng), rng.randrange(6), rng.choice([1, 1, 2, 5])
    separator = max(_SEPARATORS, key=content.count)
    lines = content.split(b"\n")
    for at in range(rng.choice([0, 1]), len(lines), step):
        fields = lines[at].split(separator)
        if column < len(fields) > 1:
            fields[column] = new
            lines[at] = separator.join(fields)
    return b"\n".join(lines)


def change_all_numbers(content: bytes, rng: Random) -> bytes:
    """Write numbers in another way: much larger, with commas, with signs."""
    ways: list[Callable[[bytes], bytes]] = [
        lambda number: number + b"e300",
        lambda number: number + b"e-300",
        lambda number: number.replace(b".", b","),
        lambda number: b"-" + number,
        lambda number: b"'" + number + b"'",
        lambda number: b'"' + number + b'"',
        lambda number: number + b"%",
        lambda number: b"$" + number,
        lambda number: number + b"000",
        lambda number: b"0",
    ]
    way, share = rng.choice(ways), rng.choice([1.0, 0.5, 0.1])
    return _NUMBER.sub(lambda m: way(m[0]) if rng.random() < share else m[0], content)


def separate_otherwise(content: bytes, rng: Random) -> bytes:
    """Use another separator."""
    old = max(_SEPARATORS, key=content.count)
    return content.replace(old, rng.choice(_SEPARATORS), rng.choice([-1, -1, 3]))


def double_a_name(content: bytes, rng: Random) -> bytes:
    """Give a column of the first line the name of its neighbor, or none."""
    first, _, rest = content.partition(b"\n")
    separator = max(_SEPARATORS, key=first.count)
    names = first.split(separator)
    at = rng.randrange(len(names))
    names[at] = rng.choice([names[at - 1], b"", names[at].upper(), hard_field(rng)])
    return separator.join(names) + b"\n" + rest


def repeat_header(content: bytes, rng: Random) -> bytes:
    """Put the first line in place of many, or of all."""
    first, *others = content.split(b"\n")
    return b"\n".join([first, *(first if rng.random() < 0.9 else line for line in others)])


_ON_BYTES: tuple[Mutation, ...] = (
    flip_bit, insert_bytes, insert_often, cut_out, truncate, repeat_part, encode_otherwise,
)  # fmt: skip
_ON_LINES: tuple[Mutation, ...] = tuple(
    map(_with_lines, (drop_line, repeat_line, swap_lines, insert_line, end_lines_otherwise))
)
_ON_FIELDS: tuple[Mutation, ...] = (
    change_field, change_number, change_column, change_all_numbers, separate_otherwise,
    double_a_name, repeat_header,
)  # fmt: skip


def mutate_text(content: bytes, rng: Random, *, most: int = 3) -> bytes:
    """Return a text file with one to so many mutations, most of them of fields."""
    for _ in range(min(most, rng.choice([1, 1, 2, 3]))):
        kind = rng.choice([_ON_FIELDS] * 4 + [_ON_LINES] * 2 + [_ON_BYTES])
        content = rng.choice(kind)(content, rng)[:_MOST_BYTES]
    return content


def mutate_bytes(content: bytes, rng: Random) -> bytes:
    """Return a file with one to three mutations that know nothing of its format."""
    for _ in range(rng.choice([1, 1, 2, 3])):
        content = rng.choice([flip_bit, flip_bit, insert_bytes, cut_out, truncate])(content, rng)
    return content


def mutate_study(content: bytes, rng: Random) -> bytes:
    """Return a study file in which one value or key is another, most often still TOML."""
    lines = content.split(b"\n")
    at = rng.randrange(len(lines))
    key = lines[at].partition(b" =")[0]
    quoted = repr(hard_field(rng).decode("utf-8", "replace")).encode()
    values = [
        b"9" * 5000, b"0x" + b"f" * 5000, b"-1", b"1e999", b"nan", b"-inf", b"[]", b"{}", b"true",
        b"1979-05-27", b"[" * 3000, b"[" * 90 + b"]" * 90, b"{a = " * 2000, b'""', b'"""',
        b'"\\n\\u202e"', b'"\\u0000"', b'["/dev/zero"]', b'["**/*"]', b'"/dev/zero"', b'"."',
        b'["a.csv", "a.csv"]', b'[{name = "x"}]', b"[" + b"1," * 50_000 + b"]", quoted,
        b"[" + quoted + b"]", b"[[1], [2]]", b'"majority" ', b"0b1" * 9, b"1_0", b"0o17",
    ]  # fmt: skip
    new = key + b" = " + rng.choice(values)
    lines[at : at + rng.randrange(2)] = [new if rng.random() < 0.9 else b"[" + key + b"]"]
    return b"\n".join(lines)[:_MOST_BYTES]
