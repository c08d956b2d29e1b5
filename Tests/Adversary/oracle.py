"""What a step makes of data, by docs/migrations.md alone. It works on exported lines and shares no code with the engine."""

import functools
import json
import math

import json_lines
import values
from expressions import Row
from meaning import Refusal

GENERATED = "generated"  # (GENERATED, scalar): a value that the step makes up


class Database:
    """Objects by model and identity. Embedded ones have identities that no line shows."""

    def __init__(self):
        self.objects = {}
        self.next = 1 << 60

    @staticmethod
    def read(lines, schema):
        database = Database()
        for model in schema.models:
            database.objects[model] = {}
        for line in lines:
            members = json.loads(line)
            model = members["$model"]
            database.objects[model][members["$id"]] = database.members(members, model, schema)
        # An object that is gone is nil where it stands in `any`.
        return database

    def members(self, members, model, schema):
        stored = schema.models[model].stored()
        unknown = set(members) - set(stored) - {"$model", "$id"}
        missing = set(stored) - set(members)
        if unknown or missing:
            raise Refusal("form", f"{model}: unknown {sorted(unknown)}, missing {sorted(missing)}")
        return {name: self.content(members[name], p.type, schema) for name, p in stored.items()}

    def content(self, content, type, schema):
        if type.shape in ("list", "set"):
            return [self.one(c, type.base, schema) for c in content]
        if type.shape == "map":
            return {k: self.one(content[k], type.base, schema) for k in sorted(content, key=lambda k: k.encode())}
        return self.one(content, type.base, schema)

    def one(self, content, base, schema):
        if base not in schema.models:
            return json_lines.from_json(content, schema.scalar(base))
        if content is None:
            return None
        if not schema.models[base].embedded:
            return ("link", base, content["$id"])
        identity, self.next = self.next, self.next + 1
        # Its place first: what it owns comes behind it.
        self.objects[base][identity] = None
        self.objects[base][identity] = self.members(content, base, schema)
        return ("link", base, identity)

    # For comparisons and for lines

    def nested(self, schema):
        """Model → identity → property → content, embedded objects inside of their owners."""
        return {model: {identity: self.nested_members(object, model, schema) for identity, object in sorted(objects.items())}
                for model, objects in self.objects.items() if not schema.models[model].embedded}

    def nested_members(self, object, model, schema):
        result = {}
        for name, p in schema.models[model].stored().items():
            inner = functools.partial(self.nested_one, base=p.type.base, schema=schema)
            content = object[name]
            result[name] = [inner(c) for c in content] if isinstance(content, list) else \
                {k: inner(v) for k, v in content.items()} if isinstance(content, dict) else inner(content)
        return result

    def nested_one(self, content, base, schema):
        if content is not None and schema.is_embedded(base):
            return self.nested_members(self.objects[base][content[2]], base, schema)
        return content

    def lines(self, schema):
        result = []
        for model, objects in self.nested(schema).items():
            for identity, members in objects.items():
                result.append(json.dumps({"$model": model, "$id": identity, **self.written(members, model, schema)}, ensure_ascii=False))
        return result

    def written(self, members, model, schema):
        def one(content, base):
            if isinstance(content, dict):
                return self.written(content, base, schema)
            return json_lines.to_json(content, schema.scalar(base))
        result = {}
        for name, p in schema.models[model].stored().items():
            content = members[name]
            result[name] = [one(c, p.type.base) for c in content] if p.type.shape in ("list", "set") else \
                {k: one(v, p.type.base) for k, v in content.items()} if p.type.shape == "map" else one(content, p.type.base)
        return result


def distinct(elements):
    """Each value once, the first of those that are equal."""
    result = []
    for e in elements:
        if not any(e is None and r is None or e is not None and r is not None and values.order(e, r) == 0 for r in result):
            result.append(e)
    return result


def held(value):
    """The order in which the file holds the elements of a set: docs/migrations.md."""
    if value is None:
        return (0,)
    kind, content = value[0], value[-1]
    if kind in ("double", "float", "date"):
        return (2, values.bits(content)) if math.isnan(content) else (1, content)
    if kind == "decimal":
        return (1, values.decimal_text(content).encode())
    return (1, content.encode() if isinstance(content, str) else content)


