"""What annotators see: the labelling page, the guidelines, the tasks."""
