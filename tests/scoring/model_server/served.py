"""A tiny model that has learnt some answers by heart, behind a real server; and a proxy that makes faults."""

from __future__ import annotations

import contextlib
import http.server
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from nextset.forms import FormName
from nextset.scoring.asking import Asking
from nextset.scoring.generative.choice_tokens import ChoiceTokenizer
from nextset.scoring.prompt_wordings import render_prompts
from nextset.scoring.scorer_protocol import Pair, Question, YesNoQuestion
from nextset.study.scoring_settings import ScoringSettings
from tests.scoring.generative.tiny_causal import save_llama

__all__ = ["PAIRS", "QUESTIONS", "YES_NO", "Proxy", "proxied", "save_learnt", "served", "votes_learnt"]

SPANS = ((0, 1), (2, 3))
PAIRS = [Pair(f"{word} sat on the mat.", "Somebody sat.") for word in ("Anna", "Boris", "Cleo", "Dan", "Eve")]
YES_NO = [YesNoQuestion(f"{word} sat on the mat.", "Did it rain?") for word in ("Anna", "Boris", "Cleo")]
QUESTIONS = [
    Question(f"{a} met {b}.", "Who was late?", (a, b), SPANS)
    for a, b in (("Niger", "Nigeria"), ("Ann", "Bob"), ("Bob", "Ann"))
]


def _choice(i: int, wording: int) -> int:
    """What the model has learnt: all wordings agree on the first input, on the others not always."""
    return (i + (wording if i % 3 == 2 else 0)) % 3


def votes_learnt(inputs: list[Pair] | list[YesNoQuestion] | list[Question]) -> list[list[float]]:
    """The shares of the wordings, by the answers that `save_learnt` taught."""
    forms: dict[type, FormName] = {Pair: "nli", YesNoQuestion: "qa", Question: "question"}
    form = forms[type(inputs[0])]
    wordings = len(render_prompts(Asking(form, ScoringSettings()), inputs)[0])
    return [
        [sum(_choice(i, w) == c for w in range(wordings)) / wordings for c in range(3)]
        for i in range(len(inputs))
    ]


