"""List of renamed names: `python -m tests.public_names EARLIER_SRC > docs/renamed.md`.

Reads `__all__` of all packages, the parameters of `compare` and the options of the command line,
of the sources in EARLIER_SRC and of those that are installed. Ends with code 1 and the names if
any has gone without a successor or a reason.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import bestofk

# Packages -> where their names are now.
PACKAGES = {
    "bestofk.design": "bestofk.resampling",
    "bestofk.evaluate": "bestofk.evaluation",
    "bestofk.inference.many_data_sets": "bestofk.inference",
    "bestofk.inference.many_learners": "bestofk.inference",
    "bestofk.inference.one_test_set": "bestofk.inference",
    "bestofk.inference.two_learners": "bestofk.inference",
    "bestofk.learners.joint": "bestofk.batched",
    "bestofk.learners.trees": "bestofk.trees",
    "bestofk.learners.trees.on_disk": "bestofk.trees.on_disk",
    "bestofk.ordering": "bestofk.verdict",
    "bestofk.ordering.stopping": "bestofk.stopping",
    "bestofk.recommend": "bestofk.recommendation",
}
# Names -> their successors, each with its package.
NAMES = {
    "bestofk.AcrossComparison": "bestofk.ComparisonAcross",
    "bestofk.apply_to_scores": "bestofk.apply_procedure",
    "bestofk.judge_across": "bestofk.compare_scores_across",
    "bestofk.judge_scores": "bestofk.compare_scores",
    "bestofk.evaluate.SharedWork": "bestofk.evaluation.EvaluationCache",
    "bestofk.inference.one_test_set.POOLED": "bestofk.inference.one_test_set.rows.POOLED",
    "bestofk.learners.learns_nothing": "bestofk.learners.is_baseline",
    "bestofk.learners.tunes_itself": "bestofk.learners.has_inner_search",
    "bestofk.learners.joint.JointForm": "bestofk.batched.BatchedForm",
    "bestofk.learners.joint.JointPredictions": "bestofk.batched.BatchedPredictions",
    "bestofk.learners.joint.SubsetForm": "bestofk.batched.BatchedForm",
    "bestofk.learners.joint.SubsetPredictions": "bestofk.batched.BatchedPredictions",
    "bestofk.learners.joint.joint_form": "bestofk.batched.batched_form",
    "bestofk.learners.joint.subset_form": "bestofk.batched.batched_form",
    "bestofk.learners.trees.fit_jointly": "bestofk.trees.batched.fit_batched",
    "bestofk.ordering.AcrossVerdict": "bestofk.verdict.VerdictAcross",
    "bestofk.ordering.AdaptiveCourse": "bestofk.stopping.StoppingHistory",
    "bestofk.ordering.AdaptiveRepeats": "bestofk.stopping.AdaptiveRepeats",
    "bestofk.ordering.Arms": "bestofk.stopping.ActiveLearners",
    "bestofk.ordering.Departure": "bestofk.stopping.Elimination",
    "bestofk.ordering.choose_arms": "bestofk.stopping.active_learners.choose_active_learners",
    "bestofk.ordering.Chance": "bestofk.inference.Chance",
    "bestofk.ordering.Reseeding": "bestofk.inference.Reseeding",
    "bestofk.ordering.PairEvidence": "bestofk.inference.PairEvidence",
    "bestofk.ordering.ROW_TESTS": "bestofk.inference.ROW_TESTS",
    "bestofk.ordering.check_plan": "bestofk.inference.check_plan",
    "bestofk.ordering.wanted_test": "bestofk.inference.wanted_test",
    "bestofk.ordering.check_row_test": "bestofk.inference.check_row_test",
    "bestofk.ordering.compare_on_rows": "bestofk.inference.compare_on_rows",
    "bestofk.ordering.smallest_detectable_difference": (
        "bestofk.inference.smallest_detectable_difference"
    ),
    "bestofk.ordering.win_tie_loss": "bestofk.inference.win_tie_loss",
    "bestofk.ordering.stopping.Standing": "bestofk.stopping.InterimState",
    "bestofk.ordering.stopping.Watch": "bestofk.stopping.RuleState",
    "bestofk.recommend.DEFAULT_METHOD": "bestofk.recommendation.DEFAULT_RECOMMENDER",
    "bestofk.recommend.METHODS": "bestofk.recommendation.RECOMMENDERS",
    "bestofk.recommend.Method": "bestofk.recommendation.Recommender",
    "bestofk.recommend.MethodLosses": "bestofk.recommendation.RecommenderLosses",
    "bestofk.recommend.get_method": "bestofk.recommendation.get_recommender",
    "bestofk.report.paragraph": "bestofk.report.answer",
    "bestofk.testing.JointAgreement": "bestofk.testing.BatchedAgreement",
    "bestofk.testing.check_joint_form": "bestofk.testing.check_batched_form",
    "bestofk.testing.joint_agreement": "bestofk.testing.batched_agreement",
}
# Names that no other takes over from.
REASONS = {
    "bestofk.ordering.check_correction": "`VerdictSettings` checks its correction itself",
    "bestofk.ordering.decide_with_other_seeds": "`reseeding` of `bestofk.verdict.Decision`",
}
# Parameters and options that still work, and warn.
OPTIONS = {
    "compare(joint=)": "compare(batched=)",
    "bestofk compare --joint": "bestofk compare --batched",
    "bestofk curve learning --joint": "bestofk curve learning --batched",
    "bestofk curve validation --joint": "bestofk curve validation --batched",
    "bestofk export": "bestofk store export",
    "bestofk status": "bestofk store status",
    "bestofk test": "bestofk compare-scores",
}
_HEAD = """# Names that have changed

