"""Values as the oracle holds them: (kind, content), None for nil. docs/layout.md, docs/expressions.md and docs/cli.md say what they are.

Kinds: bool, int, float, double, string, data, date, uuid, decimal, objectId, link (of a model and an identity).
"""

import math
import re
import struct
from decimal import Context, Decimal, ROUND_HALF_EVEN
from fractions import Fraction

SCALARS = ["bool", "int8", "int16", "int32", "int64", "int", "float", "double", "string", "data", "date", "uuid",
           "decimal", "objectId", "any"]
RANGES = {"int8": 7, "int16": 15, "int32": 31, "int64": 63, "int": 63}
DIGITS = 166  # of a decimal, on both sides of its point
EXACT = Context(prec=2000)
QUOTIENT = Context(prec=38, rounding=ROUND_HALF_EVEN)


def is_whole(scalar):
    return scalar in RANGES


def is_number(scalar):
    return scalar in RANGES or scalar in ("float", "double", "decimal")


def bounds(scalar):
    return -(1 << RANGES[scalar]), (1 << RANGES[scalar]) - 1


def widens(source, target):
    """Whether every value of one type is one of the other: the automatic changes of docs/migrations.md."""
    if source == target or target == "any":
        return True
    if is_whole(source) and is_whole(target):
        return RANGES[source] <= RANGES[target]
    return target == "decimal" and is_whole(source) or (source, target) in {
        ("int8", "float"), ("int16", "float"), ("int8", "double"), ("int16", "double"), ("int32", "double"),
        ("float", "double")}


# Numbers


