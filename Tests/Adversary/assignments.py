"""Expressions for a property of a new version: docs/expressions.md, Taking a value."""

import nasty
import values
from conditions import Conditions
from expressions import Expression, literal_text
from schemas import Type


class Writer(Conditions):
    """Writes expressions that a property takes, over the objects of one model before a step."""

    links_in_any = False

    def assigned(self, type, new_schema, step):
        """An expression for a property of this type; None where none was found. Its value is the property's."""
        if type.shape == "map":
            return self.assigned_map(type, new_schema, step)
        if type.is_collection:
            return self.assigned_collection(type, new_schema, step)
        if type.base in new_schema.models:
            return self.assigned_link(type, new_schema, step)
        if type.base in new_schema.enums:
            return self.assigned_enum(type, new_schema.enums[type.base])
        for _ in range(4):
            found = self.assigned_scalar(type, step, depth=2)
            if found and (type.optional or type.base == "any" or not found.optional):
                return found
            if found and found.shape == "value":
                fallback = self.assigned_scalar(Type(type.base), step, depth=0)
                if fallback and not fallback.optional:
                    return self.top_coalesced(found, fallback)
        literal = self.target_literal(type.base if type.base != "any" else "string")
        return literal

    def top_coalesced(self, a, b):
        def evaluate(row):
            value = a.evaluate(row)
            return b.evaluate(row) if value is None else value
        return Expression(f"{a.text} ?? {b.text}", b.base, b.optional, evaluate)

    def target_literal(self, scalar):
        value = nasty.plain(self.random, scalar)
        return Expression(literal_text(self.random, value), scalar, False, lambda row: value)

    def assigned_scalar(self, type, step, depth):
        scalar = type.base
        # Values of several types meet in `any`: branches are where they do.
        often = 0.4 if scalar == "any" else 0.2
        if depth > 0 and self.random.random() < often:
            condition = self.condition(1)
            a, b = self.assigned_scalar(type, step, depth - 1), self.assigned_scalar(type, step, depth - 1)
            if not a or not b:
                return None
            return Expression(f"if({condition.text}, {a.text}, {b.text})", a.base, a.optional or b.optional,
                              lambda row: a.evaluate(row) if condition.evaluate(row) else b.evaluate(row))
        if depth > 0 and self.random.random() < often:
            a, b = self.assigned_scalar(Type(scalar, True), step, depth - 1), self.assigned_scalar(type, step, depth - 1)
            return self.top_coalesced(a, b) if a and b and not a.text.startswith("if(") else None
        if self.random.random() < 0.15 and scalar != "any":
            return self.target_literal(scalar)
        if scalar == "any":
            if self.links_in_any and self.random.random() < 0.12:
                return self.assigned_link(None, None, step)
            source = self.random.choice(values.SCALARS)
            if self.random.random() < 0.15:
                enums = self.properties(lambda t: t.shape == "value" and t.base in self.schema.enums)
                if enums:
                    return enums
            found = self.one(source, 2)
        else:
            found = self.one(self.random.choice([s for s in values.SCALARS if values.widens(s, scalar)]), 2)
        if not found:
            return None
        before = found.evaluate

        def evaluate(row):
            value = before(row)
            if value is not None and value[0] == "link":
                value = ("link", step.model_names.get(value[1], value[1]), value[2])
            return values.convert(value, scalar)
        return Expression(found.text, scalar, found.optional, evaluate)

    def assigned_enum(self, type, enum):
        raws = enum.raws()

        def literal():
            value = self.random.choice(raws)
            return Expression(literal_text(self.random, value), "", False, lambda row: value)
        known = set(enum.cases.values())
        old = self.properties(lambda t: t.shape == "value" and t.base in self.schema.enums
                              and self.schema.enums[t.base].is_int == enum.is_int and set(self.schema.enums[t.base].cases.values()) <= known)
        if old and self.random.random() < 0.5:
            return old if type.optional or not old.optional else self.top_coalesced(old, literal())
        if self.random.random() < 0.7:
            condition, a, b = self.condition(1), literal(), literal()
            return Expression(f"if({condition.text}, {a.text}, {b.text})", "", False,
                              lambda row: a.evaluate(row) if condition.evaluate(row) else b.evaluate(row))
        return literal()

    def assigned_link(self, type, new_schema, step):
        """A link for a property of this type, or for one of type `any`."""
        def leads(base):
            if base not in self.schema.models or self.schema.models[base].embedded:
                return False
            return type is None or step.model_names.get(base, base) == type.base and step.old_model(type.base, self.schema) == base
        found = self.element(lambda t: leads(t.base)) if self.random.random() < 0.3 else None
        found = found or self.properties(lambda t: t.shape == "value" and leads(t.base))
        if not found or type and found.optional and not type.optional:
            return None
        before = found.evaluate

        def evaluate(row):
            value = before(row)
            return value and ("link", step.model_names.get(value[1], value[1]), value[2])
        return Expression(found.text, found.base, found.optional, evaluate)

    def assigned_collection(self, type, new_schema, step):
        is_link = type.base in new_schema.models
        scalar = None if is_link else new_schema.scalar(type.base)

        def accept(t):
            if is_link:
                return t.base in self.schema.models and not self.schema.models[t.base].embedded \
                    and step.model_names.get(t.base, t.base) == type.base and step.old_model(type.base, self.schema) == t.base
            return t.base in values.SCALARS and values.widens(t.base, scalar) and type.base not in new_schema.enums \
                and (type.optional or type.base == "any" or not t.optional)

        def finish(value):
            if value is not None and value[0] == "link":
                return ("link", step.model_names.get(value[1], value[1]), value[2])
            return values.convert(value, scalar) if scalar else value
        pick = self.random.random()
        if pick < 0.5:
            source = self.properties(lambda t: t.shape in (("list",) if type.shape == "list" else ("list", "set")) and accept(t), depth=1)
            if not source and not is_link:
                source = self.many(lambda t: accept(t), ordered=type.shape == "list")
                # Objects of a path are all there; what is nil stays nil.
                if source and source.optional and not (type.optional or type.base == "any"):
                    source = None
            if source:
                before = source.evaluate
                return Expression(source.text, source.base, source.optional, lambda row: [finish(v) for v in before(row)], "list")
        element = Type(type.base, True)
        parts = []
        for _ in range(self.random.randint(0, 3)):
            if is_link:
                part = self.assigned_link(element, new_schema, step)
            elif type.base in new_schema.enums:
                part = self.assigned_enum(element, new_schema.enums[type.base])
            else:
                part = self.assigned_scalar(element, step, 1)
            if part and not part.text.startswith("if(") and " ?? " not in part.text:
                parts.append(part)

        def evaluate(row):
            found = [p.evaluate(row) for p in parts]
            keeps_nil = type.optional and not is_link
            return [f for f in found if f is not None or keeps_nil]
        return Expression("{" + ", ".join(p.text for p in parts) + "}", type.base, False, evaluate, "list")

    def assigned_map(self, type, new_schema, step):
        if type.base in new_schema.models or type.base in new_schema.enums:
            return None
        source = self.properties(lambda t: t.shape == "map" and t.base in values.SCALARS and values.widens(t.base, type.base)
                                 and (type.optional or type.base == "any" or not t.optional), depth=1)
        if not source:
            return None
        before = source.evaluate

        def finish(value):
            if value is not None and value[0] == "link":
                return ("link", step.model_names.get(value[1], value[1]), value[2])
            return values.convert(value, type.base)
        return Expression(source.text, source.base, source.optional, lambda row: {k: finish(v) for k, v in (before(row) or {}).items()}, "map")
