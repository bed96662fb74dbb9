"""Texts for test_hostile_torch.py: each tries to run a command, to read or write a file, or to
change PyTorch for the programs that follow."""

REFUSED = {
    "wraps_assigned": """
from functools import wraps
D = {}
class W:
    def __getattr__(self, name):
        return D
def g():
    pass
wraps(g, (), ("__globals__",))(W())
D["__builtins__"]["__import__"]("os").system("touch MARK")
""",
    "type3_dataclass": """
from dataclasses import dataclass
N = 'a)"+str(__import__("os").system("touch MARK"))#'
X = type("X", (), {"__annotations__": {N: int}})
Y = dataclass(init=False, eq=False)(X)
str(Y())
""",
    "storage_from_file": """
def f(x):
    t = x._typed_storage()._untyped_storage.from_file("MARK", True, 4)
    return x + 1
""",
    "names_of_text": """
def f(x):
    f.names_of_text["__builtins__"]["__import__"]("os").system("touch MARK")
    return x + 1
""",
    "attribute_error_obj": """
import torch
def f(x):
    try:
        torch.no_such_thing
    except AttributeError as e:
        t = e.obj
    t.sys.modules["os"].system("touch MARK")
    return x + 1
""",
    "aten_error_obj": """
import torch
def f(x):
    try:
        torch.ops.aten.no_such_thing
    except AttributeError as e:
        t = e.obj
    return x + 1
""",
    "aten_getattr": """
import torch
def f(x):
    torch.ops.aten.__getattr__("from_file")("MARK", True, 4)
    return x + 1
""",
    "module_compile_backend": """
import torch
def f(x):
    class M(torch.nn.Module):
        def forward(self, x):
            return x + 1
    def be(gm, inputs):
        for n in gm.graph.nodes:
            if n.op == "placeholder":
                n.target = "x, q=__import__('os').system('touch MARK')"
        gm.recompile()
        return gm
    m = M()
    m.compile(backend=be)
    return m(x)
""",
    "field_renamed": """
from dataclasses import dataclass, field
g = field(default=0)
@dataclass
class B:
    x: int = g
g.name = "a=__import__('os').system('touch MARK')"
@dataclass
class C(B):
    y: int = 3
""",
    "field_alias_in_body": """
from dataclasses import dataclass, field
@dataclass
class B:
    x: int = field(default=0)
    y = x
B.y.name = "a=__import__('os').system('touch MARK')"
@dataclass
class C(B):
    z: int = 3
""",
    "field_walrus": """
from dataclasses import dataclass, field
@dataclass
class B:
    x: int = (y := field(default=0))
B.y.name = "a=__import__('os').system('touch MARK')"
@dataclass
class C(B):
    z: int = 3
""",
    "type_of_type": """
from dataclasses import dataclass
T = type(int)
N = 'a=__import__("os").system("touch MARK")'
X = T("X", (), {"__annotations__": {N: int}, N: 0})
dataclass(X)
""",
    "type_by_map": """
from dataclasses import dataclass
N = 'a=__import__("os").system("touch MARK")'
(X,) = map(type, ["X"], [()], [{"__annotations__": {N: int}, N: 0}])
dataclass(X)
""",
    "parameter_dict": """
import torch
def f(x):
    p = torch.nn.ParameterDict()
    p["_key_to_attr"] = lambda key: key
    def deco(w):
        @torch.no_grad()
        def g():
            pass
        return g
    class H:
        pass
    g = torch.no_grad()(deco)
    from functools import wraps
    @wraps(p)
    def h():
        pass
    U = "_" + "_"
    s = torch.nn.ParameterDict.__getitem__(h, U + "globals" + U)
    s[U + "builtins" + U]["__import__"]("os").system("touch MARK")
    return x + 1
""",
    "parameter_dict_private": """
import torch
def g():
    pass
g._key_to_attr = lambda key: key
def f(x):
    U = "_" + "_"
    s = torch.nn.ParameterDict.__getitem__(g, U + "globals" + U)
    s[U + "builtins" + U][U + "import" + U]("os").system("touch MARK")
    return x + 1
""",
    "all_weights_fget": """
import torch
def g():
    pass
def f(x):
    U = "_" + "_"
    g._all_weights = [[U + "globals" + U]]
    s = torch.nn.LSTM.all_weights.fget(g)[0][0]
    s[U + "builtins" + U][U + "import" + U]("os").system("touch MARK")
    return x + 1
""",
    "partial_of_wraps": """
from functools import partial, wraps
D = {}
class W:
    def __getattr__(self, name):
        return D
def g():
    pass
U = "_" + "_"
partial(wraps(g), assigned=(), updated=(U + "globals" + U,))(W())
D[U + "builtins" + U][U + "import" + U]("os").system("touch MARK")
""",
    "wraps_called_func": """
from functools import wraps
D = {}
class W:
    def __getattr__(self, name):
        return D
def g():
    pass
U = "_" + "_"
wraps(g).func(W(), g, (), (U + "globals" + U,))
D[U + "builtins" + U][U + "import" + U]("os").system("touch MARK")
""",
    "wraps_decorator_keywords": """
from functools import wraps
D = {}
class W:
    def __getattr__(self, name):
        return D
def g():
    pass
U = "_" + "_"
def to(h):
    return W()
@wraps(g, assigned=(), updated=(U + "globals" + U,))
@to
def h():
    pass
D[U + "builtins" + U][U + "import" + U]("os").system("touch MARK")
""",
    "wraps_stacked": """
from functools import wraps
L = []
class U:
    def update(self, d):
        L.append(d)
class W:
    __slots__ = ()
    def __getattr__(self, name):
        return U()
class K(int):
    pass
def to(h):
    return W()
try:
    @wraps(1)
    @to
    def h():
        pass
except AttributeError:
    pass
""",
    "monkeypatch_module": """
import torch
M = torch.nn.Module
def f(x):
    def spy(self, *a, **k):
        gm = self
        try:
            name = "a = __import__('os').system('touch MARK')"
            gm.graph.create_node("call_function", print, (), name=name)
            gm.recompile()
        except AttributeError:
            pass
        return iter(())
    M.named_parameters = spy
    M.named_buffers = spy
    return x + 1
""",
    "monkeypatch_math": """
import math
def f(x):
    math.floor = print
    return x + 1
""",
    "monkeypatch_torch": """
import torch
def f(x):
    torch.relu = print
    return x + 1
""",
    "tensor_cdata": """
import torch
def f(x):
    return torch.Tensor(cdata=1234567)
""",
    "tensor_cdata_keywords": """
import torch
class T(torch.Tensor):
    pass
def f(x):
    return T(**{"c" + "data": 1234567})
""",
    "new_cdata": """
def f(x):
    return x.new(**{"c" + "data": 1234567})
""",
    "dunder_name_module": """
__name__ = "torch"
""",
    "function_name": """
def g():
    pass
g.__name__ = "a(); import os"
""",
    "list_getattr": """
from typing import List
U = "_" + "_"
a = List.__getattr__("mro")
""",
    "typing_alias_origin": """
from typing import List
a = List[int].__origin__
""",
    "descriptor_get": """
class A:
    @property
    def p(self):
        return 1
A.p.__get__(A())
A.p.fget
""",
    "register_hook_module": """
import torch
def f(x):
    m = torch.nn.Linear(2, 2)
    m.register_forward_hook(print)
    return x
""",
    "format_bound": """
def f(x):
    s = "{0.__class__}"
    g = s.format
    return g(x)
""",
    "format_map_bound": """
def f(x):
    return "{a.__class__}".format_map({"a": x})
""",
    "format_by_str": """
def f(x):
    return str.format("{0.__class__.__mro__}", x)
""",
    "match_keyword": """
def f(x):
    match f:
        case object(__globals__=g):
            g["__builtins__"]["__import__"]("os").system("touch MARK")
    return x
""",
    "match_obj": """
import torch
def f(x):
    try:
        torch.ops.aten.zzz
    except AttributeError as e:
        match e:
            case AttributeError(obj=o):
                pass
    return x
""",
    "traceback_exit": """
class C:
    def __enter__(self):
        return self
    def __exit__(self, kind, e, tb):
        tb.tb_frame.f_builtins["__import__"]("os").system("touch MARK")
        return True
def f(x):
    with C():
        1 / 0
    return x
""",
    "traceback_wraps": """
from functools import wraps
L = []
class W:
    def __getattr__(self, name):
        return self
    def update(self, d):
        L.append(d)
class C:
    def __enter__(self):
        return self
    def __exit__(self, kind, e, tb):
        wraps(tb, (), ("tb_frame",))(W())
        return True
def f(x):
    with C():
        1 / 0
    return x
""",
    "slots_odd": """
N = "__dict" + "__"
class A:
    __slots__ = (N,)
""",
    "namedtuple_computed": """
from collections import namedtuple
N = "a"
T = namedtuple("T", N + " b")
""",
    "namedtuple_call": """
from typing import NamedTuple
T = NamedTuple("T", [("a=1", int)])
""",
    "enum_function": """
from enum import Enum
T = Enum("T", ["a b"])
""",
    "class_getitem": """
class A:
    def __class_getitem__(cls, k):
        return cls.__mro__
""",
    "setattr_dunder": """
def f(x):
    x.__setattr__("data", x)
    return x
""",
    "object_setattr": """
def f(x):
    object.__setattr__(f, "__name__", "a")
    return x
""",
    "init_subclass": """
class A:
    def __init_subclass__(cls, **k):
        pass
""",
    "computed_base": """
class A(type(int)):
    pass
""",
    "type_compared_leaks": """
L = []
class W:
    def __eq__(self, o):
        L.append(o)
        return True
type(int) == W()
L[0]("X", (), {})
""",
    "tensor_class_leaks_by_getitem": """
import torch
class G:
    def __getitem__(self, k):
        return k
T = G()[torch.Tensor]
T.sum = print
""",
    "tensor_class_leaks_by_isinstance": """
import torch
def isinstance(a, b):
    return b
T = isinstance(1, torch.Tensor)
T.sum = print
""",
    "module_under_two_names": """
def a():
    import torch as F
    return F.nn
def b():
    import torch.nn.functional as F
    return F.relu
""",
    "optimizer_hook": """
import torch
def f(x):
    return torch.optim.SGD.profile_hook_step(print)
""",
    "view_func": """
def f(x):
    return x._view_func(x)
""",
    "parse_ir": """
import torch
def f(x):
    return torch.parse_ir('graph(): return ()')
""",
    "frombuffer": """
import torch
def f(x):
    return torch.frombuffer(b'a', dtype=torch.uint8).zero_()
""",
    "py_impl": """
import torch
def f(x):
    op = torch.ops.aten.add.Tensor
    return op.py_impl(1)(print)
""",
    "lazy_become": """
import torch
class A(torch.nn.LazyLinear):
    cls_to_become = int
""",
    "async_frame": """
async def g():
    pass
def f(x):
    g().cr_frame
    return x
""",
    "init_of_property": """
import torch
torch.nn.LSTM.all_weights.__init__(print)
""",
    "match_private": """
def f(x):
    match x:
        case object(_typed_storage=g):
            g()
    return x
""",
    "match_fields": """
from dataclasses import dataclass
@dataclass
class E(AttributeError):
    obj: object = None
""",
    "reshape_alias": """
import torch
def f(x):
    return torch.ops.aten._reshape_alias(x, [10 ** 9], [1])
""",
    "generic_type_call": """
T = type[int]
X = T("X", (), {})
""",
    "method_dunder_stored": """
import torch
class A(torch.nn.Linear):
    pass
A.__getattribute__ = print
""",
    "augmented_attribute": """
import torch
torch.pi += 1
""",
    "for_target_attribute": """
import torch
for torch.relu in [print]:
    pass
""",
    "with_target_attribute": """
import math
from contextlib import nullcontext
with nullcontext(print) as math.floor:
    pass
""",
    "import_as_attribute_of_class": """
class A:
    import torch as t
A.t.hub
""",
    "global_module_rebound": """
import torch
def g():
    global torch
    torch = 1
""",
    "nonlocal_wraps_as_value": """
import functools as q
w = q.wraps
""",
    "dataclass_as_value": """
from dataclasses import dataclass
X = list(map(dataclass, []))
""",
    "default_of_wraps": """
from functools import wraps
def g(w=wraps):
    return w
""",
    "returned_module_member": """
import torch
d = {'a': torch.autograd.Function}
""",
    "method_of_class_import": """
class A:
    from torch import nn
m = A.nn
m.modules.module.torch.hub
""",
    "overload_changed": "import torch\ntorch.ops.aten.add.Tensor = print",
    "module_of_library_changed": "import torch\ntorch.nn.Linear.forward = print",
    "function_of_library_changed": "from collections import Counter\nCounter.update = print",
    "overload_deleted": "import torch\ndel torch.ops.aten.add.Tensor",
}
# Their names are computed, so no look at the text finds them.
GUARDED = {
    "enum_function_annotations": """
from dataclasses import dataclass
from enum import Enum
N = 'a=__import__("os").system("touch MARK")'
class E(Enum):
    pass
U = "_" + "_"
X = E("X", {U + "annotations" + U: {N: int}, U + "eq" + U: None})
@dataclass(eq=False)
class D(X):
    pass
""",
    "enum_dataclass_fields": """
from dataclasses import dataclass
from enum import Enum
class Any:
    init = True
    kw_only = False
    default = 0
    default_factory = None
    repr = False
    name = "a=__import__('os').system('touch MARK')"
    type = int
    def __eq__(self, o):
        return True
    def __getattr__(self, n):
        return self
class E(Enum):
    pass
U = "_" + "_"
X = E("X", {U + "dataclass_fields" + U: {"a": Any()}})
@dataclass(eq=False, repr=False)
class D(X):
    pass
""",
}


