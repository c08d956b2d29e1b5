"""Schemas and steps as plain values, and their YAML."""

import copy
import json
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple

import values


@dataclass
class Type:
    base: str  # a scalar, an enum or a model
    optional: bool = False
    shape: str = "value"  # value, list, set, map

    @property
    def text(self):
        element = self.base + ("?" if self.optional else "")
        return {"value": "{}", "list": "[{}]", "set": "set<{}>", "map": "map<{}>"}[self.shape].format(element)

    @property
    def is_collection(self):
        return self.shape != "value"


@dataclass
class Property:
    type: Optional[Type]  # None for an inverse
    default: Any = None
    index: Optional[str] = None  # "true" or "fulltext"
    unique: bool = False
    rule: Optional[str] = None
    generate: Optional[str] = None
    inverse: Optional[Tuple[str, str]] = None


@dataclass
class Model:
    properties: Dict[str, Property] = field(default_factory=dict)
    embedded: bool = False
    key: List[str] = field(default_factory=list)
    indexes: List[List[str]] = field(default_factory=list)
    uniques: List[List[str]] = field(default_factory=list)

    def stored(self):
        return {name: p for name, p in self.properties.items() if p.type}


@dataclass
class Enum:
    is_int: bool
    cases: Dict[str, Any]  # name: raw value

    @property
    def scalar(self):
        return "int" if self.is_int else "string"

    def raws(self):
        return [(self.scalar, raw) for raw in self.cases.values()]


@dataclass
class Schema:
    models: Dict[str, Model] = field(default_factory=dict)
    enums: Dict[str, Enum] = field(default_factory=dict)
    family: List[str] = field(default_factory=list)  # models that inherit what they have in common

    def inherited(self):
        """Properties that are the same in all models of the family; they stand in an abstract model."""
        members = [self.models[n] for n in self.family if n in self.models]
        if len(members) < 2:
            return {}
        return {name: p for name, p in members[0].stored().items()
                if all(m.properties.get(name) == p for m in members[1:]) and p.type.base not in self.family}

    def scalar(self, base):
        """The scalar that values are stored as; None for a model."""
        if base in self.enums:
            return self.enums[base].scalar
        return None if base in self.models else base

    def is_embedded(self, base):
        return base in self.models and self.models[base].embedded

    def copy(self):
        return copy.deepcopy(self)


@dataclass
class Step:
    model_names: Dict[str, str] = field(default_factory=dict)  # old: new
    names: Dict[Tuple[str, str], str] = field(default_factory=dict)  # (old model, old property): new property
    set: Dict[str, Dict[str, Any]] = field(default_factory=dict)  # new model: new property: expression
    delete: Dict[str, Any] = field(default_factory=dict)  # old model: condition
    deduplicate: Dict[str, Tuple[List[str], str]] = field(default_factory=dict)  # old model: (by, keep)
    drop: List[str] = field(default_factory=list)

    def old_model(self, name, old):
        """The old model that a new one continues."""
        for before, now in self.model_names.items():
            if now == name:
                return before
        return name if name in old.models and name not in self.model_names else None

    def old_property(self, old_model, model, name):
        """The old property that a new one continues."""
        for (owner, before), now in self.names.items():
            if owner == old_model and now == name:
                return before
        found = model.properties.get(name)
        return name if found and found.type and (old_model, name) not in self.names else None


# YAML


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def default_yaml(value, property, schema):
    kind, content = value
    if property.type.base in schema.enums:
        cases = schema.enums[property.type.base].cases
        return next(name for name, raw in cases.items() if raw == content)
    if kind == "bool":
        return "true" if content else "false"
    if kind == "int":
        return str(content)
    if kind in ("double", "float"):
        text = values.number_text(content, kind == "float")
        return {"inf": ".inf", "-inf": "-.inf", "nan": ".nan"}.get(text, text)
    if kind == "data":
        return quoted(content.hex())
    if kind == "decimal":
        return quoted(values.decimal_text(content))
    if kind == "date":
        return quoted(values.date_text(content))
    return quoted(content)


def property_yaml(property, schema):
    if property.inverse:
        return "{ linkingObjects: " + ".".join(property.inverse) + " }"
    parts = ["type: " + quoted(property.type.text)]
    if property.default is not None:
        parts.append("default: " + default_yaml(property.default, property, schema))
    if property.index:
        parts.append("indexed: " + property.index)
    if property.unique:
        parts.append("unique: true")
    if property.rule:
        parts.append("deleteRule: " + property.rule)
    if property.generate:
        parts.append("generate: " + property.generate)
    return "{ " + ", ".join(parts) + " }"


def schema_yaml(schema, version):
    lines = ["schema: Chance", f"version: {version}", "models:"]
    inherited = schema.inherited()
    if inherited:
        lines += ["  Family:", "    abstract: true", "    properties:"]
        lines += [f"      {key}: {property_yaml(p, schema)}" for key, p in inherited.items()]
    for name, model in schema.models.items():
        lines.append(f"  {name}:")
        own = dict(model.properties)
        if inherited and name in schema.family:
            lines.append("    extends: Family")
            own = {key: p for key, p in own.items() if key not in inherited}
        if model.embedded:
            lines.append("    embedded: true")
        if model.key:
            lines.append(f"    primaryKey: [{', '.join(model.key)}]")
        if model.indexes:
            lines.append("    indexes: [" + ", ".join(f"[{', '.join(i)}]" for i in model.indexes) + "]")
        if model.uniques:
            lines.append("    unique: [" + ", ".join(f"[{', '.join(u)}]" for u in model.uniques) + "]")
        lines.append("    properties:" if own else "    properties: {}")
        lines += [f"      {key}: {property_yaml(p, schema)}" for key, p in own.items()]
    if schema.enums:
        lines.append("enums:")
    for name, enum in schema.enums.items():
        cases = ", ".join(f"{case}: {raw if enum.is_int else quoted(raw)}" for case, raw in enum.cases.items())
        lines.append(f"  {name}: {{ type: {enum.scalar}, cases: {{ {cases} }} }}")
    return "\n".join(lines) + "\n"


def step_yaml(step, version):
    lines = [f"to: {version}"]
    if step.model_names or step.names:
        lines.append("rename:")
        lines += [f"  {old}: {new}" for old, new in step.model_names.items()]
        lines += [f"  {model}.{old}: {new}" for (model, old), new in step.names.items()]
    if step.set:
        lines.append("set:")
        for model, properties in step.set.items():
            lines.append(f"  {model}:")
            lines += [f"    {name}: {quoted(expression.text)}" for name, expression in properties.items()]
    if step.delete:
        lines.append("delete:")
        lines += [f"  {model}: {quoted(condition.text)}" for model, condition in step.delete.items()]
    if step.deduplicate:
        lines.append("deduplicate:")
        for model, (by, keep) in step.deduplicate.items():
            lines.append(f"  {model}: {{ by: [{', '.join(by)}], keep: {keep} }}")
    if step.drop:
        lines.append(f"drop: [{', '.join(step.drop)}]")
    return "\n".join(lines) + "\n" if len(lines) > 1 else None
