"""The gateway: the only address that people get; it passes to Label Studio only the requests that judging
needs."""