def single(value):
    """The nearest float; beyond the range it is infinite."""
    try:
        return struct.unpack(">f", struct.pack(">f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def decimal_text(value):
    if value.is_nan():
        return "NaN"
    if value == 0:
        return "0"
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def fits(value):
    """A decimal with at most so many digits, and no sign at zero; None for another one."""
    if value.is_nan():
        return value
    if value == 0:
        return Decimal(0)
    text = decimal_text(value).lstrip("-")
    whole, _, fraction = text.partition(".")
    return value if len(whole.lstrip("0")) + len(fraction) <= DIGITS else None


def shortest(value, is_single=False):
    """The shortest digits that read back, as a decimal number."""
    if not is_single:
        return Decimal(repr(value))
    for precision in range(1, 10):
        text = f"{value:.{precision - 1}e}"
        if single(float(text)) == value:
            return Decimal(text)
    return Decimal(repr(value))


def number_text(value, is_single=False):
    """How a double or a float is spelled as text: 1.0, 0.1, 1e-05, 1e+16, inf, nan."""
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    sign = "-" if math.copysign(1, value) < 0 else ""
    if value == 0:
        return sign + "0.0"
    _, digits, exponent = shortest(abs(value), is_single).as_tuple()
    text = "".join(map(str, digits)).rstrip("0") or "0"
    point = len(digits) + exponent  # digits before the point
    if abs(value) > (2.0**24 if is_single else 2.0**53) or point < -3:
        mantissa = text[0] + ("." + text[1:] if len(text) > 1 else "")
        return f"{sign}{mantissa}e{'-' if point - 1 < 0 else '+'}{abs(point - 1):02d}"
    if point <= 0:
        return sign + "0." + "0" * -point + text
    if len(text) <= point:
        return sign + text + "0" * (point - len(text)) + ".0"
    return sign + text[:point] + "." + text[point:]


# Dates


def days_of(year, month, day):
    shifted = year if month > 2 else year - 1
    era, of_era = divmod(shifted, 400)
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + day_of_year - 730791


def date_of(days):
    era, day_of_era = divmod(days + 730791, 146097)
    of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096) // 365
    day_of_year = day_of_era - (of_era * 365 + of_era // 4 - of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return of_era + era * 400 + (1 if month <= 2 else 0), month, day_of_year - (153 * shifted + 2) // 5 + 1


def days_in(month, year):
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


DATE = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:[Zz]|([+-])(\d\d):(\d\d)))?\Z", re.ASCII)
DATE_BARE = re.compile(r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?\Z", re.ASCII)


def parse_date(text):
    """Seconds since 2001-01-01 UTC; None for what is no date."""
    found = DATE.match(text)
    if not found:
        return None
    year, month, day, hour, minute, second, fraction, sign, hours, minutes = found.groups()
    if not (1 <= int(month) <= 12 and 1 <= int(day) <= days_in(int(month), int(year))):
        return None
    if int(hour or 0) > 23 or int(minute or 0) > 59 or int(second or 0) > 59:
        return None
    if sign and (int(hours) > 23 or int(minutes) > 59):
        return None
    seconds = days_of(int(year), int(month), int(day)) * 86400
    seconds += int(hour or 0) * 3600 + int(minute or 0) * 60 + int(second or 0)
    if sign:
        seconds -= (int(hours) * 3600 + int(minutes) * 60) * (-1 if sign == "-" else 1)
    return float(Fraction(seconds) + (Fraction(int(fraction), 10 ** len(fraction)) if fraction else 0))


def date_text(value):
    """ISO 8601 in UTC; None outside of the years 0 to 9999."""
    if not math.isfinite(value) or abs(value) >= 1e12:
        return None
    exact = Fraction(shortest(value))
    whole = math.floor(exact)
    rest = exact - whole
    day, second = divmod(whole, 86400)
    year, month, day_of_month = date_of(day)
    if not 0 <= year <= 9999:
        return None
    text = f"{year:04d}-{month:02d}-{day_of_month:02d}T{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
    if rest:
        digits = format(EXACT.divide(Decimal(rest.numerator), Decimal(rest.denominator)), "f")
        if len(digits) - 2 > DIGITS:
            return None
        text += digits[1:].rstrip("0")
    return text + "Z"


# Equality and order


def bits(value):
    return struct.pack(">d", value)


def identical(a, b):
    """Whether two values are the same to the bit."""
    if a is None or b is None or a[0] != b[0]:
        return a is b
    if a[0] in ("float", "double", "date"):
        return bits(a[1]) == bits(b[1])
    if a[0] == "decimal":
        return decimal_text(a[1]) == decimal_text(b[1])
    return a[1:] == b[1:]


def fingerprint(value):
    """Equal for identical values only."""
    if value is None:
        return ("nil",)
    if value[0] in ("float", "double", "date"):
        return (value[0], bits(value[1]))
    if value[0] == "decimal":
        return ("decimal", decimal_text(value[1]))
    return value


NUMBERS = ("int", "float", "double", "decimal")


def exact(value):
    """A number as an exact fraction, or -inf and inf, or None for a NaN."""
    kind, content = value
    if kind == "decimal":
        return None if content.is_nan() else Fraction(content)
    if kind == "int":
        return Fraction(content)
    if math.isnan(content):
        return None
    return content if math.isinf(content) else Fraction(content)


def order(a, b):
    """-1, 0 or 1; None for values that have no order among each other."""
    if a is None or b is None:
        return (a is not None) - (b is not None)
    if a[0] in NUMBERS and b[0] in NUMBERS or a[0] == b[0] == "date":
        if a[0] == "date":
            a, b = ("double", a[1]), ("double", b[1])
        if {a[0], b[0]} in ({"decimal", "double"}, {"decimal", "float"}):
            # A double stands for the shortest decimal number that reads back to it.
            a, b = ((("decimal", Decimal("NaN")) if math.isnan(v[1]) else ("decimal", shortest(v[1])))
                    if v[0] != "decimal" and not math.isinf(v[1]) else v for v in (a, b))
        x, y = exact(a), exact(b)
        if x is None or y is None:
            return (x is not None) - (y is not None)
        return (x > y) - (x < y)
    if a[0] != b[0]:
        return None
    x, y = a[1], b[1]
    if a[0] == "string":
        x, y = x.encode("utf-8", "surrogatepass"), y.encode("utf-8", "surrogatepass")
    elif a[0] == "link":
        x, y = a[2], b[2]
    return (x > y) - (x < y)


# Conversions of the expression language


def convert(value, target):
    """`int(old.age)` and the others; None where the value has no counterpart."""
    if value is None or target == "any":
        return value
    # An object in `any` is no value of another type.
    if value[0] == "link":
        return None
    kind, content = value
    result = None
    if is_whole(target):
        result = to_whole(kind, content)
        low, high = bounds(target)
        return ("int", result) if result is not None and low <= result <= high else None
    if target == "double":
        result = to_double(kind, content)
    elif target == "float":
        if kind == "int":
            result = nearest_single(Fraction(content))
        elif kind == "string":
            parsed = parse_number(content)
            result = None if parsed is None else single_of(content, parsed)
        else:
            result = to_double(kind, content)
            result = result if result is None or kind == "float" else single(result)
    elif target == "decimal":
        result = to_decimal(kind, content)
    elif target == "string":
        result = to_string(kind, content)
    elif target == "bool":
        result = to_bool(kind, content)
    elif target == "date":
        if kind == "string":
            result = parse_date(content)
        elif kind in NUMBERS or kind == "date":
            result = to_double(kind, content)
    elif target == "uuid":
        result = content if kind == "uuid" else None
        if kind == "string" and re.fullmatch(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", content):
            result = content.upper()
        if kind == "data" and len(content) == 16:
            text = content.hex().upper()
            result = "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
    elif target == "objectId":
        result = content if kind == "objectId" else None
        if kind == "string" and re.fullmatch(r"[0-9a-fA-F]{24}", content):
            result = content.lower()
        if kind == "data" and len(content) == 12:
            result = content.hex()
    elif target == "data":
        if kind == "data":
            result = content
        elif kind == "string":
            result = content.encode("utf-8")
        elif kind in ("uuid", "objectId"):
            result = bytes.fromhex(content.replace("-", ""))
    return None if result is None else (target, result)


def nearest_single(value):
    """Rounded once: by way of a double it would be rounded twice."""
    near = single(float(value))
    best = near
    raw = struct.unpack(">i", struct.pack(">f", near))[0]
    for neighbour in (raw - 1, raw + 1):
        try:
            other = struct.unpack(">f", struct.pack(">i", neighbour))[0]
        except struct.error:
            continue
        if math.isfinite(other) and math.isfinite(best):
            a, b = abs(Fraction(other) - value), abs(Fraction(best) - value)
            if a < b or a == b and neighbour % 2 == 0:
                best = other
    return best


def single_of(text, parsed):
    if math.isinf(parsed) or math.isnan(parsed):
        return parsed
    return nearest_single(Fraction(Decimal(text))) if parsed != 0 else parsed


NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\Z", re.ASCII)


NO_DIGITS = re.compile(r"[+-]?(nan|inf|infinity)\Z", re.ASCII | re.IGNORECASE)


def parse_number(text):
    return float(text) if NUMBER.match(text) or NO_DIGITS.match(text) else None


def to_whole(kind, content):
    if kind == "int":
        return content
    if kind == "bool":
        return int(content)
    if kind in ("double", "float"):
        return int(content) if math.isfinite(content) else None
    if kind == "decimal":
        return None if content.is_nan() else int(content)
    if kind == "string" and re.fullmatch(r"[+-]?\d+", content, re.ASCII):
        return int(content)
    return None


def to_double(kind, content):
    if kind in ("double", "float", "date"):
        return content
    if kind == "int":
        return float(content)
    if kind == "bool":
        return 1.0 if content else 0.0
    if kind == "decimal":
        return float(content)
    if kind == "string":
        return parse_number(content)
    return None


def to_decimal(kind, content):
    if kind == "decimal":
        return content
    if kind in ("int", "bool"):
        return Decimal(int(content))
    if kind in ("double", "float"):
        if math.isnan(content):
            return Decimal("NaN")
        return None if math.isinf(content) else fits(shortest(content, kind == "float"))
    if kind == "string":
        if content == "NaN":
            return Decimal("NaN")
        if re.fullmatch(r"[+-]?\d+(\.\d+)?([eE][+-]?\d{1,4})?", content, re.ASCII):
            return fits(Decimal(content))
    return None


def to_string(kind, content):
    if kind in ("string", "uuid", "objectId"):
        return content
    if kind == "int":
        return str(content)
    if kind == "bool":
        return "true" if content else "false"
    if kind in ("double", "float"):
        return number_text(content, kind == "float")
    if kind == "decimal":
        return decimal_text(content)
    if kind == "date":
        return date_text(content) or number_text(content)
    if kind == "data":
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError:
            return None
    return None


def to_bool(kind, content):
    if kind == "bool":
        return content
    if kind == "int":
        return content != 0
    if kind in ("double", "float"):
        return None if math.isnan(content) else content != 0
    if kind == "decimal":
        return None if content.is_nan() else content != 0
    if kind == "string":
        return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}.get(content.lower())
    return None
