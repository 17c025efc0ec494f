"""The schemas of what programs print as JSON, `docs/schema/`, as a page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "schema"
HEAD = """\
# Results as JSON

This page has the fields of the schemas in `docs/schema`, which the tests compare with what the programs print;
[Options and results](../options.md#results-as-json) says what holds for all of them. A field that is marked "optional"
is missing where it has no value.
"""


def kind(schema: dict[str, Any]) -> str:
    """The type of a value in words."""
    if "$ref" in schema:
        return "object"
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(kind(part) for part in schema["anyOf"])
    types = schema.get("type", "any")
    words = []
    for word in types if isinstance(types, list) else [types]:
        if word == "array":
            inner = kind(schema.get("items", {}))
            words.append({"any": "list"}.get(inner, f"list of {inner}"))
        elif word == "object" and isinstance(schema.get("additionalProperties"), dict):
            words.append(f"object with values {kind(schema['additionalProperties'])}")
        else:
            words.append("`null`" if word == "null" else word)
    return " or ".join(words)


def rows(schema: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """The fields of an object, and below each those of the objects in it."""
    for part in schema.get("anyOf", []):
        yield from rows(part, prefix)
    required = schema.get("required", [])
    for name, field in schema.get("properties", {}).items():
        optional = "" if name in required else ", optional"
        yield f"| `{prefix}{name}` | {kind(field)}{optional} | {field.get('description', '')} |"
        inner, path = field, f"{prefix}{name}"
        while "items" in inner:
            inner, path = inner["items"], f"{path}[]"
        yield from rows(inner, f"{path}.")


def table(schema: dict[str, Any]) -> list[str]:
    """The fields as a table, where the schema describes them."""
    if not any("description" in field for field in schema.get("properties", {}).values()):
        return []
    return ["| field | type | |", "|---|---|---|", *rows(schema), ""]


def page() -> str:
    """The text of the page."""
    text = [HEAD]
    schemas = [(path, json.loads(path.read_text())) for path in sorted(FOLDER.glob("*.json"))]
    # What experiments print comes last.
    for path, schema in sorted(schemas, key=lambda one: one[0].name.startswith("lab-")):
        text += [f"## {schema['title']}", "", f"{schema['description']} [Schema](../schema/{path.name})", ""]
        text += table(schema)
        for one in schema.get("oneOf", schema.get("anyOf", [])):
            if fields := table(one):
                text += [f"**{one['title']}**", "", *fields]
    return "\n".join(text).rstrip() + "\n"
