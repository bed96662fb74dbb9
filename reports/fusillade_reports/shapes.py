"""Does a value have the shape that a JSON schema asks for? Said fast, of files with very many
entries: each schema becomes one function.

It knows the words that our schemas are written in, and says no where it is not sure: jsonschema is
then asked, which also says what is wrong.
"""

import re

WORDS = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
}
SAYS_NOTHING = {"$schema", "$comment", "$defs", "title", "description"}


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_whole(value):
    return isinstance(value, int) and not isinstance(value, bool)


def _of_type(names):
    names = [names] if isinstance(names, str) else names
    classes = tuple(WORDS[n] for n in names if n in WORDS)
    tests = [{"number": _is_number, "integer": _is_whole}[n] for n in names if n not in WORDS]
    return lambda v: isinstance(v, classes) or any(test(v) for test in tests)


def _enum(values):
    return lambda v: isinstance(v, str) and v in values


def _const(value):
    return lambda v: type(v) is type(value) and v == value


def _minimum(least):
    return lambda v: not _is_number(v) or v >= least


def _maximum(most):
    return lambda v: not _is_number(v) or v <= most


def _above(least):
    return lambda v: not _is_number(v) or v > least


def _min_length(least):
    return lambda v: not isinstance(v, str) or len(v) >= least


def _pattern(text):
    found = re.compile(text).search
    return lambda v: not isinstance(v, str) or found(v) is not None


def _min_items(least):
    return lambda v: not isinstance(v, list) or len(v) >= least


def _max_items(most):
    return lambda v: not isinstance(v, list) or len(v) <= most


PLAIN = {
    "type": _of_type,
    "enum": _enum,
    "const": _const,
    "minimum": _minimum,
    "maximum": _maximum,
    "exclusiveMinimum": _above,
    "minLength": _min_length,
    "pattern": _pattern,
    "minItems": _min_items,
    "maxItems": _max_items,
}
OF_OBJECTS = {"properties", "required", "additionalProperties"}
OF_LISTS = {"items", "prefixItems"}


def _never(value):
    return False


def _object(schema, root):
    fields = {k: shape(s, root) for k, s in schema.get("properties", {}).items()}
    required = frozenset(schema.get("required", ()))
    more = schema.get("additionalProperties", True)
    other = (lambda v: more) if isinstance(more, bool) else shape(more, root)

    def fits(value):
        if not isinstance(value, dict):
            return True
        if not required <= value.keys():
            return False
        return all(fields.get(k, other)(v) for k, v in value.items())

    return fits


def _list(schema, root):
    first = [shape(s, root) for s in schema.get("prefixItems", ())]
    rest = shape(schema["items"], root) if "items" in schema else None

    def fits(value):
        if not isinstance(value, list):
            return True
        return all(test(v) for test, v in zip(first, value)) and (
            rest is None or all(map(rest, value[len(first) :]))
        )

    return fits


def shape(schema, root):
    """The function of a schema; root: the whole one, in which its references lie."""
    if not isinstance(schema, dict):
        return _never
    tests = []
    known = SAYS_NOTHING | PLAIN.keys() | OF_OBJECTS | OF_LISTS | {"$ref"}
    if not schema.keys() <= known:
        return _never
    if "$ref" in schema:
        at = root
        for name in schema["$ref"].removeprefix("#/").split("/"):
            at = at[name]
        tests.append(shape(at, root))
    tests += [make(schema[word]) for word, make in PLAIN.items() if word in schema]
    if OF_OBJECTS & schema.keys():
        tests.append(_object(schema, root))
    if OF_LISTS & schema.keys():
        tests.append(_list(schema, root))
    if len(tests) == 1:
        return tests[0]
    return lambda value: all(test(value) for test in tests)
