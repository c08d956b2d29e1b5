"""The changes that a step may make: each finds its place by chance, or does nothing."""

import values
from schemas import Model, Property, Type

KEYS = ["int", "int8", "int16", "int32", "int64", "string", "uuid", "objectId"]
UNIQUES = ["int", "int32", "string", "date", "uuid", "objectId"]
UNLIKE = ("any",)  # of a set: equal values of other types
INDEXED = ["bool", "int", "int16", "date", "string", "uuid", "objectId"]


class Changes:
    """Of `self.old`, to `self.new` by `self.step`."""

    def add(self):
        random = self.random
        models = self.models()
        if not models:
            return
        model = random.choice(models)
        old = self.step.old_model(model, self.old)
        back = [n for n in self.removed.get(old, []) if n not in self.new.models[model].properties and n not in self.old.models[old].properties]
        name = random.choice(back) if back and random.random() < 0.5 else self.name("p")
        property = self.property(self.new, model, required_link=False)
        property.index = None if property.index == "fulltext" and random.random() < 0.5 else property.index
        self.new.models[model].properties[name] = property
        self.touched.add((model, name))
        if property.type.is_collection or property.type.optional or property.type.base == "any":
            if random.random() < 0.5 and not self.new.is_embedded(property.type.base):
                self.assign(model, name)
            return
        pick = random.random()
        if pick < 0.35 and property.type.base in ("uuid", "objectId", "date"):
            property.default, property.generate = None, {"uuid": "uuid", "objectId": "objectId", "date": "now"}[property.type.base]
        elif pick < 0.6:
            property.default = property.default or self.default(property.type.base, self.new)
        elif not self.assign(model, name) and property.default is None:
            del self.new.models[model].properties[name]

    def remove(self):
        found = self.pick()
        if found and self.is_plain(*found[:2]) and len(self.new.models[found[0]].stored()) > 1:
            model, name, _ = found
            del self.new.models[model].properties[name]
            self.step.drop.append(f"{self.step.old_model(model, self.old)}.{name}")

    def renamed(self, model, name, new_name):
        m = self.new.models[model]
        m.properties = {new_name if n == name else n: p for n, p in m.properties.items()}
        swap = lambda names: [new_name if n == name else n for n in names]
        m.key, m.indexes, m.uniques = swap(m.key), [swap(i) for i in m.indexes], [swap(u) for u in m.uniques]
        for other in self.new.models.values():
            for p in other.properties.values():
                if p.inverse == (model, name):
                    p.inverse = (model, new_name)
        self.step.names[(self.step.old_model(model, self.old), name)] = new_name
        self.touched.add((model, new_name))

    def rename(self):
        found = self.pick()
        if not found:
            return
        model, name, property = found
        old = self.step.old_model(model, self.old)
        back = [n for n in self.removed.get(old, []) if n not in self.new.models[model].properties and n not in self.old.models[old].properties]
        new_name = self.random.choice(back) if back and self.random.random() < 0.3 else self.name("p")
        self.renamed(model, name, new_name)
        pick = self.random.random()
        if pick < 0.2:
            self.widened(property)
        elif pick < 0.3 and not self.new.is_embedded(property.type.base):
            self.assign(model, new_name)
        elif pick < 0.5:
            # The name is another property's from now on.
            new = self.property(self.new, model, required_link=False)
            if not new.type.is_collection and not new.type.optional and new.type.base != "any" and new.default is None:
                new.default = self.default(new.type.base, self.new)
            self.new.models[model].properties[name] = new
            self.touched.add((model, name))

    def swap(self):
        """Two properties take each other's names."""
        a = self.pick(lambda p: p.type.shape == "value" and p.type.base in values.SCALARS)
        if not a:
            return
        model, first, property = a
        others = [n for n, p in self.new.models[model].stored().items() if n != first and (model, n) not in self.touched
                  and n in self.old.models[self.step.old_model(model, self.old)].properties and p.type.shape == "value" and p.type.base in values.SCALARS]
        if not others or not self.is_plain(model, first):
            return
        second = self.random.choice(others)
        if not self.is_plain(model, second):
            return
        self.touched.add((model, second))
        properties, old = self.new.models[model].properties, self.step.old_model(model, self.old)
        properties[first], properties[second] = properties[second], properties[first]
        self.step.names[(old, first)], self.step.names[(old, second)] = second, first

    def widened(self, property):
        base = property.type.base
        wider = [s for s in values.SCALARS if base in values.SCALARS and s != base and values.widens(base, s)]
        if base in self.new.enums:
            wider = [self.new.enums[base].scalar, "any"]
        if not wider or property.generate:
            return False
        property.type.base = self.random.choice(wider)
        if property.type.base in ("any", "decimal", "double", "float"):
            property.index = None
        if property.type.shape == "set" and property.type.base == "any":
            pass
        property.default = None if property.default is None else self.default(property.type.base, self.new)
        if property.type.base == "any":
            property.type.optional = property.type.optional or self.random.random() < 0.5
        return True

    def widen(self):
        found = self.pick(lambda p: p.type.base in values.SCALARS or p.type.base in self.new.enums)
        if found and self.is_plain(*found[:2]):
            self.widened(found[2])

    def wrap(self):
        """One value becomes a list or a set."""
        found = self.pick(lambda p: p.type.shape == "value" and not self.new.is_embedded(p.type.base) and not p.generate)
        if not found or not self.is_plain(*found[:2]):
            return
        property = found[2]
        shape = self.random.choice(["list", "set"])
        if shape == "set" and property.type.base in UNLIKE:
            shape = "list"
        if self.random.random() < 0.3 and shape == "list":
            self.widened(property)
        property.type.shape, property.default, property.index = shape, None, None
        property.type.optional = property.type.base in values.SCALARS and self.random.random() < 0.3
        if property.rule and self.random.random() < 0.5 and property.rule != "cascade":
            property.rule = None

    def loosen(self):
        found = self.pick(lambda p: not p.type.optional and (p.type.base not in self.new.models or p.type.shape == "value"))
        if found:
            found[2].type.optional = True

    def tighten(self):
        found = self.pick(lambda p: p.type.optional and p.type.shape == "value" and p.type.base not in self.new.models and p.type.base != "any")
        if not found:
            return
        model, name, property = found
        property.type.optional = False
        if self.random.random() < 0.5:
            property.default = property.default or self.default(property.type.base, self.new)
        elif not self.assign(model, name):
            property.type.optional = True

    def change(self):
        """Another type, and what becomes of the values."""
        found = self.pick(lambda p: p.type.base not in self.new.models)
        if not found or not self.is_plain(*found[:2]):
            return
        model, name, property = found
        before = property.type
        base = self.scalar_type(self.new)
        shape = before.shape if self.is_flat or self.random.random() < 0.7 else self.random.choice(["value", "list", "set"])
        if shape == "map" or shape == "set" and base in UNLIKE:
            return
        property.type = Type(base, self.random.random() < 0.5, shape)
        property.default = property.generate = property.index = None
        if not self.assign(model, name):
            property.type = before

    def reset(self):
        """The same type, other values."""
        found = self.pick(lambda p: not self.new.is_embedded(p.type.base))
        if found:
            model, name, _ = found
            if self.is_plain(model, name) or self.random.random() < 0.1:
                self.assign(model, name)

    def rename_model(self):
        names = [n for n in self.models() if n in self.old.models]
        if not names:
            return
        old = self.random.choice(names)
        # The name of a model that is gone may come back.
        new = self.returning() or self.name("N")
        self.new.family = [new if n == old else n for n in self.new.family]
        self.new.models = {new if n == old else n: m for n, m in self.new.models.items()}
        for model in self.new.models.values():
            for p in model.properties.values():
                if p.type and p.type.base == old:
                    p.type.base = new
                if p.inverse and p.inverse[0] == old:
                    p.inverse = (new, p.inverse[1])
        self.step.model_names[old] = new
        self.touched = {(new if m == old else m, n) for m, n in self.touched}
        if old in self.step.set:
            self.step.set[new] = self.step.set.pop(old)

    def returning(self):
        gone = {n for s in self.schemas[:-1] for n in s.models} - set(self.old.models) - set(self.new.models)
        return self.random.choice(sorted(gone)) if gone and self.random.random() < 0.5 else None

    def add_model(self):
        name = self.returning() or self.name("M")
        self.new.models[name] = Model()
        for _ in range(self.random.randint(1, 4)):
            self.new.models[name].properties[self.name("p")] = self.property(self.new, name)

    def remove_model(self):
        names = self.models()
        if len(names) < 3 or self.random.random() < 0.4:
            return
        name = self.random.choice(names)
        old = self.step.old_model(name, self.old)
        if name in self.step.set or name != old:
            return
        gone = [(m, n) for m, model in self.new.models.items() for n, p in model.stored().items() if p.type.base == name and m != name]
        if any(m in self.step.set and n in self.step.set[m] or not self.is_plain(m, n) or (m, n) in self.touched for m, n in gone):
            return
        for m, n in gone:
            del self.new.models[m].properties[n]
            self.step.drop.append(f"{self.step.old_model(m, self.old)}.{n}")
        del self.new.models[name]
        self.step.drop = [d for d in self.step.drop if not d.startswith(old + ".")] + [old]
        self.step.names = {k: v for k, v in self.step.names.items() if k[0] != old}
        self.step.delete.pop(old, None)
        self.step.deduplicate.pop(old, None)

    def delete(self):
        names = self.models()
        if names:
            name = self.random.choice(names)
            self.step.delete[self.step.old_model(name, self.old)] = self.writer(name).condition(2)

    def merge(self):
        """Of objects that agree one stays; usually for a new uniqueness."""
        names = self.models(embedded=False)
        if not names:
            return
        name = self.random.choice(names)
        old = self.step.old_model(name, self.old)
        model = self.new.models[name]
        found = [n for n, p in model.stored().items() if (name, n) not in self.touched and n in self.old.models[old].properties
                 and p.type.shape == "value" and p.type.base in UNIQUES]
        if not found or old in self.step.deduplicate:
            return
        by = self.random.sample(found, 2 if len(found) > 1 and self.random.random() < 0.3 else 1)
        self.touched |= {(name, n) for n in by}
        self.step.deduplicate[old] = (by, self.random.choice(["first", "last"]))
        pick = self.random.random()
        if pick < 0.35 and not model.key and all(model.properties[n].type.base in KEYS for n in by):
            model.key = by
        elif pick < 0.8 and len(by) == 1:
            model.properties[by[0]].unique = True
        elif pick < 0.9:
            model.uniques.append(by)

    def rekey(self):
        """Another primary key, set or generated."""
        names = self.models(embedded=False)
        if not names:
            return
        name = self.random.choice(names)
        model = self.new.models[name]
        key = self.name("p")
        if self.random.random() < 0.5:
            kind = self.random.choice(["uuid", "objectId"])
            model.properties[key] = Property(Type(kind), generate=kind)
        else:
            model.properties[key] = Property(Type(self.random.choice(["string", "int", "uuid"]), self.random.random() < 0.3))
            self.touched.add((name, key))
            if not self.assign(name, key):
                del model.properties[key]
                return
        self.touched.add((name, key))
        model.key = [key]

    def unkey(self):
        names = [n for n in self.models() if self.new.models[n].key or any(p.unique for p in self.new.models[n].properties.values())]
        if names:
            model = self.new.models[self.random.choice(names)]
            model.key = [] if self.random.random() < 0.6 else model.key
            for p in model.properties.values():
                p.unique = p.unique and self.random.random() < 0.5

    def reindex(self):
        found = self.pick(lambda p: p.type.shape == "value" and p.type.base in INDEXED)
        if found:
            property = found[2]
            property.index = self.random.choice([None, "true", "fulltext" if property.type.base == "string" else "true"])
            model = self.new.models[found[0]]
            others = [n for n, p in model.stored().items() if p.type.shape == "value" and p.type.base in INDEXED and n != found[1]]
            if others and self.random.random() < 0.4:
                pair = [found[1], self.random.choice(others)]
                if pair not in model.indexes:
                    model.indexes.append(pair)
            elif model.indexes and self.random.random() < 0.5:
                model.indexes.pop()

    def rule(self):
        found = self.pick(lambda p: p.type.base in self.new.models and not self.new.is_embedded(p.type.base) and (p.type.optional or p.type.is_collection))
        if found:
            found[2].rule = self.random.choice([None, "nullify", "deny"])

    def recollect(self):
        found = self.pick(lambda p: p.type.shape in ("list", "set") and not self.new.is_embedded(p.type.base)
                          and p.type.base not in UNLIKE)
        if found:
            found[2].type.shape = "set" if found[2].type.shape == "list" else "list"

    def enum_case(self):
        if self.new.enums:
            enum = self.random.choice(list(self.new.enums.values()))
            enum.cases[self.name("c")] = self.random.randint(100, 10**6) if enum.is_int else self.name("raw ")

    def enum_gone(self):
        """A case is gone, and each property that holds the enum says what becomes of it."""
        if not self.new.enums or self.random.random() < 0.5:
            return
        name = self.random.choice(list(self.new.enums))
        enum = self.new.enums[name]
        users = [(m, n, p) for m, model in self.new.models.items() for n, p in model.stored().items() if p.type.base == name]
        if len(enum.cases) < 2 or any((m, n) in self.touched or p.type.is_collection for m, n, p in users):
            return
        case = self.random.choice(list(enum.cases))
        raw = enum.cases.pop(case)
        for m, n, p in users:
            if p.default and p.default[1] == raw:
                p.default = self.random.choice(enum.raws())
            self.touched.add((m, n))
            old = self.step.old_model(m, self.old)
            if old and n in self.old.models[old].properties:
                self.assign(m, n)

    def enum_scalar(self):
        """A text or a number becomes an enum's case."""
        if not self.new.enums:
            return
        found = self.pick(lambda p: p.type.shape == "value" and p.type.base in ("string", "int"))
        if found and self.is_plain(*found[:2]):
            model, name, property = found
            before = property.type
            property.type, property.default, property.index = Type(self.random.choice(list(self.new.enums)), before.optional), None, None
            if not self.assign(model, name):
                property.type = before

    def inherited(self):
        """What a model inherited it has itself, or the reverse: nothing of the file changes."""
        self.new.family = [] if self.new.family else self.random.sample(list(self.new.models), min(2, len(self.new.models)))

    def inverse(self):
        self.add_inverse(self.new)

    def drop_inverses(self):
        """An inverse of what is no link any more goes."""
        for name, model in list(self.new.models.items()):
            for key, p in list(model.properties.items()):
                if not p.inverse:
                    continue
                owner = self.new.models.get(p.inverse[0])
                link = owner and owner.properties.get(p.inverse[1])
                if not link or not link.type or link.type.base != name or link.type.shape == "map":
                    del model.properties[key]

    def redefault(self):
        found = self.pick(lambda p: p.type.shape == "value" and p.type.base not in self.new.models and not p.generate)
        if found:
            found[2].default = None if found[2].default is not None and self.random.random() < 0.4 else self.default(found[2].type.base, self.new)
