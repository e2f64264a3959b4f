"""The part of each form of rows in scoring: its inputs, scores, canaries and wordings."""
