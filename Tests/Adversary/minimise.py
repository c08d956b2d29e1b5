"""Makes the history and the data of a difference smaller while it stays the same kind of difference."""

import copy
import re
import shutil
import time

from oracle import Database


def kind(text):
    return re.sub(r"\W*[A-Za-z]*\d+.*", "", text.split("\n")[0]) or text[:20]


class Case:
    """Versions, the steps between them and the lines of a file of the first one."""

    def __init__(self, schemas, steps, lines):
        self.schemas, self.steps, self.lines = schemas, steps, lines

    def copy(self):
        return copy.deepcopy(self)


class Minimiser:
    def __init__(self, replay, case, text, seconds):
        self.replay, self.case, self.text, self.end = replay, case, text, time.time() + seconds
        self.path = None

    def tries(self, case):
        """Whether the case shows the difference; then it is the smallest one so far."""
        if time.time() > self.end:
            return False
        found = self.replay(case)
        if found is None:
            return False
        path, text = found
        if kind(text) != kind(self.text):
            shutil.rmtree(path)
            return False
        if self.path:
            shutil.rmtree(self.path)
        self.case, self.text, self.path = case, text, path
        return True

    def run(self):
        """Nothing where the difference cannot be shown again by the history and the data alone."""
        if not self.tries(self.case):
            return False
        changed = True
        while changed and time.time() < self.end:
            changed = self.fewer_versions() | self.fewer_objects() | self.fewer_changes() | self.fewer_properties()
        return True

    def fewer_versions(self):
        changed = False
        while len(self.case.schemas) > 2:
            case = self.case.copy()
            case.schemas.pop()
            case.steps.pop()
            if not self.tries(case):
                break
            changed = True
        return changed

    def fewer_objects(self):
        changed, size = False, max(1, len(self.case.lines) // 2)
        while size >= 1:
            start = 0
            while start < len(self.case.lines):
                case = self.case.copy()
                case.lines = without(case.lines, set(range(start, start + size)), case.schemas[0])
                if self.tries(case):
                    changed = True
                else:
                    start += size
            size //= 2
        return changed

    def fewer_changes(self):
        changed = False
        for version in range(1, len(self.case.steps)):
            step = self.case.steps[version]
            for part in ("delete", "deduplicate", "set"):
                for model in list(getattr(step, part)):
                    case = self.case.copy()
                    del getattr(case.steps[version], part)[model]
                    changed |= self.tries(case)
            for model, names in list(step.set.items()):
                for name in list(names):
                    case = self.case.copy()
                    found = case.steps[version].set.get(model, {})
                    if found.pop(name, None):
                        if not found:
                            case.steps[version].set.pop(model)
                        changed |= self.tries(case)
        return changed

    def fewer_properties(self):
        changed = False
        for version in range(len(self.case.schemas)):
            for model in list(self.case.schemas[version].models):
                for name in list(self.case.schemas[version].models[model].properties):
                    if time.time() > self.end:
                        return changed
                    if version and self.continues(version, model, name):
                        continue
                    case = self.case.copy()
                    if name in case.schemas[version].models[model].properties:
                        forget(case, version, model, name)
                        changed |= self.tries(case)
        return changed

    def continues(self, version, model, name):
        step, old = self.case.steps[version], self.case.schemas[version - 1]
        before = step.old_model(model, old)
        return before and step.old_property(before, old.models[before], name) is not None


def without(lines, indexes, schema):
    """The lines without some; what led to them leads nowhere."""
    database = Database.read([l for i, l in enumerate(lines) if i not in indexes], schema)
    from data import settle
    settle(database, schema)
    return database.lines(schema)


def forget(case, version, model, name):
    """Takes a property out of a version and of those behind it as long as it continues, and out of the data."""
    if version == 0:
        database = Database.read(case.lines, case.schemas[0])
    while model in case.schemas[version].models and name in case.schemas[version].models[model].properties:
        m = case.schemas[version].models[model]
        del m.properties[name]
        m.key = [n for n in m.key if n != name]
        m.indexes = [i for i in m.indexes if name not in i]
        m.uniques = [u for u in m.uniques if name not in u]
        for other in case.schemas[version].models.values():
            other.properties = {n: p for n, p in other.properties.items() if p.inverse != (model, name)}
        if version == 0:
            case.lines = database.lines(case.schemas[0])
        step = case.steps[version]
        if step and model in step.set:
            step.set[model].pop(name, None)
            if not step.set[model]:
                del step.set[model]
        version += 1
        if version == len(case.schemas):
            return
        step, old = case.steps[version], model
        step.drop = [d for d in step.drop if d != f"{old}.{name}"]
        model = step.model_names.get(old, old)
        name = step.names.pop((old, name), name)
