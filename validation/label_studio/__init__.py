"""Label Studio: a local server, accounts, and requests to the server."""
