"""Ops on lookup tables: making, filling, searching and changing them."""
