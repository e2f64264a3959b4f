"""Units whose verdicts follow a rule with noise: templates differ, and fluent adjectives are mostly valid."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nextset.records.judgment import Verdict

__all__ = ["CLASSES", "sample_texts", "sample_units", "sample_verdicts"]

CLASSES = {"kind": "ADJ", "calm": "ADJ", "run": "VERB", "tea": "NOUN"}

Texts = npt.NDArray[np.float32]


def sample_units(n: int, seed: int = 0, templates: int = 6) -> pa.Table:
    """``n`` units of some templates; every tenth has no relative fluency."""
    random = np.random.default_rng(seed)
    fluency = random.normal(size=n)
    return pa.table(
        {
            "unit_id": [f"u{i:04}" for i in range(n)],
            "language": ["en"] * n,
            "stereotype": [f"s{i % templates // 2}" for i in range(n)],
            "template": [f"s{i % templates // 2}: t{i % templates}" for i in range(n)],
            "relative_fluency": [None if i % 10 == 9 else float(f) for i, f in enumerate(fluency)],
            "fills": [[list(CLASSES)[k]] for k in random.integers(0, len(CLASSES), n)],
            "fill_rank": random.integers(1, 21, n).astype(np.float64),
        }
    )


def sample_verdicts(units: pa.Table, seed: int = 0) -> dict[str, Verdict]:
    """Valid with a probability that the template, the fill's class and the relative fluency decide."""
    random = np.random.default_rng(seed + 1)
    found: dict[str, Verdict] = {}
    for row in units.to_pylist():
        logit = 3.0 if row["template"].endswith(("t0", "t1", "t2")) else -2.0
        logit += 1.0 if CLASSES[row["fills"][0]] == "ADJ" else -1.0
        logit += 1.0 * (row["relative_fluency"] or 0.0)
        valid = random.random() < 1 / (1 + np.exp(-logit))
        found[row["unit_id"]] = "valid" if valid else "incoherent"
    return found


def sample_texts(n: int, seed: int = 0) -> Texts:
    """Features of texts that say nothing."""
    return np.random.default_rng(seed + 2).normal(size=(n, 12)).astype(np.float32)
