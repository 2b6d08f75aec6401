import numpy as np
import pytest

from bestofk.evaluation.store.runs import RunPositions, whole_numbers


def test_runs_are_found_where_a_dictionary_has_them() -> None:
    rng = np.random.default_rng(0)
    splits = rng.permutation(300) // 3
    streams = rng.permutation(300) + 2**32 - 300
    listed = dict(zip(zip(splits.tolist(), streams.tolist(), strict=True), range(300), strict=True))
    asked = [*listed, (7, 7), (0, 2**32 - 1), (2**31, 0)]
    rng.shuffle(asked)
    found = RunPositions(splits, streams).find(*zip(*asked, strict=True))
    assert found.tolist() == [listed.get(tuple(key), -1) for key in asked]


@pytest.mark.parametrize("damaged", [None, "5", 5.0, 2**32 + 5, -1, 2**70, b"5", float("nan")])
def test_what_is_damaged_is_no_run(damaged: object) -> None:
    positions = RunPositions([1, 5], [5, 1])
    streams = whole_numbers([5, damaged, 1])
    assert positions.find([1, 5, 5], streams).tolist() == [0, -1, 1]
    assert positions.find(whole_numbers([damaged, 5]), [1, 1]).tolist() == [-1, 1]