For someone whose program was written for version 0.1.
It had {n_before} public names, parameters of `compare` and options of the command line.
{n_kept} are as they were.
The old name warns where it still works, and goes with the next release.

These took a table with a row per learner and now take one with a column per learner.
Transpose what you hand to `anova_test`, `anova_best`, `apply_in_random_orders`, `compare_all`,
`compare_on_rows`, `compare_on_splits`, `duncan_test`, `estimate_distributions`,
`five_by_two_edges`, `kruskal_wallis_test`, `last_crossing`, `losses_on_new_data`,
`losses_on_test_rows`, `newman_keuls`, `orderings`, `repeat_means`, `repeated_measures_anova_test`,
`reproducibility_matrix`, `reseed`, `running_means`, `running_standard_errors`, `tukey_hsd_test`,
`Evidence`, `EstimateDistributionsDisplay`, `InterimState`, `LearningCurveDisplay`,
`NoiseCurveDisplay`, `ReproducibilityMatrixDisplay.from_estimates` and `RunningMeansDisplay`.
With more learners than rows it is refused, also over data sets, unless `names=` or the text
columns of a DataFrame name the learners.

| before | now | old name works |
|---|---|---|
"""
# Prints the names and options of the sources on the path.
_READ = """
import importlib, inspect, json, pkgutil, sys, warnings
warnings.simplefilter("ignore")
import typer
import bestofk
from bestofk.cli.app import app

names = {f"bestofk.{name}" for name in bestofk.__all__}
for module in pkgutil.walk_packages(bestofk.__path__, "bestofk."):
    if module.ispkg:
        public = getattr(importlib.import_module(module.name), "__all__", ())
        names |= {f"{module.name}.{name}" for name in public}
options = {f"compare({name}=)" for name in inspect.signature(bestofk.compare).parameters}
commands = [("bestofk", typer.main.get_command(app))]
while commands:
    path, command = commands.pop()
    options.add(path)
    commands += [(f"{path} {name}", c) for name, c in getattr(command, "commands", {}).items()]
    words = [word for item in command.params for word in (*item.opts, *item.secondary_opts)]
    options |= {f"{path} {word}" for word in words}
print(json.dumps(sorted(names | options)))
"""


def names_of(sources: str) -> list[str]:
    """Return the public names and options of the package in a folder of sources."""
    environment = {**os.environ, "PYTHONPATH": sources}
    done = subprocess.run(
        [sys.executable, "-c", _READ], env=environment, capture_output=True, text=True, check=True
    )
    names: list[str] = json.loads(done.stdout)
    return names


def exists(name: str) -> bool:
    """Return whether a name can be imported from the package or module before its last dot."""
    module, _, attribute = name.rpartition(".")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            return hasattr(import_module(module), attribute)
    except ModuleNotFoundError:
        return False


def successor(name: str, current: set[str]) -> str:
    """Return the name that takes over from another, or an empty text."""
    package, _, attribute = name.rpartition(".")
    now = {**NAMES, **OPTIONS}.get(name, f"{PACKAGES.get(package, package)}.{attribute}")
    return now if now in current or ("(" not in now and " " not in now and exists(now)) else ""


def main(arguments: Sequence[str]) -> int:
    """Print the page; return 1 if a name has no successor."""
    (sources,) = arguments
    earlier = names_of(sources)
    current = set(names_of(str(Path(bestofk.__file__).parents[1])))
    changed = [name for name in earlier if name not in current or name in OPTIONS]
    sys.stdout.write(_HEAD.format(n_before=len(earlier), n_kept=len(earlier) - len(changed)))
    lost = []
    for name in changed:
        now = successor(name, current)
        if not now and name not in REASONS:
            lost.append(name)
        works = "yes" if name in OPTIONS or exists(name) else "no"
        sys.stdout.write(f"| `{name}` | {REASONS.get(name, f'`{now}`')} | {works} |\n")
    sys.stderr.write("".join(f"no successor: {name}\n" for name in lost))
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
