"""The gateway: the only address that people get; it lets through the requests that judging needs."""
