"""`create_local_cluster`: servers of this process that share their variables, as the tasks of a cluster do."""

from __future__ import annotations

from typing import Any

from icefloe.proto import ServerDef
from icefloe.runtime import servers
from icefloe.training.cluster import ClusterSpec
from icefloe.training.server import Server


class _Task(Server):
    """One of several tasks, all of them in this process. first: another one, whose state it shares."""

    def __init__(
        self, spec: ClusterSpec, job: str, index: int, protocol: str, config: Any, first: _Task | None
    ) -> None:
        description = ServerDef(cluster={"job": [{"name": job, "tasks": {index: spec.task_address(job, index)}}]})
        super().__init__(description, job, index, protocol, config, start=False)
        self._server_def.cluster.CopyFrom(spec.as_cluster_def())
        self._server = servers.start(f"{job}/{index}", self._settings, None if first is None else first._server)


def create_local_cluster(
    num_workers: int,
    num_ps: int,
    protocol: str = "grpc",
    worker_config: Any = None,
    ps_config: Any = None,
) -> tuple[list[Server], list[Server]]:
    """Return the servers of the workers and those of the parameter servers of one cluster.

    They are of this process and share all resources: what a session of one worker initializes, those of the others
    have, too. Nodes are computed in the session that runs them, whichever task their devices name. worker_config,
    ps_config: of sessions that have none of their own. protocol: what `server_def` says.
    """
    jobs = {"worker": num_workers, "ps": num_ps}
    spec = ClusterSpec({job: [f"localhost:{job}{i}" for i in range(n)] for job, n in jobs.items()})
    made: dict[str, list[Server]] = {"worker": [], "ps": []}
    first: _Task | None = None
    for job, config in (("worker", worker_config), ("ps", ps_config)):
        for index in range(jobs[job]):
            task = _Task(spec, job, index, protocol, config, first)
            first = first or task
            made[job].append(task)
    return made["worker"], made["ps"]
