"""What operators, aggregates and functions of docs/expressions.md give."""

import math

import values


class Refusal(Exception):
    """What stops an upgrade."""

    def __init__(self, kind, what=""):
        super().__init__(kind, what)
        self.kind = kind
        self.what = what


def whole(value):
    if not -2**63 <= value < 2**63:
        raise Refusal("arithmetic", "overflow")
    return ("int", value)


def operate(operator, a, b):
    """Of two numbers; the kind is that of the wider one."""
    if a is None or b is None:
        return None
    kinds = {a[0], b[0]}
    if kinds == {"date"}:
        return ("double", a[1] - b[1])
    if "date" in kinds:
        date, seconds = (a, b) if a[0] == "date" else (b, a)
        seconds = values.convert(seconds, "double")[1]
        return ("date", date[1] - seconds if operator == "-" else date[1] + seconds)
    if kinds == {"int"}:
        x, y = a[1], b[1]
        if operator in "/%" and y == 0:
            raise Refusal("arithmetic", "division by zero")
        if operator == "/":
            quotient = abs(x) // abs(y)
            return whole(quotient if (x < 0) == (y < 0) else -quotient)
        if operator == "%":
            return ("int", abs(x) % abs(y) * (-1 if x < 0 else 1))
        return whole({"+": x + y, "-": x - y, "*": x * y}[operator])
    if "decimal" in kinds:
        x, y = values.convert(a, "decimal")[1], values.convert(b, "decimal")[1]
        if operator == "/" and not x.is_nan() and y == 0:
            raise Refusal("arithmetic", "division by zero")
        if operator == "/":
            result = values.QUOTIENT.divide(x, y)
        else:
            result = {"+": values.EXACT.add, "-": values.EXACT.subtract, "*": values.EXACT.multiply}[operator](x, y)
        result = values.fits(result)
        if result is None:
            raise Refusal("arithmetic", "decimal overflow")
        return ("decimal", result)
    is_single = kinds == {"float"}
    x, y = values.convert(a, "double")[1], values.convert(b, "double")[1]
    if operator == "/" and y == 0:
        raise Refusal("arithmetic", "division by zero")
    try:
        result = {"+": lambda: x + y, "-": lambda: x - y, "*": lambda: x * y, "/": lambda: x / y}[operator]()
    except OverflowError:
        result = math.inf
    return ("float", values.single(result)) if is_single else ("double", result)


def aggregate(name, elements):
    if name == "count":
        return ("int", len(elements))
    present = [e for e in elements if e is not None]
    if name in ("min", "max"):
        best = present[0] if present else None
        for e in present[1:]:
            if values.order(e, best) == (-1 if name == "min" else 1):
                best = e
        return best
    if name == "avg" and not present:
        return None
    kinds = {e[0] for e in present}
    if kinds <= {"int"}:
        if name == "avg":
            return ("double", float(sum(e[1] for e in present)) / len(present))
        total = ("int", 0)
        for e in present:
            total = operate("+", total, e)
        return total
    if kinds == {"decimal"}:
        total = values.convert(("int", 0), "decimal")
        for e in present:
            total = operate("+", total, e)
        return total if name == "sum" else operate("/", total, ("int", len(present)))
    total = 0.0
    for e in present:
        total += values.convert(e, "double")[1]
    return ("double", total / len(present) if name == "avg" else total)


def rounded(name, value):
    kind, content = value
    if kind == "int":
        return value
    if kind == "decimal":
        if content.is_nan():
            return value
        mode = {"round": "ROUND_HALF_UP", "floor": "ROUND_FLOOR", "ceil": "ROUND_CEILING"}[name]
        return ("decimal", values.fits(content.quantize(values.Decimal(1), rounding=mode, context=values.EXACT)))
    if not math.isfinite(content) or abs(content) >= 2.0**53:
        return value
    if name == "round":
        whole_part = float(math.trunc(content))
        result = whole_part + (math.copysign(1, content) if abs(content - whole_part) >= 0.5 else 0.0)
    else:
        result = float(math.floor(content) if name == "floor" else math.ceil(content))
    return (kind, math.copysign(result, content) if result == 0 else result)


SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"


def like(text, pattern):
    if not pattern:
        return not text
    if pattern[0] == "*":
        return any(like(text[i:], pattern[1:]) for i in range(len(text) + 1))
    return bool(text) and pattern[0] in ("?", text[0]) and like(text[1:], pattern[1:])
