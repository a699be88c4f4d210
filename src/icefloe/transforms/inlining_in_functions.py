"""Calls inside of functions replaced by the nodes of the functions that are called.

    cond_true(x): y = PartitionedCall(x; f)   ->   cond_true(x): y/... , the nodes of f, `y/` before their names

For the functions that conditionals, loops, datasets and others keep. A FunctionDef names its tensors otherwise than a
graph (`node:argument:0`), so it is done on FunctionDefs as they are. A call of a function whose types the call chooses
stays; a function that is called by itself, through others, keeps that call.
"""

from __future__ import annotations

from collections.abc import Iterable

from icefloe.proto import FunctionDef, NodeDef
from icefloe.transforms.bodies import Body
from icefloe.transforms.inlining import function_of
from icefloe.transforms.node_edits import Nodes, called_functions, control_inputs, data_inputs, set_inputs, tensor_key
from icefloe.transforms.reports import PassReport

_MOST_NODES = 1_000_000


def inline_in_functions(nodes: Nodes) -> PassReport:
    """Inline the calls in all functions that the graph reaches; `nodes.functions` is changed."""
    work = _Functions(nodes)
    for name in _reached(nodes):
        work.flatten(name)
    return PassReport("inline in functions", removed=work.removed, added=work.added)


def _reached(nodes: Nodes) -> list[str]:
    """Return the names of the functions that nodes name, directly or through functions."""
    found: dict[str, None] = {}
    waiting = [name for node in nodes for name in (node.op, *called_functions(node))]
    while waiting:
        name = waiting.pop()
        if name in nodes.functions and name not in found:
            found[name] = None
            for node in nodes.functions[name].node_def:
                waiting += [node.op, *called_functions(node)]
    return list(found)


class _Functions:
    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.done: set[str] = set()
        self.removed = self.added = 0

    def flatten(self, name: str) -> None:
        """Inline the calls in a function, those in what it calls first."""
        # A list in place of recursion: (function, whether what it calls was seen to).
        stack = [(name, False)]
        open_: set[str] = set()
        while stack:
            current, is_ready = stack.pop()
            if current in self.done or (current in open_ and not is_ready):
                continue
            calls = self._calls(current)
            if not is_ready:
                open_.add(current)
                stack.append((current, True))
                stack += [(callee, False) for _, callee in calls]
                continue
            for call, callee in calls:
                if callee in self.done and self.added < _MOST_NODES:
                    self._inline(self.nodes.functions[current], call, self.nodes.functions[callee])
            self.done.add(current)

    def _calls(self, name: str) -> list[tuple[NodeDef, str]]:
        """Return the calls in a function that can be inlined, each with the function that it calls."""
        found = []
        for node in self.nodes.functions[name].node_def:
            callee = function_of(node, self.nodes)
            if callee is not None and callee != name and _is_plain(node, self.nodes.functions[callee]):
                found.append((node, callee))
        return found

    def _inline(self, function: FunctionDef, call: NodeDef, callee: FunctionDef) -> None:
        """Put the nodes of `callee` in the place of `call`, a node of `function`."""
        prefix = _prefix(function, call.name)
        before = control_inputs(call)
        given = dict(zip((arg.name for arg in callee.signature.input_arg), data_inputs(call)))
        own = {arg.name for arg in function.signature.input_arg}
        outputs = Body(self.nodes, function).outputs(call)

        def outside(text: str) -> str:
            """Return the name in `function` of a tensor of `callee`."""
            name, colon, rest = text.partition(":")
            return given[name] if name in given else prefix + name + colon + rest

        added = []
        for original in callee.node_def:
            node = NodeDef()
            node.CopyFrom(original)
            node.name = prefix + original.name
            data, after = data_inputs(original), [name for name in control_inputs(original) if name not in given]
            waits = ["^" + prefix + name for name in after]
            if all(text.partition(":")[0] in given for text in data):
                waits += ["^" + name for name in before]
            set_inputs(node, [*map(outside, data), *waits])
            node.device = node.device or call.device
            if "_class" in node.attr:
                del node.attr["_class"]
            added.append(node)
        results: dict[str, str] = {}
        for output, arg in zip(outputs, callee.signature.output_arg):
            text = outside(callee.ret[arg.name])
            if before and tensor_key(callee.ret[arg.name]) in given:
                node = NodeDef(name=f"{prefix}{arg.name}_", op="Identity", device=call.device)
                node.attr["T"].type = arg.type
                set_inputs(node, [text, *("^" + name for name in before)])
                added.append(node)
                text = f"{node.name}:output:0"
            results[tensor_key(output)] = text
        runs = [prefix + name for name in dict.fromkeys(callee.control_ret.values())]
        givers = [text.partition(":")[0] for text in results.values()]
        ends = list(dict.fromkeys([*runs, *(name for name in givers if name not in own)])) or before
        self._replace(function, call, added, results, ends, runs)
        self.removed += 1
        self.added += len(added)

    @staticmethod
    def _replace(
        function: FunctionDef,
        call: NodeDef,
        added: Iterable[NodeDef],
        results: dict[str, str],
        ends: list[str],
        runs: list[str],
    ) -> None:
        gone = f"^{call.name}"
        function.node_def.remove(call)
        function.node_def.extend(added)
        for node in function.node_def:
            inputs: list[str] = []
            for text in node.input:
                if text == gone:
                    inputs += ["^" + name for name in ends]
                else:
                    inputs.append(text if text.startswith("^") else results.get(tensor_key(text), text))
            if inputs != list(node.input):
                set_inputs(node, inputs)
        for key, text in list(function.ret.items()):
            function.ret[key] = results.get(tensor_key(text), text)
        for key in [key for key, name in function.control_ret.items() if name == call.name]:
            del function.control_ret[key]
            function.signature.control_output.remove(key)
            for name in runs:
                inner = key if key not in function.control_ret else name
                function.control_ret[inner] = name
                function.signature.control_output.append(inner)


def _is_plain(call: NodeDef, callee: FunctionDef) -> bool:
    """Whether a call of a function has one tensor for each argument, and each is named by itself."""
    signature = callee.signature
    if signature.attr or len(data_inputs(call)) != len(signature.input_arg):
        return False
    arguments = [*signature.input_arg, *signature.output_arg]
    return not any(arg.number_attr or arg.type_attr or arg.type_list_attr for arg in arguments)


def _prefix(function: FunctionDef, name: str) -> str:
    """Return what goes before the names of nodes that take the place of node `name`."""
    taken = {node.name for node in function.node_def}
    number, prefix = 0, name + "/"
    while any(other.startswith(prefix) for other in taken):
        number += 1
        prefix = f"{name}/inlined_{number}/"
    return prefix
