"""The records that stages pass on, their ids and their Arrow schemas."""
