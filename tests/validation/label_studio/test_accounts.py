"""Accounts on a real Label Studio."""

from __future__ import annotations

import httpx2
import pytest

from nextset.errors import ServerError
from nextset.validation.label_studio.accounts import make_account, renew_password
from nextset.validation.label_studio.address_and_token import Connection
from nextset.validation.label_studio.api import LabelStudio
from tests.validation.faulty_proxy import proxied
from tests.validation.studio import QUICK, Studio


def logs_in(studio: Studio, email: str, password: str) -> bool:
    with httpx2.Client(base_url=studio.url, trust_env=False, timeout=60.0) as http:
        http.get("/user/login/").raise_for_status()
        form = {"email": email, "password": password, "csrfmiddlewaretoken": http.cookies["csrftoken"]}
        said = http.post("/user/login/", data=form, headers={"Referer": f"{studio.url}/user/login/"})
        return said.status_code == 302 and http.get("/api/current-user/whoami").json()["email"] == email


def test_an_annotator_logs_in_and_an_account_is_made_once(studio: Studio) -> None:
    client = studio.client()
    made = make_account(client, " Ada@Example.org ")
    assert made is not None
    assert made.email == "ada@example.org"
    assert made.password not in repr(made)
    assert logs_in(studio, made.email, made.password)
    assert not logs_in(studio, made.email, made.password + "x")
    assert make_account(client, "ada@example.org") is None
    assert [a.email for a in client.accounts()].count("ada@example.org") == 1
    assert [a.number for a in client.accounts()] == sorted(a.number for a in client.accounts())


def test_a_password_is_renewed_while_the_server_runs(studio: Studio) -> None:
    made = make_account(studio.client(), "renewed@example.org")
    assert made is not None
    renewed = renew_password(studio.data, "Renewed@example.org")
    assert logs_in(studio, made.email, renewed)
    assert not logs_in(studio, made.email, made.password)
    with pytest.raises(ServerError, match="no such account") as e:
        renew_password(studio.data, "nobody@example.org")
    assert "nobody" not in e.value.message + e.value.remedy


def test_nobody_signs_up_without_an_invitation(studio: Studio) -> None:
    with httpx2.Client(base_url=studio.url, trust_env=False, timeout=60.0) as http:
        http.get("/user/signup/").raise_for_status()
        form = {"email": "guest@example.org", "password": "a-long-password"}
        form["csrfmiddlewaretoken"] = http.cookies["csrftoken"]
        for path in ("/user/signup/", "/user/signup/?token=wrong"):
            said = http.post(path, data=form, headers={"Referer": f"{studio.url}/user/signup/"})
            assert said.status_code == 403
    assert "guest@example.org" not in {a.email for a in studio.client().accounts()}


@pytest.mark.parametrize("email", ["", "nobody", "a b@example.org", "x" * 250 + "@example.org", "a@b@c"])
def test_what_is_no_address_is_refused_and_not_shown(studio: Studio, email: str) -> None:
    with pytest.raises(ServerError) as e:
        make_account(studio.client(), email)
    assert not email or email not in e.value.message + e.value.remedy


def test_an_account_that_was_made_without_an_answer_is_found(studio: Studio) -> None:
    with proxied(studio.url) as proxy:
        proxy.only("POST", "/user/signup/", "504 after")
        with LabelStudio(Connection(proxy.address, studio.connection.token), QUICK) as client:
            made = make_account(client, "lost@example.org")
    assert made is not None
    assert logs_in(studio, made.email, made.password)


def test_both_kinds_of_tokens_work(studio: Studio) -> None:
    someone = studio.annotator("tokens@example.org")
    newer = studio.personal_token(someone)
    assert newer.count(".") == 2
    for token in (someone.connection.token, newer):
        with LabelStudio(Connection(studio.url, token), QUICK) as client:
            assert someone.number in {a.number for a in client.accounts()}
            assert client.project("nextset:none") is None


@pytest.mark.parametrize("token", ["0" * 40, "a.b.c"])
def test_a_wrong_token_is_said_to_be_wrong_and_not_shown(studio: Studio, token: str) -> None:
    with LabelStudio(Connection(studio.url, token), QUICK) as client:
        with pytest.raises(ServerError, match="does not accept the token") as e:
            client.accounts()
        assert token not in f"{e.value.message} {e.value.remedy} {client!r}"
