"""Label Studio: a server of one's own, accounts, and what is sent to it and read from it."""
