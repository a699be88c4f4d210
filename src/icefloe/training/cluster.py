"""`ClusterSpec`: the jobs of a cluster and the addresses of their tasks, as data.

Source: tensorflow/python/training/server_lib.py (rules and messages).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from icefloe.proto import ClusterDef


class ClusterSpec:
    """The tasks of a cluster by job.

    cluster: a dict of job name -> list of addresses, or -> dict of index -> address; a ClusterDef; a ClusterSpec.

    Raises: TypeError if it is none of these, or a name or an address is no string.
    """

    def __init__(self, cluster: Any) -> None:
        self._jobs: dict[str, dict[int, str]] = {}
        if isinstance(cluster, ClusterSpec):
            self._jobs = {job: dict(tasks) for job, tasks in cluster._jobs.items()}
        elif getattr(getattr(cluster, "DESCRIPTOR", None), "full_name", None) == ClusterDef.DESCRIPTOR.full_name:
            self._jobs = {job.name: dict(job.tasks) for job in cluster.job}
        elif isinstance(cluster, Mapping):
            for job, tasks in cluster.items():
                self._add_job(job, tasks)
        else:
            raise TypeError(
                "`cluster` must be a dictionary mapping one or more job names to lists of network addresses, or a "
                "`ClusterDef` protocol buffer"
            )

    def _add_job(self, job: Any, tasks: Any) -> None:
        if isinstance(tasks, (list, tuple)):
            numbered: dict[Any, Any] = dict(enumerate(tasks))
        elif isinstance(tasks, dict):
            numbered = tasks
        else:
            raise TypeError(f"The tasks for job {job!r} must be a list or a dictionary from integers to strings.")
        self._jobs[_text("Job name", job)] = {
            int(index): _text("Task address", address) for index, address in sorted(numbered.items())
        }

    def _tasks(self, job_name: str) -> dict[int, str]:
        try:
            return self._jobs[job_name]
        except KeyError:
            raise ValueError(f"No such job in cluster: {job_name!r}") from None

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._jobs)

    def num_tasks(self, job_name: str) -> int:
        """Return how many tasks a job has. Raises: ValueError if there is no such job."""
        return len(self._tasks(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """Return the indices of a job's tasks in order. Raises: ValueError if there is no such job."""
        return sorted(self._tasks(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """Return the address of a task. Raises: ValueError if there is no such job or task."""
        try:
            return self._tasks(job_name)[task_index]
        except KeyError:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}") from None

    def job_tasks(self, job_name: str) -> list[str | None]:
        """Return the addresses of a job's tasks, None where an index has no task.

        Raises: ValueError if there is no such job.
        """
        tasks = self._tasks(job_name)
        return [tasks.get(i) for i in range(max(tasks, default=-1) + 1)]

    def as_dict(self) -> dict[str, Any]:
        """Return a dict of job name -> list of addresses, or -> dict of index -> address if an index is missing."""
        return {
            job: [tasks[i] for i in range(len(tasks))] if set(tasks) == set(range(len(tasks))) else dict(tasks)
            for job, tasks in self._jobs.items()
        }

    def as_cluster_def(self) -> ClusterDef:
        """Return it as a ClusterDef message."""
        made = ClusterDef()
        for name, tasks in sorted(self._jobs.items()):
            job = made.job.add(name=name)
            for index, address in tasks.items():
                job.tasks[index] = address
        return made

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterSpec) and self._jobs == other._jobs

    def __hash__(self) -> int:
        return hash(tuple(self._jobs))

    def __repr__(self) -> str:
        items = ", ".join(f"{job!r}: {tasks!r}" for job, tasks in sorted(self.as_dict().items()))
        return f"ClusterSpec({{{items}}})"


def _text(what: str, value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode()
    if not isinstance(value, str):
        raise TypeError(f"{what} {value!r} must be bytes or unicode")
    return value
