"""Answers by batches, at a server on loopback that makes faults: nothing is run twice, nothing is lost."""

from __future__ import annotations

import contextlib
import json
import logging
import multiprocessing
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nextset.errors import ModelError
from nextset.scoring.model_server import batch_client, batch_lines
from nextset.scoring.model_server.answer_cache import Answers
from nextset.scoring.model_server.batch_client import BatchClient, BatchPatience
from nextset.scoring.model_server.rate_and_cost_limits import Ledger
from nextset.study.scoring_settings import ServerSettings
from tests.scoring.model_server.batch_server import BatchServer, batch_server, dripping_server, reply
from tests.scoring.model_server.batched import answered, requests_of

KEY = "sk-secret-0123456789abcdef"
MANY = requests_of(5)


@pytest.fixture
def server() -> Iterator[BatchServer]:
    """A server with batches."""
    with batch_server() as running:
        yield running


def ran_once(server: BatchServer) -> bool:
    """Return True if each of `MANY` was run once."""
    return server.runs == {request.key: 1 for request in MANY}


def test_a_batch_is_answered_and_stored(server: BatchServer, tmp_path: Path) -> None:
    server.answer = lambda body: "no" if "3" in body["messages"][0]["content"] else "yes"
    found = answered(server.address, tmp_path, MANY, key=KEY)
    assert [found[request].text for request in MANY] == ["yes", "yes", "yes", "no", "yes"]
    completion = Answers(tmp_path / "answers.sqlite").get(MANY[3])
    assert completion == found[MANY[3]]
    assert completion is not None
    assert (completion.model, len(completion.date)) == ("m-1", 10)
    assert completion.usage is not None
    assert (completion.usage.read, completion.usage.written) == (40, 2)
    assert server.steps == ["upload", "create", "look", "download"]
    assert {h.get("Authorization") for h in server.headers} == {f"Bearer {KEY}"}
    assert json.loads(server.files["file-0"].splitlines()[0])["url"] == "/v1/chat/completions"
    again = answered(server.address, tmp_path, MANY)
    assert again == found
    assert len(server.steps) == 4
    for file in tmp_path.iterdir():
        assert KEY.encode() not in file.read_bytes()


@pytest.mark.parametrize("ending", ["duplicated", "reversed", "unknown"])
def test_lines_in_disorder_change_nothing(server: BatchServer, tmp_path: Path, ending: str) -> None:
    server.endings.append(ending)
    assert len(answered(server.address, tmp_path, MANY)) == 5
    assert ran_once(server)


