"""Digests of the package's own code, which make a changed learner or form another one.

A digest covers every definition that its roots reach by name, in whatever file it stands: so it
changes when any code changes that may run, and stays when a comment, a docstring or an
annotation changes, when code is moved, or when a file gets another name.  In a file of compiled
loops, a definition is what begins at the margin; all but functions belongs to each of them.

What each file defines is read once.  A built package brings it along (`write_index`); in a
checkout it is kept with Python's own cache, and read again of each file that changed.
Nothing but the standard library is imported here, for the build has nothing else.
"""

from __future__ import annotations

import ast
import csv
import functools
import hashlib
import importlib.util
import json
import os
import re
import sys
from collections.abc import Container, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

PACKAGE = "bestofk"
_FOLDER = Path(__file__).parents[1]
# In a built package, next to its code; never in a checkout.
INDEX_NAME = "code_index.txt"
# The first line of an index; another one where other things are read of a file.
_FORMAT = "bestofk code 2"
# Methods that scikit-learn and the plain way call, so that no code of ours need name them.
_CALLED_FROM_OUTSIDE = {
    "decision_function", "fit", "fit_resample", "fit_transform", "get_feature_names_out",
    "get_params", "predict", "predict_proba", "score", "set_params", "transform",
    "_fit", "_get_tags", "_more_tags", "_validate_params",
}  # fmt: skip
# Fields of a syntax tree that do not change what code does, or differ between versions of Python.
_SILENT = frozenset({"ctx", "kind", "type_comment", "returns", "type_ignores"})

# Before a reference that is a text with dots.
_QUOTE = "'"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
# In files of compiled loops: what does nothing, where definitions begin, and their names.
_COMMENT = re.compile(r"\s*#[^\n]*|^\s*\"\"\".*?\"\"\"", re.MULTILINE | re.DOTALL)
_MARGIN = re.compile(r"^(?=\w)", re.MULTILINE)
_LOOP = re.compile(r"(?:cdef|cpdef|def) (?:class (?P<of_class>\w+)|[^(=\n]*?\b(?P<of_loop>\w+)\()")
_LOOP_IMPORT = re.compile(r"from (bestofk[\w.]*) cimport (\([^)]*|.*)|import (\w+) as (\w+)")
# What a file defines, as it is kept:
# units    [digest, references, attributes] of every function, method and statement
# names    the units that each name of the module stands for
# classes  the units of the methods of each class, by name
# imports  what imported names stand for: "module" or "module:name"
_Summary = dict[str, Any]


class UnknownCodeError(Exception):
    """Something named as part of this package is in none of its files."""


class Digest(NamedTuple):
    """Digest of the code that some roots reach.

    Parameters
    ----------
    text : str
        16 hexadecimal digits.
    packages : tuple of str
        Installed packages that the code uses, sorted.
    places : frozenset of (str, int)
        Module and position of every definition in it.
    """

    text: str
    packages: tuple[str, ...]
    places: frozenset[tuple[str, int]]


@functools.lru_cache(maxsize=256)
def digest_of(
    roots: frozenset[tuple[str, str]], *, every_method: bool = False, folder: Path = _FOLDER
) -> Digest:
    """Return the digest of everything that some classes and functions reach.

    Parameters
    ----------
    roots : frozenset of (str, str)
        Module and qualified name of each; an empty name is the whole module.
    every_method : bool, default=False
        Whether all methods of the classes count; by default those that something in reach
        names, or that are called from outside.
    folder : Path
        Where the package is.

    Returns
    -------
    Digest
        The same in every process, on every machine and in every version of Python.

    Raises
    ------
    UnknownCodeError
        If a module of a root is no file of the package.

    Examples
    --------
    >>> digest = digest_of(frozenset({("bestofk.randomness", "derive_rng")}))
    >>> len(digest.text), digest.packages
    (16, ('numpy',))
    """
    index = _index(folder)
    reach = _Reach(index, every_method=every_method)
    for module, name in sorted(roots):
        reach.add_root(module, name)
    reach.follow()
    index.keep()
    text = hashlib.sha256("\n".join(sorted(reach.parts)).encode()).hexdigest()[:16]
    packages = tuple(sorted(reach.packages - set(sys.stdlib_module_names)))
    text, packages = _equal_code(folder).get(text, (text, packages))
    return Digest(text, packages, frozenset(reach.places))


