import pandas as pd
from replications.variability_2010.adaptive_seeds import main, run_seeds, summary, verdicts
from replications.variability_2010.contradiction import FIRST, SECOND
from replications.variability_2010.protocol import DATA_SETS
from tests.given import data_folder


def made_table(differences_by_seed):
    """AUROC of two learners on eight data sets, apart by what is given for each seed."""
    rows = [
        {"data_set": name, "seed": seed, FIRST: 0.8 + difference * (1 + index / 10), SECOND: 0.8,
         "n_repeats": 5}
        for seed, difference in enumerate(differences_by_seed)
        for index, name in enumerate(list(DATA_SETS)[:8])
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_seeds_that_are_significant_for_either_learner_contradict_each_other():
    told = verdicts(made_table([0.01, 0.02, -0.01]))
    assert told["favors"].tolist() == [FIRST, FIRST, SECOND]
    assert told["is_significant"].all()
    assert told["p_value"].tolist() == [0.00781] * 3  # 2 / 2**8, rounded
    assert summary(told) == (
        "3 seeds: 2 significant for C4.5, 1 for HDDT; 2 pairs of seeds contradict each other."
    )


def test_seeds_are_run_kept_and_told(tmp_path):
    data = data_folder()
    options = ["--data", str(data), "--work", str(tmp_path), "--results", str(tmp_path)]
    assert main([*options, "--runs", "1", "--jobs", "1", "--sets", "vote1", "breast-w"]) == 0
    told = pd.read_csv(tmp_path / "adaptive_verdicts.csv")
    assert told["seed"].tolist() == [0]
    before = (tmp_path / "vote1.adaptive.csv").read_bytes()
    again = run_seeds("vote1", data, tmp_path, 1)
    assert (tmp_path / "vote1.adaptive.csv").read_bytes() == before
    assert 0.9 < again[FIRST].iloc[0] < 1