def test_the_first_of_two_answers_counts_and_a_note_says_so(
    server: BatchServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server.endings.append("different")
    assert {c.text for c in answered(server.address, tmp_path, MANY).values()} == {"yes"}
    assert "5 lines of results repeat a request with a different answer" in caplog.text


@pytest.mark.parametrize(
    "ending", ["expired", "cancelled", "missing", "damaged", "rows 503 busy", "rows rate_limit_exceeded wait"]
)
def test_requests_without_an_answer_are_sent_again_and_only_these(
    server: BatchServer, tmp_path: Path, ending: str
) -> None:
    server.endings.append(ending)
    assert len(answered(server.address, tmp_path, MANY)) == 5
    sizes = [len(content.splitlines()) for name, content in server.files.items() if b'"url"' in content]
    assert sizes in ([5, 3], [5, 2])  # the half that failed: 3 of 5 rows, or the 2 after them
    if ending not in ("missing", "damaged"):
        assert ran_once(server)


@pytest.mark.parametrize("counts", [True, False])
def test_results_that_are_named_late_are_waited_for(
    server: BatchServer, tmp_path: Path, counts: bool
) -> None:
    server.late, server.counts = 3, counts
    assert len(answered(server.address, tmp_path, MANY)) == 5
    assert ran_once(server)
    assert server.steps.count("look") == 4


@pytest.mark.parametrize("counts", [True, False])
def test_a_batch_whose_results_are_never_named_is_not_sent_again(
    server: BatchServer, tmp_path: Path, counts: bool
) -> None:
    server.late, server.counts = 1000, counts
    for _ in range(2):
        with pytest.raises(ModelError, match="requests that may be paid for are not sent again"):
            answered(server.address, tmp_path, MANY)
    server.late = 0
    assert len(answered(server.address, tmp_path, MANY)) == 5
    assert ran_once(server)
    assert len(server.batches) == 1


@pytest.mark.parametrize("ending", ["expired", "cancelled"])
def test_a_batch_that_stopped_without_counts_is_sent_again(
    server: BatchServer, tmp_path: Path, ending: str
) -> None:
    server.endings.append(ending)
    server.counts = False
    assert len(answered(server.address, tmp_path, MANY)) == 5
    assert ran_once(server)


DEEP = json.loads("[" * 900 + "]" * 900)
ODD: list[Any] = [
    {**reply("yes"), "choices": [{"index": 0, "message": {"content": "yes"}, "logprobs": {"content": [
        {"token": "yes", "logprob": -(10**400), "top_logprobs": [{"token": "yes", "logprob": 10**400}]}
    ]}}]},
    {**reply("yes"), "usage": {"prompt_tokens": 10**400, "completion_tokens": 10**400}},
    {"choices": [{"index": 10**400, "message": DEEP}]},
    {"choices": {"0": 1}},
    {"error": {"message": DEEP}},
    {"choices": [None]},
]  # fmt: skip


@pytest.mark.parametrize("odd", range(len(ODD)))
def test_a_line_that_is_no_answer_does_not_block_the_others(
    server: BatchServer, tmp_path: Path, odd: int
) -> None:
    """Also in the next run, which reads the same results."""
    server.answer = lambda body: ODD[odd] if "2" in body["messages"][0]["content"] else "yes"
    for _ in range(2):
        with contextlib.suppress(ModelError):
            answered(server.address, tmp_path, MANY)
    stored = Answers(tmp_path / "answers.sqlite")
    assert all(stored.get(request) is not None for request in MANY if request != MANY[2])


@pytest.mark.parametrize("line", [
    b'{"custom_id": "k", "error": ' + b"[" * 900 + b"]" * 900 + b"}",
    b'{"custom_id": "k", "error": {"code": ' + b"[" * 900 + b"]" * 900 + b"}}",
    b'{"custom_id": "k", "response": {"status_code": 1' + b"0" * 400 + b', "body": 1}}',
    b'{"custom_id": "k", "response": {"status_code": 1' + b"0" * 5000 + b"}}",
    b"[" * 100_000, b"\xff", b"null", b"[]", b"NaN",
])  # fmt: skip
def test_any_line_is_read_or_passed_over(line: bytes) -> None:
    result = batch_lines.result_of(line)
    assert result is None or result.reply is None


@pytest.mark.parametrize("path", ["upload", "download"])
@pytest.mark.slow
def test_headers_that_never_end_are_given_up(path: str, tmp_path: Path) -> None:
    """Each byte begins the limit of the connection anew, so the whole reply has its own."""
    (tmp_path / "x.jsonl").write_text("{}\n")
    patience = BatchPatience(reply=0.5, tries=2, sleep=lambda seconds: None)
    with dripping_server() as address, httpx2.Client(trust_env=False) as http:
        client = BatchClient("openai:m", address, {}, http, patience)
        send: dict[str, Callable[[], object]] = {
            "upload": lambda: client.upload(tmp_path / "x.jsonl"),
            "download": lambda: client.retried(lambda: list(client.lines("f", 1))),
        }
        with pytest.raises(ModelError, match=r"has not ended after 0\.5 s"):
            send[path]()


@pytest.mark.parametrize("name", [".", "..", "...", "a/b", "", "a" * 201, "é", "a\n"])
def test_ids_that_lead_elsewhere_are_refused(server: BatchServer, tmp_path: Path, name: str) -> None:
    run = server.run

    def elsewhere(batch: dict[str, Any]) -> None:
        run(batch)
        batch["output_file_id"] = name or {}

    server.run = elsewhere  # type: ignore[method-assign]
    with pytest.raises(ModelError):
        answered(server.address, tmp_path, MANY)
    assert "download" not in server.steps


def test_a_line_without_end_is_passed_over(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(batch_client, "MOST_LINE_BYTES", 1_000_000)
    server.endings.append("giant")
    assert len(answered(server.address, tmp_path, MANY)) == 5


def test_a_file_that_does_not_end_is_given_up(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_client, "MOST_BYTES_PER_ROW", 10)
    monkeypatch.setattr(batch_client, "MOST_REPLY_BYTES", 900)
    with pytest.raises(ModelError, match="does not end"):
        answered(server.address, tmp_path, MANY)
    monkeypatch.undo()
    assert len(answered(server.address, tmp_path, MANY)) == 5
    assert ran_once(server)


@pytest.mark.parametrize("step", ["upload", "create", "look", "download"])
@pytest.mark.parametrize("fault", ["503 busy", "429 slow down", "500 ", "cut", "lost", "html"])
def test_faults_of_any_step_pass(server: BatchServer, tmp_path: Path, step: str, fault: str) -> None:
    server.fail(step, fault, fault)
    assert len(answered(server.address, tmp_path, MANY)) == 5
    assert ran_once(server)
    assert len(server.batches) == 1


def test_half_a_download_is_read_again(server: BatchServer, tmp_path: Path) -> None:
    server.fail("download", "half cut", "half cut")
    assert len(answered(server.address, tmp_path, MANY)) == 5
    assert ran_once(server)


def test_a_lost_reply_does_not_create_a_second_batch(server: BatchServer, tmp_path: Path) -> None:
    """Other batches of the account fill the list's first pages."""
    for n in range(5):
        answered(server.address, tmp_path, requests_of(1, 100 + n))
    server.fail("create", "lost")
    server.fail("list", "503 ", "html")
    answered(server.address, tmp_path, MANY)
    assert len(server.batches) == 6
    assert max(server.runs.values()) == 1


def test_a_server_that_stays_broken_ends_the_run_and_the_next_resumes(
    server: BatchServer, tmp_path: Path
) -> None:
    for step, fault in (("upload", "503 "), ("create", "lost"), ("look", "500 "), ("download", "half cut")):
        server.fail(step, *[fault] * 6)
        server.fail("list", *["503 "] * 6)
        with pytest.raises(ModelError, match="did not work after 6 tries") as told:
            answered(server.address, tmp_path, MANY)
        assert "no answer is paid for twice" in told.value.remedy
        server.faults.clear()
    assert len(answered(server.address, tmp_path, MANY)) == 5
    assert ran_once(server)


def test_a_page_in_place_of_the_results_is_not_taken_for_missing_answers(
    server: BatchServer, tmp_path: Path
) -> None:
    server.fail("download", *["html"] * 20)
    with pytest.raises(ModelError, match="the results of a batch that has ended cannot be read"):
        answered(server.address, tmp_path, MANY)
    server.faults.clear()
    assert len(answered(server.address, tmp_path, MANY)) == 5
    assert ran_once(server)


@pytest.mark.parametrize("status", [404, 405, 501])
@pytest.mark.parametrize("step", ["upload", "create"])
def test_a_server_without_batches_is_told(
    server: BatchServer, tmp_path: Path, step: str, status: int
) -> None:
    server.fail(step, f"{status} nothing here")
    with pytest.raises(ModelError, match=f"the server has no batch API \\({status}") as told:
        answered(server.address, tmp_path, MANY)
    assert "batch: false" in told.value.remedy


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_is_refused_is_never_shown(server: BatchServer, tmp_path: Path, status: int) -> None:
    server.fail("upload", f"{status} your key {KEY}")
    with pytest.raises(ModelError, match=f"answers {status}") as told:
        answered(server.address, tmp_path, MANY, key=KEY)
    assert KEY not in f"{told.value} {told.value.remedy}"


def test_a_file_that_is_refused_is_told(server: BatchServer, tmp_path: Path) -> None:
    server.fail("upload", "400 bad file")
    with pytest.raises(ModelError, match="refuses POST /files with 400: bad file"):
        answered(server.address, tmp_path, MANY)


def test_rows_that_are_refused_are_listed_and_the_others_kept(server: BatchServer, tmp_path: Path) -> None:
    server.endings.append("rows 403 not for you")
    with pytest.raises(ModelError, match="requests without an answer after their batches: 3") as told:
        answered(server.address, tmp_path, MANY)
    assert "403 some_error not for you to 'Is 0 a number?'" in str(told.value)
    assert len(server.batches) == 1
    assert len(answered(server.address, tmp_path, MANY)) == 5
    assert ran_once(server)


def test_a_field_that_is_refused_is_left_out_in_the_next_batch(server: BatchServer, tmp_path: Path) -> None:
    server.endings.extend(["rows 400 Unsupported parameter: max_tokens", "rows 400 no temperature"])
    assert len(answered(server.address, tmp_path, MANY)) == 5
    assert ran_once(server)
    assert {"max_completion_tokens", "seed"} < server.bodies[-1].keys()
    assert not {"max_tokens", "temperature"} & server.bodies[-1].keys()


def test_a_request_is_sent_three_times_at_most(server: BatchServer, tmp_path: Path) -> None:
    server.endings.extend(["rows 500 oops"] * 9)
    with pytest.raises(ModelError, match="answer after their batches: 1\n  500 some_error oops to"):
        answered(server.address, tmp_path, MANY[:1])
    assert len(server.batches) == 3


def test_a_response_that_is_no_answer_is_sent_again(server: BatchServer, tmp_path: Path) -> None:
    replies = iter([{"error": "the GPU is gone"}, reply("yes")])
    server.answer = lambda body: next(replies)
    assert answered(server.address, tmp_path, MANY[:1])[MANY[0]].text == "yes"


def test_a_batch_that_fails_as_a_whole_is_told(server: BatchServer, tmp_path: Path) -> None:
    server.endings.extend(["failed invalid_model", "failed token_limit_exceeded"])
    with pytest.raises(ModelError, match="the server refuses a batch: invalid_model no"):
        answered(server.address, tmp_path, MANY)
    assert len(answered(server.address, tmp_path, MANY)) == 5  # another batch was in the queue, but ended


def test_files_have_the_size_that_servers_take(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_lines, "MOST_REQUESTS", 2)
    assert len(answered(server.address, tmp_path, MANY)) == 5
    assert len(server.batches) == 3
    length = max(len(line) + 1 for line in server.files["file-0"].splitlines())
    monkeypatch.setattr(batch_lines, "MOST_REQUESTS", 50_000)
    monkeypatch.setattr(batch_lines, "MOST_FILE_BYTES", 3 * length + 20)
    assert len(answered(server.address, tmp_path, requests_of(7, 10))) == 7
    assert len(server.batches) == 6  # 3 + 3 + 1 requests
    assert max(server.runs.values()) == 1


def test_the_run_stops_at_its_limit_of_requests_and_the_next_goes_on(
    server: BatchServer, tmp_path: Path
) -> None:
    limits = ServerSettings(max_requests=3)
    with pytest.raises(ModelError, match="limit of requests, 3"):
        answered(server.address, tmp_path, MANY, ledger=Ledger(limits))
    assert sum(server.runs.values()) == 3
    assert len(answered(server.address, tmp_path, MANY, ledger=Ledger(limits))) == 5
    assert ran_once(server)


def test_a_batch_costs_half(server: BatchServer, tmp_path: Path) -> None:
    prices: dict[str, Any] = {
        "price_per_million_input_tokens": 1000.0,
        "price_per_million_output_tokens": 2000.0,
    }
    priced = ServerSettings(batch=True, requests_per_minute=1, **prices)
    ledger = Ledger(ServerSettings(max_cost=10.0))
    server.endings.append("expired")
    answered(server.address, tmp_path, MANY, ledger=ledger, settings=priced)
    assert ledger.requests == 7  # two were sent again
    # five answers of 40 and 2 tokens: 5 · (40 · 0.001 + 2 · 0.002) / 2
    assert ledger.cost == pytest.approx(0.11)


def test_a_batch_beyond_its_window_is_cancelled_and_its_answers_are_read(
    server: BatchServer, tmp_path: Path
) -> None:
    server.looks = 1000
    server.endings.append("cancelled")
    now = [1e12]
    late = BatchPatience(clock=lambda: now[0], sleep=lambda seconds: server.__setattr__("looks", 1))
    assert len(answered(server.address, tmp_path, MANY, patience=late)) == 5
    assert "cancel" in server.steps
    assert ran_once(server)


def test_ctrl_c_leaves_the_batch_at_the_server(
    server: BatchServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def pressed(seconds: float) -> None:
        raise KeyboardInterrupt

    server.looks = 2
    with pytest.raises(KeyboardInterrupt):
        answered(server.address, tmp_path, MANY, sleep=pressed)
    assert "1 batch continues at the server; run again" in caplog.text
    assert len(answered(server.address, tmp_path, MANY)) == 5
    assert ran_once(server)


def test_waits_grow_and_notes_are_rare(
    server: BatchServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    server.looks, now, waits = 12, [1e9], list[float]()

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        now[0] += seconds

    patience = BatchPatience(window=1e10, clock=lambda: now[0], sleep=sleep)
    answered(server.address, tmp_path, MANY, patience=patience)
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60]
    assert sum("is in progress" in r.getMessage() for r in caplog.records) == 5  # at 63 s, then every 60 s


def test_a_batch_that_the_server_forgot_is_not_sent_again(server: BatchServer, tmp_path: Path) -> None:
    server.fail("look", *["500 "] * 6)
    with pytest.raises(ModelError):
        answered(server.address, tmp_path, MANY)
    server.batches.clear()
    with pytest.raises(ModelError, match="does not know batches/batch_0 any more") as told:
        answered(server.address, tmp_path, MANY)
    assert "answers.batches.sqlite" in told.value.remedy
    assert len(server.runs) == 5


def test_threads_and_stores_share_a_batch(server: BatchServer, tmp_path: Path) -> None:
    server.looks = 3
    with ThreadPoolExecutor(3) as pool:
        jobs = [pool.submit(answered, server.address, tmp_path, MANY) for _ in range(3)]
        assert all(len(job.result()) == 5 for job in jobs)
    assert ran_once(server)


def test_without_a_store_answers_stay_in_memory(server: BatchServer, tmp_path: Path) -> None:
    assert len(answered(server.address, None, MANY, record=tmp_path / "away")) == 5
    assert ran_once(server)


def test_a_record_that_is_damaged_is_told(server: BatchServer, tmp_path: Path) -> None:
    (tmp_path / "answers.batches.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(ModelError, match=r"record of batches cannot be stored in .*answers\.batches\.sqlite"):
        answered(server.address, tmp_path, MANY)
    assert not server.steps


FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.scoring.model_server.batched"])
KILLED = {
    "before the upload": ("upload", "hold first"),
    "after the upload": ("upload", "hold"),
    "before the batch is created": ("create", "hold first"),
    "after the batch is created": ("create", "hold"),
    "while it waits": ("look", "hold first"),
    "before the download": ("download", "hold first"),
    "half through the download": ("download", "half"),
}


@pytest.mark.slow
@pytest.mark.parametrize("moment", KILLED)
def test_a_killed_run_goes_on_and_nothing_is_run_twice(
    server: BatchServer, tmp_path: Path, moment: str
) -> None:
    step, fault = KILLED[moment]
    server.looks = 2
    server.fail(step, *([""] if step == "look" else []), fault)
    process = FORKS.Process(target=answered, args=(server.address, tmp_path, MANY))
    process.start()
    assert server.reached.wait(240)
    stored, over = Answers(tmp_path / "answers.sqlite"), threading.Event()
    while fault == "half" and not any(stored.get(request) for request in MANY):
        over.wait(0.02)  # a process tells nobody what it has stored
    process.kill()
    process.join(120)
    assert not all(stored.get(request) for request in MANY)
    assert len(answered(server.address, tmp_path, MANY)) == 5
    assert ran_once(server)
    assert len(server.batches) == 1


PASSING = ["503 ", "429 ", "cut", "lost", "html", ""]
STEPS = st.dictionaries(
    st.sampled_from(["upload", "create", "list", "look", "download"]),
    st.lists(st.sampled_from([*PASSING, "404 ", "half cut"]), max_size=9),
)
ENDINGS = ["", "expired", "cancelled", "failed x", "failed token_limit", "missing", "duplicated", "different",
           "reversed", "rows 503 busy", "rows 403 no", "rows rate_limit", "damaged", "unknown"]  # fmt: skip


@pytest.mark.slow
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, endings=st.lists(st.sampled_from(ENDINGS), max_size=8), count=st.integers(1, 6))
def test_every_request_has_one_answer_or_the_run_says_what_to_do(
    steps: dict[str, list[str]], endings: list[str], count: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder, requests = tmp_path_factory.mktemp("batches"), requests_of(count)
    with batch_server() as server:
        for step, faults in steps.items():
            server.fail(step, *faults)
        server.endings.extend(endings)
        kept, lost = set[str](), 0
        for _ in range(40):
            try:
                found = answered(server.address, folder, requests)
                break
            except ModelError as e:
                assert e.remedy
                assert "Traceback" not in str(e)
                there = {r.key for r in requests if Answers(folder / "answers.sqlite").get(r)}
                assert kept <= there
                kept = there
                if "not sent again" in str(e):  # the batch is really lost, so the remedy is followed
                    (folder / "answers.batches.sqlite").unlink()
                    lost += 1
        else:
            raise AssertionError("the faults are over, but the run does not end")
        assert {c.text for c in found.values()} == {"yes"}
        with closing(sqlite3.connect(folder / "answers.sqlite")) as db:
            assert db.execute("SELECT count(*) FROM completions").fetchone() == (count,)
        lossy = sum(ending in ("missing", "damaged") for ending in endings) + lost
        assert all(1 <= runs <= 1 + lossy for runs in server.runs.values())