@functools.cache
def _equal_code(folder: Path) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return the digest and packages of earlier code that computes the same, by digest.

    Such code was moved or renamed; with the earlier digest, stored runs keep their keys.
    """
    path = folder / "evaluation" / "equal_code.csv"
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        return {
            row["digest"]: (row["equal_to"], tuple(row["packages"].split()))
            for row in csv.DictReader(file)
        }


def roots_of(objects: Iterable[Any]) -> frozenset[tuple[str, str]]:
    """Return module and name of functions, classes and properties of this package."""
    plain = [getattr(item, "fget", None) or getattr(item, "func", item) for item in objects]
    return frozenset((item.__module__, item.__qualname__) for item in plain)


def is_ours(module_name: str) -> bool:
    """Return whether a module belongs to this package."""
    return module_name.partition(".")[0] == PACKAGE


def write_index(folder: Path) -> Path:
    """Write what the files of a built package define into its folder, and return the file."""
    target = folder / INDEX_NAME
    results = {path: ("", _as_text(_summary(folder / path))) for path in _files(folder)}
    target.write_text(_index_text(results), encoding="utf-8")
    return target


# -- what definitions reach --------------------------------------------------------------


class _Meaning(NamedTuple):
    """Targets of a reference: names in this package, and installed packages."""

    names: tuple[tuple[str, str], ...] = ()
    parts: frozenset[str] = frozenset()
    packages: frozenset[str] = frozenset()


class _Reach:
    """Search that follows references from some roots through the files of the package."""

    def __init__(self, index: _Index, *, every_method: bool) -> None:
        self.index, self.every_method = index, every_method
        self.parts: set[str] = set()
        self.packages: set[str] = set()
        self.places: set[tuple[str, int]] = set()
        self.names: set[tuple[str, str]] = set()
        self.attributes: set[str] = set()
        # methods that nothing in reach has named yet, by name
        self.waiting: dict[str, list[tuple[str, int]]] = {}
        self.pending: list[tuple[str, int]] = []

    def add_root(self, module: str, name: str) -> None:
        """Reach a class, a function, a method alone, or where nothing has the name, a module."""
        summary = self.index.summary(module)
        first, _, method = name.partition(".")
        if summary is None:
            raise UnknownCodeError(f"{name} of {module}")
        if method in summary["classes"].get(first, ()):
            self.pending += [(module, unit) for unit in summary["classes"][first][method]]
        else:
            is_there = first in summary["names"]
            self._add(self.index.meaning(module, first) if is_there else self.index.all_of(module))

    def follow(self) -> None:
        """Reach everything that what is reached refers to."""
        while self.pending:
            index = self.pending.pop()
            if index in self.places:
                continue
            self.places.add(index)
            module, unit = index
            digest, references, attributes = self.index.known[module]["units"][unit]
            self.parts.add(digest)
            for name in attributes:
                if name not in self.attributes:
                    self.attributes.add(name)
                    self.pending += self.waiting.pop(name, ())
            for reference in references:
                self._add(self.index.meaning(module, reference))

    def _add(self, meaning: _Meaning) -> None:
        self.parts |= meaning.parts
        self.packages |= meaning.packages
        for index in meaning.names:
            if index in self.names:
                continue
            self.names.add(index)
            module, name = index
            summary = self.index.known[module]
            self.pending += [(module, unit) for unit in summary["names"][name]]
            for method, units in summary["classes"].get(name, {}).items():
                is_used = self.every_method or method in self.attributes or _is_called(method)
                target = self.pending if is_used else self.waiting.setdefault(method, [])
                target += [(module, unit) for unit in units]


def _is_called(method: str) -> bool:
    """Return whether Python or scikit-learn calls methods of this name."""
    return method in _CALLED_FROM_OUTSIDE or (method.startswith("__") and method.endswith("__"))


# -- what files define -------------------------------------------------------------------


class _Index:
    """Index of the definitions in the files of the package, read on demand."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        built = folder / INDEX_NAME
        self.is_built = built.exists()
        self.kept_in = built if self.is_built else _cache_file(folder)
        self.files = _read_index(self.kept_in)
        self.known: dict[str, Any] = {}  # summaries by module, None where there is no file
        self.meanings: dict[tuple[str, str], _Meaning] = {}
        self.is_changed = False

    def meaning(self, module: str, reference: str) -> _Meaning:
        """Return what a chain of names in a module, or an import in a function, stands for."""
        meaning = self.meanings.get((module, reference))
        if meaning is None:
            target, _, chain = reference.rpartition(":")
            if reference.startswith(_QUOTE):
                meaning = self._quoted(module, reference.removeprefix(_QUOTE))
            elif target:
                meaning = self._target(target, chain.split(".") if chain else [])
            else:
                meaning = self._name(module, *reference.split(".")) or _Meaning()
            self.meanings[module, reference] = meaning
        return meaning

    def _quoted(self, module: str, text: str) -> _Meaning:
        """Return what a text with dots stands for, if it is the path of a definition of ours."""
        path, _, name = text.rpartition(".")
        for home in (path, f"{module.rpartition('.')[0]}.{path}"):
            if is_ours(home) and self.summary(home) is not None:
                return self._name(home, name) or _Meaning()
        return _Meaning()

    def all_of(self, module: str) -> _Meaning:
        """Return everything that a module defines, and imports from others but whole modules."""
        summary = self.summary(module)
        if summary is None:
            return _Meaning()
        imported = [
            name for name, target in summary["imports"].items() if not self._is_file(target)
        ]
        return _together([self.meaning(module, name) for name in (*summary["names"], *imported)])

    def _is_file(self, target: str) -> bool:
        return self.summary(target.replace(":", ".")) is not None

    def _name(self, module: str, name: str, *rest: str) -> _Meaning | None:
        """Return what a name of a module stands for; None where it has none of that name."""
        summary = self.summary(module)
        if summary is None:
            return None
        if name in summary["names"]:
            return _Meaning(((module, name),))
        if name not in summary["imports"]:
            return None
        target, _, taken = summary["imports"][name].partition(":")
        if (target, taken) == (module, name):  # a package that imports a module of its own
            return None
        meaning = self._target(target, [*([taken] if taken else []), *rest])
        if taken in ("", name):
            return meaning
        return meaning._replace(parts=meaning.parts | {f"{name} is {taken}"})

    def _target(self, module: str, chain: list[str]) -> _Meaning:
        """Return what a chain of names that starts at a module stands for."""
        if not is_ours(module):
            package = module.partition(".")[0]
            return _Meaning((), frozenset({".".join([module, *chain[:1]])}), frozenset({package}))
        if not chain:
            return self.all_of(module)
        result = self._name(module, *chain)
        if result is not None:
            return result
        if self.summary(f"{module}.{chain[0]}") is not None:
            return self._target(f"{module}.{chain[0]}", chain[1:])
        return _Meaning()

    def summary(self, module: str) -> _Summary | None:
        """Return what a module defines; None where there is no such file."""
        if module not in self.known:
            self.known[module] = self._find(module)
        summary: _Summary | None = self.known[module]
        return summary

    def _find(self, module: str) -> _Summary | None:
        if not is_ours(module):
            return None
        stem = module.removeprefix(PACKAGE).removeprefix(".").replace(".", "/")
        paths = [f"{stem}.py", f"{stem}/__init__.py", f"{stem}.pyx"] if stem else ["__init__.py"]
        for path in paths:
            stamp, text = self.files.get(path, ("", ""))
            if not self.is_built:
                before, stamp = stamp, _stamp(self.folder / path)
                if not stamp:
                    continue
                if stamp != before:
                    text = _as_text(_summary(self.folder / path))
                    self.files[path] = stamp, text
                    self.is_changed = True
            if text:
                return dict(json.loads(text))
        return None

    def keep(self) -> None:
        """Keep what was read for the next process, where that can be written."""
        if not self.is_changed:
            return
        self.is_changed = False
        draft = self.kept_in.with_name(f"{self.kept_in.name}.{os.getpid()}")
        with suppress(OSError):
            self.kept_in.parent.mkdir(exist_ok=True)
            draft.write_text(_index_text(self.files), encoding="utf-8")
            os.replace(draft, self.kept_in)


