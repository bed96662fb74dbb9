"""Which Python of strangers PyTorch's worker runs in its own process (docs/reference/safety.md).

A text may import a few modules, and of PyTorch what computes. Beside that three rules keep it from
Python's own insides, whatever library it goes through:

- what it asks of values is public, or is its own: a name `_x` that it defines and no library has;
- a function that makes names or code of strings (`type`, `wraps`, `dataclass`) is no value, and is
  written in the one form in which its names stand in the text;
- so is a class that all of PyTorch is made of (`torch.Tensor`), for whoever holds it can change it.
"""

import ast
import types

import torch
from torch_allowed import (
    BUILTINS,
    CLASSES,
    DUNDERS,
    FORBIDDEN,
    MODULES,
    NEVER,
    OPERATORS,
    OUTSIDE,
    PRIVATE,
    PRIVATE_ALLOWED,
    computes,
    is_dunder,
)

SPECIAL = {
    "wraps",
    "dataclass",
    "field",
    "namedtuple",
    "NamedTuple",
    "Enum",
    "IntEnum",
    "contextmanager",
}
CHECKS = {"isinstance", "issubclass"}
SHOWS = {"str", "repr", "print", *CHECKS}
CONTAINERS = {"list", "dict", "tuple", "set", "frozenset", "type"}
FIELD_WORDS = {"default", "default_factory", "init", "repr", "hash", "compare", "kw_only"}
DATACLASS_WORDS = {"init", "repr", "eq", "order", "unsafe_hash", "frozen", "kw_only", "slots"}


class Refused(Exception):
    pass


def is_strings(node):
    """Names, as literals: "a b", or a tuple of such."""
    items = node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node]
    return all(isinstance(i, ast.Constant) and isinstance(i.value, str) for i in items)


def words_within(node, allowed, constant):
    """Are the keywords of a call among these, and literals?"""
    return not node.args and all(
        k.arg in allowed and (not constant or isinstance(k.value, ast.Constant))
        for k in node.keywords
    )


def places_of_names(node):
    """A class's body without what its functions do later."""
    yield node
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    for field, value in ast.iter_fields(node):
        if isinstance(node, functions) and field == "body":
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from places_of_names(child)


class Names:
    """What the names of a text are: which it binds, which it defines as attributes, what it
    imports, and what lies above each node of its tree."""

    def __init__(self, tree):
        self.modules = {}  # of PyTorch, by the names that the text gives them
        self.others = {}  # and what may be taken of others
        self.special, self.classes, self.imported = {}, set(), set()
        self.bound, self.defined = set(), set()
        self.parents = {}
        for node in ast.walk(tree):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
            self.gather(node)
        if "torch" not in self.bound:
            self.modules["torch"] = torch

    def gather(self, node):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self.bound.add(node.name)
            self.defined.add(node.name)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            self.bound.add(node.id)
            self.defined.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            self.defined.add(node.attr)
        elif isinstance(node, ast.alias):
            self.bound.add(node.asname or node.name.partition(".")[0])
        else:
            for field in ("arg", "name", "rest"):
                if isinstance(getattr(node, field, None), str) and not isinstance(
                    node, ast.keyword
                ):
                    self.bound.add(getattr(node, field))

    def bind(self, table, name, value):
        if any(t.get(name, value) != value for t in (self.modules, self.others)):
            raise Refused(f"two modules of the name '{name}'")
        table[name] = value

    @staticmethod
    def find_module(module):
        at = torch
        for part in module.split(".")[1:]:
            at = getattr(at, part)
        return at

    def add_import_from(self, node):
        if node.level:
            raise Refused("a relative import")
        module = node.module
        if module not in MODULES:
            raise Refused(f"the module '{module}'")
        for alias in node.names:
            self.add_member(module, alias.name, alias.asname or alias.name)

    def add_member(self, module, name, short):
        within = module.startswith("torch")
        if MODULES[module]:
            good = name in MODULES[module].split()
        else:
            good = not within or computes(self.find_module(module), name)
        if not good or name == "*" or is_dunder(name) or is_dunder(short):
            raise Refused(f"'{name}' of the module '{module}'")
        value = getattr(self.find_module(module), name) if within else None
        self.imported.add(short)
        if isinstance(value, types.ModuleType):
            self.bind(self.modules, short, value)
        elif isinstance(value, type) and value in CLASSES:
            self.classes.add(short)
        elif name in SPECIAL and not within:
            self.special.setdefault(short, set()).add(name)

    def add_import(self, node):
        for alias in node.names:
            if alias.name not in MODULES or is_dunder(alias.asname or ""):
                raise Refused(f"the module '{alias.name}'")
            short = alias.asname or alias.name.partition(".")[0]
            if alias.name.startswith("torch"):
                value = self.find_module(alias.name) if alias.asname else torch
                self.bind(self.modules, short, value)
            else:
                own = MODULES[alias.name] or " ".join(dir(__import__(alias.name)))
                self.bind(self.others, short, own.split())

    def special_of(self, node):
        """Which of the functions that need a form this names."""
        if isinstance(node, ast.Name):
            return self.special.get(node.id, set())
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id in self.others:
                return {node.attr} & SPECIAL
        return set()

    def is_builtin(self, node, names):
        return isinstance(node, ast.Name) and node.id in names and node.id not in self.bound


