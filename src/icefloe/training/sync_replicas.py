"""`SyncReplicasOptimizer`: several workers' gradients are gathered, averaged and applied once.

Accumulators shared by the workers' sessions gather the gradients; the chief's queue runner takes their means, applies
them and hands out a token per worker, for which each waits before its next step. The sessions are those of servers of
this process.

Source: tensorflow/python/training/sync_replicas_optimizer.py (nodes, names, messages).
"""

from __future__ import annotations

from typing import Any

from icefloe import errors
from icefloe.graph.collections import GraphKeys
from icefloe.graph.default_graph import control_dependencies, device, name_scope
from icefloe.graph.indexed_slices import IndexedSlices
from icefloe.graph.tensor import Tensor
from icefloe.lib import messages
from icefloe.lib.array_create import fill
from icefloe.lib.assignments import assign
from icefloe.lib.control import group, no_op
from icefloe.lib.data_flow import ConditionalAccumulator, SparseConditionalAccumulator
from icefloe.lib.queue_runner import QueueRunner
from icefloe.lib.queues import FIFOQueue
from icefloe.lib.variable import Variable
from icefloe.lib.variable_lists import global_variables, report_uninitialized_variables
from icefloe.optimizers.optimizer import Optimizer
from icefloe.training.session_manager import is_ready
from icefloe.training.session_run_hook import SessionRunHook


