"""Datasets on a loopback Hub: real HTTP, in a process that is not offline."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from datasets import Audio, Dataset

from nextset.files.atomic_files import parquet_bytes
from nextset.records.class_labels import typed_table
from tests.release.loopback_hub import LoopbackHub, serving

SCRIPT = """
import json, sys
from pathlib import Path
from nextset.errors import NextsetError
from nextset.training.training_data.data_source import find_source
from nextset.training.training_data.nli_examples import read_nli
from nextset.training.training_data.squad_data import read_questions

def content(task, written):
    try:
        source = find_source(written, Path(written))
        if task == "nli":
            read = read_nli([source], {}, ())
            rows = [[p.premise, p.hypothesis, p.label] for p in read.pairs]
        else:
            read = read_questions([source], {})
            rows = [[q.id, q.texts] for q in read.questions]
        return [source.name, source.digest, rows, read.dropped]
    except NextsetError as e:
        return [type(e).__name__, str(e), e.remedy]

print(json.dumps([content(*dataset.split(" ")) for dataset in sys.argv[1:]]))
"""


def _contents(hub: LoopbackHub, home: Path, *datasets: str) -> list[Any]:
    """What each of ``datasets``, a task and a name, is read as."""
    environment = {
        **os.environ, "HF_ENDPOINT": hub.url, "HF_HUB_DISABLE_XET": "1", "HF_HOME": str(home),
        "HF_HUB_OFFLINE": "0", "HF_HUB_DISABLE_TELEMETRY": "1",
    }  # fmt: skip
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, *datasets],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    contents: list[Any] = json.loads(run.stdout.splitlines()[-1])
    return contents


@pytest.mark.slow
def test_datasets_on_the_hub(tmp_path: Path) -> None:
    pairs = pa.table({"premise": ["a", "b"], "hypothesis": ["c", "d"], "label": ["neutral", None]})
    typed = typed_table(pairs)
    labels = typed["label"].fill_null(-1)
    unlabelled = pa.table([*typed.columns[:2], labels], schema=typed.schema)
    questions = pa.table(
        {
            "id": ["q"],
            "question": ["Who?"],
            "context": ["Anna."],
            "answers": [{"text": ["Anna"], "answer_start": [0]}],
            "voice": [{"bytes": b"damaged", "path": None}],
        }
    )
    spoken = Dataset(questions).cast_column("voice", Audio()).features.arrow_schema
    questions = questions.cast(spoken)
    with serving(tmp_path / "hub") as hub:
        for repo, file, table in (
            ("org/pairs", "data/test-00000-of-00001.parquet", unlabelled),
            ("org/asked", "data/train-00000-of-00001.parquet", questions),
        ):
            hub.store.create(repo, private=False)
            hub.store.add_file(repo, "main", file, parquet_bytes(table), "author", "Add rows")
        commit = hub.store.resolve("org/pairs", "main")
        nli, qa, absent, unreadable = _contents(
            hub, tmp_path / "home", f"nli org/pairs@{commit}:test", "qa org/asked", "nli org/absent:train",
            "nli org/pairs:dev",
        )  # fmt: skip
        name, digest, rows, dropped = nli
        assert (name, digest) == ("org/pairs:test", commit)
        assert (rows, dropped) == ([["a", "c", "neutral"]], {"pairs without a label": 1})
        assert qa[2] == [["q", ["Anna"]]]
        assert absent[:2] == ["InputError", "there is no dataset org/absent on the Hub"]
        kind, message, _ = unreadable
        assert kind == "InputError"
        assert "org/pairs on the Hub cannot be read" in message