class Look(ast.NodeVisitor):
    """Raises Refused at what a program may not have."""

    def __init__(self, tree):
        self.names = Names(tree)
        # Imports first: functions stand before them in no order that matters.
        for node in ast.walk(tree):
            if not isinstance(node, (ast.Import, ast.ImportFrom)):
                continue
            if isinstance(self.scope_of(node), ast.ClassDef):
                raise Refused("a module as an attribute of a class")
            if isinstance(node, ast.ImportFrom):
                self.names.add_import_from(node)
            else:
                self.names.add_import(node)
        self.has_tensors_class = any(
            isinstance(parent, ast.ClassDef) and self.is_tensors(node)
            for node, parent in self.names.parents.items()
        )
        self.visit(tree)

    def parent(self, node):
        return self.names.parents.get(node)

    def generic_visit(self, node):
        for field in ("name", "arg", "rest", "names", "asname"):
            said = getattr(node, field, None)
            for name in said if isinstance(said, list) else [said]:
                if isinstance(name, str) and (is_dunder(name) or name == "cdata"):
                    raise Refused(f"the name '{name}'")
        for name in getattr(node, "kwd_attrs", []):  # a pattern asks for attributes, too
            self.ask(name)
        super().generic_visit(node)

    def ask(self, name):
        """An attribute of a value that may be anything."""
        if is_dunder(name) or name in NEVER or name in OUTSIDE:
            raise Refused(f"the name '{name}'")
        own = name in self.names.defined and name not in PRIVATE and not name.startswith("_torch")
        if name.startswith("_") and not own and name not in PRIVATE_ALLOWED:
            raise Refused(f"the name '{name}', which is private")

    def visit_ImportFrom(self, node):
        pass

    visit_Import = visit_ImportFrom

    def visit_Constant(self, node):
        said = node.value if isinstance(node.value, str) else ""
        dunder = len(said) > 4 and is_dunder(said) and said.endswith("__") and said.isidentifier()
        if dunder and said not in DUNDERS and said not in ("__main__", "__name__"):
            raise Refused(f"the name '{said}' in a string")

    # Names that are defined.

    def visit_definition(self, node):
        for i, decorator in enumerate(node.decorator_list):
            self.look_at_decorator(node, decorator, i + 1 == len(node.decorator_list))
        if is_dunder(node.name):
            if node.name not in DUNDERS or not isinstance(self.parent(node), ast.ClassDef):
                raise Refused(f"the name '{node.name}'")
            super().generic_visit(node)
        else:
            self.generic_visit(node)

    visit_FunctionDef = visit_AsyncFunctionDef = visit_definition

    def look_at_decorator(self, node, decorator, innermost):
        """What `wraps` and `dataclass` make names of is a function or class of the text."""
        call = decorator if isinstance(decorator, ast.Call) else None
        for special in self.names.special_of(call.func if call else decorator):
            function = not isinstance(node, ast.ClassDef)
            good = innermost and {
                "wraps": function and call and len(call.args) == 1 and not call.keywords
                and isinstance(call.args[0], ast.Name),
                "contextmanager": function and not call,
                "dataclass": not function and (
                    not call or words_within(call, DATACLASS_WORDS, constant=True)
                ),
            }.get(special)  # fmt: skip
            if not good:
                raise Refused(f"this use of '{special}'")

    def visit_ClassDef(self, node):
        if node.keywords or is_dunder(node.name):
            raise Refused("a class with keywords")
        for base in node.bases:
            at = base.value if isinstance(base, ast.Subscript) else base
            if not isinstance(at, (ast.Name, ast.Attribute)):
                raise Refused("a computed base of a class")
        self.look_at_fields(node)
        self.visit_definition(node)

    def look_at_fields(self, node):
        """Of a field nobody keeps the object, whose name becomes code in a class that is derived:
        after its line the body of the class does not use its name."""
        fields = {
            statement.target.id
            for statement in node.body
            if isinstance(statement, ast.AnnAssign)
            and isinstance(statement.target, ast.Name)
            and isinstance(statement.value, ast.Call)
            and "field" in self.names.special_of(statement.value.func)
        }
        for place in places_of_names(node) if fields else ():
            if isinstance(place, ast.Name) and isinstance(place.ctx, ast.Load):
                if place.id in fields:
                    raise Refused(f"a use of the field '{place.id}'")

    def visit_Name(self, node):
        stored = not isinstance(node.ctx, ast.Load)
        within = self.parent_of_statement(node)
        if is_dunder(node.id):
            slots = node.id in DUNDERS and isinstance(within, ast.ClassDef)
            if not (slots or node.id == "__name__" and not stored):
                raise Refused(f"the name '{node.id}'")
            if node.id == "__slots__" and not self.is_assigned_strings(node):
                raise Refused("slots that are no literals")
        # A field's name is asked for by patterns.
        if node.id in FORBIDDEN or node.id in NEVER and isinstance(within, ast.ClassDef):
            raise Refused(f"the name '{node.id}'")
        if stored:
            return
        # A module alone is a value of which any attribute may be asked.
        if node.id in self.names.modules or node.id in self.names.others:
            raise Refused(f"the module '{node.id}' as a value")
        self.look_at_special(node)
        if node.id == "type" or node.id in self.names.classes:
            self.look_at_class(node)

    def scope_of(self, node):
        """The function or class within which a statement binds names."""
        scopes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        node = self.parent(node)
        while node is not None and not isinstance(node, scopes):
            node = self.parent(node)
        return node

    def parent_of_statement(self, node):
        while node is not None and not isinstance(node, ast.stmt):
            node = self.parent(node)
        return self.parent(node)

    def is_assigned_strings(self, node):
        assign = self.parent(node)
        return isinstance(assign, ast.Assign) and is_strings(assign.value)

    # Functions that make names or code of strings.

    def look_at_special(self, node):
        parent = self.parent(node)
        for special in self.names.special_of(node):
            call = parent if isinstance(parent, ast.Call) and parent.func is node else None
            holder = self.parent(call) if call else parent
            decorators = getattr(holder, "decorator_list", [])
            if (call or node) in decorators:
                continue  # looked at where it decorates
            if special in ("Enum", "IntEnum", "NamedTuple"):
                good = isinstance(parent, ast.ClassDef) and node in parent.bases
            elif special == "namedtuple":
                good = call and self.is_literal_tuple(call)
            else:
                good = special == "field" and call and self.is_field(call, holder)
            if not good and not self.is_checked_for(node):
                raise Refused(f"this use of '{special}'")

    def is_field(self, call, holder):
        return (
            words_within(call, FIELD_WORDS, constant=False)
            and isinstance(holder, ast.AnnAssign)
            and holder.value is call
            and isinstance(holder.target, ast.Name)
            and isinstance(self.parent(holder), ast.ClassDef)
        )

    def is_literal_tuple(self, call):
        return (
            len(call.args) == 2
            and all(is_strings(a) for a in call.args)
            and all(k.arg in ("defaults", "rename") for k in call.keywords)
        )

    # Classes that are looked at, and not held.

    def look_at_class(self, node):
        """`type` is asked for the class of one value, which is compared or told."""
        parent = self.parent(node)
        if isinstance(node, ast.Name) and node.id == "type":
            if isinstance(parent, ast.Call) and parent.func is node:
                one = len(parent.args) == 1 and not isinstance(parent.args[0], ast.Starred)
                if one and not parent.keywords and self.is_told(parent):
                    return
                raise Refused("a class that 'type' makes or gives away")
        elif isinstance(parent, ast.Call) and parent.func is node:
            if all(k.arg and k.arg != "cdata" for k in parent.keywords):
                return
        elif isinstance(parent, ast.ClassDef) and node in parent.bases:
            return
        elif isinstance(parent, ast.Attribute) and isinstance(parent.ctx, ast.Load):
            return
        if not self.is_checked_for(node):
            raise Refused(f"'{ast.unparse(node)}' as a value")

    def is_told(self, node):
        """Does the class that `type(x)` gives stay where it is?"""
        parent = self.parent(node)
        if isinstance(parent, ast.Attribute):
            return parent.attr == "__name__" and isinstance(parent.ctx, ast.Load)
        if isinstance(parent, ast.Call) and node in parent.args:
            return self.names.is_builtin(parent.func, SHOWS)
        if isinstance(parent, ast.Compare):
            others = [o for o in (parent.left, *parent.comparators) if o is not node]
            identity = all(isinstance(op, (ast.Is, ast.IsNot)) for op in parent.ops)
            return identity or all(self.is_class(o) for o in others)
        return isinstance(parent, ast.FormattedValue) and parent.value is node

    def is_class(self, node):
        """An operand that no comparison calls."""
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            return all(self.is_class(e) for e in node.elts)
        if isinstance(node, ast.Call):
            return self.names.is_builtin(node.func, {"type"})
        if isinstance(node, ast.Attribute):
            return self.class_of(node) in CLASSES
        return isinstance(node, ast.Name) and (
            node.id in self.names.classes or self.names.is_builtin(node, BUILTINS)
        )

    def is_checked_for(self, node):
        """Is it a type in an annotation, a pattern, or the check of one?"""
        child, parent, generic = node, self.parent(node), False
        while isinstance(parent, (ast.Subscript, ast.Tuple, ast.List, ast.BinOp)):
            if isinstance(parent, ast.Subscript):
                if child is parent.value or not self.is_generic(parent.value):
                    return False
                generic = True
            elif isinstance(parent, ast.BinOp) and not isinstance(parent.op, ast.BitOr):
                return False
            child, parent = parent, self.parent(parent)
        if child is getattr(parent, "annotation", None) or child is getattr(parent, "returns", 0):
            return True
        if type(parent).__name__ == "MatchClass":  # Python has it since 3.10
            return child is parent.cls
        if isinstance(parent, ast.Compare):
            identity = all(isinstance(op, (ast.Is, ast.IsNot)) for op in parent.ops)
            return identity or self.is_told_to(child, parent)
        if isinstance(parent, ast.Call) and child in parent.args:
            script = isinstance(parent.func, ast.Attribute) and (
                self.module_of(parent.func.value) is torch.jit
            )
            checks = script and parent.func.attr in ("isinstance", "annotate")
            return checks or self.names.is_builtin(parent.func, CHECKS)
        return generic and isinstance(parent, ast.Assign)

    def is_told_to(self, node, compare):
        others = [o for o in (compare.left, *compare.comparators) if o is not node]
        return all(self.is_class(o) for o in others)

    def is_generic(self, node):
        typing_own = MODULES["typing"].split()
        if isinstance(node, ast.Attribute):
            return isinstance(node.value, ast.Name) and "Optional" in self.names.others.get(
                node.value.id, ()
            )
        return isinstance(node, ast.Name) and (
            node.id in typing_own or self.names.is_builtin(node, CONTAINERS)
        )

    # Attributes.

    def module_of(self, node):
        """The module of PyTorch that this expression names, or None."""
        if isinstance(node, ast.Name):
            return self.names.modules.get(node.id)
        if not isinstance(node, ast.Attribute):
            return None
        owner = self.module_of(node.value)
        if owner is None:
            return None
        if owner is torch.ops and node.attr != "aten":
            raise Refused(f"the operators of '{node.attr}'")
        if node.attr in OUTSIDE:
            raise Refused(f"the operator '{node.attr}'")
        if owner is torch.ops.aten:
            own = hasattr(type(owner), node.attr) or is_dunder(node.attr)
            if own and node.attr not in OPERATORS:
                raise Refused(f"'{node.attr}' of {owner.name}")
            return None
        found_by_script = owner is torch and not hasattr(torch, node.attr)
        if found_by_script and (is_dunder(node.attr) or not hasattr(torch.ops.aten, node.attr)):
            raise Refused(f"'{node.attr}' of torch")
        if owner is not torch.ops and not found_by_script and not computes(owner, node.attr):
            raise Refused(f"'{node.attr}' of {owner.__name__}")
        value = getattr(owner, node.attr, None)
        return value if isinstance(value, types.ModuleType) else None

    def class_of(self, node):
        owner = self.module_of(node.value)
        value = getattr(owner, node.attr, None) if owner else None
        return value if isinstance(value, type) else None

    def is_overload(self, node):
        """torch.ops.aten.NAME.OVERLOAD"""
        packet = node.value
        if not isinstance(packet, ast.Attribute):
            return False
        return self.module_of(packet.value) is torch.ops.aten and self.module_of(packet) is None

    def visit_Attribute(self, node):
        if node.attr == "format":
            text = node.value.value if isinstance(node.value, ast.Constant) else None
            if not isinstance(text, str) or "_" in text or "[" in text:
                raise Refused("a format that may walk through attributes")
        if self.module_of(node):
            raise Refused("a module as a value")
        owned = self.module_of(node.value) is not None
        other = isinstance(node.value, ast.Name) and node.value.id in self.names.others
        if (owned or other) and not isinstance(node.ctx, ast.Load):
            raise Refused("a module that is changed")
        if other:
            if node.attr not in self.names.others[node.value.id] or node.attr.startswith("_"):
                raise Refused(f"'{node.attr}' of {node.value.id}")
            self.look_at_special(node)
            return
        if owned:
            if self.class_of(node) in CLASSES:
                self.look_at_class(node)
            return
        self.look_at_attribute(node)
        self.visit(node.value)

    def look_at_attribute(self, node):
        name, stored = node.attr, not isinstance(node.ctx, ast.Load)
        if stored and self.is_of_library(node.value):
            raise Refused("a library that is changed")
        if self.is_overload(node):
            if is_dunder(name) or hasattr(torch._ops.OpOverloadPacket, name):
                raise Refused(f"'{name}' of an operator")
            return
        asked = is_dunder(name) and not stored and self.may_be_asked(node)
        if not asked:
            self.ask(name)
        if stored and name in PRIVATE_ALLOWED:
            raise Refused(f"the name '{name}'")

    def is_of_library(self, node):
        """Does this name what a module has, or an attribute of that?"""
        if isinstance(node, ast.Attribute):
            owned = self.module_of(node.value) is not None
            return owned or self.is_of_library(node.value)
        return isinstance(node, ast.Name) and (
            node.id in self.names.imported or node.id in self.names.others
        )

    def may_be_asked(self, node):
        """`super().__X__`, `Base.__init__(...)`, `x.__name__`"""
        value, parent = node.value, self.parent(node)
        called = isinstance(parent, ast.Call) and parent.func is node
        if isinstance(value, ast.Call) and self.names.is_builtin(value.func, {"super"}):
            return called and node.attr in DUNDERS
        if node.attr == "__init__":
            named = isinstance(value, ast.Name) or isinstance(value, ast.Attribute) and (
                self.class_of(value) is not None
            )  # fmt: skip
            return called and named
        if node.attr == "__new__":
            return called and self.names.is_builtin(value, BUILTINS - {"type"})
        return node.attr == "__name__"

    def visit_Call(self, node):
        """A tensor's class takes addresses by a keyword."""
        if any(k.arg is None for k in node.keywords) and self.has_tensors_class:
            raise Refused("keywords that may be a tensor's address")
        self.generic_visit(node)

    def is_tensors(self, node):
        if isinstance(node, ast.Attribute) and self.module_of(node.value) is not None:
            return self.class_of(node) is torch.Tensor
        return isinstance(node, ast.Name) and node.id in self.names.classes

    def visit_Global(self, node):
        self.generic_visit(node)
        if set(node.names) & (set(self.names.modules) | set(self.names.others)):
            raise Refused("a module that is changed")


def refusal(text):
    """Why this text is not run; empty: it is."""
    try:
        Look(ast.parse(text))
    except Refused as e:
        return str(e)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as e:
        return f"{type(e).__name__}: {e}"
    return ""