class Upgrade:
    """One step over one database."""

    def __init__(self, database, old, new, step, date):
        self.before, self.old, self.new, self.step, self.date = database, old, new, step, date
        self.after = Database()
        self.refusals = set()
        self.reasons = []

    def refuse(self, kind, what):
        self.refusals.add(kind)
        self.reasons.append(f"{kind}: {what}")

    def run(self):
        excluded = []
        for name, model in self.new.models.items():
            self.after.objects[name] = {}
        for name, model in self.new.models.items():
            old_name = self.step.old_model(name, self.old)
            if old_name is None:
                continue
            condition = self.step.delete.get(old_name)
            for identity, object in self.before.objects[old_name].items():
                row = Row(self.before, old_name, identity)
                try:
                    if condition and condition.evaluate(row):
                        excluded.append((name, identity))
                        continue
                    self.after.objects[name][identity] = {
                        key: self.property(p, key, name, model, old_name, object, row) for key, p in model.stored().items()}
                except Refusal as refusal:
                    self.refuse(refusal.kind, f"{name} {identity}: {refusal.what}")
        if self.refusals:
            return None
        # Objects of models that are gone, too.
        gone = {(name, i) for name in self.old.models if name not in self.kept() for i in self.before.objects[name]}
        self.forget_in_any(gone)
        for victim in excluded:
            self.delete(victim)
        for old_name, (by, keep) in self.step.deduplicate.items():
            self.deduplicate(old_name, by, keep)
        self.remove_orphans()
        self.check()
        return None if self.refusals else self.after

    def kept(self):
        return {self.step.old_model(n, self.old) for n in self.new.models}

    # One property of one object

    def property(self, p, key, name, model, old_name, object, row):
        expression = self.step.set.get(name, {}).get(key)
        if expression:
            result = expression.evaluate(row)
            if p.type.shape in ("list", "set") and not isinstance(result, list):
                result = [] if result is None else [result]
            return distinct(result) if p.type.shape == "set" else result
        source = self.step.old_property(old_name, self.old.models[old_name], key)
        if source is None:
            if p.type.is_collection:
                return {} if p.type.shape == "map" else []
            if p.generate:
                return ("date", self.date) if p.generate == "now" else (GENERATED, p.generate)
            return p.default
        before, content = self.old.models[old_name].properties[source].type, object[source]
        one = functools.partial(self.carried, base=p.type.base)
        if p.type.shape == "map":
            return {k: one(v) for k, v in content.items()}
        if not before.is_collection:
            if p.type.is_collection:
                return [] if content is None else [one(content)]
            result = one(content)
            return p.default if result is None and not p.type.optional and p.type.base != "any" else result
        if before.shape == "set" and p.type.shape == "list":
            content = sorted(content, key=held)
        elements = [one(c) for c in content]
        return distinct(elements) if p.type.shape == "set" else elements

    def carried(self, value, base):
        if value is None:
            return None
        if value[0] == "link":
            return ("link", self.step.model_names.get(value[1], value[1]), value[2])
        return values.convert(value, self.new.scalar(base))

    # Deletions

    def holders(self, model):
        for name, m in self.new.models.items():
            for key, p in m.stored().items():
                if p.type.base == model:
                    yield name, key, p

    def delete(self, victim):
        pending, seen = [victim], {victim}
        while pending:
            model, identity = pending.pop()
            link = ("link", model, identity)
            for name, key, p in self.holders(model):
                if p.rule == "deny":
                    continue
                for holder, object in self.after.objects[name].items():
                    content = object[key]
                    found = link in (content.values() if isinstance(content, dict) else content) if p.type.is_collection else content == link
                    if not found:
                        continue
                    if p.rule == "cascade":
                        if (name, holder) not in seen:
                            seen.add((name, holder))
                            pending.append((name, holder))
                    elif isinstance(content, dict):
                        object[key] = {k: v for k, v in content.items() if v != link}
                    else:
                        object[key] = [c for c in content if c != link] if p.type.is_collection else None
            object = self.after.objects[model].pop(identity, None)
            for key, p in self.new.models[model].stored().items() if object else ():
                if self.new.is_embedded(p.type.base):
                    content = object[key]
                    owned = content if isinstance(content, list) else content.values() if isinstance(content, dict) else [content]
                    for one in owned:
                        if one is not None and one[1:] not in seen:
                            seen.add(one[1:])
                            pending.append(one[1:])
        self.forget_in_any(seen)

    def forget_in_any(self, victims):
        def is_gone(value):
            return value is not None and value[0] == "link" and value[1:] in victims
        if not victims:
            return
        for object, key, content in self.contents_of_any():
            # As a link's nullify: an element leaves its collection.
            object[key] = [c for c in content if not is_gone(c)] if isinstance(content, list) else \
                {k: v for k, v in content.items() if not is_gone(v)} if isinstance(content, dict) else \
                None if is_gone(content) else content

    def contents_of_any(self):
        for name, m in self.new.models.items():
            for key, p in m.stored().items():
                if p.type.base == "any":
                    for object in self.after.objects[name].values():
                        yield object, key, object[key]

    def change_any(self, change):
        for object, key, content in self.contents_of_any():
            object[key] = [change(c) for c in content] if isinstance(content, list) else \
                {k: change(v) for k, v in content.items()} if isinstance(content, dict) else change(content)

    def deduplicate(self, old_name, by, keep):
        name = self.step.model_names.get(old_name, old_name)
        if name not in self.new.models:
            return
        key = self.new.models[name].key
        is_key = bool(key) and set(by) <= {self.step.old_property(old_name, self.old.models[old_name], n) for n in key}
        groups = []
        for identity in sorted(self.after.objects[name]):
            found = [self.before.objects[old_name][identity][n] for n in by]
            if None in found and not is_key:
                continue
            if is_key:
                lacks = None in found
                found += [self.after.objects[name][identity][n] if lacks else None for n in key]
            for group in groups:
                if all(values.order(a, b) == 0 for a, b in zip(group[0], found)):
                    group[1].append(identity)
                    break
            else:
                groups.append((found, [identity]))
        for _, members in groups:
            keeper = members[0] if keep == "first" else members[-1]
            for identity in members:
                if identity != keeper and identity in self.after.objects[name]:
                    self.redirect(("link", name, identity), ("link", name, keeper))
                    self.delete((name, identity))

    def redirect(self, link, keeper):
        def change(value):
            return keeper if value == link else value
        self.change_any(change)
        for name, key, p in self.holders(link[1]):
            for object in self.after.objects[name].values():
                content = object[key]
                if isinstance(content, dict):
                    object[key] = {k: change(v) for k, v in content.items()}
                elif isinstance(content, list):
                    content = [change(c) for c in content]
                    object[key] = distinct(content) if p.type.shape == "set" else content
                else:
                    object[key] = change(content)

    def remove_orphans(self):
        while True:
            owned = set()
            for name, m in self.new.models.items():
                for key, p in m.stored().items():
                    if self.new.is_embedded(p.type.base):
                        for object in self.after.objects[name].values():
                            content = object[key]
                            found = content if isinstance(content, list) else content.values() if isinstance(content, dict) else [content]
                            owned |= {c[1:] for c in found if c is not None}
            orphans = [(n, i) for n, m in self.new.models.items() if m.embedded for i in self.after.objects[n] if (n, i) not in owned]
            if not orphans:
                return
            for orphan in orphans:
                self.delete(orphan)

    # What the version refuses

    def check(self):
        for name, m in self.new.models.items():
            for key, p in m.stored().items():
                for identity, object in self.after.objects[name].items():
                    content = object[key]
                    if p.type.shape == "value" and content is None and not p.type.optional and p.type.base != "any":
                        self.refuse("required", f"{name} {identity}.{key} is nil")
                    if p.type.base in self.new.models:
                        links = content if isinstance(content, list) else content.values() if isinstance(content, dict) else [content]
                        for link in links:
                            if link is not None and link[2] not in self.after.objects[link[1]]:
                                self.refuse("deny", f"{name} {identity}.{key} leads to {link}")
            for key in [m.key] + m.uniques + [[n] for n, p in m.properties.items() if p.unique]:
                self.check_unique(name, key, is_key=key == m.key)

    def check_unique(self, name, key, is_key):
        if not key:
            return
        seen = {}
        for identity, object in self.after.objects[name].items():
            found = [object[n] for n in key]
            if None in found and not is_key or any(v is not None and v[0] == GENERATED for v in found):
                continue
            spelled = tuple(values.fingerprint(("date", 0.0) if v is not None and v[0] == "date" and v[1] == 0 else v) for v in found)
            if spelled in seen:
                self.refuse("duplicate", f"{name} {identity} and {seen[spelled]} agree in {key}")
            seen[spelled] = identity


