"""Graphs changed as a whole: frozen, stripped, repaired, cut. Each transform takes a graph and returns a new one."""
