"""Audit the claims of five published tables: python -m replications.audits."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

from bestofk.audits import Audit, audit

_HERE = Path(__file__).parent
# Tables as printed, by file: what is claimed, and what the paper says beside the table.
PUBLISHED: Final[dict[str, dict[str, Any]]] = {
    "multitest_2006.csv": {"claim": "LGC best", "measure": "error", "cv": "5000x2"},
    "variability_2010.csv": {
        "claim": "C4.5 significantly better than HDDT", "measure": "auroc",
    },
    "demsar_2006.csv": {"claim": "C4.5+m+cf best", "measure": "auroc", "by": "rank"},
    "ismail_fawaz_2019.csv": {
        "claim": "ResNet significantly better than all", "measure": "accuracy", "cv": "10",
    },
    "nori_2019.md": {
        "claim": "Explainable Boosting Machine best", "measure": "auroc", "cv": "3",
    },
}  # fmt: skip


def audited(name: str) -> Audit:
    """Return the audit of one of the tables, by the name of its file."""
    return audit(_HERE / name, **PUBLISHED[name])


def main() -> None:
    """Print the three lines of each audit."""
    for name in PUBLISHED:
        sys.stdout.write("\n".join([f"{name}:", *audited(name).answer]) + "\n\n")


if __name__ == "__main__":
    main()
