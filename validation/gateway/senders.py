"""The sender of a request: the address that it comes from, and the person for the limit of connections."""

from __future__ import annotations

from starlette.requests import Request

from nextset.validation.gateway.gateway import Gateway
from nextset.validation.gateway.identities import Person

__all__ = ["note_person", "sender_of"]


def sender_of(gateway: Gateway, request: Request) -> str:
    """Return the address that the request comes from."""
    client = request.client.host if request.client else ""
    return gateway.address.sender(client, request.headers.getlist("x-forwarded-for"))


def note_person(gateway: Gateway, request: Request, person: Person | None) -> None:
    """Record that the request's connection belongs to ``person``; with None nothing changes."""
    if person is not None and request.client is not None:
        client = request.client.host, request.client.port
        gateway.connections.identified(client, person.number, owner=person.owner)
