"""Any cell of any format may hold anything: a verdict or an error of the package follows."""

import contextlib
import csv
import io
from pathlib import Path

import numpy as np
import pytest
from tests.unit.score_tables.score_formats.test_amlb import ROWS

from bestofk import apply_procedure, compare_scores
from bestofk.errors import BestofkError
from bestofk.score_tables import compare_scores_across

FILES = Path(__file__).parent / "files"
JUNK = ("~", "$5", "", "nan", "-", "1e999", "12%", "1,5", "Ω", "(0.3)", "None", "0.9 ± 0.1", "1_0")
TABLES = {
    "amlb": ROWS,
    "amlb-2019": (FILES / "amlb-2019.csv").read_text(),
    "tabarena": (FILES / "tabarena_results_per_split.csv").read_text(),
    "cv_results_": "params,param_C,mean_fit_time,split0_test_score,split1_test_score,"
    "mean_test_score,rank_test_score\na,1,0.1,0.9,0.8,0.85,1\nb,2,0.1,0.7,0.6,0.65,2\n",
    "mlr3": "task_id,learner_id,resampling_id,iteration,classif.ce,errors\n"
    "iris,tree,cv,1,0.1,0\niris,tree,cv,2,0.2,0\niris,lda,cv,1,0.1,0\niris,lda,cv,2,0.1,0\n",
    "openml": "run_id,task_id,flow_name,data_name,function,value,upload_time\n"
    "1,3,tree,iris,auc,0.9,2020\n2,3,lda,iris,auc,0.8,2020\n",
    "long": "model,dataset,fold,metric,score\na,iris,0,acc,0.9\na,iris,1,acc,0.8\n"
    "b,iris,0,acc,0.7\nb,iris,1,acc,0.6\n",
    "wide": "dataset,fold,a,b,c\niris,0,0.9,0.8,0.7\niris,1,0.8,0.7,0.7\nwine,0,0.9,0.8,0.7\n",
    "rows": "name,a,b,c\niris,0.9,0.8,0.7\nwine,0.8,0.7,0.7\nglass,0.7,0.8,0.6\n",
}


@pytest.mark.parametrize("name", TABLES)
def test_junk_in_a_cell_ends_in_a_verdict_or_an_error_of_the_package(tmp_path, name):
    rng = np.random.default_rng(0)
    rows = list(csv.reader(io.StringIO(TABLES[name])))
    path = tmp_path / "results.csv"
    for _ in range(12):
        row, column = rng.integers(0, len(rows[:9])), rng.integers(0, len(rows[0]))
        changed = [list(line) for line in rows]
        if column >= len(changed[row]):
            continue
        changed[row][column] = JUNK[rng.integers(len(JUNK))]
        with path.open("w", newline="") as file:
            csv.writer(file).writerows(changed)
        for call in (
            lambda: compare_scores(path, measure="accuracy"),
            lambda: compare_scores_across(path, missing="drop-split"),
            lambda: apply_procedure(path, "friedman"),
        ):
            with contextlib.suppress(BestofkError):
                call()
