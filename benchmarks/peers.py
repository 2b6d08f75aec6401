"""Six tasks done with other packages and with this one: lines typed, seconds, what was answered.

    python benchmarks/peers.py [--peers PYTHON] [--weka WEKA.jar] [--only TOOL] [--show]

Every task is one function with the least that a user would type. It runs in a process of its own,
imports included: this package in the Python that runs the script, the others in the Python given
by `--peers`, where autorank, baycomp, scikit-posthocs, lazypredict and skore are installed. WEKA is
called as its manual shows, by lines of a shell. Lines are those of the body of the function, blank
ones left out; statements are laid out as a formatter with 100 columns leaves them.

The figures in `docs/comparison-with-others.md` are those that this prints. `--show` prints what the
tools answered. The first line of each docstring says it in few words; the rest of it names what is
wrong or missing, by its author's reading of that output.
"""

from __future__ import annotations

import argparse
import inspect
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

TASKS = {
    "scores": "scores of 5 classifiers on 10 folds, in hand",
    "two": "two learners on one data set",
    "ten": "ten learners on one data set",
    "twenty": "scores of 5 learners on 20 data sets, in hand",
    "notebook": "two learners, shown in a notebook",
    "paper": "a table for a paper of the scores on 20 data sets",
}
PACKAGES = {
    "autorank": "autorank",
    "baycomp": "baycomp",
    "posthocs": "scikit-posthocs",
    "lazypredict": "lazypredict",
    "skore": "skore",
    "bestofk": "bestofk",
}


# -- autorank ----------------------------------------------------------------------------


def autorank_scores():
    """Print groups without a significant difference, by Friedman and Nemenyi.

    Takes folds as independent populations; no warning that their training rows overlap.
    """
    import autorank
    import pandas as pd

    result = autorank.autorank(pd.read_csv("scores.csv"))
    autorank.create_report(result)


def autorank_twenty():
    """Print groups, mean ranks, effect sizes and a report in prose.

    The test is chosen by a look at the same scores.
    """
    import autorank
    import pandas as pd

    result = autorank.autorank(pd.read_csv("table.csv", index_col=0))
    autorank.create_report(result)


def autorank_paper():
    """Print a LaTeX table with mean ranks, intervals and effect sizes, and a report in prose."""
    import autorank
    import pandas as pd

    result = autorank.autorank(pd.read_csv("table.csv", index_col=0))
    autorank.create_report(result)
    autorank.latex_table(result)


# -- baycomp -----------------------------------------------------------------------------


def baycomp_scores():
    """Print probabilities of better, equivalent, worse for a pair; folds count as correlated.

    One pair per call: ten calls for five classifiers, and no verdict on all of them.
    """
    import baycomp
    import pandas as pd

    scores = pd.read_csv("scores.csv")
    print(baycomp.two_on_single(scores["logistic"].values, scores["tree"].values, rope=0.01))


def baycomp_two():
    """Print probabilities of better, equivalent, worse; fits are by scikit-learn."""
    import baycomp
    import pandas as pd
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    data = pd.read_csv("cancer.csv")
    X, y = data.drop(columns="target"), data["target"]
    cv = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    logistic = cross_val_score(make_pipeline(StandardScaler(), LogisticRegression()), X, y, cv=cv)
    tree = cross_val_score(DecisionTreeClassifier(random_state=0), X, y, cv=cv)
    print(baycomp.two_on_single(logistic, tree, rope=0.01, runs=10))


def baycomp_twenty():
    """Print probabilities for one pair over all data sets, by Bayesian signed ranks.

    One pair per call.
    """
    import baycomp
    import pandas as pd

    table = pd.read_csv("table.csv", index_col=0)
    print(baycomp.two_on_multiple(table["5nn"].values, table["logistic"].values, rope=0.01))


# -- scikit-posthocs ---------------------------------------------------------------------


def posthocs_scores():
    """Print p values of all pairs by Nemenyi after Friedman.

    Takes folds as independent blocks without a warning; no verdict.
    """
    import pandas as pd
    import scikit_posthocs

    print(scikit_posthocs.posthoc_nemenyi_friedman(pd.read_csv("scores.csv")))


def posthocs_twenty():
    """Print p values of all pairs; the right test for this design, if the user knows it.

    No verdict, and no size of the differences.
    """
    import pandas as pd
    import scikit_posthocs

    table = pd.read_csv("table.csv", index_col=0)
    print(scikit_posthocs.posthoc_nemenyi_friedman(table))


