"""The edits that say which tensors there are and what they are called: rename and slim."""

import os

import numpy as np
import pytest

from icefloe import ckpt, errors, open_checkpoint, save_checkpoint
from icefloe.checkpoint.slices import parse_slice
from icefloe.checkpoint.writer import BundleWriter
from unit.checkpoint.test_editing import save as save
from unit.checkpoint.test_editing import values

F = np.float32


# rename


@pytest.mark.parametrize(
    "rule, old, new",
    [
        ("s/a/b/", "a/a", "b/a"),
        ("s/a/b/g", "a/a", "b/b"),
        ("s,^x/,y/,", "x/x/w", "y/x/w"),
        ("s|W$|v|i", "w", "v"),
        (r"s/(\w+)_(\d)/\2_\1/", "conv_1/w", "1_conv/w"),
        ("s/w/<&>/", "w", "<w>"),
        (r"s/w/\&/", "w", "&"),
        (r"s/a\/b/c/", "a/b/w", "c/w"),
        ("s/:0$//", "a:0", "a"),
        ("s/$/:0/", "a", "a:0"),
        ((r"a(\d)", r"b\1"), "a1/a2", "b1/b2"),
        ("s#[[]0[]]#/0#", "a[0]", "a/0"),
    ],
)
def test_rules(rule, old, new, tmp_path):
    save_checkpoint(tmp_path / "m", {old: F(1)})
    report = ckpt.rename(tmp_path / "m", rules=[rule])
    assert report.renamed == {old: new}
    assert list(values(tmp_path / "m")) == [new]


@pytest.mark.parametrize(
    "rule", ["s/a/b", "a/b/", "s/(/b/", "s/a/b/x", "", "s", "s/a/b/c/", r"s/a/\1/", "sabc", "s/a{99999999999}/b/"]
)
def test_rules_that_cannot_be_read(rule, save):
    prefix = save(a=F(1))
    with pytest.raises(errors.InvalidArgumentError):
        ckpt.rename(prefix, rules=[rule])
    assert list(values(prefix)) == ["a"]


def test_no_rule_is_refused(save):
    with pytest.raises(errors.InvalidArgumentError, match="no rule"):
        ckpt.rename(save(a=F(1)))


def test_collisions_are_refused_with_a_list(save):
    prefix = save(a__w=F(1), b__w=F(2), c__w=F(3), x=F(4))
    with pytest.raises(errors.InvalidArgumentError, match="'w' from 'a/w' and 'b/w' and 'c/w'"):
        ckpt.rename(prefix, rules=["s,^[abc]/,,"])
    with pytest.raises(errors.InvalidArgumentError, match="'x' from 'a/w' and 'x'"):  # with one that keeps its name
        ckpt.rename(prefix, mapping={"a/w": "x"})
    with pytest.raises(errors.InvalidArgumentError, match="empty"):
        ckpt.rename(prefix, mapping={"a/w": ""})
    assert ckpt.rename(prefix, mapping={"a/w": "b/w", "b/w": "a/w"}).renamed  # an exchange is none
    assert {k: float(v) for k, v in values(prefix).items()} == {"b/w": 1, "a/w": 2, "c/w": 3, "x": 4}


def test_a_map_comes_first_and_reports_what_it_did_not_find(save, tmp_path):
    prefix = save(a=F(1), b=F(2))
    report = ckpt.rename(
        prefix, tmp_path / "n", ["s/^/p_/"], mapping={"a": "z", "gone": "y"}, prefix="q/", dry_run=True
    )
    assert report.renamed == {"a": "z", "b": "q/p_b"}
    assert report.unmatched == ["gone"]
    assert report.dry_run
    assert not (tmp_path / "n.index").exists()


@pytest.mark.parametrize(
    "file, text",
    [
        ("m.json", '{"a": "x", "b": "y"}'),
        ("m.json", '[["a", "x"], ["b", "y"]]'),
        ("m.csv", "old,new\na,x\n\n# no\nb, y\n"),
        ("m.tsv", "a\tx\nb\ty\n"),
        ("m.csv", '\ufeffa,x\r\nb,"y"\r\n'),
    ],
)
def test_map_files(file, text, save, tmp_path):
    (tmp_path / file).write_text(text)
    assert ckpt.rename(save(a=F(1), b=F(2)), mapping=tmp_path / file).renamed == {"a": "x", "b": "y"}


@pytest.mark.parametrize(
    "file, text, match",
    [
        ("m.json", "{", "expected an object"),
        ("m.json", "[1]", "expected an object"),
        ("m.json", '{"a": 1}', "expected text"),
        ("m.csv", "a,b,c\n", "line 1"),
        ("m.csv", "a,b\na,c\n", "mapped to"),
        ("m.csv", b"\xff\xfe,", "not a map"),
    ],
)
def test_map_files_that_are_none(file, text, match, save, tmp_path):
    (tmp_path / file).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(errors.InvalidArgumentError, match=match):
        ckpt.rename(save(a=F(1)), mapping=tmp_path / file)
    with pytest.raises(errors.NotFoundError):
        ckpt.rename(save(a=F(1)), mapping=tmp_path / "none.csv")


