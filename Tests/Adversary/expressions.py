"""Expressions made by chance, each as its text and as what docs/expressions.md says it is."""

import math
from dataclasses import dataclass
from typing import Any, Callable

import nasty
import values
from meaning import aggregate, operate, rounded, SPACES


@dataclass
class Expression:
    text: str
    base: str  # a scalar, an enum or a model of the old schema
    optional: bool
    evaluate: Callable[[Any], Any]
    shape: str = "value"
    # Of a condition that is a property alone: the property as a value.
    value: Any = None


class Row:
    """An object before the step: where an expression is evaluated."""

    def __init__(self, database, model, identity, variables=()):
        self.database, self.model, self.identity, self.variables = database, model, identity, variables

    def read(self, model, identity, name):
        return self.database.objects[model][identity][name]

    def follow(self, link, name, is_collection):
        if link is None:
            return [] if is_collection else None
        _, model, identity = link
        found = self.database.objects[model].get(identity)
        return ([] if is_collection else None) if found is None else found[name]


def literal_text(random, value):
    kind, content = value
    if kind == "bool":
        return random.choice(["true", "YES"] if content else ["false", "NO"])
    if kind == "int":
        return str(content)
    if kind == "double":
        return values.number_text(content) if math.isfinite(content) else f"double('{values.number_text(content)}')"
    if kind == "float":
        return f"float('{values.number_text(content, True)}')"
    if kind == "string":
        return text_literal(random, content)
    if kind == "data":
        return f"x'{content.hex()}'"
    if kind == "date":
        return f"date('{values.date_text(content)}')"
    if kind == "decimal":
        return f"decimal('{values.decimal_text(content)}')"
    return f"{kind}('{content}')"


def text_literal(random, content):
    quote = random.choice("'\"")
    result = ""
    for character in content:
        code = ord(character)
        if character == quote or character == "\\":
            result += "\\" + character
        elif code < 32 or 0x7f <= code < 0xa0 or code in (0xfeff, 0x2028, 0x2029) or (code > 126 and random.random() < 0.3):
            result += "\\u{%x}" % code
        else:
            result += character
    return quote + result + quote


