"""The pipeline: the stages that packages declare, their order, a run of them and their state."""
