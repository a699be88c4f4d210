"""Where the user's program made the nodes of a graph, as the GraphDebugInfo that stands beside a `.meta`.

    files              paths of source files
    frames_by_id       id -> FileLineCol{file_index, line, func}
    traces_by_id       id -> StackTrace{frame_id}, here of one frame: the line of the program that made the node
    name_to_trace_id   node name + "@" -> id of its trace

Source: tensorflow/core/framework/graph_debug_info.proto, tensorflow/python/framework/error_interpolation.py.
"""

from __future__ import annotations

from icefloe.graph.graph import Graph
from icefloe.proto import GraphDebugInfo


def debug_info(graph: Graph) -> GraphDebugInfo:
    """Return where each node was made; a node that was read from a file is not in it."""
    out = GraphDebugInfo()
    files: dict[str, int] = {}
    ids: dict[tuple[str, int, str], int] = {}
    for op in graph.get_operations():
        place = op._defined_at
        if place is None:
            continue
        found = ids.get(place)
        if found is None:
            found = ids[place] = len(ids)
            path, line, function = place
            if path not in files:
                files[path] = len(files)
                out.files.append(path)
            frame = out.frames_by_id[found]
            frame.file_index, frame.line, frame.func = files[path], line, function
            out.traces_by_id[found].frame_id.append(found)
        out.name_to_trace_id[f"{op.name}@"] = found
    return out