def test_slices_go_with_their_tensor(tmp_path):
    full = np.arange(10, dtype=F).reshape(5, 2)
    with BundleWriter(tmp_path / "m", shards=2) as writer:
        for text in ("0,3:0,2", "3,2:0,2"):
            chosen = parse_slice(text)
            writer.add_slice("p:0", (5, 2), chosen, full[chosen.index((5, 2))])
    ckpt.rename(tmp_path / "m", rules=["s/:0//"])
    with open_checkpoint(tmp_path / "m") as reader:
        assert list(reader) == ["p"]
        assert [str(s) for s in reader.entries["p"].slices] == ["0,3:0,2", "3,2:0,2"]
        assert np.array_equal(reader["p"], full)


def test_names_with_colons_are_told_apart(save):
    """Case 28: `w` is not `w:0`, but may have been meant."""
    prefix = save(**{"w:0": F([1]), "w": F([2]), "v:0": F([3])})
    report = ckpt.rename(prefix, mapping={"w:0": "a:0", "v": "b"})
    assert report.renamed == {"w:0": "a:0"}
    assert (report.unmatched, report.suggestions) == (["v"], {"v": ["v:0"]})
    assert {k: v.tolist() for k, v in values(prefix).items()} == {"a:0": [1], "w": [2], "v:0": [3]}
    slots = save(name="s", **{"x:0": F([1]), "x/Adam:0": F([1])})
    assert ckpt.resize(slots, {"x:0": 2}).slots == ["x/Adam:0"]
    assert ckpt.slim(slots).removed == {"x/Adam:0": "optimizer slot"}


def test_prefixes_and_odd_paths(save, tmp_path):
    prefix = save(name="m[200]* ü", a__b=F(1))
    assert ckpt.rename(prefix, os.fsencode(tmp_path / "o?"), strip_prefix="a/", prefix="c/").renamed == {"a/b": "c/b"}
    assert ckpt.rename(tmp_path / "o?.index", tmp_path / "d" / "e.index", prefix="x").output == str(
        tmp_path / "d" / "e"
    )
    with pytest.raises(errors.InvalidArgumentError, match="directory"):
        ckpt.rename(prefix, f"{tmp_path}/", prefix="x")
    with pytest.raises(errors.NotFoundError):
        ckpt.rename(tmp_path / "none", prefix="x")


def test_meta_must_be_there(save):
    with pytest.raises(errors.NotFoundError, match=r"\.meta"):
        ckpt.rename(save(a=F(1)), prefix="x", meta=True)


# slim


def test_slots_are_told_by_name(save):
    w, small = np.ones((2, 2), F), F(1)
    slots = ["w/Adam", "w/Adam_1", "train/w/Momentum", "w/RMSProp", "w/RMSProp_1", "w/adam_m", "w/lamb_v", "w/Ftrl_1",
             "training/Adam/w/m", "Adam/v/w", "training/SGD/w/momentum", "w/vr", "w/Adadelta", "opt/w/LAMB"]  # fmt: skip
    state = ["beta1_power", "x/beta2_power_1", "Adam/learning_rate", "training/Adam/decay"]
    kept = ["w", "m", "v", "v/x", "scope/Adam/kernel", "momentum/w2", "net/m", "Adam/dense/kernel", "q/Momentum", "lr"]
    content = dict.fromkeys(slots + kept, w) | dict.fromkeys(state, small) | {"global_step": np.int64(3)}
    content |= {"training/Adam/iter": np.int64(1), "a/global_step": np.int32(3)}
    prefix = save(**content)
    report = ckpt.slim(prefix, dry_run=True)
    assert {n for n, why in report.removed.items() if why == "optimizer slot"} == set(slots)
    assert {n for n, why in report.removed.items() if why == "optimizer state"} == set(state)
    assert {n for n, why in report.removed.items() if why == "step"} == {
        "global_step",
        "a/global_step",
        "training/Adam/iter",
    }
    ckpt.slim(prefix)
    assert set(values(prefix)) == set(kept)


def test_slim_keeps_and_drops_what_is_asked_for(save):
    prefix = save(**{"w": F([1]), "w/Adam": F([1]), "aux/w": F([1]), "aux/w/Adam": F([2]), "global_step": np.int64(1)})
    report = ckpt.slim(prefix, keep_optimizer=True, keep_step=True, drop=["aux/w", "nothing*"], dry_run=True)
    assert report.removed == {"aux/w": "asked for", "aux/w/Adam": "optimizer slot"}
    assert report.unmatched == ["nothing*"]
    report = ckpt.slim(prefix, keep=["w/Adam", "re:step$"], drop="aux/")
    assert sorted(values(prefix)) == ["global_step", "w", "w/Adam"]
    with pytest.raises(errors.InvalidArgumentError, match="nothing would be left"):
        ckpt.slim(prefix, drop="*")


def test_moving_averages_fall_back_per_variable(save):
    """Case 37."""
    average = "/ExponentialMovingAverage"
    prefix = save(**{"a": F([1]), "a" + average: F([2]), "b": F([3]), "only" + average: F([4]), "c": F([1, 2]),
                     "c" + average: F([5]), "n": np.int32(1), "a" + average + "/biased": F([0])})  # fmt: skip
    report = ckpt.slim(prefix, ema="use")
    assert report.averaged == ["a", "only"]
    assert report.fallbacks == ["b", "c"]
    got = {k: v.tolist() for k, v in values(prefix).items()}
    assert got == {"a": [2], "b": [3], "c": [1, 2], "n": 1, "only": [4]}
    assert ckpt.slim(prefix, ema="drop").removed == {}
