"""Merges of random stores: nothing lost, nothing twice, whatever the order."""

import itertools
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.store_content import content_of, write_store

from bestofk import Store, merge_stores
from bestofk.errors import ContradictionError
from bestofk.evaluation.store.checksum import COVERED

DATA, LEARNERS, PLANS, SPLITS = ("d0", "d1"), ("l0", "l1"), ("p0", "p1"), ("s0", "s1", "s2")
ENVIRONMENTS = ("e0", "e1")
# of a store without predictions, with labels alone, with probabilities, and with other ones
BLOBS = [None, b"n0\x01\x02", b"p0\x01\x02" + b"\x00" * 8, b"n0\x02\x01"]
KEYS = {
    "plan_split": ("plan", "repeat", "fold"),
    "score": ("data_set", "learner", "split", "stream", "measure"),
    "run": ("data_set", "learner", "split", "stream", "limit_seconds", "limit_bytes"),
}
seconds = st.sampled_from([None, 0.25, 0.5])


@st.composite
def entries(draw, table, ids):
    """Draw an entry for each identity; all else of it may differ between stores."""
    texts = st.sampled_from(["a", "b", "ü"])
    shapes = {
        "data_set": (texts, st.just("classification"), st.just(4), st.just(1), texts,
                     st.sampled_from([b"1", b"2"])),
        "learner": (texts, texts, texts, texts),
        "plan": (texts, texts, texts, st.just(2), st.just(2), st.just(0)),
        "split": (st.just(2), st.just(2), st.sampled_from([b"1", b"2"])),
        "environment": (texts,),
    }  # fmt: skip
    return [(name, *draw(st.tuples(*shapes[table]))) for name in draw(st.permutations(ids))]


@st.composite
def runs(draw, *, agree):
    """Draw runs of which no two have one key; few keys, so that stores have some in common."""
    keys = st.sampled_from([
        ("d0", "l0", "s0", 1, 0.0, 0), ("d0", "l0", "s0", 1, 5.0, 0),
        ("d1", "l0", "s1", 1, 0.0, 1000), ("d1", "l1", "s2", 2, 0.0, 0),
    ])  # fmt: skip

    def row(key, is_ok, blob, train, predict, size, message, is_crowded, environment):
        status = "ok" if is_ok else "error"
        return (*key[:5], status, blob if is_ok else None, train, predict, size, message, "plain",
                None, "", key[5], None, is_crowded, train, predict, 1, environment)  # fmt: skip

    drawn = st.builds(
        row, keys, st.just(True) if agree else st.booleans(),
        st.sampled_from(BLOBS[:3] if agree else BLOBS), seconds, seconds,
        st.sampled_from([None, 10]), st.sampled_from(["", "a warning"]), st.sampled_from([0, 1]),
        st.sampled_from(ENVIRONMENTS),
    )  # fmt: skip
    by_key = st.lists(drawn, max_size=4, unique_by=lambda row: keyed("run", row)[0])
    return draw(by_key)


@st.composite
def stores(draw, *, agree=True):
    """Draw the content of a store; runs of one key may have the same content in all stores."""
    learners = [(("x", "l0"),), (("ü", "l0"), ("y", "l1"))]
    comparison = st.tuples(
        st.just("d0"), st.just("p0"), st.sampled_from([0, 1]), st.sampled_from(learners)
    )
    comparisons = draw(st.lists(comparison, max_size=3, unique=True))
    decisions = []
    for whose in comparisons:
        for purpose in draw(st.lists(st.sampled_from(["ending", "rows"]), unique=True)):
            texts = draw(st.lists(st.sampled_from(["9", "10"]), max_size=2))
            decisions += [(whose, purpose, place, text) for place, text in enumerate(texts)]
    places = st.tuples(
        st.sampled_from(PLANS), st.integers(0, 1), st.just(0), st.sampled_from(SPLITS)
    )
    score = st.tuples(
        st.just("d0"), st.sampled_from(LEARNERS), st.sampled_from(SPLITS), st.just(1),
        st.just("error"), st.just(0.25) if agree else seconds,
    )  # fmt: skip
    return {
        "data_set": draw(entries("data_set", DATA)),
        "learner": draw(entries("learner", LEARNERS)),
        "plan": draw(entries("plan", PLANS)),
        "split": draw(entries("split", SPLITS)),
        "environment": draw(entries("environment", ENVIRONMENTS)),
        "comparison": comparisons,
        "plan_split": draw(st.lists(places, max_size=4, unique_by=lambda row: row[:3])),
        "run": draw(runs(agree=agree)),
        "score": draw(st.lists(score, max_size=4, unique_by=lambda row: row[:5])),
        "decision": decisions,
    }


def keyed(table, row):
    """Return the key of a row, and its values by name."""
    names = ("split" if not name.isidentifier() else name for name in COVERED[table])
    values = dict(zip(names, row, strict=True))
    return tuple(values[name] for name in KEYS[table]), values


def rank(values):
    """Return what is smaller for the run to be kept, as the documentation orders runs."""
    blob = values["predictions"]
    kept = 2 if blob is None else int(blob[:1] == b"n")
    n_unknown = sum(value is None for value in values.values())
    return values["status"] != "ok", kept, values["is_crowded"], n_unknown


