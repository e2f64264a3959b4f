"""Secrets that the process knows are in no text that is kept or shown."""

from __future__ import annotations

import base64
import json
import re
import time
import urllib.parse
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nextset.errors import InputError, ModelError
from nextset.redaction import HIDDEN, VARIABLES, hide, redacted

KEY = "Kx/9+secret=0123'\"&"


@pytest.mark.parametrize("variable", VARIABLES)
def test_what_the_environment_holds_is_hidden(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, KEY)
    assert redacted(f"you said Bearer {KEY}.") == "you said Bearer ***."


@pytest.mark.parametrize(
    "written",
    [
        KEY,
        KEY.lower(),
        json.dumps({"header": KEY}),
        json.dumps({"header": KEY}).replace("/", "\\/"),
        repr(KEY),
        f"https://host/?key={urllib.parse.quote(KEY)}",
        f"https://host/?key={urllib.parse.quote(KEY, safe='')}",
        base64.b64encode(KEY.encode()).decode(),
    ],
)
def test_secrets_are_known_as_servers_write_them(written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert HIDDEN in redacted(written)
    assert "0123" not in redacted(written)
    assert base64.b64encode(KEY.encode()).decode()[:8] not in redacted(written)


@pytest.mark.parametrize("before", ["Bearer ", "a", "ab", "abc"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode, base64.encodebytes])
@pytest.mark.parametrize("key", ["Zq8-fake.Key+Value/0123456789abcDEF", "s\u00fc\u00df?>~~key?>"])
def test_a_secret_inside_base64_is_hidden(
    before: str, encode: Callable[[bytes], bytes], key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A header as a whole, in base64: the key begins at any of three places in a group of four letters."""
    monkeypatch.setenv("OPENAI_API_KEY", key)
    written = encode(f"{before}{key} and more".encode()).decode()
    shown = redacted(written)
    assert HIDDEN in shown
    # a letter at each end also depends on what is beside the key
    left = len("".join(shown.replace(HIDDEN, "").split()))
    assert left <= 4 * -(-len(f"{before}{key} and more".encode()) // 3) - len(key.encode()) * 8 // 6 + 1


ODD = "Zq8-fake.Key+Value/0123"


@pytest.mark.parametrize(
    "written",
    [
        "\n".join(ODD),
        ODD[:9] + "\n   " + ODD[9:],
        json.dumps(ODD[:9] + "\n" + ODD[9:]),
        "\u200b".join(ODD),
        ODD.encode().hex(),
        ODD.encode().hex(" ").upper(),
        "".join(f"%{ord(c):02X}" for c in ODD),
        "".join(f"&#{ord(c)};" for c in ODD),
        "".join(f"&#x{ord(c):04x};" for c in ODD),
        "".join(f"\\u{ord(c):04x}" for c in ODD),
        "".join(f"\\x{ord(c):02x}" for c in ODD),
    ],
)
def test_a_secret_with_every_character_escaped_is_hidden(
    written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", ODD)
    assert redacted(f"you said {written}.").replace('"', "") == "you said ***."


def test_a_secret_that_came_from_elsewhere_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nextset.redaction._HIDDEN_TEXTS", set())
    hide("a token of the keyring")
    hide("")
    assert redacted("it is a token of the keyring") == "it is ***"
    assert redacted("nothing") == "nothing"


@pytest.mark.parametrize("key", ["x", "EMPTY"])
def test_what_servers_without_keys_are_given_is_not_hidden(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers and errors with these letters stay as they are."""
    monkeypatch.setenv("OPENAI_API_KEY", key)
    assert redacted("the list for Mexico is empty") == "the list for Mexico is empty"


def test_the_longer_of_two_secrets_is_hidden_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "abcdefgh")
    monkeypatch.setenv("HF_TOKEN", "abcdefgh-and-more")
    assert redacted("abcdefgh-and-more, abcdefgh") == "***, ***"


def test_tokens_of_others_are_hidden_by_their_looks() -> None:
    assert redacted(f"hf_{'A1' * 17}, sk-proj-{'b2' * 9}") == "***, ***"
    assert redacted("hf_hub, task-of-the-day-0123456789") == "hf_hub, task-of-the-day-0123456789"


@given(text=st.text())
def test_other_texts_stay(text: str) -> None:
    assert redacted(text) == text or HIDDEN in redacted(text)


def test_no_error_shows_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sesame-open")
    error = ModelError("it said sesame-open", remedy="do not say sesame-open")
    assert (str(error), error.remedy, error.args) == ("it said ***", "do not say ***", ("it said ***",))
    assert "sesame" not in str(InputError("sesame-open is there", remedy="", file="study.yaml", line=1))


OLD_BETWEEN = r"(?:[\s\u00ad\u200b-\u200f\u2060\ufeff]|\\[nrt])*"


@given(
    pieces=st.lists(
        st.sampled_from(
            [*"qZ8-/=", " ", "\n", "\\n", "\u200b", "\\u0071", "%5A", "&#56;", "\\/", "\\x2d", "="]
        ),
        max_size=60,
    )
)
@example(pieces=list("qZ8-/=qZ8-/="))
@example(pieces=["q", "\\n", "Z", " ", "&#56;", "\\x2d", "\\/", "="])
def test_what_one_pattern_for_all_ways_finds_is_hidden(pieces: list[str]) -> None:
    """The pattern takes quadratic time, but says what is promised: blanks, and any character escaped."""
    forms = {"q": r"\\u0071", "Z": "%5A", "8": "&#56;", "-": r"\\x2d", "/": r"\\/", "=": "%3D"}
    pattern = OLD_BETWEEN.join(f"(?:{re.escape(c)}|{form})" for c, form in forms.items())
    text = "".join(pieces)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "qZ8-/=")
        assert redacted(text) == re.sub(pattern, HIDDEN, text, flags=re.IGNORECASE)


@pytest.mark.parametrize(
    "unit",
    [
        "\\n",
        "\\t",
        "n\\n",
        " ",
        "n ",
        "\u200b",
        "%6e",
        "%",
        "&#",
        "&#0",
        "&#110;",
        "\\u006e",
        "\\",
        "sk-",
        "n",
    ],
)
def test_the_time_is_proportional_to_the_text(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times the text takes four times as long, not sixteen times; a fixed part is forgiven."""
    monkeypatch.setenv("OPENAI_API_KEY", "nn-nosecret-with-nt")

    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        begun = time.thread_time()
        assert redacted(text) in (text, HIDDEN)
        return time.thread_time() - begun

    assert seconds(1_000_000) < 10 * seconds(250_000) + 0.2