def posthocs_paper():
    """Print a LaTeX table of stars for every pair, by pandas; a diagram on request.

    No paragraph, no references.
    """
    import pandas as pd
    import scikit_posthocs

    p_values = scikit_posthocs.posthoc_nemenyi_friedman(pd.read_csv("table.csv", index_col=0))
    print(scikit_posthocs.sign_table(p_values).to_latex())


# -- lazypredict -------------------------------------------------------------------------


def lazypredict_ten():
    """Print one table of some 25 classifiers of scikit-learn, by accuracy on one hold-out.

    No interval, no test: learners a row apart are ranked as if they differed.
    """
    import pandas as pd
    from lazypredict.Supervised import LazyClassifier
    from sklearn.model_selection import train_test_split

    data = pd.read_csv("cancer.csv")
    X, y = data.drop(columns="target"), data["target"]
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0)
    models, _ = LazyClassifier().fit(X_train, X_test, y_train, y_test)
    print(models.to_string())


def lazypredict_notebook():
    """Show the table of classifiers, by pandas."""
    import pandas as pd
    from lazypredict.Supervised import LazyClassifier
    from sklearn.model_selection import train_test_split

    data = pd.read_csv("cancer.csv")
    X, y = data.drop(columns="target"), data["target"]
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0)
    models, _ = LazyClassifier().fit(X_train, X_test, y_train, y_test)
    models  # noqa: B018


# -- skore -------------------------------------------------------------------------------


def skore_two():
    """Print mean and sd of seven measures and times per learner.

    No test, no interval of the difference, no pick.
    """
    import pandas as pd
    import skore
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    data = pd.read_csv("cancer.csv")
    X, y = data.drop(columns="target"), data["target"]
    logistic = make_pipeline(StandardScaler(), LogisticRegression())
    learners = {"logistic": logistic, "tree": DecisionTreeClassifier(random_state=0)}
    report = skore.evaluate(learners, X, y, splitter=10, pos_label="malignant")
    print(report.metrics.summarize().frame().to_string())


def skore_ten():
    """Print mean and sd of seven measures and times per learner.

    No test, no pick. A learner that fails (here qda without `reg_param`) ends the call.
    """
    import pandas as pd
    import skore
    from sklearn.discriminant_analysis import (
        LinearDiscriminantAnalysis,
        QuadraticDiscriminantAnalysis,
    )
    from sklearn.dummy import DummyClassifier
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    data = pd.read_csv("cancer.csv")
    X, y = data.drop(columns="target"), data["target"]
    learners = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "svm": make_pipeline(StandardScaler(), SVC()),
        "1nn": make_pipeline(StandardScaler(), KNeighborsClassifier(1)),
        "5nn": make_pipeline(StandardScaler(), KNeighborsClassifier(5)),
        "lda": LinearDiscriminantAnalysis(),
        "qda": QuadraticDiscriminantAnalysis(reg_param=0.01),
        "bayes": GaussianNB(),
        "tree": DecisionTreeClassifier(random_state=0),
        "forest": RandomForestClassifier(random_state=0),
        "majority": DummyClassifier(),
    }
    report = skore.evaluate(learners, X, y, splitter=10, pos_label="malignant")
    print(report.metrics.summarize().frame().to_string())


def skore_notebook():
    """Show an interactive report with a help menu; plots such as ROC on request."""
    import pandas as pd
    import skore
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    data = pd.read_csv("cancer.csv")
    X, y = data.drop(columns="target"), data["target"]
    logistic = make_pipeline(StandardScaler(), LogisticRegression())
    learners = {"logistic": logistic, "tree": DecisionTreeClassifier(random_state=0)}
    report = skore.evaluate(learners, X, y, splitter=10, pos_label="malignant")
    report  # noqa: B018


# -- WEKA: lines of a shell --------------------------------------------------------------


def weka_two():
    """Print mean and sd of both, with a mark where the corrected t test finds a difference.

    Results have to be put together by hand on the command line; the window of the Experimenter
    does it by clicks. No interval of the difference.
    """
    return """
        for learner in functions.Logistic trees.J48; do
        java weka.experiment.Experiment -r -T cancer.arff -L 1 -U 10 \\
          -D "weka.experiment.CSVResultListener -O $learner.csv" \\
          -P weka.experiment.CrossValidationResultProducer -- -X 10 \\
          -W weka.experiment.ClassifierSplitEvaluator -- -W weka.classifiers.$learner
        done
        (cat functions.Logistic.csv; tail -n +2 trees.J48.csv) | cut -d, -f1-57 > results.csv
        java weka.core.converters.CSVLoader results.csv > results.arff
        java weka.experiment.PairedCorrectedTTester -t results.arff -D 1 -R 2 -F 3 -G 4,5,6 -c 13 -V
    """


