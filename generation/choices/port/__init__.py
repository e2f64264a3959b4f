"""The port of choice items to another culture: decisions on templates, and a survey of people there."""
