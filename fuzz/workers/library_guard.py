"""Functions of Python's library that make code or attributes of strings take names alone, whoever
calls them: the wall behind torch_admission.py.
"""

import dataclasses
import enum
import functools
import keyword


def refuse_code(names):
    for name in names:
        if type(name) is not str or not name.isidentifier() or keyword.iskeyword(name):
            raise TypeError("a field whose name is no name")
        if name.startswith("__"):
            raise TypeError("a field whose name is Python's")


def guard_libraries():
    process, create = dataclasses._process_class, enum.EnumMeta._create_

    @functools.wraps(process)
    def process_names(cls, *words, **named):
        for base in cls.__mro__:
            refuse_code(base.__dict__.get("__annotations__", ()))
            fields = base.__dict__.get("__dataclass_fields__", {})
            refuse_code([*fields, *(field.name for field in fields.values())])
            if any(type(field) is not dataclasses.Field for field in fields.values()):
                raise TypeError("fields that dataclasses did not make")
        return process(cls, *words, **named)

    @functools.wraps(create)
    def create_names(cls, class_name, names, *words, **named):
        said = names.replace(",", " ").split() if isinstance(names, str) else names
        said = dict(said) if hasattr(said, "keys") else list(said)
        refuse_code(n if isinstance(n, str) else n[0] for n in said)
        return create(cls, class_name, said, *words, **named)

    dataclasses._process_class, enum.EnumMeta._create_ = process_names, create_names
