"""How what a graph wants from a checkpoint fits what the checkpoint holds: on plain data, so that it can be printed,
tested and sent as JSON.

`compare` makes a `RestoreReport`. A report that does not fit becomes one error which lists everything that is wrong:
`MissingTensorsError` where a name is missing, as TensorFlow's NotFoundError, else `MismatchError`, as its
InvalidArgumentError. Both carry the report.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from icefloe import errors
from icefloe.checkpoint.object_graph import VALUE_SUFFIX
from icefloe.datatypes import DType
from icefloe.saver.changed_names import ChangedNames, Shape, compatible
from icefloe.saver.likely_renames import likely_renames

_SHOWN = 20  # lines of each kind in a message; the report itself holds all


@dataclass(frozen=True, slots=True)
class Wanted:
    """One tensor that restoring reads.

    key: its name in the checkpoint. shape: of the whole tensor, None where the graph leaves it open.
    spec: `shape_and_slice` of the part that is read, "" for the whole. variable: the node that receives it.
    reshaped: the value is reshaped to the variable, so only the number of elements counts.
    """

    key: str
    dtype: DType
    shape: Shape
    spec: str = ""
    variable: str = ""
    reshaped: bool = False


@dataclass(frozen=True, slots=True)
class Stored:
    """One tensor of a checkpoint: dtype and whole shape. name: what a program that saves by names would call it, where
    the checkpoint was saved by objects; of a slot, its variable's name and what kind of slot it is.
    """

    dtype: DType
    shape: tuple[int, ...]
    name: str = ""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A tensor that is there, but is not as the graph wants it."""

    wanted: Wanted
    stored: Stored


