"""What a call of a text leaves behind: modes of PyTorch, and data that the names of the text hold
afterwards and did not before. Scripts of findings have this text, too
(fuzz/run/foreign/source_script.cpp).
"""

import collections
import types

import torch

MODULE = "fusillade_module"  # what a text calls the module that is judged, if it is one
TEXT = "program"  # the module that a text's names are of
MOST_NESTED = 4  # levels of data that are told
MOST_TOLD = 2000  # characters


def modes():
    """What a call should leave as it was, by the words that tell it."""
    nesting = torch.autocast_increment_nesting() - 1
    torch.autocast_decrement_nesting()
    return {
        "depth of autocast": nesting,
        "autocast": torch.is_autocast_enabled("cpu"),
        "recording of gradients": torch.is_grad_enabled(),
        "inference mode": torch.is_inference_mode_enabled(),
        "default dtype": torch.get_default_dtype(),
        "deterministic algorithms": torch.are_deterministic_algorithms_enabled(),
    }


def restore_modes(before):
    """Sets what can be set; tells what a call left behind, a line for each."""
    left = {name: value for name, value in modes().items() if value != before[name]}
    for _ in range(max(0, left.get("depth of autocast", 0) - before["depth of autocast"])):
        torch.autocast_decrement_nesting()
    if "autocast" in left:
        torch.set_autocast_enabled("cpu", before["autocast"])
    if "default dtype" in left:
        torch.set_default_dtype(before["default dtype"])
    if "deterministic algorithms" in left:
        torch.use_deterministic_algorithms(before["deterministic algorithms"])
    return "".join(f"\nleft behind: {name} {value}" for name, value in left.items())


def text_of(value, depth=MOST_NESTED):
    """What plain data says of a value that a call may change; of all else its type alone."""
    if value is None or type(value) in (bool, int, str):
        return repr(value)[:MOST_TOLD]
    if isinstance(value, torch.Tensor):
        return f"{value.dtype}{list(value.shape)}"
    name = type(value).__name__
    if depth == 0 or type(value) in (float, complex):  # roundings may decide them
        return name
    if isinstance(value, torch.nn.Module) or type(value).__module__ == TEXT:
        own = {k: v for k, v in getattr(value, "__dict__", {}).items() if k[:1] != "_"}
        value = {**own, **getattr(value, "_modules", {})}
    if isinstance(value, dict):
        items = [f"{text_of(k, depth - 1)}: {text_of(v, depth - 1)}" for k, v in value.items()]
    elif isinstance(value, (set, frozenset)):
        items = sorted(text_of(v, depth - 1) for v in value)
    elif isinstance(value, (list, tuple, collections.deque)):
        items = [text_of(v, depth - 1) for v in value]
    else:
        return name
    return f"{name}({', '.join(items)})"[:MOST_TOLD]


def texts_of_names(names):
    """What the names of a text hold, for those that a call may change."""
    kept = (type, types.FunctionType, types.ModuleType, types.BuiltinFunctionType)
    return {
        name: text_of(getattr(value, "_orig_mod", value) if name == MODULE else value)
        for name, value in names.items()
        if name[:1] != "_" and not isinstance(value, kept) and not is_wrapper(value)
    }


def is_wrapper(value):
    """A function that something was made of: what it remembers is its own."""
    return (
        callable(value) and not isinstance(value, torch.nn.Module) and hasattr(value, "__wrapped__")
    )


def names_changed(before, names):
    """Of the names of a text what a call made something else, a line for each."""
    after = texts_of_names(names)
    lines = [
        f"\ndata left behind: {name} is {after[name]}"
        for name in after
        if after[name] != before.get(name)
    ]
    lines += [f"\ndata left behind: no {name}" for name in before if name not in after]
    return "".join(lines)
