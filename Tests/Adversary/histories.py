"""Histories made by chance: a schema, and steps that change it in every way that docs/migrations.md has."""

import copy

import nasty
import values
from assignments import Writer
from changes import Changes, INDEXED, KEYS, UNLIKE
from schemas import Enum, Model, Property, Schema, Step, Type


class History(Changes):
    """Versions 0 to n. steps[v] leads to version v."""

    def __init__(self, random, steps):
        self.random = random
        # Half of the histories look at one object at a time, so that one statement or one pass makes all their versions.
        self.is_flat = random.random() < 0.5
        self.counter = 0
        self.schemas = [self.first()]
        self.steps = [None]
        self.wanted = steps
        self.removed = {}  # model: names that were there once

    def name(self, prefix):
        self.counter += 1
        return f"{prefix}{self.counter}"

    # The first version

    def first(self):
        random, schema = self.random, Schema()
        for _ in range(random.randint(0, 2)):
            self.add_enum(schema)
        models = [self.name("M") for _ in range(random.randint(1, 3))]
        embedded = [self.name("E") for _ in range(0 if self.is_flat else random.randint(0, 2))]
        for name in models + embedded:
            schema.models[name] = Model(embedded=name in embedded)
        for name in models + embedded:
            for _ in range(random.randint(4, 14)):
                schema.models[name].properties[self.name("p")] = self.property(schema, name, embedded)
        if len(models) > 1 and random.random() < 0.3:
            self.inherit(schema, models)
        for name in models:
            if random.random() < 0.4:
                self.add_key(schema.models[name])
        for _ in range(random.randint(0, 2)):
            self.add_inverse(schema)
        return schema

    def inherit(self, schema, models):
        """Two models have some properties in common, and inherit them."""
        schema.family = self.random.sample(models, 2)
        a, b = (schema.models[n] for n in schema.family)
        for name, p in list(a.properties.items()):
            if p.type.base not in schema.models and self.random.random() < 0.5:
                b.properties[name] = copy.deepcopy(p)

    def add_enum(self, schema):
        random = self.random
        name, is_int = self.name("K"), random.random() < 0.5
        raws = random.sample([0, 1, 2, 10, -5, 2**40], 3) if is_int else random.sample(["low", "high", "é", "", "a b", "'", "Mid"], 3)
        schema.enums[name] = Enum(is_int, {self.name("c"): raw for raw in raws})

    def scalar_type(self, schema):
        random = self.random
        if schema.enums and random.random() < 0.12:
            return random.choice(list(schema.enums))
        return random.choice(values.SCALARS + ["any", "any", "int", "string", "double"])

    def property(self, schema, model, embedded=None, required_link=True):
        """A property for a new object or for an old one, whatever it needs."""
        random = self.random
        pick = 1 - random.random() * 0.8 if self.is_flat and random.random() < 0.95 else random.random()
        is_embedded = schema.models[model].embedded
        entities = [n for n, m in schema.models.items() if not m.embedded]
        # Embedded models may hold those that come behind them, so that there is no circle.
        names = list(schema.models)
        owned = [n for n, m in schema.models.items() if m.embedded and (not is_embedded or names.index(n) > names.index(model))]
        if pick < 0.15 and entities:
            target = random.choice(entities)
            shape = random.choice(["value", "value", "list", "set", "map"])
            required = required_link and shape == "value" and random.random() < 0.15 and names.index(target) > names.index(model) and not is_embedded
            rule = random.choice(["deny", "cascade"]) if required else random.choice([None, None, "nullify", "deny"])
            # A cascade may lead in no circle: only to models that come behind.
            if not required and not is_embedded and names.index(target) > names.index(model) and random.random() < 0.3:
                rule = "cascade"
            return Property(Type(target, shape == "value" and not required, shape), rule=rule)
        if pick < 0.2 and owned:
            shape = random.choice(["value", "list", "map"])
            return Property(Type(random.choice(owned), shape == "value", shape))
        base = self.scalar_type(schema)
        shape = "value" if random.random() < (0.97 if self.is_flat else 0.75) else random.choice(["list", "list", "set", "map"])
        optional = random.random() < 0.45
        if shape == "set" and base in UNLIKE:
            base = "int"  # equal values with other bits
        property = Property(Type(base, optional, shape))
        if shape == "value":
            self.decorate(property, schema)
        return property

    def default(self, base, schema):
        scalar = schema.scalar(base)
        if base == "any":
            base = scalar = self.random.choice(["int", "bool", "string", "double"])
        if base in schema.enums:
            return self.random.choice(schema.enums[base].raws())
        while True:
            found = nasty.plain(self.random, scalar)
            if found[0] != "double" or self.random.random() < 2:
                return found

    def decorate(self, property, schema):
        random = self.random
        if random.random() < 0.25:
            property.default = self.default(property.type.base, schema)
        if property.type.base in INDEXED and random.random() < 0.15:
            property.index = "true"
        if property.type.base == "string" and random.random() < 0.08:
            property.index = "fulltext"

    def add_key(self, model):
        found = [n for n, p in model.stored().items() if p.type.shape == "value" and p.type.base in KEYS]
        if found:
            model.key = self.random.sample(found, 1 if self.random.random() < 0.7 or len(found) < 2 else 2)

    def add_inverse(self, schema):
        random = self.random
        links = [(n, key, p) for n, m in schema.models.items() for key, p in m.stored().items()
                 if p.type.base in schema.models and p.type.shape in ("value", "list", "set") and not schema.models[p.type.base].embedded]
        if links:
            owner, key, property = random.choice(links)
            schema.models[property.type.base].properties[self.name("inv")] = Property(None, inverse=(owner, key))

    # Steps

    def propose(self):
        """A next version and the step to it. It may be refused by `check`: then another one is proposed."""
        random = self.random
        self.old, self.new, self.step = self.schemas[-1], self.schemas[-1].copy(), Step()
        self.touched = set()  # (new model, new property)
        ways = [self.add, self.add, self.add, self.remove, self.rename, self.rename, self.widen, self.widen, self.wrap, self.loosen, self.tighten,
                self.change, self.change, self.change, self.reset, self.reset, self.reset, self.rename_model, self.add_model, self.remove_model, self.delete,
                self.delete, self.merge, self.merge, self.rekey, self.unkey, self.reindex, self.rule, self.recollect, self.enum_case, self.enum_gone,
                self.inverse, self.redefault, self.swap, self.enum_scalar, self.inherited]
        if self.is_flat:
            ways = [w for w in ways if w not in (self.delete, self.merge, self.wrap, self.recollect, self.inverse)] + [self.widen, self.change, self.reset] * 2
        for way in random.choices(ways, k=random.choice([1, 3, 6, 10, 16])):
            way()
        self.drop_inverses()
        return self.new, self.step

    def accept(self):
        for name, model in self.old.models.items():
            self.removed.setdefault(name, [])
            now = self.step.model_names.get(name, name)
            if now in self.new.models:
                self.removed[name] += [p for p in model.properties if p not in self.new.models[now].properties]
        self.schemas.append(self.new)
        self.steps.append(self.step)

    def models(self, embedded=True):
        return [n for n, m in self.new.models.items() if (embedded or not m.embedded) and self.step.old_model(n, self.old)]

    def pick(self, accept=lambda p: True, embedded=True):
        """A continuing property that nothing else of the step touches: (new model, name, property)."""
        found = []
        for model in self.models(embedded):
            for name, property in self.new.models[model].stored().items():
                old = self.step.old_model(model, self.old)
                if (model, name) in self.touched or name not in self.old.models[old].properties or not accept(property):
                    continue
                found.append((model, name, property))
        if not found:
            return None
        result = self.random.choice(found)
        self.touched.add(result[:2])
        return result

    def is_plain(self, model, name):
        """Whether nothing else of the model speaks of the property."""
        m = self.new.models[model]
        return name not in m.key and all(name not in i for i in m.indexes + m.uniques) and not m.properties[name].unique

    def writer(self, model):
        return Writer(self.random, self.old, self.step.old_model(model, self.old))

    def assign(self, model, name):
        """Sets the property of the step; whether an expression was found."""
        expression = self.writer(model).assigned(self.new.models[model].properties[name].type, self.new, self.step)
        if expression:
            self.step.set.setdefault(model, {})[name] = expression
        return expression is not None