class Values:
    """Writes expressions over the objects of one model before a step."""

    def __init__(self, random, schema, model):
        self.random, self.schema, self.model = random, schema, model

    # Sources

    def owner(self, depth=2):
        """An object to read from: the old one, or what it links to. (text, model, optional, evaluate a link)"""
        text, model, optional = "old", self.model, False
        evaluate = lambda row: ("link", row.model, row.identity)
        while depth > 0 and self.random.random() < 0.35:
            links = [(n, p) for n, p in self.schema.models[model].stored().items()
                     if p.type.shape == "value" and p.type.base in self.schema.models]
            if not links:
                break
            name, property = self.random.choice(links)
            text, model, optional = f"{text}.{name}", property.type.base, optional or property.type.optional
            evaluate = (lambda before, name: lambda row: row.follow(before(row), name, False))(evaluate, name)
            depth -= 1
        return text, model, optional, evaluate

    def properties(self, accept, depth=2):
        """A property that is accepted, as an expression; None where there is none."""
        for _ in range(4):
            text, model, optional, evaluate = self.owner(depth)
            found = [(n, p) for n, p in self.schema.models[model].stored().items() if accept(p.type)]
            if not found:
                continue
            name, property = self.random.choice(found)
            is_collection = property.type.is_collection
            return Expression(
                f"{text}.{name}", property.type.base, property.type.optional or optional and not is_collection,
                lambda row: row.follow(evaluate(row), name, is_collection), property.type.shape)
        return None

    def scalar_of(self, type):
        return self.schema.scalar(type.base)

    # One value

    def literal(self, scalar):
        value = nasty.plain(self.random, scalar)
        return Expression(literal_text(self.random, value), value[0], False, lambda row: value)

    def leaf(self, scalar):
        pick = self.random.random()
        found = None
        if pick < 0.6:
            found = self.properties(lambda t: t.shape == "value" and t.base == scalar)
        elif pick < 0.8:
            found = self.element(lambda t: t.base == scalar)
        if found or scalar == "any" or values.is_whole(scalar) and scalar not in ("int",):
            return found
        return self.literal(scalar)

    def element(self, accept):
        source = self.properties(lambda t: t.shape in ("list", "map") and accept(t), depth=1)
        if source is None:
            return None
        if source.shape == "list":
            place, index = self.random.choice([("0", 0), ("FIRST", 0), ("LAST", -1), ("-1", -1), ("1", 1), ("5", 5)])

            def at(row):
                elements = source.evaluate(row)
                position = index + len(elements) if index < 0 else index
                return elements[position] if 0 <= position < len(elements) else None
            return Expression(f"{source.text}[{place}]", source.base, True, at)
        key = self.random.choice(["a", "b", "é", "key1", ""])
        return Expression(f"{source.text}[{text_literal(self.random, key)}]", source.base, True,
                          lambda row: (source.evaluate(row) or {}).get(key))

    def one(self, scalar, depth=3):
        """One value of exactly this scalar, or None."""
        if depth <= 0:
            return self.leaf(scalar)
        for _ in range(3):
            ways = [self.leaf, self.leaf, self.coalesced, self.branched, self.converted, self.listed]
            if scalar in ("int", "double", "float", "decimal"):
                ways += [self.arithmetic, self.arithmetic, self.rounding, self.extreme]
            if scalar in ("int", "double", "decimal"):
                ways.append(self.aggregated)
            if scalar == "date":
                ways += [self.moved, self.extreme]
            if scalar == "string":
                ways += [self.joined, self.joined, self.cut, self.cut, self.extreme]
            if scalar == "int":
                ways.append(self.length)
            if scalar == "bool":
                ways.append(self.truth)
            if scalar == "any":
                ways = [self.leaf]
            way = self.random.choice(ways)
            found = way(scalar) if way == self.leaf else way(scalar, depth - 1)
            if found:
                return found
        return self.leaf(scalar)

    def coalesced(self, scalar, depth):
        a, b = self.one(scalar, depth), self.one(scalar, depth)
        if not a or not b:
            return None

        def evaluate(row):
            value = a.evaluate(row)
            return b.evaluate(row) if value is None else value
        return Expression(f"({a.text} ?? {b.text})", a.base, a.optional and b.optional, evaluate)

    def branched(self, scalar, depth):
        condition, a, b = self.condition(depth), self.one(scalar, depth), self.one(scalar, depth)
        if not a or not b:
            return None
        return Expression(f"if({condition.text}, {a.text}, {b.text})", a.base, a.optional or b.optional,
                          lambda row: a.evaluate(row) if condition.evaluate(row) else b.evaluate(row))

    def listed(self, scalar, depth):
        """One of a list that is written out: all of it is worked out, whichever is taken."""
        items = [self.one(scalar, depth) for _ in range(self.random.randint(1, 3))]
        if not all(items):
            return None
        place, index = self.random.choice([("0", 0), ("FIRST", 0), ("LAST", -1), ("-1", -1), ("1", 1), ("5", 5)])

        def evaluate(row):
            elements = [item.evaluate(row) for item in items]
            position = index + len(elements) if index < 0 else index
            return elements[position] if 0 <= position < len(elements) else None
        return Expression("{" + ", ".join(item.text for item in items) + f"}}[{place}]", items[0].base, True, evaluate)

    CONVERTED_FROM = {
        "float": ["int", "double", "string", "date", "bool", "int8", "decimal", "any"], "double": ["int", "float", "string", "date", "decimal", "any"],
        "string": ["int", "double", "float", "bool", "date", "uuid", "decimal", "objectId", "data", "any"],
        "date": ["int", "double", "string", "decimal", "any"], "uuid": ["string", "data", "any"], "objectId": ["string", "data", "any"],
        "data": ["string", "uuid", "objectId", "any"], "bool": ["int", "double", "string", "decimal", "float", "any"],
        "decimal": ["int", "double", "float", "string", "bool", "any"]}

    def converted(self, scalar, depth):
        sources = self.CONVERTED_FROM.get(scalar, ["int", "double", "string", "decimal", "bool", "float", "any", "int8", "int32"])
        source = self.one(self.random.choice(sources), depth)
        if not source or source.base not in values.SCALARS:
            return None
        # A conversion of a literal is checked at once.
        if source.text[0] in "'\"x" or source.text.startswith(("date(", "decimal(", "uuid(", "objectId(", "float(", "double(")) or source.base == scalar:
            return None
        return Expression(f"{scalar}({source.text})", scalar if not values.is_whole(scalar) else scalar, True,
                          lambda row: values.convert(source.evaluate(row), scalar))

    def small(self):
        """A whole number whose products fit."""
        found = self.properties(lambda t: t.shape == "value" and t.base in ("int8", "int16", "int32"))
        return found or self.literal_small()

    def literal_small(self):
        value = ("int", self.random.choice([0, 1, 2, 3, 7, 10, -1, -4, 100]))
        return Expression(str(value[1]) if value[1] >= 0 else f"({value[1]})", "int", False, lambda row: value)

    def arithmetic(self, scalar, depth):
        operator = self.random.choice("+-*/%" if scalar == "int" else "+-*/")
        if scalar == "int":
            a, b = self.small(), self.literal_small() if self.random.random() < 0.6 else self.small()
            if self.random.random() < 0.1:
                a = self.one("int", depth) or a
        elif scalar == "double":
            a = self.one("double", depth)
            b = self.one(self.random.choice(["double", "double", "float"]), depth) if self.random.random() < 0.7 else self.literal_small()
        else:
            a, b = self.one(scalar, depth), self.one(scalar, depth)
            if scalar == "decimal" and self.random.random() < 0.4:
                b = self.literal_small()
        if not a or not b:
            return None
        if operator in "/%" and (b.base != "int" or b.text in ("0",) or not b.text.strip("(-)").isdigit() or float(b.text.strip("()")) == 0):
            b = self.guarded(b) if self.random.random() < 0.8 else b
        base = "int" if scalar == "int" else scalar
        return Expression(f"({a.text} {operator} {b.text})", base, a.optional or b.optional,
                          lambda row: operate(operator, a.evaluate(row), b.evaluate(row)))

    def guarded(self, divisor):
        """Never zero."""
        one = {"int": "1", "double": "1.0", "float": "float('1.0')", "decimal": "decimal('1')"}.get(divisor.base, "1")
        kind = divisor.base if divisor.base in ("double", "float", "decimal") else "int"

        def evaluate(row):
            value = divisor.evaluate(row)
            return values.convert(("int", 1), kind) if value is not None and values.order(value, ("int", 0)) == 0 else value
        base = "int" if kind == "int" else kind
        return Expression(f"if({divisor.text} == 0, {one}, {divisor.text})", base, divisor.optional, evaluate)

    def rounding(self, scalar, depth):
        name = self.random.choice(["round", "floor", "ceil", "abs"])
        source = self.small() if scalar == "int" else self.one(scalar, depth)
        if not source:
            return None

        def evaluate(row):
            value = source.evaluate(row)
            if value is None:
                return None
            if name != "abs":
                return rounded(name, value)
            return (value[0], value[1].copy_abs() if value[0] == "decimal" else abs(value[1]))
        return Expression(f"{name}({source.text})", "int" if scalar == "int" else scalar, source.optional, evaluate)

    def extreme(self, scalar, depth):
        name = self.random.choice(["min", "max"])
        parts = [self.one(scalar, depth) for _ in range(self.random.randint(2, 3))]
        if not all(parts) or any(p.base != scalar for p in parts):
            return None

        def evaluate(row):
            found = [p.evaluate(row) for p in parts]
            return None if None in found else aggregate(name, found)
        return Expression(f"{name}({', '.join(p.text for p in parts)})", scalar, any(p.optional for p in parts), evaluate)

    def moved(self, scalar, depth):
        date = self.one("date", depth)
        seconds = self.one(self.random.choice(["double", "float"]), depth) if self.random.random() < 0.4 else self.literal_small()
        if not date or not seconds:
            return None
        operator = self.random.choice("+-")
        return Expression(f"({date.text} {operator} {seconds.text})", "date", date.optional or seconds.optional,
                          lambda row: operate(operator, date.evaluate(row), seconds.evaluate(row)))

    def joined(self, scalar, depth):
        parts = [self.one("string", depth) for _ in range(self.random.randint(2, 4))]
        if not all(parts):
            return None

        def evaluate(row):
            found = [p.evaluate(row) for p in parts]
            return None if None in found else ("string", "".join(f[1] for f in found))
        return Expression("(" + " + ".join(p.text for p in parts) + ")", "string", any(p.optional for p in parts), evaluate)

    def cut(self, scalar, depth):
        name = self.random.choice(["lower", "upper", "trim", "replace", "substring", "substring", "before", "after"])
        source = self.one("string", depth)
        if not source:
            return None
        part = self.random.choice(["e", "R", " ", ".", "é", "ex", "\u0000", "🐕", "-"])
        by = self.random.choice(["", "X", "日本", "e"])
        start, length = self.random.choice([0, 1, 2, -1, 300]), self.random.choice([None, 0, 1, 3, -1, 9223372036854775807])
        arguments = {"replace": [part, by], "before": [part], "after": [part]}.get(name, [])
        text = f"{name}({source.text}" + "".join(", " + text_literal(self.random, a) for a in arguments)
        if name == "substring":
            text += f", {start}" + ("" if length is None else f", {length}")

        def evaluate(row):
            value = source.evaluate(row)
            if value is None:
                return None
            content = value[1]
            if name == "lower":
                content = "".join(c.lower() for c in content)
            elif name == "upper":
                content = "".join(c.upper() for c in content)
            elif name == "trim":
                content = content.strip(SPACES)
            elif name == "replace":
                content = content.replace(part, by)
            elif name == "before":
                content = content.partition(part)[0]
            elif name == "after":
                if part not in content:
                    return None
                content = content.partition(part)[2]
            else:
                end = len(content) if length is None else start + length
                content = content[max(0, start):max(0, end)]
            return ("string", content)
        return Expression(text + ")", "string", source.optional or name == "after", evaluate)

    def length(self, scalar, depth):
        source = self.one("string", depth)
        return source and Expression(f"length({source.text})", "int", source.optional,
                                     lambda row: None if (v := source.evaluate(row)) is None else ("int", len(v[1])))

    def truth(self, scalar, depth):
        condition = self.condition(depth)
        # A property alone is its own value, nil included; as a condition nil would be false.
        if condition.value:
            return Expression(f"({condition.text})", "bool", condition.value.optional, condition.value.evaluate)
        return Expression(f"({condition.text})", "bool", False, lambda row: ("bool", condition.evaluate(row)))