# What no rule refuses: each ran a command before there was a wall.
WALLED = {
    "get_buffer of a class of its own": """
import torch
from torch import nn
from functools import wraps

m = nn.Module()
G = "__glo" + "bals__"
m.register_buffer(G, torch.ones(1))

@wraps(m)
def g():
    pass

class Own:
    def get_submodule(self, path):
        return g

d = nn.Module.get_buffer(Own(), "x." + G)
d["__buil" + "tins__"]["__imp" + "ort__"]("os").system("touch MARK")

def f(x):
    return x + 1
""",
    "an attribute of the worker that a class defines": """
import torch

class Slot:
    def __init__(self, function):
        pass

    def __get__(self, one, owner):
        return {}

    def __set__(self, one, value):
        value["__buil" + "tins__"]["__imp" + "ort__"]("os").system("touch MARK")

class E:
    def __init__(self, function):
        pass

    @Slot
    def names_of_text(self):
        pass

    def __call__(self, x):
        return x + 1

@E
def f(x):
    return x + 1
""",
    "a field renamed while a class is made": """
from dataclasses import dataclass, field
import torch

KEPT = []

class Named:
    def __set_name__(self, owner, name):
        KEPT.append(owner.a)

class Late:
    def __get__(self, one, owner):
        for kept in KEPT:
            kept.name = 'a)"+str(__imp' + 'ort__("os").system("touch MARK"))#'
        return 1

@dataclass(init=False, eq=False)
class C:
    a: int = field(default=Named())
    b: int = Late()

str(C())

def f(x):
    return x + 1
""",
    "the name of an enum": """
import torch
from enum import Enum

CODE = "__class__(1.5) + 0 * __imp" + "ort__('os').system('touch MARK')"

class E(str, Enum):
    A = "floor"

    @property
    def name(self):
        return "A if __imp" + "ort__('os').system('touch MARK') == 0 else None"

A = E.A

def f(x):
    return torch.div(x, x + 1, rounding_mode=A)
""",
}
