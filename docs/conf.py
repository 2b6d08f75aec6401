"""Settings of the documentation site: `python -m sphinx -W --keep-going docs build/site`.

What Sphinx makes below `docs/` (the pages of the API and of the gallery) is not kept.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bestofk

if TYPE_CHECKING:
    from sphinx.application import Sphinx

os.environ.pop("MPLBACKEND", None)  # the kernel of a tutorial draws into its notebook

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path.insert(0, str(ROOT))  # tests and replications, which keep the lists of two pages

project = "bestofk"
author = "the authors of bestofk"
release = version = bestofk.__version__
language = "en"

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_nb",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = [
    "gallery/*.ipynb",
    "sg_execution_times.rst",
    "**/sg_execution_times.rst",
    "**/.ipynb_checkpoints",
]
templates_path = ["_templates"]
nitpicky = False

# pages
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
# Pages whose tables are the map of the site: links in a first column are its children.
MAPS = (
    "index",
    "how-to",
    "tutorials/index",
    "engines/index",
    "score-formats/index",
    "procedures/index",
    "papers/index",
)
# Pages that hold a long list on the site alone -> the module that writes it in place of the mark.
LISTS = {
    "papers/from-the-sources": "tests.published.sources",
    "papers/rows-of-the-sources": "tests.published.rows",
}
LIST_MARK = "<!-- list -->"

# tutorials: executed when their text or the package has changed
nb_execution_mode = "cache"
nb_execution_cache_path = str(ROOT / "build" / "notebooks")
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True

# reference
default_role = "py:obj"
autosummary_generate = True
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
# A source that is listed and not cited in the text is as good as one that is.
suppress_warnings = ["ref.citation", "ref.footnote", "config.cache"]
PACKAGES = (
    "bestofk",
    "bestofk.data",
    "bestofk.learners",
    "bestofk.trees",
    "bestofk.measures",
    "bestofk.resampling",
    "bestofk.evaluation",
    "bestofk.inference",
    "bestofk.verdict",
    "bestofk.stopping",
    "bestofk.recommendation",
    "bestofk.curves",
    "bestofk.calibration",
    "bestofk.score_tables",
    "bestofk.studies",
    "bestofk.report.plots",
    "bestofk.tuning",
    "bestofk.batched",
    "bestofk.testing",
)

# gallery
_pictures = tempfile.TemporaryDirectory()
sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "reset_argv": lambda gallery_conf, script_vars: [_pictures.name],
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "min_reported_time": 1e9,
    "remove_config_comments": True,
}

# looks
html_theme = "pydata_sphinx_theme"
html_title = "bestofk"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {page: [] for page in ("index", "first-verdict", "gallery/index")}
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "navbar_persistent": [],
    "navbar_end": ["search-button", "theme-switcher"],
    "show_prev_next": False,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
copyright = "bestofk, BSD 3-Clause"


def _own_members(module: str, name: str, members: list[str]) -> list[str]:
    """Return the members of a class that this package defines and describes."""
    kind = getattr(import_module(module), name)
    own = []
    for member in sorted(set(members) - {*getattr(kind, "_parts", ())}):
        owner = next((base for base in kind.__mro__ if member in vars(base)), None)
        if owner is not None and owner.__module__.startswith("bestofk"):
            is_request = member.startswith("set_") and member.endswith("_request")
            if getattr(vars(owner)[member], "__doc__", None) and not is_request:
                own.append(member)
    return own


autosummary_context = {"own_members": _own_members}

_CHILD = re.compile(r"^\| \[([^\]]+)\]\(([^)#:]+)\) \|", re.MULTILINE)
# What pages link to where they are read as files -> the page of the site.
_PAGES_OF_FILES = {
    r"(?:\.\./)+examples/(\w+)\.py": r"/gallery/\1.rst",
    r"(?:\.\./)+examples": "/gallery/index.rst",
    r"(?:\.\./)+src/bestofk/__init__\.pyi": "/api/index.rst",
}


def _read_map(app: Sphinx, page: str, source: list[str]) -> None:
    """Link files to their pages of the site, and give a map the pages of its tables as children."""
    for file, target in _PAGES_OF_FILES.items():
        source[0] = re.sub(rf"\]\({file}\)", f"]({target})", source[0])
    source[0] = source[0].replace("```sh\n", "```console\n").replace("\n\n```\n", "\n```\n")
    if page in MAPS:
        children = "\n".join(f"{title} <{path}>" for title, path in _CHILD.findall(source[0]))
        source[0] += f"\n\n```{{toctree}}\n:hidden:\n\n{children}\n```\n"


def _read_list(app: Sphinx, page: str, source: list[str]) -> None:
    """Write the list of a page in place of its mark."""
    if page in LISTS:
        source[0] = source[0].replace(LIST_MARK, import_module(LISTS[page]).written())


def _read_docstring(
    app: Sphinx, what: str, name: str, item: Any, options: Any, lines: list[str]
) -> None:
    """Keep the names of fitted attributes within a shape from being read as links."""
    lines[:] = [line.replace("(n_features_in_,", r"(n_features_in\_,") for line in lines]


def _write_reference() -> None:
    """Write one page per public package, from its `__all__`."""
    folder = DOCS / "api"
    folder.mkdir(exist_ok=True)
    seen: set[int] = set()
    names = []
    for package in PACKAGES:
        module = import_module(package)
        public = {name: getattr(module, name) for name in module.__all__ if name != "__version__"}
        public = {name: item for name, item in public.items() if id(item) not in seen}
        seen |= {id(item) for item in public.values()}
        if not public:
            continue
        names.append(package)
        _write_if_new(folder / f"{package}.rst", _package_page(package, module, public))
    pages = "\n".join(f"   {name}" for name in names)
    _write_if_new(folder / "index.rst", _REFERENCE.format(pages=pages))


_REFERENCE = """
API reference
=============

Every public name, with its arguments, results, errors and an example.

.. toctree::
   :maxdepth: 1

{pages}
"""


def _package_page(package: str, module: Any, public: dict[str, Any]) -> str:
    first = (inspect.getdoc(module) or "").partition("\n\n")[0]
    parts = [f"{package}\n{'=' * len(package)}\n\n{first}\n\n.. currentmodule:: {package}\n"]
    kinds = {
        "Functions": [name for name, item in public.items() if inspect.isroutine(item)],
        "Classes": [name for name, item in public.items() if inspect.isclass(item)],
    }
    others = set(public) - {name for names in kinds.values() for name in names}
    for kind, names in kinds.items():
        if names:
            rows = "\n".join(f"   {name}" for name in names)
            parts.append(
                f"{kind}\n{'-' * len(kind)}\n\n.. autosummary::\n   :toctree: .\n\n{rows}\n"
            )
    if others:
        listed = ", ".join(f"``{name}``" for name in sorted(others))
        parts.append(f"Constants\n---------\n\n{listed}\n")
    return "\n".join(parts)


def _write_if_new(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Write the reference, and connect what this file does itself."""
    _write_reference()
    app.connect("source-read", _read_list, priority=400)  # before its links are read
    app.connect("env-get-outdated", lambda *_: list(LISTS))  # files of the lists are not followed
    app.connect("source-read", _read_map)
    app.connect("autodoc-process-docstring", _read_docstring, priority=100)
