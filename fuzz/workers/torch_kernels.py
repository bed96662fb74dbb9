"""All kernels of a graph in one call of the C++ compiler, for inductor (torch_worker.py).

Inductor gives its compiler a file for each kernel and waits: 0.3 s to read what is precompiled and
0.2 s to link, for 0.1 s of a kernel. Here what it writes is collected until it waits for all of a
graph, and compiled as one file, by the same command. Each kernel and its binding are in a
namespace of their own, under a name of their own, and are a module of their own in the library:

    extern "C" void kernel(...) {}   ->   namespace kernel_0_ { extern "C" void kernel_0(...) {} }

A kernel whose text is not of this form, or that is the only one, is compiled as inductor does it;
and so are all of a version of PyTorch that has no such place.
"""

import inspect
import re
import shutil
import types

ENTRY = re.compile(r'(extern "C"[^;{]*?\bvoid\s+)kernel(?=\()')
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b.*$", re.M)
OTHER_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(?!include\b|pragma\b)\w+", re.M)
# takes half as long to read PyTorch's libraries
LINKER = ("-fuse-ld=gold",) if shutil.which("ld.gold") else ()


def is_of_the_form(source):
    return len(ENTRY.findall(source)) == 1 and not OTHER_DIRECTIVE.search(source)


def join_texts(texts):
    """One file of several, whose includes come first."""
    includes = dict.fromkeys(line.strip() for text in texts for line in INCLUDE.findall(text))
    bodies = [
        f"namespace kernel_{i}_ {{\n{INCLUDE.sub('', text)}\n}}\n" for i, text in enumerate(texts)
    ]
    return "\n".join([*includes, *bodies])


def bind(cache, argument_types, source):
    """What gives the kernel as a function of Python, by inductor's own means."""
    linker = (
        {"extra_flags": LINKER}
        if "extra_flags" in inspect.signature(cache.load_pybinding_async).parameters
        else {}
    )
    return cache.load_pybinding_async(argument_types, source, **linker)


def bound_together(cache, given):
    texts, how, built = [], [], []

    def library():
        if not built:
            args, kwargs = how[0]
            built.append(Built.load_async(join_texts(texts), *args, **kwargs)())
        return built[0]

    class Built(cache):
        @classmethod
        def _load_library_inner(cls, path, key):
            return types.SimpleNamespace(path=path)

    class Kernel(cache):
        @classmethod
        def load_async(cls, text, *args, **kwargs):
            texts.append(text)
            how.append((args, kwargs))
            return lambda: cls._load_library(library().path, library().key)

    def one(number, argument_types, source):
        name = f"kernel_{number}"
        call = cache.call_entry_function.replace("kernel(", name + "(")
        kind = type(name, (Kernel,), {"entry_function": name, "call_entry_function": call})
        return bind(kind, argument_types, ENTRY.sub(rf"\g<1>{name}", source))

    return [one(number, *kernel) for number, kernel in enumerate(given)]


class Later:
    """A kernel that is written and not compiled."""

    def __init__(self, kernels):
        self.kernels, self.number = kernels, len(kernels.given)


class Kernels:
    """Those of a graph."""

    def __init__(self, cache):
        self.cache, self.given = cache, []

    def add(self, argument_types, source):
        later = Later(self)
        self.given.append((argument_types, source))
        return later

    def functions(self):
        loads = (
            bound_together(self.cache, self.given)
            if len(self.given) > 1
            else [bind(self.cache, *self.given[0])]
        )
        return [load() for load in loads]


def compile_together():
    from torch._inductor import codecache
    from torch._inductor.async_compile import AsyncCompile

    cache = getattr(codecache, "CppPythonBindingsCodeCache", None)
    if not hasattr(cache, "load_pybinding_async") or not hasattr(AsyncCompile, "cpp_pybinding"):
        return
    at_once, waited = AsyncCompile.cpp_pybinding, AsyncCompile.wait
    if at_once.__module__ == __name__:
        return

    def cpp_pybinding(self, argument_types, source):
        if not is_of_the_form(source):
            return at_once(self, argument_types, source)
        return self.__dict__.setdefault("kernels", Kernels(cache)).add(argument_types, source)

    def wait(self, scope):
        later = {name: value for name, value in scope.items() if isinstance(value, Later)}
        if later:
            functions = next(iter(later.values())).kernels.functions()
            scope.update((name, functions[value.number]) for name, value in later.items())
        waited(self, scope)

    AsyncCompile.cpp_pybinding, AsyncCompile.wait = cpp_pybinding, wait
