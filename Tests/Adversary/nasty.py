"""Values at the edges of their types, and texts of every plane."""

import math
from decimal import Decimal

import values

TEXTS = ["", " ", "a", "A", "b", "rex", "Rex", "0", "1", "-7", "42", " 42", "3.5", "1e3", "true", "Yes", "no", "nil", "NaN",
         "é", "e\u0301", "ß", "SS", "İ", "ı", "Σ", "ς", "\u0000", "a\u0000b", "\u0000a", "'", '"', "\\", "%", "_", "*", "?", ";--", "\n", "\r\n",
         "\t", "\u00a0", "\u2028", "\ufeff", "\ufffd", "日本", "🐕", "👩‍👩‍👧", "\U0001d538", "\U0002070e", "\U000e0041", "\U000f0000",
         "\U0010fffd", "2026-11-21", "2026-11-21T10:30:00.25Z", "2001-01-01T00:00:00Z", "0000-01-01", "9999-12-31T23:59:59Z",
         "274E9D68-3EB4-34E4-563F-04B5AC6D45C5", "60245f9c367b353e97f99ce3", "9007199254740993", "9223372036854775808",
         "0.1", "-0", "123456789012345678901234567890123456789.5", "a.b.c", "x" * 300, "Member", "old", "null"]
DOUBLES = [0.0, -0.0, 1.0, -1.0, 0.5, 0.1, 2.5, -2.5, 3.7, 1e-5, 1e16, 123456789.125, 2.0**53, 2.0**53 + 2, 2.0**63, -2.0**63, 1e300, -1e300,
           1.7976931348623157e308, 5e-324, 2.2250738585072014e-308, math.inf, -math.inf, math.nan, 16777217.0, 1 / 3]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 0.1, 2.5, 3.7, 1e-5, 16777216.0, 3.4028234663852886e38, 1e-45, math.inf, -math.inf, math.nan, 1 / 3, 1e10]
DECIMALS = ["0", "1", "-1", "0.1", "-0.5", "2.5", "9.95", "100", "12345678901234567890123456789012345678",
            "123456789012345678901234567890123456789012", "-0.000000000000000000000000000000000000000001", "9007199254740993",
            "0.30000000000000004", "1" + "0" * 100, "NaN", "9223372036854775807", "0." + "9" * 60]
DATES = [0.0, -0.0, 1.0, -1.0, 0.25, 1e9, -978307200.0, 685018200.123, -63113904000.0, 252423993599.0, 1e13, -1e12, 1e-3, math.inf, math.nan, 0.1]
DATAS = [b"", b"\0", b"\1\1", b"\1\0", b"\7" + b"1.5", b"\xff" * 12, bytes(range(16)), b"rex", "é".encode(), b"\x09" + bytes(8) + b"A", b"\x03" + bytes(8)]


def random_text(random):
    pick = random.random()
    if pick < 0.7:
        return random.choice(TEXTS)
    planes = [(0x20, 0x7e), (0xa0, 0x17f), (0x370, 0x3ff), (0x4e00, 0x4fff), (0xe000, 0xf8ff), (0x1f300, 0x1f5ff), (0x20000, 0x2a6d6), (0x0, 0x1f)]
    return "".join(chr(random.randint(*random.choice(planes))) for _ in range(random.randint(0, 8)))


def value(random, scalar, schema=None):
    """A value of a scalar type; of `any` one of another type."""
    if schema and scalar in schema.enums:
        return random.choice(schema.enums[scalar].raws())
    if scalar == "any":
        return value(random, random.choice([s for s in values.SCALARS if s != "any" and not s.startswith("int")] + ["int", "int"]))
    if values.is_whole(scalar):
        low, high = values.bounds(scalar)
        edges = [low, high, low + 1, high - 1, 0, 0, 1, 1, -1, 2, 7, 42, 100]
        if scalar in ("int", "int64", "int32"):
            edges += [1000, -1000, 300, 65536]
        if scalar in ("int", "int64"):
            edges += [2**53, 2**53 + 1, -2**53 - 1, 2**31, 2**62]
        return ("int", random.choice(edges) if random.random() < 0.8 else random.randint(low, high))
    if scalar == "bool":
        return ("bool", random.random() < 0.5)
    if scalar == "double":
        return ("double", random.choice(DOUBLES) if random.random() < 0.8 else random.uniform(-1e6, 1e6))
    if scalar == "float":
        return ("float", values.single(random.choice(FLOATS) if random.random() < 0.8 else random.uniform(-1e6, 1e6)))
    if scalar == "string":
        return ("string", random_text(random))
    if scalar == "data":
        return ("data", random.choice(DATAS) if random.random() < 0.8 else bytes(random.randrange(256) for _ in range(random.randint(0, 40))))
    if scalar == "date":
        if random.random() < 0.5:
            return ("date", float(random.randint(-10**9, 10**9)))
        return ("date", random.choice(DATES))
    if scalar == "uuid":
        text = "%032X" % (random.choice([0, 2**128 - 1, 1, 255, 2**127]) if random.random() < 0.3 else random.getrandbits(128))
        return ("uuid", "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:])))
    if scalar == "objectId":
        return ("objectId", "%024x" % (random.choice([0, 1, 2**96 - 1]) if random.random() < 0.3 else random.getrandbits(96)))
    if scalar == "decimal":
        return ("decimal", Decimal(random.choice(DECIMALS)) if random.random() < 0.8 else Decimal(random.randint(-10**9, 10**9)).scaleb(-random.randint(0, 6)))
    raise AssertionError(scalar)


def plain(random, scalar, schema=None):
    """A value that a declaration or an expression spells."""
    while True:
        found = value(random, scalar, schema)
        kind, content = found
        if kind == "string" and (any(ord(c) < 32 or 0x7f <= ord(c) < 0xa0 or ord(c) in (0xfeff, 0x2028, 0x2029, 0xfffe, 0xffff) for c in content)
                                 or len(content) > 40):
            continue
        if kind == "date" and (values.date_text(content) is None or values.bits(content) == values.bits(-0.0)):
            continue
        if kind in ("double", "float") and math.isnan(content):
            continue
        return found
