"""Tests of the streams that are derived from names."""

from bestofk.randomness import derive_seed, derive_seeds


def test_seeds_of_a_table_are_those_of_its_places():
    result = derive_seeds(7, "data", "tree", shape=(3, 11))
    wanted = [[derive_seed(7, "data", "tree", i, j) for j in range(11)] for i in range(3)]
    assert result.tolist() == wanted
    assert result.dtype == "int64"