def weka_ten():
    """Print mean and sd of all, with marks against the first by name.

    Tests against one base alone, and without a correction for nine of them.
    """
    return """
        for learner in functions.Logistic functions.SMO lazy.IB1 lazy.IBk bayes.NaiveBayes \\
          trees.J48 trees.RandomForest rules.JRip rules.OneR rules.ZeroR; do
        java weka.experiment.Experiment -r -T cancer.arff -L 1 -U 10 \\
          -D "weka.experiment.CSVResultListener -O $learner.csv" \\
          -P weka.experiment.CrossValidationResultProducer -- -X 10 \\
          -W weka.experiment.ClassifierSplitEvaluator -- -W weka.classifiers.$learner
        done
        head -n 1 functions.Logistic.csv | cut -d, -f1-57 > results.csv
        tail -q -n +2 *.*.csv | cut -d, -f1-57 >> results.csv
        java weka.core.converters.CSVLoader results.csv > results.arff
        java weka.experiment.PairedCorrectedTTester -t results.arff -D 1 -R 2 -F 3 -G 4 -c 13 -V
    """


# -- this package ------------------------------------------------------------------------


def bestofk_scores():
    """Print the pick, what cannot be ruled out, what is worse; the overlap of folds counts.

    Careful with a single run of ten folds: a learner 5.5 points behind cannot be ruled out.
    """
    from bestofk import compare_scores

    print(compare_scores("scores.csv", measure="accuracy", cv="10", n_train=512, n_test=57))


def bestofk_two():
    """Print the pick, that the other is worse, and a claim about new data.

    Measures other than error and AUROC, and plots, have to be asked for.
    """
    from bestofk import compare

    print(compare(["logistic", "sklearn-cart"], "cancer.csv", target="target", progress=False))


def bestofk_ten():
    """Print the pick, what cannot be ruled out, what is worse, and a claim about new data.

    It takes 495 runs; a table of one hold-out is there sooner.
    """
    from bestofk import compare

    names = ["logistic", "svm", "1nn", "5nn", "lda", "qda", "naive-bayes", "sklearn-cart"]
    names += ["random-forest", "majority"]
    print(compare(names, "cancer.csv", target="target", progress=False))


def bestofk_twenty():
    """Print the pick and what is worse, by Wilcoxon's test of every pair; wins, ties and losses.

    Bayesian tests over data sets are another call.
    """
    from bestofk.report import to_text
    from bestofk.score_tables.across import compare_scores_across

    print(to_text(compare_scores_across("long.csv", measure="accuracy")))


def bestofk_notebook():
    """Show answer, table, differences to the pick, details and caveats; no menus."""
    from bestofk import compare

    result = compare(["logistic", "sklearn-cart"], "cancer.csv", target="target", progress=False)
    result  # noqa: B018


def bestofk_paper():
    """Print a LaTeX table of every data set, methods paragraph and BibTeX of what was used.

    No effect sizes; a critical-difference diagram is another call.
    """
    from bestofk.report import to_latex
    from bestofk.report.sentences.methods import bibtex, methods_paragraph
    from bestofk.score_tables.across import compare_scores_across

    findings = compare_scores_across("long.csv", measure="accuracy")
    print(to_latex(findings), methods_paragraph(findings), bibtex(findings))


# -- measuring ---------------------------------------------------------------------------


def write_inputs(folder: Path) -> None:
    """Write the data and the scores that all tools read."""
    import numpy as np
    import pandas as pd
    from sklearn.datasets import load_breast_cancer, make_classification
    from sklearn.dummy import DummyClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_score
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    learners = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "tree": DecisionTreeClassifier(random_state=0),
        "bayes": GaussianNB(),
        "5nn": make_pipeline(StandardScaler(), KNeighborsClassifier()),
        "majority": DummyClassifier(),
    }
    data = load_breast_cancer(as_frame=True).frame
    data.columns = [name.replace(" ", "_") for name in data.columns]
    data["target"] = np.where(data["target"] == 0, "malignant", "benign")
    data.to_csv(folder / "cancer.csv", index=False)
    head = [f"@attribute {name} numeric" for name in data.columns[:-1]]
    rows = data.to_csv(index=False, header=False)
    lines = ["@relation cancer", *head, "@attribute target {benign,malignant}", "@data", rows]
    (folder / "cancer.arff").write_text("\n".join(lines))
    X, y = data.drop(columns="target"), data["target"]
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    scores = {name: cross_val_score(item, X, y, cv=folds) for name, item in learners.items()}
    pd.DataFrame(scores).to_csv(folder / "scores.csv", index=False)
    table = {}
    for seed in range(20):
        X, y = make_classification(
            200, 8, n_informative=4, class_sep=0.4 + 0.08 * (seed % 10), flip_y=0.05,
            random_state=seed,
        )  # fmt: skip
        table[f"d{seed:02}"] = {
            name: cross_val_score(item, X, y, cv=10).mean() for name, item in learners.items()
        }
    wide = pd.DataFrame(table).T.rename_axis("dataset")
    wide.to_csv(folder / "table.csv")
    long = wide.reset_index().melt("dataset", var_name="learner", value_name="value")
    long.to_csv(folder / "long.csv", index=False)