def check_against_naive_merge(merged, contents):
    """Check a merged store row by row against the rows of all its sources."""
    for table in ("data_set", "learner", "plan", "split", "environment"):
        expected = {}
        for row in itertools.chain.from_iterable(content[table] for content in contents):
            expected[row[0]] = min(row, expected.get(row[0], row))
        assert dict((row[0], row) for row in merged[table]) == expected
        assert len(merged[table]) == len(expected)
    everything = [content["comparison"] for content in contents]
    assert sorted(merged["comparison"]) == sorted(set(itertools.chain(*everything)))
    for table in KEYS:
        candidates = {}
        for row in itertools.chain.from_iterable(content[table] for content in contents):
            candidates.setdefault(keyed(table, row)[0], []).append(row)
        assert len(merged[table]) == len(candidates)
        for row in merged[table]:
            key, values = keyed(table, row)
            assert row in candidates[key]
            others = [keyed(table, other)[1] for other in candidates[key]]
            if table == "run":
                assert rank(values) == min(map(rank, others))
            elif table == "score":
                known = [other["value"] for other in others if other["value"] is not None]
                assert values["value"] == (min(known) if known else None)
            else:
                assert values["split"] == min(other["split"] for other in others)
    lists = [decisions_of(content) for content in contents]
    kept = decisions_of(merged)
    assert kept.keys() == set().union(*lists)
    for whose, texts in kept.items():
        given = [some[whose] for some in lists if whose in some]
        assert texts in given
        assert len(texts) == max(map(len, given))


def decisions_of(content):
    """Return the texts of decisions by comparison and purpose."""
    decisions = {}
    for *whose, _, text in sorted(content["decision"]):
        decisions.setdefault(tuple(whose), []).append(text)
    return decisions


@settings(max_examples=8)
@given(st.lists(stores(), min_size=3, max_size=3), st.permutations(range(3)))
def test_a_merge_has_the_best_row_of_each_key_in_any_order(contents, order):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = [folder / f"{index}.db" for index in range(3)]
        for path, content in zip(paths, contents, strict=True):
            write_store(path, content)
            assert content_of(path) == content_of_rows(content)
        before = [path.read_bytes() for path in paths]
        merge_stores(paths, folder / "all.db")
        merged = content_of(folder / "all.db")
        check_against_naive_merge(merged, contents)
        assert [path.read_bytes() for path in paths] == before
        with Store(folder / "all.db") as store:
            assert store.check() == []

        first, second, third = (paths[index] for index in order)
        merge_stores([first, second, third, first], folder / "order.db")
        merge_stores([second, first], folder / "two.db")
        merge_stores([third, folder / "two.db"], folder / "three.db")
        merge_stores([third], folder / "two.db")  # the output is a source, too
        for path in ("order.db", "two.db", "three.db"):
            assert content_of(folder / path) == merged
        whole = (folder / "all.db").read_bytes()
        merge_stores([*paths, folder / "two.db"], folder / "all.db")
        assert (folder / "all.db").read_bytes() == whole


def differing(contents):
    """Return the keys of runs that have other contents in some of the stores."""
    found = {}
    for content in contents:
        for row in content["run"]:
            key, values = keyed("run", row)
            found.setdefault(key, set()).add((values["status"], values["predictions"]))
        for row in content["score"]:
            found.setdefault((*row[:4], 0.0, 0), set()).add(("score", row[5]))
    return {
        key
        for key, those in found.items()
        if any(
            (a[0] == "score") == (b[0] == "score")
            and (a[0] != b[0] or (a[0] == "score" and a[1] != b[1])
                 or (a[1] and b[1] and a[1][2:4] != b[1][2:4]))
            for a, b in itertools.combinations(those, 2)
        )
    }  # fmt: skip


@settings(max_examples=10)
@given(st.lists(stores(agree=False), min_size=3, max_size=3), st.permutations(range(3)))
def test_other_contents_are_refused_in_any_order_unless_one_store_holds(contents, order):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = [folder / f"{index}.db" for index in range(3)]
        for path, content in zip(paths, contents, strict=True):
            write_store(path, content)
        mixed = [paths[index] for index in order]
        wrong = differing(contents)
        with Store(mixed[0]) as store:
            assert len(store.check(*mixed[1:])) == len(wrong)
        if wrong:
            with pytest.raises(ContradictionError) as told:
                merge_stores(mixed, folder / "all.db")
            assert len(told.value.args) == 1 + len(wrong)
            assert not (folder / "all.db").exists()
        held = {keyed("run", row)[0] for row in contents[0]["run"]}
        if wrong <= held:
            for output, given_paths in (("x.db", paths), ("y.db", mixed)):
                merge_stores(given_paths, folder / output, keep=paths[0])
            merged = content_of(folder / "x.db")
            assert content_of(folder / "y.db") == merged
            for row in contents[0]["run"]:
                key, values = keyed("run", row)
                (there,) = (v for k, v in (keyed("run", r) for r in merged["run"]) if k == key)
                assert there["status"] == values["status"]
                if values["predictions"]:
                    assert there["predictions"][2:4] == values["predictions"][2:4]


def content_of_rows(content):
    """Return content as `content_of` gives it: in order, with the learners of comparisons."""
    learners = [
        (comparison, position, *whose)
        for comparison in content["comparison"]
        for position, whose in enumerate(comparison[3])
    ]
    whole = {**content, "comparison_learner": learners}
    return {table: sorted(rows, key=repr) for table, rows in whole.items()}


@pytest.mark.parametrize("table", KEYS)
def test_keys_of_this_file_are_those_of_the_store(table, tmp_path):
    with Store(tmp_path / "s.db") as store:
        query = f"SELECT name FROM pragma_index_list('{table}') WHERE [unique]"
        ((index,),) = store.rows(query)
        names = store.rows(f"SELECT name FROM pragma_index_info('{index}') ORDER BY seqno")
    assert {name for (name,) in names} == set(KEYS[table])
