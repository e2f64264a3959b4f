"""The gateway: the only address that people get; it passes on to Label Studio what judging needs."""
