"""The type that SQLite has for each stored cell, held against the tables of docs/layout.md: what is exported does not show it."""

import sqlite3

NUMBER = {"real", "blob"}  # a NaN is a blob
TYPES = {"bool": {"integer"}, "float": NUMBER, "double": NUMBER, "date": NUMBER, "decimal": {"text"}, "string": {"text"}, "data": {"blob"}, "uuid": {"blob"},
         "objectId": {"blob"}, "any": {"integer", "real", "text", "blob", "null"}}
WHOLE = {"integer"}  # the other scalars, and links


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def wrong_cell(path, schema):
    """The first column with a cell of a type that the pages do not name; None where there is none."""
    database = sqlite3.connect(path)
    try:
        for model, declared in schema.models.items():
            for name, property in declared.stored().items():
                table, column = (f"{model}.{name}", "value") if property.type.is_collection else (model, name)
                allowed = TYPES.get(schema.scalar(property.type.base), WHOLE) | ({"null"} if property.type.optional else set())
                if schema.scalar(property.type.base) is None:
                    allowed = WHOLE | {"null"}
                for (found,) in database.execute(f"SELECT DISTINCT typeof({quoted(column)}) FROM {quoted(table)}"):
                    if found not in allowed:
                        return f"{model}.{name}, of type {property.type.text}, has a cell that is {found} to SQLite"
    finally:
        database.close()
    return None
