"""Merge of stores: the rows of several files in one, under what they stand for.

Numbers of entries are those of one file. Rows are copied by the identities of what they refer to,
so it does not matter in which order and how often that is done. Of rows that stand for the same,
the one that is first in a fixed order is kept; runs of different content are refused.
"""

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from bestofk.errors import InvalidArgumentError, StoreError
from bestofk.evaluation.store import file
from bestofk.evaluation.store.store import Store
from bestofk.evaluation.store.store_copy import RUN_KEY, Contents, copied
from bestofk.words import joined_lines, times

_CACHE_KIB = 64_000  # of the file that is written


@dataclass(frozen=True)
class MergeCounts:
    """Counts of a merge of stores, and what it left out.

    Parameters
    ----------
    output : Path
        The merged store.
    n_stores : int
        Files that were read, each counted once; the output is one of them if it was there.
    n_runs, n_comparisons : int
        What the merged store holds.
    n_repeated : int
        Runs that were in several stores, beyond the first of each.
    n_left_out : int
        Runs that were not copied because they, or what they refer to, are damaged.
    damaged : tuple of str
        The damaged rows: store, and what they are.
    notes : tuple of str
        How many runs had other contents in stores that do not hold.
    """

    output: Path
    n_stores: int
    n_runs: int
    n_comparisons: int
    n_repeated: int
    n_left_out: int
    damaged: tuple[str, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        lines = [*self.damaged, *self.notes]
        if self.damaged:
            lines.append(
                f"{times(len(self.damaged), 'damaged row')}, for which "
                f"{times(self.n_left_out, 'run')} {'was' if self.n_left_out == 1 else 'were'} "
                "left out. Compare the same learners with the merged store, which fits them again."
            )
        lines.append(
            f"{self.output}: {times(self.n_runs, 'run')} of "
            f"{times(self.n_comparisons, 'comparison')}, from {times(self.n_stores, 'store')}"
        )
        if self.n_repeated:
            lines[-1] += f"; {times(self.n_repeated, 'run')} in more than one of them"
        return joined_lines(lines)


def merge_stores(
    sources: Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    keep: str | os.PathLike[str] | None = None,
) -> MergeCounts:
    """Merge stores into one that has the runs, comparisons and decisions of all.

    The result does not depend on the order of the sources. Merging it again, or a source twice,
    changes nothing.

    Parameters
    ----------
    sources : sequence of (str or Path)
        Stores of this version or an earlier one. They are not changed, and may be in use
        meanwhile.
    output : str or Path
        The merged store. If it exists, it counts as one of the sources. A new file appears when
        it is complete; an existing one is updated at once, and may be in use meanwhile.
    keep : str or Path, optional
        The source, or output, to keep where runs of one key differ in status or predictions.
        They may come from another processor or build, or be damaged.

    Returns
    -------
    MergeCounts

    Raises
    ------
    InvalidArgumentError
        If there are no sources, or `keep` is not one of them.
    ContradictionError
        If runs of one key have different contents and `keep` does not have them. It is a
        `StoreError` that names the runs.
    StoreError
        If a source is not a store, or the output cannot be written or is damaged. The output is
        then unchanged.

    Notes
    -----
    Of several runs of one key with the same content, the one with more of its predictions is
    kept; then one that was timed alone before one that was crowded; then the one with more
    facts; then the smaller by content. Stored decisions of an adaptive comparison are taken from
    the store in which it got further.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from bestofk import compare, merge_stores
    >>> folder = Path(tempfile.mkdtemp())
    >>> for learner in ("cart", "1nn"):
    ...     _ = compare([learner, "lda"], "iris", cv="2x2", store=folder / f"{learner}.db")
    >>> counts = merge_stores([folder / "cart.db", folder / "1nn.db"], folder / "all.db")
    >>> counts.n_stores, counts.n_comparisons
    (2, 2)
    >>> whole = compare(["cart", "1nn", "lda"], "iris", cv="2x2", store=folder / "all.db")
    >>> whole.findings.n_fitted, whole.findings.n_reused
    (0, 12)
    """
    target = Path(output)
    paths = _distinct(sources)
    file.check_place(target)
    for path in paths:
        file.check_source(path)
    kept = _kept(keep, [*paths, target])
    paths.sort(key=lambda path: path != kept)
    if not target.exists():
        results: list[MergeCounts] = []
        try:
            if file.create(target, lambda draft: results.append(_fill(draft, paths, target, kept))):
                return results[0]
        except (OSError, sqlite3.DatabaseError) as error:
            raise file.not_created(target, error) from error
    with Store(target) as store:
        store.check_writable()
        if damaged := store.check():
            raise StoreError(
                f"output that exists must be undamaged; {target} has {len(damaged):,} damaged "
                "rows. Merge it with the others into a new file, which leaves them out."
            )
        others = [path for path in paths if not path.samefile(target)]
        with store.transaction() as connection:
            n_before = _count(connection, "run")
            return _merged(connection, others, target, kept, n_before=n_before)


def _kept(keep: str | os.PathLike[str] | None, paths: Sequence[Path]) -> Path | None:
    """Return which of some files holds where contents differ."""
    if keep is None:
        return None
    identity = file.identity_of(Path(keep))
    for path in paths:
        if identity is not None and file.identity_of(path) == identity:
            return path
    raise InvalidArgumentError(
        f"keep of merge_stores must be one of the stores; got {str(keep)!r}. Name one of: "
        f"{', '.join(map(str, paths))}."
    )


def _distinct(sources: Sequence[str | os.PathLike[str]]) -> list[Path]:
    """Return the files that sources are, each once."""
    if isinstance(sources, str | os.PathLike) or not sources:
        raise InvalidArgumentError(
            f"sources of merge_stores must be a list of stores; got {sources!r}. "
            "Name at least one file in a list."
        )
    paths = [Path(source) for source in sources]
    return list({file.identity_of(path) or path: path for path in paths}.values())


def _fill(draft: Path, paths: Sequence[Path], target: Path, keep: Path | None) -> MergeCounts:
    """Write a merged store to a new file; nothing is on disk for certain before its end."""
    file.fill(draft)
    with closing(sqlite3.connect(draft, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = MEMORY")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        counts = _merged(connection, paths, target, keep)
        connection.execute("COMMIT")
        file.keep_log(connection)
    with draft.open("rb+") as written:
        os.fsync(written.fileno())
    return counts


def _merged(
    connection: sqlite3.Connection,
    paths: Sequence[Path],
    target: Path,
    keep: Path | None,
    n_before: int | None = None,
) -> MergeCounts:
    """Copy stores to an open one, which is one of them if it had runs before."""
    connection.execute(f"PRAGMA cache_size = {-_CACHE_KIB}")
    contents = Contents(connection, keep)
    if keep == target:
        contents.kept.update(connection.execute(f"SELECT {', '.join(RUN_KEY)} FROM run"))
    copies = [copied(path, connection, contents) for path in paths]
    contents.check(paths if n_before is None else [target, *paths])
    n_runs = _count(connection, "run")
    n_left_out = sum(copy.n_left_out for copy in copies)
    n_read = (n_before or 0) + sum(copy.n_runs for copy in copies)
    return MergeCounts(
        output=target,
        n_stores=len(paths) + (n_before is not None),
        n_runs=n_runs,
        n_comparisons=_count(connection, "comparison"),
        n_repeated=n_read - n_left_out - n_runs,
        n_left_out=n_left_out,
        damaged=tuple(text for copy in copies for text in copy.damaged),
        notes=tuple(contents.notes()),
    )


def _count(connection: sqlite3.Connection, table: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
