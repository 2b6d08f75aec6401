"""Shards: every run is in one of them, the same in every process and version."""

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.queue.shards import Shard

NAMES = st.text(alphabet="0123456789abcdef-", min_size=1, max_size=60)


@given(st.integers(1, 40), NAMES, NAMES, st.integers(0, 60))
def test_every_run_is_in_exactly_one_shard(n_shards, data_id, learner_id, n_repeats):
    parts = [Shard(i + 1, n_shards).runs(data_id, learner_id, n_repeats) for i in range(n_shards)]
    assert np.sum(parts, axis=0).tolist() == [1] * n_repeats
    sizes = [int(part.sum()) for part in parts]
    assert max(sizes) - min(sizes) <= 1


@given(st.integers(1, 40), NAMES)
def test_every_data_set_is_in_exactly_one_shard(n_shards, data_id):
    assert sum(Shard(i + 1, n_shards).has_data(data_id) for i in range(n_shards)) == 1


@given(st.integers(1, 10), NAMES, NAMES, st.integers(1, 30), st.integers(0, 30))
def test_more_repeats_leave_the_first_where_they_are(n_shards, data_id, learner_id, few, more):
    shard = Shard(1, n_shards)
    longer = shard.runs(data_id, learner_id, few + more)
    assert longer[:few].tolist() == shard.runs(data_id, learner_id, few).tolist()


def test_first_repeats_stay_in_the_shard_that_a_hash_names():
    # written down when shards were introduced: stores of another version must go on to fit
    assert Shard(3, 10).runs("iris", "cart", 12).nonzero()[0].tolist() == [6]
    assert [i for i in range(1, 8) if Shard(i, 7).has_data("iris")] == [4]
    digest = hashlib.blake2b(b"iris\x1fcart", digest_size=8).hexdigest()
    first = int(digest, 16) % 10
    assert Shard(first + 1, 10).runs("iris", "cart", 21).nonzero()[0].tolist() == [0, 10, 20]


def test_shards_of_many_learners_are_about_equally_large():
    sizes = [
        sum(int(Shard(i, 10).runs(f"data {d}", f"learner {k}", 1).sum()) for d in range(50)
            for k in range(20))
        for i in range(1, 11)
    ]  # fmt: skip
    assert sum(sizes) == 1000
    # 1000 runs dealt by a hash: 100 +- 9.5 each
    assert min(sizes) > 60
    assert max(sizes) < 140


@pytest.mark.parametrize(
    ("text", "shard"),
    [("3/10", Shard(3, 10)), (" 1 / 1 ", Shard(1, 1)), ("007/9", Shard(7, 9))],
)
def test_text_names_a_shard(text, shard):
    assert Shard.parse(text) == shard
    assert Shard.parse(str(shard)) == shard


@pytest.mark.parametrize(
    "text", ["0/10", "11/10", "3", "3/", "/10", "3/0", "-1/10", "1.5/3", "a/b", "", "3/10/2",
             "1/" + "9" * 400, "\u0663/\u0661\u0660", None, 3]
)  # fmt: skip
def test_other_text_names_none(text):
    with pytest.raises(InvalidArgumentError, match=r"shard must be I/N with I from 1 to N; got "):
        Shard.parse(text)