@dataclass(frozen=True, slots=True)
class Restored:
    """A tensor that was restored from `key` of the checkpoint. how: what was done to it, in words; none as it was."""

    wanted: Wanted
    key: str
    how: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class RestoreReport:
    """How a checkpoint fits what a graph wants, and what restoring did. `fits` is whether it can do all.

    matched: wanted, and fits. missing: wanted, but not stored. unexpected: stored, but not wanted; no error.
    suggestions: for each missing key the stored names it may mean, best first.

    restored: of a restore, what was; of a match with options, what would be. With options also skipped: wanted key ->
    why it was not. fallbacks: wanted keys that got another value than `ema` asks for, a variable for its moving average
    or the other way round. initialized: variables whose initialisers ran. uninitialized: variables of the graph that
    have no value now; all others that were skipped keep the one they had. unmatched: parts of the options that applied
    to nothing.
    """

    path: str
    matched: tuple[Wanted, ...]
    missing: tuple[Wanted, ...]
    shape_mismatch: tuple[Mismatch, ...]
    dtype_mismatch: tuple[Mismatch, ...]
    unexpected: tuple[str, ...]
    suggestions: Mapping[str, list[str]] = field(default_factory=dict)
    restored: tuple[Restored, ...] = ()
    skipped: Mapping[str, str] = field(default_factory=dict)
    fallbacks: tuple[str, ...] = ()
    initialized: tuple[str, ...] = ()
    uninitialized: tuple[str, ...] = ()
    unmatched: tuple[str, ...] = ()

    def __repr__(self) -> str:
        done = [
            ("taken from it", self.restored),
            ("initialised", self.initialized),
            ("without value", self.uninitialized),
        ]
        told = [f"{len(names)} {what}" for what, names in done if names and not (self.fits and what == "taken from it")]
        return f"<RestoreReport {self.path!r}: {'; '.join([self.summary(), ', '.join(told)]).removesuffix('; ')}>"

    @property
    def fits(self) -> bool:
        return not (self.missing or self.shape_mismatch or self.dtype_mismatch)

    @property
    def renames(self) -> dict[str, str]:
        """Stored name -> the missing name that it likely stands for; what `Saver.restore` takes as `rename`."""
        return likely_renames(self.unexpected, {w.key: self.suggestions.get(w.key, []) for w in self.missing})

    def problems(self) -> list[str]:
        """Return one line for each thing that does not fit: missing names, then shapes, then dtypes."""
        lines = []
        for wanted in self.missing:
            near = self.suggestions.get(wanted.key)
            lines.append(
                f"Key {wanted.key} not found in checkpoint (wanted as {wanted.dtype.name} {text(wanted.shape)})"
                + (f"; did you mean {' or '.join(_shown(key, wanted.key) for key in near)}?" if near else "")
            )
        lines += [_shape_problem(m) for m in self.shape_mismatch]
        lines += [
            f"tensor_name = {m.wanted.key}; expected dtype {m.wanted.dtype.name} does not equal original dtype "
            f"{m.stored.dtype.name}"
            + ("" if shape_fits(m.wanted, m.stored) else f"; and {_shape_problem(m).partition('; ')[2]}")
            for m in self.dtype_mismatch
        ]
        return lines

    def summary(self) -> str:
        """Return in one clause how much fits."""
        counts = [
            (len(self.missing), "missing from the checkpoint"),
            (len(self.shape_mismatch), "of another shape"),
            (len(self.dtype_mismatch), "of another dtype"),
        ]
        unfit = {w.key for w in self.missing} | {m.wanted.key for m in (*self.shape_mismatch, *self.dtype_mismatch)}
        counts.append((len(self.skipped.keys() - unfit), "left out"))
        wrong = [f"{n} {what}" for n, what in counts if n]
        total = len({w.key for w in self.matched}) + sum(n for n, _ in counts)
        noun = "tensor" if total == 1 else "tensors"
        return f"{total} {noun} wanted: {', '.join(wrong) if wrong else 'all match'}"

    def error(self) -> MissingTensorsError | MismatchError:
        """Return the one error that lists everything that does not fit."""
        missing, others = self.problems()[: len(self.missing)], self.problems()[len(self.missing) :]
        lines = []
        for group in (missing, others):
            lines += group[:_SHOWN]
            if len(group) > _SHOWN:
                lines.append(f"... and {len(group) - _SHOWN} more")
        if self.unexpected and self.missing:
            shown = ", ".join(map(_shown, self.unexpected[:_SHOWN]))
            more = f" and {len(self.unexpected) - _SHOWN} more" if len(self.unexpected) > _SHOWN else ""
            lines.append(f"In the checkpoint but not wanted: {shown}{more}")
        cause = (
            "a Variable name or other graph key that is missing"
            if self.missing
            else "a mismatch between the current graph and the graph"
        )
        head = f"Restoring from checkpoint failed: {self.summary()}."
        message = "\n  ".join([f"{head} This is most likely due to {cause} from the checkpoint.", *lines])
        cls = MissingTensorsError if self.missing else MismatchError
        error = cls(message, path=self.path)
        error.report = self
        return error

    def as_data(self) -> dict[str, Any]:
        """Return the report as JSON holds it."""

        def wanted(w: Wanted) -> dict[str, Any]:
            shape = None if w.shape is None else list(w.shape)
            return {
                "name": w.key,
                "dtype": w.dtype.name,
                "shape": shape,
                "slice": w.spec or None,
                "variable": w.variable,
            }

        def mismatch(m: Mismatch) -> dict[str, Any]:
            return {**wanted(m.wanted), "stored_dtype": m.stored.dtype.name, "stored_shape": list(m.stored.shape)}

        return {
            "fits": self.fits,
            "matched": [wanted(w) for w in self.matched],
            "missing": [{**wanted(w), "suggestions": self.suggestions.get(w.key, [])} for w in self.missing],
            "shape_mismatch": [mismatch(m) for m in self.shape_mismatch],
            "dtype_mismatch": [mismatch(m) for m in self.dtype_mismatch],
            "unexpected": list(self.unexpected),
            "renames": self.renames,
            "restored": [{"name": r.wanted.key, "from": r.key, "how": list(r.how)} for r in self.restored],
            "skipped": dict(self.skipped),
            "fallbacks": list(self.fallbacks),
            "initialized": list(self.initialized),
            "uninitialized": list(self.uninitialized),
            "unmatched": list(self.unmatched),
        }


class MissingTensorsError(errors.NotFoundError):
    """The checkpoint lacks names that the graph wants. `report` is the RestoreReport."""

    report: RestoreReport | None = None


class MismatchError(errors.InvalidArgumentError):
    """Tensors of the checkpoint have another shape or dtype than the graph wants. `report` is the RestoreReport."""

    report: RestoreReport | None = None


