"""The message classes have TensorFlow's fields, keep what they do not know, and live in a pool of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, text_format

from icefloe import proto

ROOT = Path(__file__).resolve().parents[3]
RECORDED = json.loads((ROOT / "fixtures" / "proto" / "message_fields.json").read_text())


def described(name: str) -> dict[str, Any]:
    file = descriptor_pb2.FileDescriptorProto()
    proto.POOL.FindFileByName(name).CopyToProto(file)
    found: dict[str, Any] = {}

    def walk(message: descriptor_pb2.DescriptorProto, prefix: str) -> None:
        full = f"{prefix}.{message.name}"
        found[full] = {
            f.name: [
                f.number,
                f.type,
                f.label,
                f.type_name,
                message.oneof_decl[f.oneof_index].name if f.HasField("oneof_index") else "",
                f.proto3_optional,
            ]
            for f in message.field
        }
        for enum in message.enum_type:
            found[f"{full}.{enum.name}"] = {v.name: v.number for v in enum.value}
        for nested in message.nested_type:
            walk(nested, full)

    for message in file.message_type:
        walk(message, file.package)
    for enum in file.enum_type:
        found[f"{file.package}.{enum.name}"] = {v.name: v.number for v in enum.value}
    return found


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_fields_are_tensorflows(name: str) -> None:
    assert described(name) == RECORDED[name]


def test_every_source_is_held_against_a_record() -> None:
    sources = {str(p.relative_to(ROOT / "proto")) for p in (ROOT / "proto").rglob("*.proto")}
    assert sources == set(RECORDED)


def test_unknown_fields_survive_a_read_write_trip() -> None:
    data = proto.NodeDef(name="n", op="Const").SerializeToString() + b"\xaa\x06\x03abc"  # field 101
    assert proto.NodeDef.FromString(data).SerializeToString() == data


def test_names_resolve_to_messages_enums_and_values() -> None:
    assert proto.DataType.Name(proto.DT_INT64) == "DT_INT64"
    assert proto.SaverDef.V2 == 2
    assert proto.AttrValue.ListValue(i=[1, 2]).i == [1, 2]
    assert proto.message_class("tensorflow.GraphDef") is proto.GraphDef
    with pytest.raises(AttributeError, match="NoSuchMessage"):
        _ = proto.NoSuchMessage


def test_text_and_json_work_with_the_private_pool() -> None:
    meta = proto.MetaGraphDef()
    meta.meta_info_def.any_info.Pack(proto.GraphDef(versions=proto.VersionDef(producer=7)))
    text = text_format.MessageToString(meta, descriptor_pool=proto.POOL)
    assert "type.googleapis.com/tensorflow.GraphDef" in text
    again = text_format.Parse(text, proto.MetaGraphDef(), descriptor_pool=proto.POOL)
    assert again == meta
    assert (
        json_format.Parse(
            json_format.MessageToJson(meta, descriptor_pool=proto.POOL),
            proto.MetaGraphDef(),
            descriptor_pool=proto.POOL,
        )
        == meta
    )


def test_another_message_of_the_same_name_is_read_through_its_bytes() -> None:
    pool = descriptor_pool.DescriptorPool()
    file = descriptor_pb2.FileDescriptorProto(name="other.proto", package="tensorflow", syntax="proto3")
    file.message_type.add(name="VersionDef").field.add(name="producer", number=1, type=5, label=1)
    pool.Add(file) if hasattr(pool, "Add") else pool.AddSerializedFile(file.SerializeToString())
    from google.protobuf import message_factory

    foreign = message_factory.GetMessageClass(pool.FindMessageTypeByName("tensorflow.VersionDef"))(producer=9)
    assert proto.cast_message(foreign, proto.VersionDef) == proto.VersionDef(producer=9)
    with pytest.raises(TypeError, match="expected a GraphDef message, got VersionDef"):
        proto.cast_message(foreign, proto.GraphDef)


@pytest.mark.parametrize("order", ["icefloe first", "the other first"])
def test_a_clashing_file_in_the_default_pool_does_no_harm(order: str) -> None:
    other = (
        "from google.protobuf import descriptor_pb2, descriptor_pool\n"
        "f = descriptor_pb2.FileDescriptorProto(name='tensorflow/core/framework/versions.proto', package='tensorflow')\n"
        "f.message_type.add(name='VersionDef').field.add(name='other', number=5, type=9, label=1)\n"
        "descriptor_pool.Default().AddSerializedFile(f.SerializeToString())\n"
    )
    ours = "from icefloe.proto import GraphDef\nassert GraphDef(versions={'producer': 3}).versions.producer == 3\n"
    code = ours + other + ours if order == "icefloe first" else other + ours
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=60)