def difference(expected, found, schema):
    """The first difference of two nested databases as text; None where there is none."""
    for model in schema.models:
        if schema.models[model].embedded:
            continue
        a, b = expected[model], found.get(model, {})
        if list(a) != list(b):
            missing, extra = [i for i in a if i not in b], [i for i in b if i not in a]
            return f"{model}: objects missing {missing[:5]}, more than expected {extra[:5]}"
        for identity in a:
            text = member_difference(a[identity], b[identity], model, schema)
            if text:
                return f"{model} {identity}{text}"
    return None


def member_difference(a, b, model, schema):
    for name, p in schema.models[model].stored().items():
        x, y = a[name], b[name]
        if p.type.shape == "set":
            x, y = (sorted(v, key=repr_key) for v in (x, y))
        if p.type.shape == "map" and list(x) != list(y):
            return f".{name}: expected the keys {list(x)}, found {list(y)}"
        if p.type.shape in ("list", "set") and len(x) != len(y):
            return f".{name}: expected {x}, found {y}"
        pairs = zip(x, y) if p.type.shape in ("list", "set") else [(x[k], y[k]) for k in x] if p.type.shape == "map" else [(x, y)]
        for place, (m, n) in enumerate(pairs):
            where = f".{name}" + (f"[{place}]" if p.type.is_collection else "")
            if isinstance(m, dict) and isinstance(n, dict):
                text = member_difference(m, n, p.type.base, schema)
                if text:
                    return where + text
            elif isinstance(m, tuple) and m[0] == GENERATED:
                if n is None or n[0] != m[1]:
                    return f"{where}: expected a new {m[1]}, found {n}"
            elif not (m is None and n is None) and (isinstance(m, dict) or isinstance(n, dict) or not values.identical(m, n)):
                return f"{where}: expected {m}, found {n}"
    return None


def repr_key(value):
    return repr(values.fingerprint(value))
