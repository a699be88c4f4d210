"""Ops that are run for their effect or their order: groups, prints, checks, control flow."""
