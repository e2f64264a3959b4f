"""Measures of users: functions of items and predictions, with the intervals and tables of nextset's own."""
