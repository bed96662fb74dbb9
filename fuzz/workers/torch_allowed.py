"""Which modules, members and names the Python of strangers may use in PyTorch's worker. How it may
use them: torch_admission.py.
"""

import builtins
import collections
import contextlib
import dataclasses
import enum
import functools
import types

import torch
import torch.fx

MODULES = {
    "math": None,
    "torch": None,
    "torch.nn": None,
    "torch.nn.functional": None,
    "itertools": None,
    "typing": "Any Callable Dict Final List NamedTuple Optional Set Tuple Union",
    "enum": "Enum IntEnum",
    "dataclasses": "dataclass field",
    "contextlib": "contextmanager nullcontext suppress",
    "functools": "partial reduce wraps",
    "collections": "Counter OrderedDict defaultdict deque namedtuple",
}
WITHIN_TORCH = {torch, torch.nn, torch.nn.functional, torch.special, torch.linalg, torch.fft}
# Of other modules of PyTorch these.
ONLY = {
    torch.jit: {"isinstance", "annotate", "fork", "wait", "Future", "unused"},
    torch.autograd: {"Function", "backward", "grad"},
    torch.optim: {"SGD"},
}
if hasattr(torch, "func"):
    ONLY[torch.func] = {"grad", "grad_and_value", "jvp", "vjp", "vmap"}
# Builtins, operators and methods of torch that reach outside of it, or at memory that is no
# tensor's; `ParameterDict` reads attributes that are named by its keys.
OUTSIDE = set(
    """
    from_file save load import_ir_module import_ir_module_from_buffer asarray frombuffer from_numpy
    to_dlpack from_dlpack parse_ir parse_schema parse_type_comment merge_type_from_type_comment
    unify_type_list init_num_threads ParameterDict _reshape_alias _nested_view_from_buffer
    _sparse_coo_tensor_unsafe _sparse_compressed_tensor_unsafe _sparse_csr_tensor_unsafe
    _sparse_csc_tensor_unsafe _sparse_bsr_tensor_unsafe _sparse_bsc_tensor_unsafe _unsafe_index
    _unsafe_index_put _unsafe_masked_index _unsafe_masked_index_put_accumulate
    """.split()
)
WRITTEN_IN = ("torch.functional", "torch.nn.", "torch.autograd.grad_mode", "torch._lobpcg")
# What classes define.
DEFINED = """
    init post_init new enter exit eq ne lt le gt ge hash bool len contains getitem setitem delitem
    iter next call str repr int float index neg pos abs invert add sub mul matmul truediv floordiv
    mod pow lshift rshift and or xor radd rsub rmul rmatmul rtruediv rfloordiv rmod rpow rlshift
    rrshift rand ror rxor iadd isub imul imatmul itruediv ifloordiv imod ipow ilshift irshift iand
    ior ixor constants slots getattr missing set_name get set
"""
DUNDERS = {f"__{name}__" for name in DEFINED.split()}
OPERATORS = {f"__{i}{name}__" for name in "and or xor lshift rshift".split() for i in ("", "i")}
# Attributes that lead from values to frames, files, memory and code.
NEVER = set(
    """
    format_map f_back f_builtins f_code f_globals f_locals gi_code gi_frame gi_yieldfrom cr_frame
    cr_code ag_frame ag_code tb_frame tb_next tb_lasti co_code mro numpy tofile storage
    untyped_storage typed_storage data_ptr const_data_ptr cdata new save_to_buffer share_memory
    share_memory_ register_hook register_prehook register_post_accumulate_grad_hook
    register_backward_hook register_full_backward_hook register_full_backward_pre_hook
    register_forward_hook register_forward_pre_hook register_load_state_dict_post_hook
    register_load_state_dict_pre_hook register_state_dict_post_hook register_state_dict_pre_hook
    register_step_post_hook register_step_pre_hook profile_hook_step with_traceback load_state_dict
    set_submodule module_load cls_to_become all_weights fromfile names_of_text obj fget fset fdel
    compile graph recompile fake_mode shape_env py_impl py_kernels py_functionalize_impl
    functorch_table python_key_table redispatch subs sympify fx_node
    """.split()
)
# Of Python's builtins these, and all errors.
BUILTINS = set(
    """
    abs all any bin bool bytes callable chr classmethod complex dict divmod enumerate filter float
    frozenset hash hex id int isinstance issubclass iter len list map max min next object oct ord
    pow print property range repr reversed round set slice sorted staticmethod str sum super tuple
    type zip NotImplemented Ellipsis None True False
    """.split()
)
FORBIDDEN = {
    name
    for name, value in vars(builtins).items()
    if not (isinstance(value, type) and issubclass(value, BaseException))
} - BUILTINS
# Of private names of libraries those that a text may use.
TUPLES_OWN = {"_replace", "_fields", "_asdict", "_field_defaults"}
PRIVATE_ALLOWED = {*TUPLES_OWN, "_make_subclass"}
# Who holds one of these can change what all of PyTorch does, and be called by it.
CLASSES = {torch.Tensor, torch.nn.Module, torch.autograd.Function}


