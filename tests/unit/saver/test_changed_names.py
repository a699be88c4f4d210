"""The renames that users' checkpoints show are found, and what has nothing to do with the name is not offered."""

from __future__ import annotations

import pytest

from icefloe.saver.changed_names import ChangedNames


@pytest.mark.parametrize(
    ("wanted", "stored"),
    [
        ("dense/kernel", "dense/weights"),
        ("dense/bias", "dense/biases"),
        ("conv1/weights", "conv1/kernel"),
        ("model/net/w", "net/w"),
        ("net/w", "model/net/w"),
        ("net_1/w", "net/w"),
        ("w_1", "w"),
        ("w", "w_1"),
        ("w/ExponentialMovingAverage", "w"),
        ("w", "w/ExponentialMovingAverage"),
        ("a", "a:0"),
        ("a:0", "a"),
        ("bn/gamma", "bn/scale"),
        ("BatchNorm/beta", "batch_normalization/beta"),
        ("conv2d_1/kernel", "Conv_1/weights"),
        ("net/dense/bias", "net/fully_connected/biases"),
        ("w/Adam_1", "w/adam_v"),
        ("dense/kernel/Adam", "training/Adam/dense/kernel/m"),
        ("embedding", "model/embedding/.ATTRIBUTES/VARIABLE_VALUE"),
        ("encoder/layer_0/output", "encoder/layer_0/outputs"),
    ],
)
def test_known_renames(wanted, stored):
    others = ["unrelated/thing", "optimizer/learning_rate", "zzz"]
    names = dict.fromkeys([*others, stored], (3, 4))
    assert ChangedNames(names).find(wanted, (3, 4)) == [stored]


def test_the_same_kind_of_slot_comes_first():
    names = dict.fromkeys(["a/w/adam_m", "a/w/adam_v"], (2,))
    assert ChangedNames(names).find("w/Adam", (2,))[0] == "a/w/adam_m"
    assert ChangedNames(names).find("w/Adam_1", (2,))[0] == "a/w/adam_v"


def test_a_scope_that_several_names_have_in_common():
    names = {"old/w": (2, 3), "old/b": (3,), "other/w": (2, 3), "old/w/Adam": (2, 3)}
    near = ChangedNames(names)
    assert near.find_all({"new/w": (2, 3), "new/b": (3,)}) == {"new/w": ["old/w"], "new/b": ["old/b"]}
    assert near.find_all({"new/b": (3,)}) == {}
    assert near.find_all({"new/w": (2, 3), "new/b": (4,)}) == {}


def test_nothing_near():
    assert ChangedNames({"alpha": (2,), "beta/gamma": (2,)}).find("completely/different", (2,)) == []


def test_the_variable_before_its_slots():
    names = dict.fromkeys(["old/dense/kernel/Adam", "old/dense/kernel", "old/dense/kernel/Adam_1"], (2, 2))
    assert ChangedNames(names).find("dense/kernel", (2, 2))[0] == "old/dense/kernel"


def test_shape_decides_between_equal_names():
    names = {"a/dense/kernel": (2, 2), "b/dense/kernel": (4, 4)}
    assert ChangedNames(names).find("dense/kernel", (4, 4))[0] == "b/dense/kernel"


def test_at_most_three():
    assert len(ChangedNames({f"s{i}/w": (1,) for i in range(9)}).find("w", (1,))) == 3


def test_the_same_counter_comes_first():
    names = {f"layer_{i}/weights": (3,) for i in range(500)}
    assert ChangedNames(names).find("block_7/layer_250/kernel", (3,))[0] == "layer_250/weights"
    assert ChangedNames(names).find("layer_499/kernel", (3,))[0] == "layer_499/weights"


def test_another_model_altogether_costs_a_bounded_number_of_comparisons(monkeypatch):
    from icefloe.saver import changed_names

    calls = []
    compare = changed_names._likeness

    def counting(a, b):
        calls.append((a, b))
        return compare(a, b)

    monkeypatch.setattr(changed_names, "_likeness", counting)
    near = ChangedNames({f"layer_{i}/kernel": (3,) for i in range(3000)})
    assert all(near.find(f"entirely/other_{i}", (3,)) == [] for i in range(3000))
    assert len(calls) <= 50 * 100 * 2


def test_names_that_share_only_their_end_are_not_near():
    assert ChangedNames({"layer/kernel": (3,)}).find("other/kernel", (3,)) == []
