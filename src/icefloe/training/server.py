"""`Server`: a server of one task, in this process.

Source: tensorflow/python/training/server_lib.py (rules and messages).
"""

from __future__ import annotations

from typing import Any

from icefloe import errors
from icefloe.proto import ServerDef
from icefloe.runtime import servers
from icefloe.runtime.settings import Config, checked_config
from icefloe.training.cluster import ClusterSpec


class Server:
    """The state that sessions on its `target` share: variables, queues and other resources of a cluster of one task.

    Nothing listens on the network: `target` is good for sessions of this process only.

    server_or_cluster_def: a ServerDef, ClusterDef, ClusterSpec or dict, of a cluster with one task. job_name,
    task_index: which task this is. protocol: what `server_def` says. config: of sessions that have none of their own.
    start: sessions may be made at once, otherwise after `start()`.

    Raises: TypeError, ValueError in TensorFlow's words for arguments that do not fit; UnimplementedError for a cluster
    of several tasks.
    """

    def __init__(
        self,
        server_or_cluster_def: Any,
        job_name: str | None = None,
        task_index: int | None = None,
        protocol: str | None = None,
        config: Any = None,
        start: bool = True,
    ) -> None:
        self._settings = checked_config(config)[0]
        self._server_def = _server_def(server_or_cluster_def, job_name, task_index, protocol, config)
        if config is None and self._server_def.HasField("default_session_config"):
            self._settings = checked_config(self._server_def.default_session_config)[0]
        tasks = sum(len(job.tasks) for job in self._server_def.cluster.job)
        if tasks > 1:
            raise errors.UnimplementedError(
                f"a cluster of {tasks} tasks: sessions run in one process here, a server has one task"
            )
        self._server: servers.LocalServer | None = None
        if start:
            self.start()

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> Server:
        """Return a server of a cluster of its own, with the one job `localhost`."""
        return Server({"localhost": ["localhost:0"]}, protocol="grpc", config=config, start=start)

    def start(self) -> None:
        """Let sessions use it."""
        if self._server is None:
            self._server = servers.start(self._server_def.job_name, self._settings)

    def join(self) -> None:
        """Raises: UnimplementedError: no other process can use it, so there is nothing to wait for."""
        raise errors.UnimplementedError(
            "Server.join waits for ever for sessions of other processes, but there can be none: "
            "this server is for sessions of this process."
        )

    @property
    def server_def(self) -> ServerDef:
        """The description of it as a ServerDef message."""
        return self._server_def

    @property
    def target(self) -> str:
        """The target for sessions. Raises: FailedPreconditionError if it was not started."""
        if self._server is None:
            raise errors.FailedPreconditionError("The server was not started: call its start() first.")
        return self._server.target


def _server_def(server: Any, job_name: str | None, task_index: int | None, protocol: str | None, config: Any) -> Any:
    if getattr(getattr(server, "DESCRIPTOR", None), "full_name", None) == ServerDef.DESCRIPTOR.full_name:
        made = ServerDef.FromString(server.SerializeToString())
        made.job_name = made.job_name if job_name is None else job_name
        made.task_index = made.task_index if task_index is None else task_index
        made.protocol = made.protocol if protocol is None else protocol
    else:
        made = _of_cluster(server, job_name, task_index)
        made.protocol = "grpc" if protocol is None else protocol
    if config is not None and not isinstance(config, Config):
        made.default_session_config.MergeFromString(config.SerializeToString())
    return made


def _of_cluster(cluster: Any, job_name: str | None, task_index: int | None) -> Any:
    try:
        spec = ClusterSpec(cluster)
    except TypeError:
        raise TypeError(
            "Could not convert `server_or_cluster_def` to a `tf.train.ServerDef` or `tf.train.ClusterSpec`."
        ) from None
    if job_name is None:
        if len(spec.jobs) != 1:
            raise ValueError("Must specify an explicit `job_name`.")
        job_name = spec.jobs[0]
    if task_index is None:
        indices = spec.task_indices(job_name)
        if len(indices) != 1:
            raise ValueError("Must specify an explicit `task_index`.")
        task_index = indices[0]
    return ServerDef(cluster=spec.as_cluster_def(), job_name=job_name, task_index=task_index)