def private_names():
    """Names `_x` that objects of Python and PyTorch have, those among them that a text may get."""

    @contextlib.contextmanager
    def manager():
        yield

    modules = [
        value
        for value in vars(torch.nn).values()
        if isinstance(value, type) and issubclass(value, torch.nn.Module)
    ]
    add = torch.ops.aten.add
    x = torch.ones(1, requires_grad=True)
    objects = [
        *(torch.Tensor, torch.nn.Parameter, torch.nn.Module(), torch.jit.Future),
        *(
            torch.autograd.Function,
            torch.optim.SGD([x], lr=0.1),
            torch.autocast("cpu"),
            torch.Generator(),
        ),
        *(add, add.Tensor, torch.ops.aten, (x * 2).grad_fn, torch.FloatStorage, torch.Size),
        *(torch.fx.GraphModule, torch.dtype, torch.device),
        *(enum.Enum, enum.EnumMeta, dataclasses.field(), functools.partial(print)),
        *(collections.Counter, collections.OrderedDict, collections.namedtuple("T", "a")),
        *(manager(), contextlib.suppress(KeyError), contextlib.nullcontext(), type),
        *modules,
    ]
    names = {name for value in objects for name in dir(value)}
    for module in modules:
        for base in module.__mro__[:-1]:
            for value in vars(base).values():
                value = getattr(value, "fget", value)  # a property's
                names.update(getattr(getattr(value, "__code__", None), "co_names", ()))
    return {name for name in names if name.startswith("_")} - PRIVATE_ALLOWED


PRIVATE = private_names()


def computes(owner, name):
    """Is this member of a module of PyTorch one that computes, or a type of what is computed?"""
    value = getattr(owner, name, None)
    if value is None or name in OUTSIDE:
        return False
    if isinstance(value, types.ModuleType):
        return value in WITHIN_TORCH or owner is torch and (value in ONLY or name == "ops")
    if owner in ONLY:
        return name in ONLY[owner]
    if isinstance(value, type) and owner in (torch, torch.nn):
        home = value.__module__
        return (
            value in (torch.Tensor, torch.Size, torch.device, torch.dtype)
            or home.startswith(
                ("torch.nn.modules.", "torch.nn.parameter", "torch.autograd.grad_mode")
            )
            or value is torch.autocast
        )
    if not callable(value) or isinstance(value, types.BuiltinFunctionType):
        return not name.startswith("_")
    home = getattr(value, "__module__", None) or ""
    if owner is torch and name in ("manual_seed", "initial_seed"):
        return True
    return owner in WITHIN_TORCH and home.startswith(WRITTEN_IN)


def is_dunder(name):
    return name.startswith("__")
