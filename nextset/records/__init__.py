"""The records that stages exchange, their ids and their Arrow schemas."""