def _together(meanings: Iterable[_Meaning]) -> _Meaning:
    results = list(meanings)
    names = tuple(dict.fromkeys(name for item in results for name in item.names))
    parts = frozenset(part for item in results for part in item.parts)
    return _Meaning(names, parts, frozenset(name for item in results for name in item.packages))


@functools.cache
def _index(folder: Path) -> _Index:
    return _Index(folder)


def _cache_file(folder: Path) -> Path:
    """Return a file where Python keeps what it compiled of the package."""
    compiled = Path(importlib.util.cache_from_source(str(folder / "__init__.py")))
    return compiled.with_name(INDEX_NAME)


def _index_text(files: dict[str, tuple[str, str]]) -> str:
    lines = ["\t".join([path, *entry]) for path, entry in files.items()]
    return "\n".join([_FORMAT, *lines, ""])


def _read_index(path: Path) -> dict[str, tuple[str, str]]:
    """Return stamp and text of each file in an index; nothing where it is of another format."""
    try:
        result = path.read_text(encoding="utf-8")
    except (OSError, ValueError):  # none yet
        return {}
    first, *lines = result.split("\n")
    parts = [line.split("\t") for line in lines[:-1]]
    is_whole = first == _FORMAT and not lines[-1] and all(len(part) == 3 for part in parts)
    return {path: (stamp, text) for path, stamp, text in parts} if is_whole else {}


