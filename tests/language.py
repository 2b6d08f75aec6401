"""Linter of the words: `python -m tests.language [FILE OR FOLDER ...]`.

Without arguments it reads `src`, `docs`, README.md, ARCHITECTURE.md and CONTRIBUTING.md. A finding
is one line, `path:line: message. way out`; with any finding the command ends with code 1.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LINTED = ("src", "docs", "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
SUFFIXES = (".py", ".md", ".html", ".ipynb")
# A list of old names, and what Sphinx makes.
EXCLUDED = [ROOT / "docs" / name for name in ("api", "gallery")]

SAYING = "Say what it does or is: 'the value is', 'X receives Y'"
CONTINUES = "Say 'continues'"
WAYS_OUT = {
    "nobody": "Say 'no learner', 'none', or turn the sentence around",
    "somebody": "Say 'a user', or turn the sentence around",
    "who": "Learners are things: say 'that', 'which' or 'the learners that'",
    "is told": SAYING,
    "are told": SAYING,
    "is said": SAYING,
    "what is known": "Name what it is: 'the metadata', 'earlier results'",
    "beside": "Say 'with', 'next to' or 'in addition to'",
    "goes on with": CONTINUES,
    "go on with": CONTINUES,
    "taken up": "Say 'loaded', 'started' or 'used'",
    "told apart": "Say 'distinguished'",
    "is shown to be": "Say 'is significantly better', 'is worse', or 'is'",
    "not shown to differ": "Say 'can't tell', 'undecided' or 'cannot be ruled out'",
    "by one's": "Say 'chosen', 'given' or 'own'",
    "a coin": "Say 'down to chance'",
}
# "who" is right of persons, named in the word before it.
PERSONS = ("anyone", "everyone", "someone", "people", "persons?", "readers?", "users?", "authors?")
_WORDS = "|".join(re.escape(phrase).replace(r"\ ", r"[\s_]+") for phrase in WAYS_OUT)
_BANNED = re.compile(rf"(?<![^\W_])({_WORDS})(?![^\W_])", re.IGNORECASE)
_PERSON = re.compile(rf"\b({'|'.join(PERSONS)})\s+$", re.IGNORECASE)

QUESTION_WORDS = {
    *("what", "which", "who", "how", "where", "when", "why", "is", "are", "does", "do"),
    *("can", "may", "must", "has", "have", "should"),
}
VAGUE_NAMES = {"one", "found", "place", "way", "room"}
_COMMENT = re.compile(r"#+:? ?")


class Finding(NamedTuple):
    """One line to change."""

    line: int
    rule: str  # a banned word, "question" or "name"
    message: str


def findings_in_python(source: str) -> list[Finding]:
    """Return the findings in the source of a module, by line."""
    tree = ast.parse(source)
    lines = source.splitlines()
    findings = [
        *_questions(tree),
        *_vague_names(tree),
        *_words_of_strings(tree, lines),
        *_words_of_comments(source),
        *_words_of_names(tree),
    ]
    return sorted(set(findings))


def findings_in_text(text: str) -> list[Finding]:
    """Return the banned words of a page or template, by line."""
    return sorted(_banned_words(text, first_line=1))


def findings_in_file(path: Path) -> list[Finding]:
    """Return the findings in one file, a module or a text."""
    text = path.read_text(encoding="utf-8")
    return findings_in_python(text) if path.suffix == ".py" else findings_in_text(text)


def _banned_words(text: str, *, first_line: int) -> Iterator[Finding]:
    for match in _BANNED.finditer(text):
        phrase = re.sub(r"[\s_]+", " ", match[1]).lower()
        if phrase == "who" and _PERSON.search(text[: match.start()]):
            continue
        line = first_line + text.count("\n", 0, match.start())
        yield Finding(line, phrase, f"text must not say '{phrase}'. {WAYS_OUT[phrase]}")


def _questions(tree: ast.Module) -> Iterator[Finding]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        paragraph = " ".join((ast.get_docstring(node) or "").partition("\n\n")[0].split())
        if _is_question(paragraph):
            start = paragraph if len(paragraph) <= 40 else f"{paragraph[:37]}..."
            yield Finding(
                node.body[0].lineno,
                "question",
                f"docstring must not be a question; got '{start}'. "
                "Start with an imperative verb or a noun phrase",
            )


def _is_question(paragraph: str) -> bool:
    first = re.match(r"[A-Za-z]*", paragraph)[0].lower()
    if first == "do":  # an imperative, as in "Do nothing.", unless a question mark follows
        return "?" in paragraph
    return first in QUESTION_WORDS or paragraph.endswith("?")


def _defined_names(tree: ast.Module) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno
        elif isinstance(node, ast.alias) and node.asname:
            yield node.asname, node.lineno
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            yield node.name, node.lineno


def _vague_names(tree: ast.Module) -> Iterator[Finding]:
    for name, line in _defined_names(tree):
        if name in VAGUE_NAMES:
            yield Finding(
                line,
                "name",
                f"name must be a noun of the field; got '{name}'. "
                "Name what it holds, a position `..._index`",
            )


def _words_of_names(tree: ast.Module) -> Iterator[Finding]:
    for name, line in _defined_names(tree):
        yield from _banned_words(name, first_line=line)


def _words_of_strings(tree: ast.Module, lines: Sequence[str]) -> Iterator[Finding]:
    in_f_strings = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)
                    for part in node.values}  # fmt: skip
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
            text = "".join(parts)
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in in_f_strings
        ):
            text = node.value
        else:
            continue
        for finding in _banned_words(text, first_line=0):
            line = _line_of(finding.rule, node, lines, at_least=finding.line)
            yield finding._replace(line=line)


def _line_of(phrase: str, node: ast.expr, lines: Sequence[str], *, at_least: int) -> int:
    """Return the line where a phrase of a string begins, which may be joined of several lines."""
    first_word = re.compile(rf"\b{re.escape(phrase.split()[0])}\b", re.IGNORECASE)
    start = node.lineno if lines[node.lineno - 1].count('"""') == 0 else node.lineno + at_least
    for number in range(start, node.end_lineno + 1):
        if first_word.search(lines[number - 1]):
            return number
    return node.lineno


def _words_of_comments(source: str) -> Iterator[Finding]:
    """Yield the banned words of comments; those of adjacent lines are read as one text."""
    block: list[str] = []
    start = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        if block and token.start[0] != start + len(block):
            yield from _banned_words("\n".join(block), first_line=start)
            block = []
        if not block:
            start = token.start[0]
        block.append(_COMMENT.sub("", token.string, count=1))
    yield from _banned_words("\n".join(block), first_line=start)


def files_below(paths: Sequence[Path]) -> list[Path]:
    """Return the files to read, sorted: those given and those of the given folders."""
    files: set[Path] = set()
    for path in paths:
        files |= set(path.rglob("*")) if path.is_dir() else {path}
    return sorted(
        path
        for path in files
        if path.suffix in SUFFIXES and not {path, *path.parents} & set(EXCLUDED)
    )


def main(arguments: Sequence[str]) -> int:
    """Print one line per finding; return 1 if there is any."""
    paths = [Path(argument) for argument in arguments] or [ROOT / name for name in LINTED]
    count = 0
    for path in files_below(paths):
        shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        for finding in findings_in_file(path):
            sys.stdout.write(f"{shown}:{finding.line}: {finding.message}\n")
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