class SyncReplicasOptimizer(Optimizer):
    """Gathers the gradients of workers for another optimizer, `opt`.

    replicas_to_aggregate: how many gradients one update takes. total_num_replicas: how many workers there are, as many
    if None; more are spares, fewer work several times per update. variable_averages, variables_to_average: an
    ExponentialMovingAverage to keep, and of what. name: of the ops.
    """

    def __init__(
        self,
        opt: Optimizer,
        replicas_to_aggregate: int,
        total_num_replicas: int | None = None,
        variable_averages: Any = None,
        variables_to_average: Any = None,
        use_locking: bool = False,
        name: str = "sync_replicas",
    ) -> None:
        if total_num_replicas is None:
            total_num_replicas = replicas_to_aggregate
        super().__init__(use_locking, name)
        messages.info(
            "SyncReplicasV2: replicas_to_aggregate=%s; total_num_replicas=%s",
            replicas_to_aggregate,
            total_num_replicas,
        )
        self._opt = opt
        self._replicas_to_aggregate = replicas_to_aggregate
        self._total_num_replicas = total_num_replicas
        self._variable_averages = variable_averages
        self._variables_to_average = variables_to_average
        self._tokens_per_step = max(total_num_replicas, replicas_to_aggregate)
        self._gradients_applied = False
        self._global_step: Any = None
        self._sync_token_queue: Any = None
        self._chief_queue_runner: QueueRunner | None = None
        self._accumulators: list[tuple[Any, str]] = []
        self.local_step_init_op: Any = None
        self.chief_init_op: Any = None
        self.ready_for_local_init_op: Any = None

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """As `opt.compute_gradients`: those of one worker."""
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None) -> Any:
        """Return the op of a worker's step: it gives its gradients and waits for the update.

        global_step: counts the updates; gradients of an older step are dropped.

        Raises: ValueError without variables or global step.
        """
        if not grads_and_vars:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required to check staleness")
        self._global_step = global_step
        no_op()  # by which TensorFlow keeps the local step on the worker; the names of later nodes count it
        where = global_step.device
        local_step = Variable(
            initial_value=0,
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
            dtype=global_step.dtype.base_dtype,
            name="sync_rep_local_step",
        )
        self.local_step_init_op = assign(local_step, global_step)
        self.ready_for_local_init_op = report_uninitialized_variables(global_variables())
        given: list[Any] = []
        means: list[Any] = []
        with name_scope(None, self._name):
            for gradient, variable in grads_and_vars:
                with device(variable.device):
                    means.append((self._gathered(gradient, variable, local_step, given), variable))
            with device(where), name_scope(""):
                update = self._opt.apply_gradients(means, global_step)
                dtype = global_step.dtype.base_dtype
                queue = FIFOQueue(-1, dtype, shapes=(), name="sync_token_q", shared_name="sync_token_q")
                self._sync_token_queue = queue
                with control_dependencies(given):
                    token = queue.dequeue()
                train_op = assign(local_step, token)
                with control_dependencies([update]):
                    sync: Any = queue.enqueue_many((fill([self._tokens_per_step], global_step),))
                if self._variable_averages is not None:
                    with control_dependencies([sync]), name_scope(""):
                        sync = self._variable_averages.apply(self._variables_to_average)
                # A session that is closed ends the wait for gradients: that is no failure.
                ends = (errors.OutOfRangeError, errors.CancelledError)
                self._chief_queue_runner = QueueRunner(queue, [sync], queue_closed_exception_types=ends)
            chief: list[Any] = [self.local_step_init_op]
            for accumulator, place in self._accumulators:
                with device(place):
                    chief.append(accumulator.set_global_step(global_step, name="SetGlobalStep"))
            self.chief_init_op = group(*chief)
            self._gradients_applied = True
        return train_op

    def _gathered(self, gradient: Any, variable: Any, local_step: Any, given: list[Any]) -> Any:
        """Return the mean of the workers' gradients of a variable; add to `given` the op that gives this worker's."""
        if gradient is None:
            return None
        shared_name = variable.name + "/grad_accum"
        accumulator: Any
        if isinstance(gradient, Tensor):
            accumulator = ConditionalAccumulator(gradient.dtype, shape=variable.get_shape(), shared_name=shared_name)
            given.append(accumulator.apply_grad(gradient, local_step=local_step))
            mean: Any = accumulator.take_grad(self._replicas_to_aggregate)
        elif isinstance(gradient, IndexedSlices):
            accumulator = SparseConditionalAccumulator(gradient.dtype, shape=(), shared_name=shared_name)
            given.append(accumulator.apply_indexed_slices_grad(gradient, local_step=local_step))
            mean = accumulator.take_indexed_slices_grad(self._replicas_to_aggregate)
        else:
            raise ValueError("Unknown grad type!")  # noqa: TRY004 (so TensorFlow)
        self._accumulators.append((accumulator, variable.device))
        return mean

    def get_chief_queue_runner(self) -> QueueRunner:
        """Return the queue runner of the chief: it takes the means, applies them and hands out tokens.

        Raises: ValueError before `apply_gradients`.
        """
        if self._chief_queue_runner is None:
            raise ValueError("Should be called after apply_gradients().")
        return self._chief_queue_runner

    def get_init_tokens_op(self, num_tokens: int = -1) -> Any:
        """Return the op that hands out the first tokens, as many as an update takes gradients if -1.

        Raises: ValueError before `apply_gradients`, and for too few tokens to go on with.
        """
        if not self._gradients_applied:
            raise ValueError("get_init_tokens_op() should be called after apply_gradients().")
        needed = self._replicas_to_aggregate - self._total_num_replicas
        if num_tokens == -1:
            num_tokens = self._replicas_to_aggregate
        elif num_tokens < needed:
            raise ValueError(f"Too few tokens to finish the first step: {num_tokens} (given) vs {needed} (needed)")
        if num_tokens <= 0:
            return no_op(name="no_init_tokens")
        with device(self._global_step.device), name_scope(""):
            return self._sync_token_queue.enqueue_many((fill([num_tokens], self._global_step),))

    def make_session_run_hook(self, is_chief: bool, num_tokens: int = -1) -> SessionRunHook:
        """Return the hook that initializes what this adds. num_tokens: as of `get_init_tokens_op`."""
        return _SyncReplicasHook(self, is_chief, num_tokens)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """As `opt.get_slot`."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> Any:
        """As `opt.get_slot_names`."""
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self) -> Any:
        """As `opt.variables`; the local step is not among them."""
        return self._opt.variables()


class _SyncReplicasHook(SessionRunHook):
    """Initializes the local step; for the chief also the accumulators, the tokens and the queue runner."""

    def __init__(self, optimizer: SyncReplicasOptimizer, is_chief: bool, num_tokens: int) -> None:
        self._optimizer = optimizer
        self._is_chief = is_chief
        self._num_tokens = num_tokens

    def begin(self) -> None:
        """Raises: ValueError before `apply_gradients`."""
        optimizer = self._optimizer
        if not optimizer._gradients_applied:
            raise ValueError("SyncReplicasOptimizer.apply_gradient should be called before using the hook.")
        self._local_init_op = optimizer.chief_init_op if self._is_chief else optimizer.local_step_init_op
        self._runner = optimizer.get_chief_queue_runner() if self._is_chief else None
        self._init_tokens_op = optimizer.get_init_tokens_op(self._num_tokens) if self._is_chief else None

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Raises: RuntimeError if the global variables are not initialized."""
        ready, why = is_ready(
            self._optimizer.ready_for_local_init_op,
            session,
            "Model is not ready for SyncReplicasOptimizer local init.",
        )
        if not ready:
            raise RuntimeError(
                "Init operations did not make model ready for SyncReplicasOptimizer local_init. "
                f"Init op: {self._local_init_op.name}, error: {why}"
            )
        session.run(self._local_init_op)
        if self._init_tokens_op is not None:
            session.run(self._init_tokens_op)
        if self._runner is not None:
            self._runner.create_threads(session, coord=coord, daemon=True, start=True)
