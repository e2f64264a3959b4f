"""Extensions that are part of nextset and registered by entry points only: interventions and ambiguity."""
