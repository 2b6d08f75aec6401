"""Comparisons divided over machines: the merged store is that of one machine."""

import pytest
from tests.store_content import without_costs

from bestofk import Store, compare, load_data, merge_stores
from bestofk.cli import main

LEARNERS = ["majority", "nearest-mean", "cart"]
DATA = {"iris": load_data("iris"), "wine": load_data("wine")}


@pytest.mark.parametrize(
    ("data", "options", "n_shards"),
    [
        (DATA, {"cv": "3x2"}, 3),
        (DATA, {"cv": "5", "keep": "scores", "batched": "never"}, 3),
        (DATA["iris"], {"cv": "adaptive", "max_repeats": 5}, 2),
    ],
)
def test_shards_merge_to_the_store_of_one_machine(tmp_path, data, options, n_shards):
    whole = compare(LEARNERS, data, store=tmp_path / "whole.db", **options)
    parts = [tmp_path / f"{number + 1}.db" for number in range(n_shards)]
    n_fitted = 0
    for index, part in enumerate(parts):
        for _ in range(2):  # a shard that is started again has nothing to do
            shard = f"{index + 1}/{n_shards}"
            result = compare(LEARNERS, data, store=part, shard=shard, **options)
            n_fitted += result.findings.n_fitted
        assert result.findings.n_fitted == 0
    assert n_fitted == whole.findings.n_fitted
    for output, order in (("all.db", parts), ("again.db", parts[::-1])):
        merge_stores(order, tmp_path / output)
        assert without_costs(tmp_path / output) == without_costs(tmp_path / "whole.db")
    again = compare(LEARNERS, data, store=tmp_path / "all.db", **options)
    assert (again.findings.n_fitted, again.findings.n_reused) == (0, n_fitted)
    assert again.to_frame()["value"].equals(whole.to_frame()["value"])
    with Store(tmp_path / "all.db") as store:
        assert store.check() == []


def test_the_commands_of_a_job_array_end_in_the_verdict_of_one_machine(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    command = ["compare", "iris", "--cv", "2x5", "--learners", "cart,lda", "--quiet", "--store"]
    assert main([*command, "whole.db"]) == 0
    expected = capsys.readouterr().out
    parts = [f"part{number}.db" for number in range(1, 6)]
    for number, part in enumerate(parts, start=1):  # some have nothing to do
        assert main([*command, part, "--shard", f"{number}/5"]) == 0
    assert main(["store", "merge", *parts, "-o", "all.db"]) == 0
    capsys.readouterr()
    assert main([*command, "all.db"]) == 0
    assert capsys.readouterr().out == expected
