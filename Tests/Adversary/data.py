"""Objects with values at the edges of their types, and links among them."""

import nasty
import values
from oracle import Database, distinct


class Data:
    def __init__(self, random, schema, links_in_any):
        self.random, self.schema, self.links_in_any = random, schema, links_in_any

    def populate(self):
        """The objects of a file."""
        random, schema = self.random, self.schema
        database = Database()
        count = {m: random.choice([0, 1, 4, 12, 40]) if schema.models[m].embedded is False else 0 for m in schema.models}
        identities, number = {}, 0
        for model in schema.models:
            database.objects[model] = {}
            identities[model] = range(number + 1, number + count[model] + 1)
            number += count[model]
        # Without what a required link leads to there is no object.
        for model in reversed(list(schema.models)):
            for p in schema.models[model].stored().values():
                if p.type.base in schema.models and p.type.shape == "value" and not p.type.optional and not identities[p.type.base]:
                    identities[model] = range(0)
        for model in schema.models:
            for identity in identities[model]:
                if not all(identities[p.type.base] for p in schema.models[model].stored().values()
                           if p.type.base in schema.models and p.type.shape == "value" and not p.type.optional):
                    continue
                object = {n: self.content(p.type, schema, database, identities) for n, p in schema.models[model].stored().items()}
                if self.is_unique(object, schema.models[model], database.objects[model]):
                    database.objects[model][identity] = object
        settle(database, schema)
        return database

    def is_unique(self, object, model, others):
        for key in [model.key] + model.uniques + [[n] for n, p in model.properties.items() if p.unique]:
            if key and any(all(values.order(object[n], o[n]) == 0 for n in key) for o in others.values()):
                return False
        return True

    def content(self, type, schema, database, identities, depth=0):
        random = self.random
        if type.shape == "value":
            return self.one(type, schema, database, identities, depth)
        elements = [self.one(type, schema, database, identities, depth) for _ in range(random.choice([0, 0, 1, 2, 3, 6]))]
        if type.base in schema.models:
            elements = [e for e in elements if e is not None]
        if type.shape == "set":
            return distinct(elements)
        if type.shape == "map":
            keys = random.sample(["a", "b", "", "é", "key1", "A", "日本", "'"], len(elements))
            return {k: v for k, v in sorted(zip(keys, elements), key=lambda e: e[0].encode())}
        return elements

    def one(self, type, schema, database, identities, depth):
        random = self.random
        if type.base in schema.models:
            if schema.models[type.base].embedded:
                if type.optional and random.random() < 0.3 or depth > 3:
                    return None
                identity, database.next = database.next, database.next + 1
                members = schema.models[type.base].stored()
                database.objects[type.base][identity] = {}
                database.objects[type.base][identity].update(
                    {n: self.content(p.type, schema, database, identities, depth + 1) for n, p in members.items()})
                return ("link", type.base, identity)
            if type.optional and random.random() < 0.3 or not identities[type.base]:
                return None
            return ("link", type.base, random.choice(identities[type.base]))
        if (type.optional or type.base == "any" and type.shape == "value") and random.random() < 0.25 and (type.optional or type.base != "any"):
            return None
        if type.base == "any" and random.random() < 0.1 and self.links_in_any:
            targets = [m for m in identities if identities[m]]
            if targets:
                model = random.choice(targets)
                return ("link", model, random.choice(identities[model]))
        return nasty.value(random, type.base, schema)


def settle(database, schema):
    """Takes out what leads to objects that were not kept."""
    changed = True
    while changed:
        changed = False
        for model, objects in database.objects.items():
            for identity, object in list(objects.items()):
                for name, p in schema.models[model].stored().items():
                    content = object[name]

                    def is_there(v):
                        return v is None or v[0] != "link" or v[2] in database.objects[v[1]]
                    if isinstance(content, list):
                        object[name] = [v for v in content if is_there(v)]
                    elif isinstance(content, dict):
                        object[name] = {k: v for k, v in content.items() if is_there(v)}
                    elif not is_there(content):
                        object[name] = None
                        if not p.type.optional and p.type.base != "any":
                            objects.pop(identity, None)
                            changed = True


def renumber(database, found, schema):
    """The same objects under the identities of a file that they were imported into: the order of each model's objects stays."""
    identities = {}
    for model in schema.models:
        if not schema.models[model].embedded:
            a, b = sorted(database.objects[model]), sorted(found.objects[model])
            if len(a) != len(b):
                raise ValueError(f"{len(a)} objects of {model} were imported, {len(b)} are exported")
            identities[model] = dict(zip(a, b))
    result = Database()

    def change(value):
        if value is None or value[0] != "link" or value[1] not in identities:
            return value
        return ("link", value[1], identities[value[1]].get(value[2], -1))
    for model, objects in database.objects.items():
        result.objects[model] = {}
        for identity, object in objects.items():
            result.objects[model][identities.get(model, {}).get(identity, identity)] = {
                n: [change(c) for c in v] if isinstance(v, list) else {k: change(c) for k, c in v.items()} if isinstance(v, dict) else change(v)
                for n, v in object.items()}
    return result