def _stamp(path: Path) -> str:
    """Return what changes when a file, or the declarations of its loops, are written."""
    stamps = []
    for part in _parts(path):
        with suppress(OSError):
            status = part.stat()
            stamps.append(f"{status.st_mtime_ns} {status.st_size}")
    return " ".join(stamps)


def _as_text(summary: _Summary) -> str:
    return json.dumps(summary, separators=(",", ":"))


def _files(folder: Path) -> list[str]:
    paths = [*folder.rglob("*.py"), *folder.rglob("*.pyx")]
    return sorted(path.relative_to(folder).as_posix() for path in paths)


def _summary(path: Path) -> _Summary:
    """Return what a file defines."""
    if path.suffix == ".pyx":
        return _summary_of_loops(path)
    units: list[Any] = []
    names: dict[str, list[int]] = {}
    classes: dict[str, dict[str, list[int]]] = {}
    imports: dict[str, str] = {}
    others: list[tuple[int, ast.stmt]] = []

    def enter(node: ast.stmt) -> int:
        units.append(_unit(node))
        return len(units) - 1

    for node in ast.parse(path.read_bytes()).body:
        for child in ast.walk(node):
            if isinstance(child, ast.Import | ast.ImportFrom) and not isinstance(
                node, _DEFINITIONS
            ):
                imports |= _imported(child)
        if isinstance(node, ast.ClassDef):
            methods = [statement for statement in node.body if isinstance(statement, _FUNCTIONS)]
            of_class = classes[node.name] = {}
            for method in methods:
                of_class.setdefault(method.name, []).append(enter(method))
            node.body = [
                statement for statement in node.body if not isinstance(statement, _FUNCTIONS)
            ]
        if isinstance(node, _DEFINITIONS):
            names.setdefault(node.name, []).append(enter(node))
        elif not (isinstance(node, ast.Import | ast.ImportFrom) or _is_for_types(node)):
            number = enter(node)
            for name in (bound := _bound(node)):
                names.setdefault(name, []).append(number)
            if not bound:
                others.append((number, node))
    for number, node in others:  # `NAMES["a"] = f` and the like belong to what they may change
        for name in {item.id for item in ast.walk(node) if isinstance(item, ast.Name)}:
            if name in names and number not in names[name]:
                names[name].append(number)
    for unit in units:
        unit[1] = sorted(
            {result for item in unit[1] if (result := _of_module(item, names, imports))}
        )
    return {"units": units, "names": names, "classes": classes, "imports": imports}


def _summary_of_loops(path: Path) -> _Summary:
    """Return what a file of compiled loops, with its declarations, defines."""
    texts = [part.read_text(encoding="utf-8") for part in _parts(path) if part.exists()]
    blocks = [
        "\n".join(line.rstrip() for line in block.splitlines() if line.strip())
        for text in texts
        for block in _MARGIN.split(re.sub(_COMMENT, "", text))
    ]
    imports: dict[str, str] = {}
    for module, taken, package, name in _LOOP_IMPORT.findall("\n".join(blocks)):
        imports |= {word: f"{module}:{word}" for word in re.findall(r"\w+", taken)}
        imports |= {name: package} if name else {}
    loops = [
        (match["of_class"] or match["of_loop"], block)
        for block in blocks
        if (match := _LOOP.match(block))
    ]
    others = [block for block in blocks if not (_LOOP.match(block) or _LOOP_IMPORT.match(block))]
    names: dict[str, list[int]] = {}
    for number, (name, _) in enumerate(loops):
        names.setdefault(name, []).append(number)
    units = []
    for _, block in loops:
        code = "\n".join([*others, block])
        references = set(re.findall(r"\w+", code)) & (names.keys() | imports.keys())
        units.append([hashlib.sha256(code.encode()).hexdigest()[:16], sorted(references), []])
    return {"units": units, "names": names, "classes": {}, "imports": imports}


