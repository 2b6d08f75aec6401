"""Registry of things that are asked for by name, each loaded when it is first asked for."""

from collections.abc import Container, Iterator, Mapping
from importlib import import_module
from typing import Any, TypeVar

from bestofk.checks import check_known, known_name
from bestofk.errors import InvalidArgumentError

T = TypeVar("T")


def loaded(path: str) -> Any:
    """Import a module and return what it holds under a name.

    Parameters
    ----------
    path : str
        Such as ``"bestofk.learners.majority_classifier.MajorityClassifier"``.
    """
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


class Registry(Mapping[str, T]):
    """Entries by name, in a fixed order.

    Parameters
    ----------
    what : str
        What an entry is, for messages.
    entries : mapping of str to entry or str, default={}
        A text is the path of an entry, ``"package.module.NAME"``, which is imported when the entry
        is first asked for. It names a module of the registry's own package or of a lower one.

    Examples
    --------
    >>> tests = Registry("test", {"paired-t": "bestofk.inference.two_learners.t_tests.PAIRED_T"})
    >>> tests["paired-t"].title, tests.spelled("Paired t test")
    ('paired t test', 'paired-t')
    """

    def __init__(self, what: str, entries: Mapping[str, T | str] | None = None) -> None:
        self._what = what
        self._entries: dict[str, Any] = dict(entries or {})

    def __getitem__(self, name: str) -> T:
        if isinstance(self._entries[name], str):
            self._entries[name] = loaded(self._entries[name])
        entry: T = self._entries[name]
        return entry

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def aliases(self) -> dict[str, tuple[str, ...]]:
        """Other names of each entry: its attribute `aliases`, where it has one."""
        return {name: tuple(getattr(self[name], "aliases", ())) for name in self}

    def spelled(self, name: str) -> str:
        """Return the name that a spelling stands for.

        Parameters
        ----------
        name : str
            A name or an alias; case, marks between words and a final "test" do not matter.

        Raises
        ------
        InvalidArgumentError
            If there is none; the message has the nearest name.
        """
        key = str(name).lower().replace("_", "-")
        return key if key in self else known_name(name, self.aliases, self._what)

    def find(self, name: str) -> T:
        """Return the entry of a name, in any spelling that `spelled` knows."""
        return self[self.spelled(name)]

    def exact(self, name: object, got: object = None) -> T:
        """Return the entry of a name as it is written, or raise with the nearest name."""
        check_known(name, self._what, self, got=got)
        return self[str(name)]

    def register(self, name: str, entry: T | str) -> None:
        """Add an entry, of this package or of another.

        Parameters
        ----------
        name : str
            By which it is asked for.
        entry : entry or str
            The entry, or its path.

        Raises
        ------
        InvalidArgumentError
            If there is an entry of that name.
        """
        check_new(name, self._what, self)
        self._entries[name] = entry

    def remove(self, name: str) -> None:
        """Forget an entry."""
        del self._entries[name]


# What a package takes from a higher one, which it asks for by name: `bestofk` registers it.
FROM_ABOVE: Registry[Any] = Registry("addition")


def check_new(name: str, what: str, taken: Container[str]) -> None:
    """Raise where there is a learner, measure or test (`what`) of a name."""
    if name in taken:
        raise InvalidArgumentError(f"name of a {what} must be new; got {name!r}. Choose another.")
