"""Is PyTorch's compiler whole, and how was this PyTorch built? (torch_worker.py, bench/peers)

Inductor links what it compiles with -L of the interpreter's own library folder first. Where
Debian's libtorch-dev is installed that folder holds another PyTorch: the probe of vector
instruction sets fails, torch.compile makes scalar code without a word, and some kernels cannot be
imported. `link_own` puts the folder of the PyTorch that is imported first. A probe that failed is
kept in inductor's cache, so each PyTorch has a cache folder of its own.
"""

import hashlib
import importlib.util
import os
import re
import sys
import sysconfig

VECTORS = ("avx512f", "avx2", "sve", "asimd")  # for which inductor has vector code


def cache_folder():
    """Of this interpreter and how it links; a user's TORCHINDUCTOR_CACHE_DIR is left alone. What
    times compiles names a folder in which nothing is compiled yet (FUSILLADE_COLD_CACHES)."""
    cold = os.environ.get("FUSILLADE_COLD_CACHES")
    if cold:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(cold, f"inductor-{os.getpid()}")
        return
    if "TORCHINDUCTOR_CACHE_DIR" in os.environ:
        return
    above = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    name = hashlib.sha256(f"{sys.prefix} {sys.version}".encode()).hexdigest()[:12]
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(above, "fusillade", "inductor-" + name)


def link_own():
    """To be called before anything is compiled; imports nothing."""
    found = importlib.util.find_spec("torch")
    if found and found.origin:
        sysconfig.get_config_vars()["LIBDIR"] = os.path.join(os.path.dirname(found.origin), "lib")
        cache_folder()


def capability():
    """The vector instructions that ATen's own kernels use here; "DEFAULT" and "NO AVX" are none."""
    import torch

    asked = getattr(getattr(torch.backends, "cpu", None), "get_cpu_capability", None)
    if asked:
        return asked()
    match = re.search(r"CPU capability usage: (.*)", torch.__config__.show())
    return match[1] if match else "unknown"


def vector_code():
    """The instruction sets for which inductor makes vector code here; compiles a probe for each the
    first time."""
    from torch._inductor import codecache, config

    try:
        from torch._inductor import cpu_vec_isa as home
    except ImportError:  # before 2.5
        home = codecache
    if config.cpp.simdlen is not None and config.cpp.simdlen <= 1:
        return []
    return [str(isa) for isa in home.valid_vec_isa_list()]


def why_crippled():
    """Why torch.compile is not what its users run here, or None."""
    from fusillade_worker import vectors

    if capability() in ("DEFAULT", "NO AVX") and vectors() in VECTORS:
        return (
            f"ATen's own kernels use no vector instructions ({capability()}), though the processor "
            f"has {vectors()}: is ATEN_CPU_CAPABILITY set?"
        )
    try:
        codes = vector_code()
    except Exception as e:  # as inductor says it: there is no C++ compiler
        return f"{type(e).__name__}: {str(e).strip().partition(chr(10))[0]}"
    if not codes and vectors() in VECTORS:
        return (
            f"inductor makes no vector code here, though the processor has {vectors()}: its probe "
            "of instruction sets fails (does another PyTorch stand in the linker's way?)"
        )
    return None


def description():
    """What distinguishes builds of PyTorch, as text by key."""
    import torch

    config = torch.__config__.show()
    blas = re.search(r"BLAS_INFO=(\w+)", config)
    return {
        "python": sys.executable,
        "isa": capability(),
        "threads": str(torch.get_num_threads()),
        "blas": blas[1] if blas else "unknown",
        "llvm": "yes" if torch._C._llvm_enabled() else "no",
    }
