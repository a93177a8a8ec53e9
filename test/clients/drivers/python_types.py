"""Judges answers by the types that the official SDK ships.

Reads a JSON list of [kind, name, value] from standard input, where kind is "info" or "frame", and
prints a JSON object: how many it judged by name, and one line for each that does not fit its type.
A field beyond those of a type is no fault: the SDK's types name only what it reads.
"""

import json
import sys
import typing

from hyperliquid.utils import types as sdk

NAMES = {name: value for name, value in vars(sdk).items() if not name.startswith("__")}
# What the SDK declares an answer of `/info` to be, where it declares anything.
INFO = {
    "meta": sdk.Meta,
    "spotMeta": sdk.SpotMeta,
    "spotMetaAndAssetCtxs": sdk.SpotMetaAndAssetCtxs,
    "metaAndAssetCtxs": typing.Tuple[sdk.Meta, typing.List[sdk.PerpAssetCtx]],
    "allMids": typing.Dict[str, str],
    "l2Book": sdk.L2BookData,
    "userFills": typing.List[sdk.Fill],
    "userFillsByTime": typing.List[sdk.Fill],
    "activeAssetData": sdk.ActiveAssetData,
}


def frames_by_channel():
    by_channel = {}
    for message in typing.get_args(sdk.WsMsg):
        hint = hints(message)["channel"]
        options = typing.get_args(hint)
        names = options if typing.get_origin(hint) is typing.Literal else [typing.get_args(o)[0] for o in options]
        for name in names:
            by_channel[name] = message
    return by_channel


def hints(typed_dict):
    return typing.get_type_hints(typed_dict, NAMES)


def faults(value, expected, where):
    if expected is typing.Any:
        return []
    if typing.is_typeddict(expected):
        return faults_of_object(value, expected, where)
    origin, inner = typing.get_origin(expected), typing.get_args(expected)
    if origin is typing.Union:
        tried = [faults(value, option, where) for option in inner]
        return [] if [] in tried else min(tried, key=len)
    if origin is typing.Literal:
        return [] if value in inner else [f"{where}: {value!r} is none of {inner}"]
    if origin in (list, tuple, dict):
        return faults_of_many(value, origin, inner, where)
    return [] if type(value) is expected else [f"{where}: {value!r} is no {expected.__name__}"]


def faults_of_object(value, expected, where):
    if type(value) is not dict:
        return [f"{where}: no object"]
    found = [f"{where}.{name}: missing" for name in expected.__required_keys__ if name not in value]
    for name, hint in hints(expected).items():
        if name in value:
            found += faults(value[name], hint, f"{where}.{name}")
    return found


def faults_of_many(value, origin, inner, where):
    if type(value) is not (dict if origin is dict else list):
        return [f"{where}: no {origin.__name__}"]
    if origin is tuple and len(value) != len(inner):
        return [f"{where}: {len(value)} of {len(inner)} entries"]
    if origin is dict:
        pairs = [(each, inner[1], f"{where}.{key}") for key, each in value.items()]
    elif origin is tuple:
        pairs = [(each, inner[at], f"{where}[{at}]") for at, each in enumerate(value)]
    else:
        pairs = [(each, inner[0], f"{where}[{at}]") for at, each in enumerate(value)]
    return [fault for pair in pairs for fault in faults(*pair)]


def main():
    frames = frames_by_channel()
    judged, found = {}, []
    for kind, name, value in json.load(sys.stdin):
        expected = (INFO if kind == "info" else frames).get(name)
        if expected is None:
            continue
        label = f"{kind} {name}"
        judged[label] = judged.get(label, 0) + 1
        found += faults(value, expected, label)
    print(json.dumps({"judged": judged, "faults": sorted(set(found))}))


main()
