"""Values in JSON lines: docs/cli.md, and docs/layout.md for `any`."""

import base64
import math
import re
import struct
from decimal import Decimal
from fractions import Fraction

import values


def read_number(json, is_single):
    if isinstance(json, str):
        named = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
        if json in named:
            return named[json]
        raw = int(re.fullmatch(r"NaN\(([0-9a-f]+)\)", json).group(1), 16)
        if is_single:
            return struct.unpack(">f", raw.to_bytes(4, "big"))[0]
        return struct.unpack(">d", raw.to_bytes(8, "big"))[0]
    # The text of a float is shorter than that of the double, and is read as a float.
    return values.nearest_single(Fraction(json)) if is_single and json != 0 and math.isfinite(json) else float(json)


def from_json(json, scalar):
    if json is None:
        return None
    if scalar == "any":
        if isinstance(json, bool):
            return ("bool", json)
        if isinstance(json, int):
            return ("int", json)
        if isinstance(json, float):
            return ("double", json)
        if isinstance(json, str):
            return ("string", json)
        if "$model" in json:
            return ("link", json["$model"], json["$id"])
        (tag, content), = json.items()
        return from_json(content, tag[1:])
    if values.is_whole(scalar):
        assert isinstance(json, int) and not isinstance(json, bool), json
        return ("int", json)
    if scalar in ("float", "double"):
        return (scalar, read_number(json, scalar == "float"))
    if scalar == "date":
        parsed = values.parse_date(json) if isinstance(json, str) else None
        return ("date", read_number(json, False) if parsed is None else parsed)
    if scalar == "data":
        return ("data", base64.b64decode(json, validate=True))
    if scalar == "decimal":
        return ("decimal", Decimal(json))
    if scalar == "bool":
        assert isinstance(json, bool), json
    return (scalar, json)


def number_json(value, is_single=False):
    if math.isnan(value):
        raw = struct.pack(">f" if is_single else ">d", value).hex()
        return "NaN" if raw in ("7fc00000", "7ff8000000000000") else f"NaN({raw})"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return float(values.shortest(value, is_single)) if value else value


def to_json(value, scalar):
    if value is None:
        return None
    kind, content = value[0], value[1]
    if kind in ("float", "double"):
        json = number_json(content, kind == "float")
    elif kind == "date":
        text = values.date_text(content)
        json = text if text and values.bits(values.parse_date(text)) == values.bits(content) else number_json(content)
    elif kind == "data":
        json = base64.b64encode(content).decode()
    elif kind == "decimal":
        json = values.decimal_text(content)
    elif kind == "link":
        return {"$model": content, "$id": value[2]} if scalar == "any" else {"$id": value[2]}
    else:
        json = content
    return {"$" + kind: json} if scalar == "any" and kind not in ("bool", "int", "string") else json
