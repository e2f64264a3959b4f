"""`nextset validate serve`: a Label Studio on this machine with the gateway in front of it, and accounts."""

from __future__ import annotations

import signal
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nextset.cli.options import Debug
from nextset.cli.output import errors, print_note, print_result

if TYPE_CHECKING:
    from nextset.validation.gateway.gateway_server import Certificate
    from nextset.validation.label_studio.address_and_token import Connection

__all__ = ["serve"]


def serve(
    annotator: Annotated[
        list[str] | None,
        typer.Option(metavar="E-MAIL", help="Make an account for an annotator. Can be repeated."),
    ] = None,
    new_password: Annotated[
        list[str] | None,
        typer.Option(metavar="E-MAIL", help="Give an account a new password. Can be repeated."),
    ] = None,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, metavar="PORT", help="The port; 0 means any free port.")
    ] = 8181,
    tls_cert: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A certificate in PEM, for https.")
    ] = None,
    tls_key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The certificate's private key in PEM.")
    ] = None,
    behind_proxy: Annotated[
        str, typer.Option(metavar="URL", help="The https address of a proxy in front of the gateway.")
    ] = "",
    studio: Annotated[
        str,
        typer.Option(
            metavar="URL",
            help="Put the gateway in front of this Label Studio instead of starting one. Set "
            "NEXTSET_LABEL_STUDIO_TOKEN to its owner's token.",
        ),
    ] = "",
    debug: Debug = False,
) -> None:
    """Start a Label Studio on this machine, make accounts, and print each link and password once.

    Annotators reach it through a gateway, which allows only what judging needs and assigns the batches by
    itself. If the server already runs in another terminal, only the accounts are made.
    """
    with errors(debug, patient=True), ExitStack() as stack:
        from nextset.cli.validate_text import serving_text
        from nextset.validation.gateway.gateway_server import HOST, PORT, check_listening, listening
        from nextset.validation.label_studio.address_and_token import local_connection
        from nextset.validation.label_studio.local_owner import data_home
        from nextset.validation.label_studio.local_server import serving

        # before a server is started for them
        annotators = _names("--annotator", annotator or ())
        forgetful = _names("--new-password", new_password or ())
        certificate = _certificate(tls_cert, tls_key)
        folder = data_home()
        there = None if studio else local_connection(folder)
        if there is not None:
            print_result(f"Label Studio is already running at {there.url}.", False, None)
            if (host, port, certificate, behind_proxy) != (HOST, PORT, None, ""):
                print_note("it keeps its address and certificate; to change them, stop and restart it")
            _accounts(folder, there, annotators, forgetful)
            return
        check_listening(host, port, certificate=certificate, proxy=behind_proxy)  # before a server is started
        signal.signal(signal.SIGTERM, _stop)  # so that the server stops with this process
        running = None if studio else stack.enter_context(serving(folder, print_note))
        connection = running.connection if running else _own_server(studio)
        gateway = stack.enter_context(
            listening(connection, host, port, certificate=certificate, proxy=behind_proxy, say=print_note)
        )
        print_result(serving_text(gateway, running), False, None)
        named = local_connection(folder) if running else connection
        assert named is not None, "the gateway has just been noted"
        assert connection.folder is not None
        _accounts(connection.folder, named, annotators, forgetful)
        if running:
            running.keep_running(print_note, gateway.check)
        else:
            gateway.wait()


def _certificate(chain: Path | None, key: Path | None) -> Certificate | None:
    from nextset.errors import InputError
    from nextset.validation.gateway.gateway_server import Certificate

    if (chain is None) != (key is None):
        there, lacking = ("--tls-cert", "--tls-key") if chain else ("--tls-key", "--tls-cert")
        raise InputError(f"{there} is given, but {lacking} is not", remedy="give both, or neither")
    return Certificate(chain, key) if chain and key else None


def _own_server(url: str) -> Connection:
    """Return the connection to a running server, with its owner's token from the environment."""
    import os

    from nextset.errors import ServerError
    from nextset.validation.label_studio.address_and_token import TOKEN_VARIABLE, Connection, server_folder

    token = os.environ.get(TOKEN_VARIABLE, "")
    if not token:
        raise ServerError(
            f"{TOKEN_VARIABLE} is not set: the gateway needs it to use the server of --studio as its owner",
            remedy=f"set {TOKEN_VARIABLE} to an access token of the account that runs sessions there",
        )
    return Connection(url, token, folder=server_folder(url))


def _names(option: str, emails: Iterable[str]) -> list[str]:
    """Return the login names of ``emails``, each once. Raises ServerError with the number of a wrong one."""
    from nextset.errors import ServerError
    from nextset.validation.judgments.pseudonyms import identity
    from nextset.validation.label_studio.accounts import login_name

    names: dict[str, str] = {}
    for place, email in enumerate(emails, 1):
        try:
            names.setdefault(identity(email), login_name(email))
        except ServerError as e:
            raise ServerError(f"{option}, number {place}: {e.message}", remedy=e.remedy) from None
    return list(names.values())


def _accounts(
    folder: Path, connection: Connection, annotators: Iterable[str], forgetful: Iterable[str]
) -> None:
    """Make the accounts and passwords of these login names, and print them."""
    from nextset.cli.validate_text import account_text
    from nextset.validation.judgments.pseudonyms import identity
    from nextset.validation.label_studio.accounts import make_account, renew_password
    from nextset.validation.label_studio.api import LabelStudio
    from nextset.validation.label_studio.local_annotators import local_annotators, note_annotator

    before = {identity(email) for email in local_annotators(folder)}
    with LabelStudio(connection) as studio:
        for email in annotators:
            note_annotator(folder, email)
            text = account_text(email, make_account(studio, email), ours=identity(email) in before)
            print_result(text, False, None)
    for email in forgetful:
        text = f"{email}: new password {renew_password(folder, email)}, shown this once"
        print_result(text, False, None)


def _stop(number: int, frame: object) -> None:
    raise KeyboardInterrupt
