"""Freezing: a graph whose variables are constants, cut to what its outputs need.

    frozen = icefloe.graphs.freeze("model.ckpt-30.meta", checkpoint="model.ckpt-30", outputs=["softmax:0"])
    icefloe.save_graph(frozen.graph_def, "frozen.pb")

Only the variables that the outputs need are read: a checkpoint may lack the slots of an optimizer that the graph has.
Calls of functions are inlined, those in functions too; functions of conditionals and loops take values in place of
handles. Tables keep their nodes; a table that the outputs need is filled from constants by operations that the report
names.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from icefloe import errors
from icefloe.analysis.graph_argument import listed, takes_graphs
from icefloe.graph.build import apply_op
from icefloe.graph.graph import Graph
from icefloe.graph.graph_file import read_graph
from icefloe.near_names import near_names
from icefloe.proto import NodeDef
from icefloe.session import BaseSession, Session
from icefloe.transforms import constant_variables, inlining, inlining_in_functions, node_edits, variable_values
from icefloe.transforms.comparing import compare_runs
from icefloe.transforms.finishing import (
    PLACEHOLDERS,
    feed_instead,
    fill_tables,
    fillers,
    needed_nodes,
    output_names,
    tensor_name,
)
from icefloe.transforms.reports import Check, PassReport, Transformed, first_line, notes


@takes_graphs()
def freeze(
    graph: Graph,
    checkpoint: str | os.PathLike[str] | None = None,
    *,
    session: Session | None = None,
    outputs: Iterable[str] | None = None,
    inputs: Iterable[str] = (),
    clear_devices: bool = True,
    keep_variables: Iterable[str] = (),
    check: bool = True,
    seed: int = 0,
) -> Transformed:
    """Return `graph` with the values of its variables as constants.

    checkpoint: where the values are; any path of one. session: a session of the graph that holds them, in place of a
    checkpoint; without either, a graph without variables is only cut and inlined.
    outputs: names of tensors or operations, by default those of signatures or the likeliest one. inputs: tensors to be
    fed in place of what computes them.
    clear_devices: take device pins out. keep_variables: names of variables to leave as they are.
    check: run old and new on random feeds and compare.

    Raises: NotFoundError that lists the variables that the checkpoint lacks; InvalidArgumentError if the graph has no
    outputs, or uses a variable in a way that a constant cannot take; InternalError if the frozen graph gives other
    values.
    """
    if session is not None and not isinstance(session, BaseSession):
        raise TypeError(f"freeze: expected a Session as 'session', got {type(session).__name__}")
    wanted = output_names(graph, outputs)
    stops = [tensor_name(graph, name) for name in listed(inputs)]
    nodes = node_edits.Nodes(graph)
    before = len(nodes)
    fed = feed_instead(nodes, graph, stops)
    passes = [PassReport("cut to the outputs", removed=nodes.keep(needed_nodes(nodes, wanted)))]
    if any(inlining.function_of(node, nodes) for node in nodes):
        passes.append(inlining.inline_calls(nodes, {node_edits.node_of(name) for name in wanted}))
        passes.append(PassReport("cut to the outputs", removed=nodes.keep(needed_nodes(nodes, wanted))))
    within = inlining_in_functions.inline_in_functions(nodes)
    passes += [within] if within.removed else []
    kept = _kept(graph, keep_variables)
    names = [node.name for node in nodes if node.op in constant_variables.VARIABLES and node.name not in kept]
    values = _values(graph, checkpoint, session, names)
    passes.append(constant_variables.to_constants(nodes, values))
    passes.append(_tidy(nodes, wanted, clear_devices))
    result = Transformed(
        nodes.to_graph_def(),
        tuple(f"{node.name}:0" for node in nodes if node.op in PLACEHOLDERS),
        tuple(wanted),
        tuple(passes),
        before,
        tuple(fillers(nodes)),
    )
    if not check:
        return result
    done = replace(result, check=_checked(graph, session, values, result, fed, seed))
    if done.check is not None and done.check.status == "different":
        raise errors.InternalError(f"the frozen graph gives other values, and was not kept: {done.check.detail}")
    return done


def _kept(graph: Graph, names: Iterable[str]) -> set[str]:
    """Return the nodes of the variables that stay. Raises: NotFoundError if the graph has no variable of a name."""
    kept = {node_edits.node_of(name if isinstance(name, str) else name.name) for name in listed(names)}
    for name in kept:
        if name not in graph._by_name or graph._by_name[name].type not in constant_variables.VARIABLES:
            known = [op.name for op in graph.get_operations() if op.type in constant_variables.VARIABLES]
            near = ", ".join(repr(other) for other in near_names(name, known))
            raise errors.NotFoundError(f"no variable {name!r} to keep" + (f"; did you mean {near}?" if near else ""))
    return kept


def _values(
    graph: Graph, checkpoint: str | os.PathLike[str] | None, session: Session | None, names: Sequence[str]
) -> dict[str, np.ndarray]:
    """Return the values of variable nodes; those of inlined functions are named as in the graph they come from."""
    if not names:
        return {}
    if session is not None:
        return variable_values.from_session(session, names)
    if checkpoint is None:
        listed = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
        raise errors.InvalidArgumentError(
            f"the outputs need {len(names)} variables ({listed}): give the checkpoint that holds their values"
        )
    return variable_values.from_checkpoint(graph, checkpoint, names)


def _tidy(nodes: node_edits.Nodes, outputs: Sequence[str], clear_devices: bool) -> PassReport:
    """Cut again, and take out what says nothing in a frozen graph: colocation with nodes that are gone, devices."""
    removed = nodes.keep(needed_nodes(nodes, outputs))

    def clean(node: NodeDef) -> bool:
        pinned = clear_devices and bool(node.device)
        if pinned:
            node.device = ""
        return pinned

    changed = node_edits.each_body(nodes, clean) + sum(nodes.leave_places(node) for node in nodes)
    functions = nodes.prune_library()
    told = notes([f"{functions} functions are not used any more"] if functions else [])
    return PassReport("tidy", removed=removed, changed=changed, notes=told)


def _checked(
    graph: Graph,
    session: Session | None,
    values: Mapping[str, np.ndarray],
    result: Transformed,
    fed: Mapping[str, str],
    seed: int,
) -> Check:
    """Compare the frozen graph with the one it was made of, whose variables get the same values."""
    new_inputs = {new: old for old, new in fed.items()}
    inputs = [new_inputs.get(name, name) for name in result.inputs]
    if session is not None:
        return compare_runs(
            session, result.graph_def, inputs, result.outputs, names=fed, seed=seed, initialize=result.initializers
        )
    old = read_graph(graph.as_graph_def())
    with Session(graph=old) as before:
        try:
            _assign(before, values)
            fill_tables(before, result.initializers)
        except (errors.OpError, KeyError, ValueError) as error:
            return Check("not checked", f"the graph does not start: {first_line(error)}")
        return compare_runs(
            before, result.graph_def, inputs, result.outputs, names=fed, seed=seed, initialize=result.initializers
        )


def _assign(session: Session, values: Mapping[str, np.ndarray]) -> None:
    """Give variables of a session values, without nodes that the graph may lack."""
    assigns = []
    with session.graph.as_default(), session.graph.control_dependencies(None):
        for name, value in values.items():
            variable = session.graph.get_tensor_by_name(f"{name}:0")
            if variable.op.type == "VarHandleOp":
                assigns.append(apply_op("AssignVariableOp", variable, value))
            else:
                assigns.append(apply_op("Assign", variable, value, validate_shape=False).op)
    session.run(assigns)