def save_learnt(folder: Path) -> Path:
    """Train a tiny Llama until it says by heart what it is taught of `PAIRS`, `YES_NO` and `QUESTIONS`."""
    save_llama(folder, spread=1.0, hidden=64)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder)
    texts = ChoiceTokenizer("learner", tokenizer)
    taught: list[tuple[str, str]] = []
    for form, inputs in (("nli", PAIRS), ("qa", YES_NO), ("question", QUESTIONS)):
        for i, prompts in enumerate(render_prompts(Asking(form, ScoringSettings()), inputs)):
            for w, prompt in enumerate(prompts):
                taught.append((texts.before(prompt.prompt), prompt.choices[_choice(i, w)]))
    ids, labels = _padded(tokenizer, taught)
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    for _ in range(600):
        loss = model(input_ids=ids, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.item() < 0.003:
            break
    model.save_pretrained(folder)
    return folder


def _padded(tokenizer: Any, taught: list[tuple[str, str]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Tokens of prompt and answer, and labels on the answer and its end alone."""
    end = tokenizer.eos_token_id
    heads = [tokenizer.backend_tokenizer.encode(p, add_special_tokens=False).ids for p, _ in taught]
    tails = [[*tokenizer.backend_tokenizer.encode(a, add_special_tokens=False).ids, end] for _, a in taught]
    width = max(len(h) + len(t) for h, t in zip(heads, tails, strict=True))
    ids = [[*h, *t, *[end] * (width - len(h) - len(t))] for h, t in zip(heads, tails, strict=True)]
    labels = [
        [*[-100] * len(h), *t, *[-100] * (width - len(h) - len(t))] for h, t in zip(heads, tails, strict=True)
    ]
    return torch.tensor(ids), torch.tensor(labels)


@contextmanager
def served(folder: Path, hub: Path) -> Iterator[str]:
    """The address of `transformers serve` with the model in ``folder``, on loopback; ended at the end."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(Path(sys.executable).parent / "transformers"), "serve", str(folder), "--device", "cpu",
               "--host", "127.0.0.1", "--port", str(port), "--log-level", "error"]  # fmt: skip
    environment = {**os.environ, "HF_HOME": str(hub), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    log = (hub / "server.log").open("wb")
    process = subprocess.Popen(command, stdout=log, stderr=log, env=environment, start_new_session=True)
    try:
        _wait(f"http://127.0.0.1:{port}/health", process, hub / "server.log")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(120)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(120)
        log.close()


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 240
    over = threading.Event()
    with _plain_client(timeout=10.0) as client:
        while time.monotonic() < deadline:
            assert process.poll() is None, log.read_text(encoding="utf-8", errors="replace")
            try:
                if client.get(url).status_code == 200:
                    return
            except httpx2.RequestError:
                over.wait(0.1)  # a server tells nobody that it listens
    raise AssertionError("the server did not begin: " + log.read_text(encoding="utf-8", errors="replace"))


def _plain_client(timeout: float) -> httpx2.Client:
    """A client for loopback: it reads no certificates, which takes longer than a request."""
    return httpx2.Client(timeout=timeout, verify=False, trust_env=False)


class Proxy:
    """In front of a real server: it passes requests on, or makes the fault that ``fault`` names."""

    def __init__(self, behind: str) -> None:
        self.behind = behind
        self.fault: Callable[[int, dict[str, Any]], str] = lambda n, body: ""
        """The fault for the request of that number, from 0; empty lets it through."""
        self.retry_after = "7"
        """What a 429 says."""
        self.content_type = "application/json"
        """What every answer says that it is."""
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.reached = threading.Event()
        """Set when a request is held."""
        self.let_go = threading.Event()
        """Ends the holding."""
        self.lock = threading.Lock()
        self.address = ""

    @property
    def prompts(self) -> list[str]:
        """The first message of each request."""
        return [body["messages"][0]["content"] for body in self.bodies if "messages" in body]


@contextmanager
def proxied(behind: str) -> Iterator[Proxy]:
    """A proxy on loopback in front of the server at ``behind``."""
    proxy = Proxy(behind)
    with (
        _plain_client(timeout=120.0) as client,
        http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(proxy, client)) as server,
    ):
        proxy.address = f"http://127.0.0.1:{server.server_port}/v1"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield proxy
        finally:
            proxy.let_go.set()
            server.shutdown()
            thread.join()


def _handler(proxy: Proxy, client: httpx2.Client) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            response = client.get(proxy.behind + self.path.removeprefix("/v1"))
            self._say(response.status_code, response.content)

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with proxy.lock:
                number = len(proxy.bodies)
                proxy.bodies.append(body)
                proxy.keys.append(self.headers.get("Authorization"))
                fault = proxy.fault(number, body)
            if not fault:
                response = client.post(proxy.behind + self.path.removeprefix("/v1"), json=body)
                self._say(response.status_code, response.content)
            elif fault == "hold":
                proxy.reached.set()
                proxy.let_go.wait(240)
                self.close_connection = True
            elif fault == "cut":
                self.send_response(200)
                self.send_header("Content-Length", "1000")
                self.end_headers()
                self.wfile.write(b'{"choices"')
                self.close_connection = True
            elif fault in ("drip", "drip headers", "flood"):
                self.send_response(200)
                if fault != "drip headers":
                    self.end_headers()
                else:
                    self.flush_headers()
                    self.wfile.write(b"X-Slow:")
                self.close_connection = True
                with contextlib.suppress(OSError):
                    while not proxy.let_go.wait(0.02 if fault != "flood" else 0):
                        self.wfile.write(b" " * (1 if fault != "flood" else 1_000_000))
            elif fault == "garbage":
                self._say(200, b'{"choices": [{"mess')
            else:
                status, _, said = fault.partition(" ")
                self._say(int(status), said.encode())

        def _say(self, status: int, content: bytes) -> None:
            self.send_response(status)
            if status == 429:
                self.send_header("Retry-After", proxy.retry_after)
            self.send_header("Content-Type", proxy.content_type)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return Handler
