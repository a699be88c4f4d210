"""Optimizing a graph for inference: named passes, in order, and a check of the result.

smaller = icefloe.graphs.optimize(graph, outputs=["softmax:0"])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from icefloe.analysis.graph_argument import listed, takes_graphs
from icefloe.graph.graph import Graph
from icefloe.transforms import batch_norms, constant_folding, fusing, simplifying
from icefloe.transforms.finishing import feed_instead, finish, kept_nodes, needed_nodes, output_names, tensor_name
from icefloe.transforms.node_edits import Nodes
from icefloe.transforms.reports import PassReport, Transformed

# Pass -> what does it; in the order they run.
PASSES: dict[str, Callable[[Nodes, set[str]], PassReport]] = {
    "identities": simplifying.remove_identities,
    "dropout": simplifying.remove_dropout,
    "shapes": constant_folding.fold_shapes,
    "constants": constant_folding.fold_constants,
    "batch_norms": batch_norms.fold_batch_norms,
    "resizing": fusing.fuse_resize_and_convolution,
    "duplicates": simplifying.merge_duplicates,
}
DEFAULT = ("identities", "shapes", "constants", "batch_norms", "duplicates")


@takes_graphs()
def optimize(
    graph: Graph,
    outputs: Iterable[str] | None = None,
    inputs: Iterable[str] = (),
    *,
    passes: Iterable[str] = DEFAULT,
    check: bool = True,
    tolerance: float | None = None,
) -> Transformed:
    """Return `graph` made smaller and faster, with the same outputs.

    outputs: names of tensors, by default those of signatures or the likeliest one. inputs: tensors to be fed in place
    of what makes them. passes: of PASSES; they run in its order. `resizing` saves memory, not time. `dropout` changes
    what the graph gives: old and new are not compared once it took something out. tolerance: the largest difference
    that is taken for rounding, relative to the largest element.

    Raises: ValueError for an unknown pass; KeyError or ValueError for a name that the graph does not have;
    InternalError if the new graph gives other values.
    """
    chosen = set(passes)
    unknown = chosen - PASSES.keys()
    if unknown:
        raise ValueError(f"no such passes: {', '.join(sorted(unknown))}; there are {', '.join(PASSES)}")
    wanted = output_names(graph, outputs)
    kept = kept_nodes(graph, wanted)
    nodes = Nodes(graph)
    fed = feed_instead(nodes, graph, [tensor_name(graph, name) for name in listed(inputs)])
    reports = [PassReport("cut to the outputs", removed=nodes.keep(needed_nodes(nodes, wanted)))]
    for name, run in PASSES.items():
        if name in chosen:
            reports.append(run(nodes, kept))
            nodes.keep(needed_nodes(nodes, wanted))
    if "identities" in chosen:
        again = simplifying.remove_identities(nodes, kept)
        reports += [again] if again.removed else []
        nodes.keep(needed_nodes(nodes, wanted))
    nodes.prune_library()
    dropped = any(report.name == "remove dropout" and report.removed for report in reports)
    return finish(graph, nodes, wanted, reports, check=check and not dropped, names=fed, tolerance=tolerance)
