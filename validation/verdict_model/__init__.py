"""The verdict model: a small classifier that predicts verdicts, to order the queue; it judges nothing."""
