"""Seeds of random ops, from the graph's seed and the op's.

Source: tensorflow/python/framework/random_seed.py.
"""

from __future__ import annotations

from icefloe.graph.graph import get_default_graph
from icefloe.process_options import OPTIONS

DEFAULT_GRAPH_SEED = 87654321
_MODULUS = 2**31 - 1


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """Return the attrs (seed, seed2) of a random op, or (None, None) where neither graph nor op has a seed.

    With a graph seed only, seed2 counts the ops of this graph that asked so: 0, 1, 2, ...

    Raises: RuntimeError where neither has one although determinism is enabled.
    """
    graph = get_default_graph()
    graph_seed = graph.seed
    if graph_seed is None:
        if op_seed is None:
            if OPTIONS.deterministic:
                raise RuntimeError(
                    "Random ops require a seed to be set when determinism is enabled. Please set a seed before running "
                    "the op, e.g. by calling tf.random.set_random_seed(1)."
                )
            return None, None
        seeds = DEFAULT_GRAPH_SEED, op_seed % _MODULUS
    else:
        if op_seed is None:
            op_seed = graph._seeds_given
            graph._seeds_given += 1
        seeds = graph_seed % _MODULUS, op_seed % _MODULUS
    # Both zero would mean: seed yourself.
    return (0, _MODULUS) if seeds == (0, 0) else seeds


def set_random_seed(seed: int | None) -> None:
    """Set the seed of the default graph."""
    get_default_graph().seed = seed