def n_lines(function: Callable[[], object]) -> int:
    """Return how many lines a user types: of the body, or of the lines of a shell."""
    if function.__name__.startswith("weka"):
        return len(str(function()).strip().splitlines())
    body = inspect.getsource(function).rpartition('"""')[2]
    return sum(bool(line.strip()) for line in body.splitlines())


def run(function: Callable[[], object], folder: Path, python: str, jar: str) -> tuple[str, ...]:
    """Return seconds of CPU and of the wall, and what was printed, of a process of its own.

    A relative PYTHONPATH is made absolute, for the process works in another folder.
    """
    name, environment = function.__name__, dict(os.environ, CLASSPATH=jar, MPLBACKEND="Agg")
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if python == sys.executable:
        environment["PYTHONPATH"] = os.pathsep.join(str(Path(p).resolve()) for p in paths if p)
    else:
        environment.pop("PYTHONPATH", None)
    is_shell = name.startswith("weka")
    line = (
        ["bash", "-c", dedent(str(function()))] if is_shell else [python, __file__, "--run", name]
    )
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(line, cwd=folder, env=environment, capture_output=True, text=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    ended = "" if done.returncode == 0 else f"\nended with code {done.returncode}\n{done.stderr}"
    return f"{cpu:.1f}", f"{wall:.1f}", done.stdout + ended


def in_words(function: Callable[[], object]) -> tuple[str, str]:
    """Return what was answered, and what is wrong or missing, from a docstring."""
    first, _, rest = inspect.cleandoc(function.__doc__ or "").partition("\n\n")
    _, _, answered = " ".join(first.split()).partition(" ")  # without the verb
    return answered, " ".join(rest.split()) or "-"


def versions(python: str, names: list[str]) -> str:
    """Return the installed versions of packages in some Python."""
    code = (
        "import importlib.metadata as m, sys\n"
        "print(', '.join(f'{n} {m.version(n)}' for n in sys.argv[1:]))"
    )
    done = subprocess.run([python, "-c", code, *names], capture_output=True, text=True)
    return done.stdout.strip() or f"not installed: {', '.join(names)}"


def main() -> None:
    """Measure every task of every tool, and print the table of the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--peers", default=sys.executable, help="Python of the other packages")
    parser.add_argument("--weka", default="", help="jar of WEKA, which is left out without it")
    parser.add_argument("--only", help="one tool")
    parser.add_argument("--show", action="store_true", help="print what the tools answered")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        globals()[given.run]()
        return
    tools = [given.only] if given.only else ["bestofk", *list(PACKAGES)[:-1]]
    tools += ["weka"] if given.weka and not given.only else []
    others = [package for tool, package in PACKAGES.items() if tool in tools and tool != "bestofk"]
    own = versions(sys.executable, ["bestofk", "scikit-learn"])
    print(f"Python {platform.python_version()}: {own}")
    if others:
        print(f"Others: {versions(given.peers, [*others, 'scikit-learn'])}")
    print()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_inputs(folder)
        print("| task | tool | lines | CPU s | wall s | answered | wrong or missing |")
        print("|---|---|---:|---:|---:|---|---|")
        answers = []
        for task, title in TASKS.items():
            missing = []
            for tool in tools:
                function = globals().get(f"{tool}_{task}")
                if function is None:
                    missing.append(PACKAGES.get(tool, "WEKA"))
                    continue
                work = folder / function.__name__
                work.mkdir()
                for file in filter(Path.is_file, folder.iterdir()):
                    shutil.copy(file, work)
                python = sys.executable if tool == "bestofk" else given.peers
                cpu, wall, printed = run(function, work, python, given.weka)
                said, wrong = in_words(function)
                label = PACKAGES.get(tool, "WEKA 3.6")
                figures = f"{n_lines(function)} | {cpu} | {wall}"
                print(f"| {title} | {label} | {figures} | {said} | {wrong} |", flush=True)
                answers.append((function.__name__, printed))
            if missing and not given.only:
                print(f"| {title} | {', '.join(missing)} | | | | not offered | |")
    for function_name, printed in answers if given.show else []:
        print(f"\n== {function_name}\n{printed}")


if __name__ == "__main__":
    main()
