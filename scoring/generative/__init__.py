"""Models that write text: choices by their probability, or by the votes of a server."""
