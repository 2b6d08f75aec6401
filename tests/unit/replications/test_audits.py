"""Audits of published tables: their files are the printed ones, and the page quotes them."""

from pathlib import Path

import pandas as pd
from replications.audits.__main__ import PUBLISHED, audited, main

from bestofk.audits import read_published

ROOT = Path(__file__).resolve().parent.parent.parent.parent
REPLICATIONS = ROOT / "replications"


def test_tables_of_replicated_papers_are_the_printed_ones():
    printed = pd.read_csv(REPLICATIONS / "multitest_2006/printed/table_1.csv")
    table = read_published(REPLICATIONS / "audits/multitest_2006.csv", measure="error")
    for column, read in (("mean", table.values), ("sd", table.spreads)):
        wide = printed.pivot(index="data_set", columns="learner", values=column)
        assert (wide.loc[list(table.data_sets), list(table.learners)].to_numpy() == read).all()

    printed = pd.read_csv(REPLICATIONS / "variability_2010/printed/table_2.csv")
    first = printed[printed["iteration"] == 216]
    wide = first.pivot(index="data_set", columns="learner", values="auroc")
    table = read_published(REPLICATIONS / "audits/variability_2010.csv", measure="auroc")
    assert (wide.loc[list(table.data_sets), list(table.learners)].to_numpy() == table.values).all()
    assert table.summaries["rank"][0].tolist() == [1.11, 1.89]


def test_sizes_and_marks_of_the_other_tables():
    demsar = audited("demsar_2006.csv").table
    assert demsar.values.shape == (14, 4)
    assert demsar.ranks.mean(axis=0).round(3).tolist() == [3.143, 2.0, 2.893, 1.964]
    networks = audited("ismail_fawaz_2019.csv").table
    assert networks.values.shape == (85, 9)
    assert audited("nori_2019.md").table.is_bold.sum(axis=1).tolist() == [1, 1, 2, 1, 2]


def test_the_page_quotes_the_audits_and_its_example(capsys):
    page = (ROOT / "docs/audits.md").read_text(encoding="utf-8")
    main()
    printed = [block.split(":\n", 1)[1] for block in capsys.readouterr().out.split("\n\n") if block]
    assert len(printed) == len(PUBLISHED)
    assert [answer for answer in printed if f"```text\n{answer}\n```" not in page] == []
    assert (ROOT / "docs/printed.txt").read_text(encoding="utf-8") in page
