"""Seeded mutations of files: bits, bytes, lines and values that people, programs or attackers change."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

__all__ = ["mutated"]

# fmt: off
VALUES = (
    b"null", b"[]", b"{}", b"true", b"-1", b"1e999", b".nan", b"NaN", b"1.0", b"''", b'"', b"'", b"9" * 5_000,
    b"2026-11-21", b"!!python/object/apply:os.system ['true']", b"*unknown", b"&a [*a]", b"<<: 1", b"? [a]",
    b"\\ud800", b'"\\ud800"', b"\x00", b"\x1b[31m", b"\xff\xfe", b"\xed\xa0\x80", b"\xe2\x80\xae",
    b"\xe2\x80\xa8", "“typographic”".encode(), b"{{MASK}}", b"{{", b"}}", b"{{GROUP1}}" * 3,
    b"[[1], {a: [b]}]",
    b"../../etc/passwd", b"/", b"|", b">", b"%", b"%%%", b"@", b"`", b"\t", b"\r", b"\r\n", b";", b",",
    b",,,,", b"~", b"0x1F", b"1_000",
)
# fmt: on
"""What a value, or a piece of text, is replaced by."""
LONG = (
    b"a" * 20_000, b"{{" * 5_000, b"[" * 3_000, b"{" * 3_000, b"- " * 3_000, b"a: " * 2_000, b'{"a":' * 3_000,
    b" " * 20_000, b"\n" * 20_000, b'"' * 5_001, b"a b " * 10_000, b"[a] " * 5_000, b"<think>" * 3_000,
)  # fmt: skip
"""What is put in between."""


def mutated(raw: bytes, rng: random.Random) -> bytes:
    """``raw`` with one to three mutations; never ``raw`` itself."""
    found = raw
    while found == raw:
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            found = rng.choices(_KINDS, _WEIGHTS)[0](found, rng)
    return found


def _bit(raw: bytes, rng: random.Random) -> bytes:
    if not raw:
        return b"\x01"
    i = rng.randrange(len(raw))
    return raw[:i] + bytes([raw[i] ^ 1 << rng.randrange(8)]) + raw[i + 1 :]


def _cut(raw: bytes, rng: random.Random) -> bytes:
    return raw[: rng.randrange(len(raw) + 1)]


def _gap(raw: bytes, rng: random.Random) -> bytes:
    i = rng.randrange(len(raw) + 1)
    return raw[:i] + raw[i + rng.choice((1, 2, 10, 100)) :]


def _token(raw: bytes, rng: random.Random) -> bytes:
    i = rng.randrange(len(raw) + 1)
    return raw[:i] + rng.choice(VALUES) + raw[i + rng.choice((0, 0, 1, 5)) :]


def _value(raw: bytes, rng: random.Random) -> bytes:
    """Another value after a colon or between commas."""
    places = [m.span(1) for m in re.finditer(rb"(?:: ?|,|- )([^\n,:\[\]{}]+)", raw)]
    if not places:
        return _token(raw, rng)
    start, end = rng.choice(places)
    return raw[:start] + rng.choice(VALUES) + raw[end:]


def _key(raw: bytes, rng: random.Random) -> bytes:
    """Another key, or one that is there twice."""
    places = [m.span(1) for m in re.finditer(rb'([A-Za-z_0-9"]+):', raw)]
    if not places:
        return _token(raw, rng)
    start, end = rng.choice(places)
    other = rng.choice([b"unknown", b"1", b"null", b"[a]", *(raw[a:b] for a, b in places[:20])])
    return raw[:start] + other + raw[end:]


def _line(raw: bytes, rng: random.Random) -> bytes:
    """A line gone, doubled, moved or indented."""
    lines = raw.split(b"\n")
    i = rng.randrange(len(lines))
    j = rng.randrange(len(lines))
    others = lines[:i] + lines[i + 1 :]
    kind = rng.randrange(4)
    if kind == 0:
        return b"\n".join(others)
    if kind == 1:
        return b"\n".join([*lines[:i], lines[i], *lines[i:]])
    if kind == 2:
        return b"\n".join([*others[:j], lines[i], *others[j:]])
    return b"\n".join([*lines[:i], rng.choice((b" ", b"  ", b"\t")) + lines[i], *lines[i + 1 :]])


def _long(raw: bytes, rng: random.Random) -> bytes:
    i = rng.randrange(len(raw) + 1)
    return raw[:i] + rng.choice(LONG) + raw[i:]


def _empty(raw: bytes, rng: random.Random) -> bytes:
    return rng.choice((b"", b"\n", b"\xef\xbb\xbf", b"---\n", b"null", b"[]", b"{}", b"\x00" * 100))


Mutation = Callable[[bytes, random.Random], bytes]
_KINDS: tuple[Mutation, ...] = (_bit, _cut, _gap, _token, _value, _key, _line, _long, _empty)
_WEIGHTS = (4, 2, 2, 4, 8, 4, 4, 2, 1)