def text(shape: Shape) -> str:
    """Return a shape as TensorFlow's messages write it: `[2,?]`, and `<unknown>` for unknown rank."""
    return "<unknown>" if shape is None else f"[{','.join('?' if n is None else str(n) for n in shape)}]"


def _shape_problem(mismatch: Mismatch) -> str:
    """Return what is wrong with a shape, in TensorFlow's words for a slice and for a whole variable."""
    key, wanted, stored = mismatch.wanted.key, text(mismatch.wanted.shape), text(mismatch.stored.shape)
    if mismatch.wanted.spec:
        return (
            f"tensor_name = {key}; shape in shape_and_slice spec {wanted} does not match the shape stored in "
            f"checkpoint: {stored}"
        )
    if mismatch.wanted.reshaped:
        return f"tensor_name = {key}; a tensor of shape {stored} cannot be reshaped to {wanted}"
    return (
        f"tensor_name = {key}; Assign requires shapes of both tensors to match. lhs shape= {wanted} rhs shape= {stored}"
    )


def shape_fits(wanted: Wanted, stored: Stored) -> bool:
    """Whether a stored tensor has the shape that is wanted."""
    if not wanted.reshaped:
        return compatible(wanted.shape, stored.shape)
    return (
        wanted.shape is None
        or None in wanted.shape
        or math.prod(n or 0 for n in wanted.shape) == math.prod(stored.shape)
    )


def compare(wanted: Iterable[Wanted], stored: Mapping[str, Stored], path: str = "") -> RestoreReport:
    """Return how `wanted` fits the tensors `stored` in the checkpoint at `path`.

    A tensor that is wanted in several parts is reported once where it is missing or does not fit.
    """
    matched = []
    missing: dict[str, Wanted] = {}
    shapes: dict[str, Mismatch] = {}
    dtypes: dict[str, Mismatch] = {}
    asked = set()
    for want in wanted:
        asked.add(want.key)
        there = stored.get(want.key)
        if there is None:
            missing.setdefault(want.key, want)
        elif there.dtype != want.dtype.base_dtype:
            dtypes.setdefault(want.key, Mismatch(want, there))
        elif not shape_fits(want, there):
            shapes.setdefault(want.key, Mismatch(want, there))
        else:
            matched.append(want)
    unexpected = tuple(name for name in sorted(stored) if name not in asked)
    return RestoreReport(
        path,
        tuple(matched),
        tuple(missing.values()),
        tuple(shapes.values()),
        tuple(dtypes.values()),
        unexpected,
        suggest(missing.values(), stored, unexpected),
    )


def suggest(
    missing: Collection[Wanted], stored: Mapping[str, Stored], left_over: Collection[str]
) -> dict[str, list[str]]:
    """Return, for missing names, the stored ones that they may mean, first of those that nothing else wants."""
    wanted = {want.key: want.shape for want in missing}
    if not wanted:
        return {}
    found = _Near(stored, left_over).all(wanted) if left_over else {}
    rest = [key for key in wanted if key not in found]
    if rest:
        # What something else has may still be meant, where the graph was built twice or an average is wanted.
        everything = _Near(stored, stored)
        for key in rest:
            if keys := everything.like(key, wanted[key], copies=bool(left_over)):
                found[key] = keys
    return found


class _Near:
    """Near names among some of the stored tensors, by their keys and by what else they are called; gives keys."""

    def __init__(self, stored: Mapping[str, Stored], keys: Iterable[str]) -> None:
        self._keys: dict[str, str] = {}
        for key in keys:
            self._keys.setdefault(key, key)
            if stored[key].name:
                self._keys.setdefault(stored[key].name, key)
        self._near = ChangedNames({name: stored[key].shape for name, key in self._keys.items()})

    def all(self, wanted: Mapping[str, Shape]) -> dict[str, list[str]]:
        return {name: self._keys_of(near) for name, near in self._near.find_all(wanted).items()}

    def like(self, name: str, shape: Shape, *, copies: bool) -> list[str]:
        return self._keys_of(self._near.find_like(name, shape, copies=copies))

    def _keys_of(self, names: Iterable[str]) -> list[str]:
        return list(dict.fromkeys(self._keys[name] for name in names))


def _shown(key: str, other_than: str = "") -> str:
    """Return a key as messages have it: of an object, its path."""
    path = key.removesuffix(VALUE_SUFFIX)
    return key if path == other_than else path
