"""Ctrl-C ends a command within two seconds, with one line and exit code 130, whatever it is doing."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

BEGIN = (
    "import signal, threading\n"
    "from nextset.cli.output import errors\n"
    "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's job with & ignores it
    "say = lambda: print('begun', flush=True)\n"
)
STUCK = BEGIN + (
    "with errors(False):\n"
    "    try:\n"
    "        say()\n"
    "        threading.Event().wait()\n"
    "    finally:\n"
    "        threading.Event().wait()\n"
)
COMPUTING = BEGIN + (  # a native loop that knows nothing of Python's signals
    "import torch\n"
    "with errors(False):\n"
    "    say()\n"
    "    torch.linalg.svd(torch.eye(6000) + torch.rand(6000, 6000))\n"
)
PATIENT = BEGIN + (
    "with errors(False, patient=True):\n"
    "    try:\n"
    "        say()\n"
    "        threading.Event().wait()\n"
    "    finally:\n"
    "        print('ended what it had started', flush=True)\n"
)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (STUCK, ""),
        (PATIENT, "ended what it had started\n"),
        pytest.param(COMPUTING, "", marks=pytest.mark.slow),
    ],
    ids=["a thread that does not end", "a server to stop", "a long computation"],
)
def test_ctrl_c_ends_a_command(code: str, said: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        try:
            out, err = process.communicate(timeout=20)
        finally:
            process.kill()
    assert time.monotonic() - begun < 2
    assert (process.returncode, out) == (130, said)
    assert err == "stopped; run the same command again to resume\n"
