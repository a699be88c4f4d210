"""Ops on variables, of both kinds: reading, assigning, scattering, and the updates of optimizers."""
