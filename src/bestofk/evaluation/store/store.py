"""Store of runs: one SQLite file, or memory, with the same interface.

Runs are keyed by content (data, learner, split, random stream) and written by
insert-or-ignore, so nothing is written twice and any number of processes on one machine
may write at once.  A background thread writes what was added within a quarter of a second.
"""

from __future__ import annotations

import functools
import itertools
import json
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bestofk.evaluation.record import ERROR, TIMEOUT
from bestofk.evaluation.store import schema
from bestofk.evaluation.store.blobs import decode
from bestofk.evaluation.store.checksum import COVERED, row_checksum, run_checksum
from bestofk.evaluation.store.entries import SPLIT_COLUMNS, unpacked_rows
from bestofk.evaluation.store.runs import FIT_MODES, RUN_COLUMNS, SAME_RUN, Runs, has_answer

if TYPE_CHECKING:
    import numpy as np

# What is decided at the end of an adaptive comparison: the runs that each learner needed.
ENDING = "ending"
_ENTRIES = ("data_set", "learner", "plan", "comparison", "comparison_learner")
# Whether a run r is one of comparison c: streams are derived from names, as the runner does.
_OWN_STREAM = "entry.stream = derive_seed(c.random_state, d.id, l.stream_name, s.repeat, s.fold)"


