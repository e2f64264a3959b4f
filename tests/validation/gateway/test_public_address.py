"""Where people reach the gateway, and that no password travels unencrypted."""

from __future__ import annotations

import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import ServerError
from nextset.validation.gateway.public_address import public_address


@pytest.fixture(autouse=True)
def _no_further_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ALLOWED_HOSTS", raising=False)


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "", "192.168.1.7", "10.0.0.1", "fe80::1", "lab.example.org"]
)
def test_other_machines_need_tls(host: str) -> None:
    with pytest.raises(ServerError, match="unencrypted") as e:
        public_address(host, 8181, tls=False)
    for remedy in ("--tls-cert", "--tls-key", "--behind-proxy https://"):
        assert remedy in e.value.remedy
    assert public_address(host, 8181, tls=True).tls
    assert public_address(host, 8181, tls=False, proxy="https://judge.example.org").behind_proxy


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost", "LocalHost"])
def test_this_machine_needs_none(host: str) -> None:
    address = public_address(host, 8181, tls=False)
    assert not address.tls
    assert not address.behind_proxy
    assert address.url.lower() == f"http://{'[::1]' if host == '::1' else host.lower()}:8181"


def test_the_names_and_origins_of_this_machine() -> None:
    address = public_address("127.0.0.1", 8181, tls=False)
    assert set(address.hosts) == {"127.0.0.1", "localhost", "[::1]"}
    assert address.origins == {"http://127.0.0.1:8181", "http://localhost:8181", "http://[::1]:8181"}


def test_an_ip_6_address_has_brackets() -> None:
    address = public_address("2001:db8::7", 8181, tls=True)
    assert address.url == "https://[2001:db8::7]:8181"
    assert "[2001:db8::7]" in address.hosts
    assert "https://[2001:db8::7]:8181" in address.origins


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_everywhere_is_shown_by_name(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name = socket.gethostname().lower()
    address = public_address(host, 8181, tls=True)
    assert address.url == f"https://{name}:8181"
    assert {name, f"{name}.local", "localhost"} <= set(address.hosts)
    monkeypatch.setenv("ALLOWED_HOSTS", "Judge.Example.org, lab.local,")
    address = public_address(host, 8181, tls=True)
    assert address.url == "https://judge.example.org:8181"
    assert {name, "judge.example.org", "lab.local"} <= set(address.hosts)


@pytest.mark.parametrize(
    ("tls", "port", "url"), [(True, 443, "https://lab.local"), (True, 80, "https://lab.local:80")]
)
def test_the_usual_port_is_left_out_as_browsers_do(tls: bool, port: int, url: str) -> None:
    address = public_address("lab.local", port, tls=tls)
    assert address.url == url
    assert url in address.origins, "a browser sends this one, and every login would be refused"
    assert public_address("localhost", 80, tls=False).url == "http://localhost"


@pytest.mark.parametrize(
    ("proxy", "url"),
    [
        ("https://judge.example.org", "https://judge.example.org"),
        ("https://Judge.Example.org/", "https://judge.example.org"),
        ("https://judge.example.org:443", "https://judge.example.org"),
        ("https://judge.example.org:8443", "https://judge.example.org:8443"),
        ("https://[2001:db8::7]:8443", "https://[2001:db8::7]:8443"),
    ],
)
def test_behind_a_proxy(proxy: str, url: str) -> None:
    address = public_address("0.0.0.0", 8181, tls=False, proxy=proxy)
    assert (address.url, address.tls, address.behind_proxy) == (url, True, True)
    assert url in address.origins
    assert "http://127.0.0.1:8181" not in address.origins
    assert {"127.0.0.1", url.removeprefix("https://").removesuffix(":8443")} <= set(address.hosts)


@pytest.mark.parametrize(
    "proxy",
    ["http://judge.example.org", "judge.example.org", "https://", "https://judge.example.org/labels",
     "https://judge.example.org?a=1", "https://judge.example.org#a", "https://me:secret@judge.example.org",
     "https://judge.example.org:99999", "https://judge.example.org:port", "https://[::1", "https://*",
     "https://a b", "https://judge.example.org:0", "ftp://judge.example.org"],
)  # fmt: skip
def test_what_is_no_address_of_a_proxy(proxy: str) -> None:
    with pytest.raises(ServerError, match="proxy") as e:
        public_address("127.0.0.1", 8181, tls=False, proxy=proxy)
    assert "--behind-proxy https://NAME" in e.value.remedy
    assert "secret" not in e.value.message + e.value.remedy


@given(st.text(max_size=25))
def test_any_text_is_an_address_of_a_proxy_or_refused(rest: str) -> None:
    try:
        address = public_address("127.0.0.1", 8181, tls=False, proxy=f"https://{rest}")
    except ServerError:
        return
    assert len(address.origins) == len(address.hosts)
    assert address.url.startswith("https://")


@pytest.mark.parametrize(
    "names", ["*", "*.example.org", ".example.org", "a.example.org:8181", "https://a", "a b", "a,*"]
)
def test_further_names_are_whole_names(names: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOWED_HOSTS", names)
    with pytest.raises(ServerError, match="ALLOWED_HOSTS contains") as e:
        public_address("127.0.0.1", 8181, tls=False)
    assert "without ports or *" in e.value.remedy


@pytest.mark.parametrize("written", ["2001:db8::7", "[2001:db8::7]"])
def test_a_number_of_ip_6_is_a_further_name_with_brackets_and_without(
    written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALLOWED_HOSTS", written)
    address = public_address("0.0.0.0", 8181, tls=True)
    assert address.url == "https://[2001:db8::7]:8181"
    assert "[2001:db8::7]" in address.hosts, "as browsers write it in the header Host"
