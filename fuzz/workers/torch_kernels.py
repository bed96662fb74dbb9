"""All kernels of a graph in one call of the C++ compiler, for inductor (torch_worker.py).

Inductor gives its compiler a file for each kernel and waits: 0.3 s to read what is precompiled and 0.2 s to link, for
0.1 s of a kernel. Here what it writes is collected until it waits for all of a graph, and compiled as one file, by the
same command. Each kernel and its binding stand in a namespace of their own, under a name of their own, and are a module
of their own in the library:

    extern "C" void kernel(...) {}   ->   namespace kernel_0_ { extern "C" void kernel_0(...) {} }

A kernel whose text is not of this form, or that is the only one, is compiled as inductor does it; and so are all of a
version of PyTorch that has no such place.
"""

import re
import types

ENTRY = re.compile(r'(extern "C"[^;{]*?\bvoid\s+)kernel(?=\()')
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b.*$", re.M)
OTHER_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(?!include\b|pragma\b)\w+", re.M)


def joined(texts):
    """One file of several, whose includes come first."""
    includes = dict.fromkeys(line.strip() for text in texts for line in INCLUDE.findall(text))
    bodies = [f"namespace kernel_{i}_ {{\n{INCLUDE.sub('', text)}\n}}\n" for i, text in enumerate(texts)]
    return "\n".join([*includes, *bodies])


class Later:
    """A kernel that is written and not compiled."""

    def __init__(self, load):
        self.load = load


class Kernels:
    """Those of a graph."""

    def __init__(self, cache):
        self.cache, self.given, self.asked = cache, [], []
        self.library = None

    def add(self, argument_types, source):
        self.given.append((argument_types, source))
        return Later(lambda i=len(self.given) - 1: self.functions()[i])

    def functions(self):
        if self.library is None:
            self.library = [load() for load in (self.alone() if len(self.given) == 1 else self.together())]
        return self.library

    def alone(self):
        return [self.cache.load_pybinding_async(*given) for given in self.given]

    def together(self):
        texts, how = [], []
        built = []

        def library():
            if not built:
                built.append(Built.load_async(joined(texts), *how[0][0], **how[0][1])())
            return built[0]

        class Built(self.cache):
            @classmethod
            def _load_library_inner(cls, path, key):
                return types.SimpleNamespace(path=path)

        class Kernel(self.cache):
            @classmethod
            def load_async(cls, text, *args, **kwargs):
                texts.append(text)
                how.append((args, kwargs))
                return lambda: cls._load_library(library().path, library().key)

        loads = []
        for i, (argument_types, source) in enumerate(self.given):
            name = f"kernel_{i}"
            call = self.cache.call_entry_function.replace("kernel(", name + "(")
            one = type(name, (Kernel,), {"entry_function": name, "call_entry_function": call})
            loads.append(one.load_pybinding_async(argument_types, ENTRY.sub(rf"\g<1>{name}", source)))
        return loads


def takes(source):
    return len(ENTRY.findall(source)) == 1 and not OTHER_DIRECTIVE.search(source)


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
        if not takes(source):
            return at_once(self, argument_types, source)
        kernels = self.__dict__.setdefault("kernels", Kernels(cache))
        return kernels.add(argument_types, source)

    def wait(self, scope):
        for name, value in list(scope.items()):
            if isinstance(value, Later):
                scope[name] = value.load()
        waited(self, scope)

    AsyncCompile.cpp_pybinding, AsyncCompile.wait = cpp_pybinding, wait
