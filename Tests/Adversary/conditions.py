"""Collections and conditions in expressions made by chance."""

import values
from expressions import Expression, Values, text_literal
from meaning import aggregate, like


class Conditions(Values):
    """Writes what needs more than one value: aggregates, and what is true or false."""

    # Many values

    def many(self, accept, ordered):
        """A collection whose elements are accepted, or a property of each of many objects."""
        shapes = ("list",) if ordered else ("list", "set", "map")
        source = None
        if self.random.random() < 0.6:
            source = self.properties(lambda t: t.shape in shapes and accept(t), depth=1)
            if source and source.shape == "map":
                before = source.evaluate
                source = Expression(source.text, source.base, source.optional, lambda row: list((before(row) or {}).values()), "many")
        if source is None:
            objects = self.objects(ordered)
            if objects is None:
                return None
            found = [(n, p) for n, p in self.schema.models[objects.base].stored().items() if p.type.shape == "value" and accept(p.type)]
            if not found:
                return None
            name, property = self.random.choice(found)
            source = Expression(f"{objects.text}.{name}", property.type.base, property.type.optional,
                                lambda row: [row.follow(o, name, False) for o in objects.evaluate(row)], "many")
        return source

    def objects(self, ordered=False):
        shapes = ("list",) if ordered else ("list", "set")
        found = self.properties(lambda t: t.shape in shapes and t.base in self.schema.models, depth=1)
        if not ordered and self.random.random() < 0.4:
            inverses = [(n, p) for n, p in self.schema.models[self.model].properties.items() if p.inverse]
            if inverses:
                name, property = self.random.choice(inverses)
                model, link = property.inverse

                def holders(row):
                    result = []
                    for identity, object in sorted(row.database.objects[model].items()):
                        content = object[link]
                        for target in content if isinstance(content, list) else [content]:
                            if target == ("link", row.model, row.identity):
                                result.append(("link", model, identity))
                                break
                    return result
                return Expression(f"old.{name}", model, False, holders, "set")
        return found

    def aggregated(self, scalar, depth):
        pick = self.random.choice(["count", "sum", "min", "max", "avg"])
        if scalar == "int" and pick == "avg":
            pick = "count"
        if pick == "count":
            if scalar != "int":
                return None
            source = self.properties(lambda t: t.is_collection, depth=1) if self.random.random() < 0.5 else self.objects()
        elif pick in ("min", "max"):
            wanted = ("int8", "int16", "int32", "int64", "int") if scalar == "int" else (scalar,)
            source = self.many(lambda t: t.base in wanted, ordered=scalar != "int")
        elif scalar == "int":
            source = self.many(lambda t: t.base in ("int8", "int16", "int32"), ordered=False)
        elif scalar == "double":
            wanted = ("double", "float") if pick == "sum" else ("double", "float", "int", "int32")
            source = self.many(lambda t: t.base in wanted, ordered=True)
        else:
            source = self.many(lambda t: t.base == "decimal", ordered=pick == "avg")
        if source is None:
            return None
        return Expression(f"{source.text}.@{pick}", scalar, pick not in ("count", "sum"),
                          lambda row: aggregate(pick, list(source.evaluate(row) or [])))

    # Conditions

    def condition(self, depth=2):
        pick = self.random.random()
        if depth > 0 and pick < 0.25:
            parts = [self.condition(depth - 1) for _ in range(2)]
            word, test = self.random.choice([("AND", all), ("OR", any)])
            return Expression("(" + f" {word} ".join(p.text for p in parts) + ")", "bool", False,
                              lambda row: test(p.evaluate(row) for p in parts))
        if depth > 0 and pick < 0.35:
            part = self.condition(depth - 1)
            return Expression(f"(NOT ({part.text}))", "bool", False, lambda row: not part.evaluate(row))
        for _ in range(5):
            way = self.random.choice([self.compared, self.compared, self.compared, self.nil_test, self.within, self.worded, self.quantified,
                                      self.subquery, self.plain_bool])
            found = way(depth - 1)
            if found:
                return found
        return Expression("TRUEPREDICATE", "bool", False, lambda row: True)

    TESTS = {"==": lambda o: o == 0, "!=": lambda o: o != 0, "<": lambda o: o == -1, "<=": lambda o: o in (-1, 0), ">": lambda o: o == 1,
             ">=": lambda o: o in (0, 1)}

    def compare(self, operator, a, b):
        if operator in ("==", "!="):
            return (values.order(a, b) == 0) == (operator == "==")
        if a is None or b is None:
            return False
        return self.TESTS[operator](values.order(a, b))

    def compared(self, depth):
        scalar = self.random.choice(["int", "int", "double", "float", "string", "string", "date", "decimal", "bool", "uuid", "data", "any", "int8", "int32", "objectId"])
        a = self.one(scalar, depth)
        other = scalar
        if scalar in ("int", "double", "float", "int8", "int32", "decimal") and self.random.random() < 0.4:
            other = self.random.choice(["int", "double", "decimal", "float"])
        if scalar == "any":
            other = self.random.choice(["int", "string", "bool", "double", "uuid", "date", "any"])
        if other in ("int8", "int32"):
            other = "int"
        b = self.one(other, depth) if self.random.random() < 0.5 else (self.literal(other) if other != "any" else None)
        if not a or not b:
            return None
        is_ordered = scalar not in ("bool", "uuid", "objectId", "any")
        operator = self.random.choice(["==", "!=", "<", "<=", ">", ">="] if is_ordered else ["==", "!="])
        return Expression(f"({a.text} {operator} {b.text})", "bool", False, lambda row: self.compare(operator, a.evaluate(row), b.evaluate(row)))

    def nil_test(self, depth):
        a = self.properties(lambda t: t.shape == "value")
        operator = self.random.choice(["==", "!="])
        return a and Expression(f"({a.text} {operator} nil)", "bool", False, lambda row: (a.evaluate(row) is None) == (operator == "=="))

    def plain_bool(self, depth):
        a = self.properties(lambda t: t.shape == "value" and t.base == "bool")
        return a and Expression(a.text, "bool", False, lambda row: a.evaluate(row) == ("bool", True), value=a)

    def within(self, depth):
        scalar = self.random.choice(["int", "double", "string", "date", "decimal", "int16"])
        a = self.properties(lambda t: t.shape == "value" and t.base == scalar)
        if not a:
            return None
        literals = [self.literal("int" if scalar == "int16" else scalar) for _ in range(self.random.randint(2, 4))]
        found = [p.evaluate(None) for p in literals]
        if self.random.random() < 0.5:
            return Expression(f"({a.text} IN {{{', '.join(p.text for p in literals)}}})", "bool", False,
                              lambda row: any(values.order(a.evaluate(row), f) == 0 for f in found))
        return Expression(f"({a.text} BETWEEN {{{literals[0].text}, {literals[1].text}}})", "bool", False,
                          lambda row: self.compare(">=", v := a.evaluate(row), found[0]) and self.compare("<=", v, found[1]))

    def worded(self, depth):
        a = self.one("string", depth)
        if not a:
            return None
        operator = self.random.choice(["BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE"])
        part = self.random.choice(["R*", "*e*", "?", "a?b", "*", "??"] if operator == "LIKE" else ["R", "e", "é", "\u0000", " ", "🐕", "x"])

        def evaluate(row):
            value = a.evaluate(row)
            if value is None:
                return False
            return {"BEGINSWITH": value[1].startswith, "ENDSWITH": value[1].endswith, "CONTAINS": lambda p: p in value[1],
                    "LIKE": lambda p: like(value[1][:60], p)}[operator](part)
        if operator == "LIKE" and a.text.startswith("("):
            return None
        return Expression(f"({a.text} {operator} {text_literal(self.random, part)})", "bool", False, evaluate)

    def quantified(self, depth):
        scalar = self.random.choice(["int", "string", "double", "date", "bool"])
        many = self.many(lambda t: t.base == scalar, ordered=False)
        if not many:
            return None
        word = self.random.choice(["ANY", "ALL", "NONE"])
        operator = self.random.choice(["==", "!="] if scalar == "bool" else ["==", "!=", "<", ">="])
        wanted = self.literal(scalar)
        value = wanted.evaluate(None)

        def evaluate(row):
            tests = [self.compare(operator, e, value) for e in many.evaluate(row)]
            return {"ANY": any, "ALL": all, "NONE": lambda t: not any(t)}[word](tests)
        return Expression(f"({word} {many.text} {operator} {wanted.text})", "bool", False, evaluate)

    def subquery(self, depth):
        objects = self.objects()
        if not objects:
            return None
        found = [(n, p) for n, p in self.schema.models[objects.base].stored().items() if p.type.shape == "value" and p.type.base in values.SCALARS
                 and p.type.base not in ("any", "bool", "uuid", "objectId")]
        if not found:
            return None
        name, property = self.random.choice(found)
        wanted = self.literal("int" if values.is_whole(property.type.base) else property.type.base)
        value, operator, count = wanted.evaluate(None), self.random.choice(["==", "!=", "<", ">"]), self.random.randint(0, 2)
        return Expression(
            f"(SUBQUERY({objects.text}, $x, $x.{name} {operator} {wanted.text}).@count > {count})", "bool", False,
            lambda row: sum(self.compare(operator, row.follow(o, name, False), value) for o in objects.evaluate(row)) > count)