def _parts(path: Path) -> list[Path]:
    """Return the files that a module is written in: loops have declarations."""
    return [path, path.with_suffix(".pxd")] if path.suffix == ".pyx" else [path]


def _of_module(reference: str, names: Container[str], imports: Container[str]) -> str:
    """Return what of a reference can mean something in its module, '' for a local name."""
    first = reference.partition(".")[0]
    if ":" in reference or reference.startswith(_QUOTE) or first in imports:
        return reference
    return first if first in names else ""


def _is_for_types(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def _bound(node: ast.stmt) -> set[str]:
    """Return the names that a statement of a module gives a meaning."""
    defined = {child.name for child in ast.walk(node) if isinstance(child, _DEFINITIONS)}
    names = [child for child in ast.walk(node) if isinstance(child, ast.Name)]
    return defined | {name.id for name in names if isinstance(name.ctx, ast.Store)}


def _imported(node: ast.Import | ast.ImportFrom) -> dict[str, str]:
    """Return what the names that an import binds stand for."""
    if isinstance(node, ast.ImportFrom):
        return {name.asname or name.name: f"{node.module}:{name.name}" for name in node.names}
    roots = [(name.name.partition(".")[0], name) for name in node.names]
    return {item.asname or root: item.name if item.asname else root for root, item in roots}


def _unit(node: ast.AST) -> list[Any]:
    """Return digest, references and attributes of a definition."""
    local: dict[str, set[str]] = {}
    for child in ast.walk(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            for name, target in _imported(child).items():
                local.setdefault(name, set()).add(target)
    uses = _Uses(local)
    uses.visit(node)
    digest = hashlib.sha256(_written(node).encode()).hexdigest()[:16]
    return [digest, sorted(uses.references), sorted(uses.attributes)]


class _Uses(ast.NodeVisitor):
    """Visitor that collects the names a definition uses, without its annotations."""

    def __init__(self, local: dict[str, set[str]]) -> None:
        self.local = local
        self.references: set[str] = set()
        self.attributes: set[str] = set()

    def visit_Name(self, node: ast.Name) -> None:
        self._refer([node.id])

    def visit_Attribute(self, node: ast.Attribute) -> None:
        chain: list[str] = []
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            chain.insert(0, inner.attr)
            inner = inner.value
        self.attributes.update(chain)
        if isinstance(inner, ast.Name):
            self._refer([inner.id, *chain])
        else:
            self.visit(inner)

    def visit_Constant(self, node: ast.Constant) -> None:
        # for `getattr`, and whatever else finds things by name
        if isinstance(node.value, str):
            if node.value.isidentifier():
                self.attributes.add(node.value)
            elif all(part.isidentifier() for part in node.value.split(".")):
                self.references.add(f"{_QUOTE}{node.value}")  # a registry may import it by name

    def visit_Call(self, node: ast.Call) -> None:
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name == "import_module" and node.args and isinstance(node.args[0], ast.Constant):
            self.references.add(f"{node.args[0].value!s}:")
        self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> None:
        pass

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.target)
        if node.value is not None:
            self.visit(node.value)

    def generic_visit(self, node: ast.AST) -> None:
        for name, value in ast.iter_fields(node):
            if name == "returns":
                continue
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, ast.AST):
                    self.visit(item)

    def _refer(self, chain: list[str]) -> None:
        if chain[0] not in ("self", "cls"):
            self.references.add(".".join(chain))
        for target in self.local.get(chain[0], ()):
            module, _, taken = target.partition(":")
            taken_chain = [*([taken] if taken else []), *chain[1:]]
            self.references.add(f"{module}:{'.'.join(taken_chain)}")


def _written(value: Any) -> str:
    """Write a syntax tree so that it is the same in every version of Python."""
    if isinstance(value, list):
        return f"[{','.join(map(_written, value))}]"
    if not isinstance(value, ast.AST):
        return repr(value)
    fields = []
    for name, part in ast.iter_fields(value):
        if part is None or part == [] or name in _SILENT:
            continue
        if name == "annotation" and isinstance(value, ast.arg):
            continue
        if name == "body" and isinstance(part, list):
            part = [item for item in part if not _is_silent(item)]
        fields.append(f"{name}={_written(part)}")
    return f"{type(value).__name__}({','.join(fields)})"


def _is_silent(node: ast.stmt) -> bool:
    """Return whether a statement does nothing: a text by itself, or an import of our own."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.ImportFrom):
        return is_ours(str(node.module))
    return False