class Store(Runs):
    """Finished runs, durable within a second.

    Parameters
    ----------
    path : str, Path or None
        A file, made if it does not exist; None keeps everything in memory.

    Raises
    ------
    StoreError
        If the file is no store, damaged, of another version or on a network file system.

    Examples
    --------
    >>> with Store(None) as store:
    ...     store.n_runs()
    0
    """

    def mend(self) -> None:
        """Put rows in place that are not where they are looked up, and delete what lacks a score.

        Damaged runs are another matter: `runs` deletes them.
        """
        self.flush()
        self.mended.clear()
        columns = ", ".join(COVERED["score"])
        rows = self.rows(f"SELECT {columns}, checksum FROM score", ())
        sound = [row for row in rows if row_checksum(row[:-1]) == row[-1]]
        if not self._is_in_order:
            with self.transaction() as connection:
                schema.put_in_place(connection)
            self.mended.append("an index")
            self._is_in_order = True
        if len(sound) < len(rows):
            self._keep_scores(sound)
            self.mended.append("kept scores")

    def _keep_scores(self, sound: list[tuple[Any, ...]]) -> None:
        """Delete all scores but the sound ones, and the runs that lack one now.

        A score whose key is damaged may be that of any run: those of a learner on a data set must
        have the same measures.
        """
        names: dict[tuple[int, int], dict[tuple[int, int], set[str]]] = {}
        for data, learner, split, stream, measure, *_ in sound:
            of_runs = names.setdefault((data, learner), {})
            of_runs.setdefault((split, stream), set()).add(measure)
        lacking = [
            (*whose, *key)
            for whose, of_runs in names.items()
            for key, measures in of_runs.items()
            if measures != set().union(*of_runs.values())
        ]
        with self.transaction() as connection:
            connection.execute("DELETE FROM score")
            connection.executemany("INSERT INTO score VALUES (?, ?, ?, ?, ?, ?, ?)", sound)
            for table in ("score", "run"):
                connection.executemany(f"DELETE FROM {table} WHERE {SAME_RUN}", lacking)

    def keep_decisions(
        self, comparison: int, purpose: str, contents: Sequence[Any], *, start: int = 0
    ) -> None:
        """Keep decisions of a comparison, safely before they are acted on.

        Parameters
        ----------
        comparison : int
            Its number.
        purpose : str
            What is decided; decisions of other purposes are kept apart.
        contents : sequence
            What JSON can hold, in the order decided.
        start : int, default=0
            How many were decided before; later ones that the store has are dropped.
        """
        texts = [json.dumps(content) for content in contents]
        rows = [(comparison, purpose, start + i, text) for i, text in enumerate(texts)]
        with self.transaction() as connection:
            connection.execute(
                "DELETE FROM decision WHERE comparison = ? AND purpose = ? AND place >= ?",
                (comparison, purpose, start),
            )
            connection.executemany(
                "INSERT INTO decision VALUES (?, ?, ?, ?, ?)",
                [(*row, row_checksum(row)) for row in rows],
            )

    def decisions(self, comparison: int, purpose: str) -> list[Any]:
        """Return what `keep_decisions` kept, up to the first that is damaged."""
        query = """SELECT comparison, purpose, place, content, checksum FROM decision
            WHERE comparison = ? AND purpose = ? ORDER BY place"""
        results: list[Any] = []
        for *row, checksum in self.rows(query, (comparison, purpose)):
            if row_checksum(row) != checksum or row[2] != len(results):
                break
            results.append(json.loads(row[3]))
        return results

    def n_runs(self) -> int:
        """Return the number of runs in the store."""
        self.flush()
        return int(self.rows("SELECT count(*) FROM run", ())[0][0])

    def size_bytes(self) -> int:
        """Return the size of the file once its log is merged, or of the memory held."""
        self.flush()
        query = "SELECT page_count, page_size FROM pragma_page_count, pragma_page_size"
        pages, size = self.rows(query, ())[0]
        return int(pages * size)

    def check(self) -> list[str]:
        """Read everything and name what is damaged; nothing is changed.

        Returns
        -------
        list of str
            One entry per damaged run or other row; empty if every row has its checksum and its
            indices fit.

        Examples
        --------
        >>> with Store() as store:
        ...     store.check()
        []
        """
        self.flush()
        with self._lock:
            learners = dict(self.rows("SELECT learner, name FROM comparison_learner", ()))
            indices = {
                split: (repeat, fold)
                for split, repeat, fold in self.rows(
                    "SELECT split, repeat, fold FROM plan_split", ()
                )
            }

            def name(table: str, values: Sequence[Any]) -> str:
                if table != "run":
                    return f"an entry of the table {table}"
                learner = learners.get(values[1], "a learner of no comparison")
                repeat, fold = indices.get(values[2], ("unknown", "unknown"))
                return f"a run of {learner}, repeat {repeat}, fold {fold}"

            def read() -> list[str]:
                rows = [name(*row) for row in schema.damaged_rows(self._connection)]
                return rows + schema.contradictions(self._connection)

            names: list[str] = self.guarded(read)
            return names

    def overview(self) -> list[dict[str, Any]]:
        """Return one row per comparison and learner: planned, finished and failed runs, state.

        The state is "finished", "unfinished", or "ended early after N runs" where an analysis
        in between decided that a learner needs no more.

        Raises
        ------
        StoreError
            If what is kept of data sets, plans, learners or comparisons is damaged.
        """
        self.flush()
        self.check_entries(*_ENTRIES)
        query = f"""
            SELECT number, data, cv, random_state, learner, class, planned, count(status),
                   sum(status = :error), sum(status = :timeout)
            FROM (
                SELECT c.number, d.name AS data, p.name AS cv, c.random_state, k.position,
                       k.name AS learner, l.class, p.n_repeats * p.n_folds AS planned,
                       min(entry.status) AS status
                FROM comparison c JOIN data_set d ON d.number = c.data_set
                JOIN plan p ON p.number = c.plan
                JOIN comparison_learner k ON k.comparison = c.number
                JOIN learner l ON l.number = k.learner
                JOIN plan_split s ON s.plan = c.plan
                LEFT JOIN run entry ON entry.data_set = c.data_set AND entry.learner = k.learner
                                   AND entry.split = s.split AND {_OWN_STREAM}
                GROUP BY c.number, k.position, s.repeat, s.fold)
            GROUP BY number, position ORDER BY number, position"""
        names = ("comparison", "data", "cv", "random_state", "learner", "class", "planned",
                 "finished", "errors", "timeouts")  # fmt: skip
        rows = self.rows(query, {"error": ERROR, "timeout": TIMEOUT})
        results = [dict(zip(names, row, strict=True)) for row in rows]
        for number, learners in itertools.groupby(results, key=lambda row: row["comparison"]):
            endings = self.decisions(number, ENDING)
            for index, row in enumerate(learners):
                n_asked = endings[index] if index < len(endings) else None
                row["state"] = _state(row["finished"], row["planned"], n_asked)
        return results

    def stored_runs(self) -> list[dict[str, Any]]:
        """Return every run of every comparison with what is needed to score it again.

        Runs of other random states on the same splits are not among them.  A run that was
        ended by time limits and finished another time is there once for each.

        Raises
        ------
        StoreError
            If one of them is damaged, or what is needed to score it.
        """
        self.flush()
        with self._lock:
            for text in self.guarded(lambda: schema.contradictions(self._connection)):
                raise self.damaged(f"an index ({text})")
        self.check_entries(*_ENTRIES, "plan_split", "score")
        query = f"""
            SELECT d.id, d.name, d.task, d.classes, d.y, d.n_samples, d.n_features, p.id, p.name,
                   c.random_state, k.name, l.id, s.repeat, s.fold, entry.split, entry.stream,
                   s.plan, s.checksum, {SPLIT_COLUMNS}, split.checksum, {RUN_COLUMNS},
                   run.checksum
            FROM comparison c JOIN data_set d ON d.number = c.data_set
            JOIN plan p ON p.number = c.plan
            JOIN comparison_learner k ON k.comparison = c.number
            JOIN learner l ON l.number = k.learner
            JOIN plan_split s ON s.plan = c.plan JOIN split ON split.number = s.split
            JOIN run entry ON entry.data_set = c.data_set AND entry.learner = k.learner
                          AND entry.split = s.split AND {_OWN_STREAM}
            JOIN run ON run.rowid = entry.rowid
            ORDER BY c.number, k.position, s.repeat, s.fold, run.limit_seconds"""
        names = ("data_id", "dataset", "task", "classes", "y", "n_samples", "n_features",
                 "plan_id", "plan", "random_state", "learner", "learner_id", "repeat", "fold",
                 "split_number", "stream")  # fmt: skip
        has_scores = functools.cache(self.has_scores)
        truths = functools.cache(_truth)
        test_rows = functools.cache(unpacked_rows)
        runs = []
        for row in self.rows(query, ()):
            results = dict(zip(names, row, strict=False))
            plan, of_place, *split, of_split = row[16:23]
            *run, of_run = row[23:]
            data, learner, *key = run[:4]
            position = (plan, results["repeat"], results["fold"], split[0])
            try:
                if not (
                    row_checksum(position) == of_place
                    and row_checksum(split) == of_split
                    and run_checksum(run) == of_run
                    and key == [results["split_number"], results["stream"]]
                    and has_answer(run, has_scores(data, learner))
                ):
                    raise ValueError("a checksum is another one")
                results["classes"], results["y"] = truths(results["classes"], results["y"])
                results |= zip(COVERED["split"][1:], split[1:], strict=True)
                results["test_rows"] = test_rows(split[3], results["n_samples"])
                results |= zip(COVERED["run"][4:], run[4:], strict=True)
                results["fit_mode"] = FIT_MODES[results.pop("way")]
                results["predictions"] = decode(
                    run[6], n_test=len(results["test_rows"]), n_classes=len(results["classes"])
                )
            except (ValueError, KeyError, zlib.error) as error:
                raise self.damaged(
                    "the run of {learner} on {dataset}, repeat {repeat}, fold {fold},".format(
                        **results
                    )
                ) from error
            runs.append(results | {"data_number": data, "learner_number": learner})
        return runs


def _truth(classes: str, y: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes of a data set and its positions in them, or its values."""
    known = np.array(json.loads(classes))
    return known, np.frombuffer(zlib.decompress(y), dtype=np.int64 if len(known) else np.float64)


def _state(n_finished: int, n_planned: int, n_asked: int | None) -> str:
    """Say how far a learner of a comparison is; `n_asked` is None while it is undecided."""
    if n_finished >= n_planned:
        return "finished"
    if n_asked is not None and n_finished >= n_asked:
        return f"ended early after {n_asked} runs"
    return "unfinished"
