"""Interventions: sentences that tell a model how to judge, and twins whose contexts name the answer."""
