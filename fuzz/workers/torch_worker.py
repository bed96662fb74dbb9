"""PyTorch, any version from 1.13, as a worker: its eager mode, TorchScript, torch.compile
(docs/reference/workers.md).

    eager              op by op
    script             parse_ir of the program's IR, TorchScript's passes, no fuser
    script(nnc)        the same with the TensorExpr fuser, after the runs in which it profiles
    trace              torch.jit.trace of the Python source, traced for each call
    dynamo             torch.compile, backend eager: Dynamo alone
    aot                torch.compile, backend aot_eager_decomp_partition: dynamo,
                       functionalisation, decompositions
    compile            torch.compile, backend inductor; compile(dynamic): with dynamic shapes
    vmap, functionalize, jvp, vjp, export   transformations of functions (torch_transforms.py)

A call of which nothing was fused (script(nnc)) or compiled (aot, compile) is declined: eager would
be compared with itself.
"""

import contextlib
import ctypes
import os
import re
import warnings
from functools import partial

os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # compiling is this process's time
warnings.simplefilter("ignore")

import torch
from fusillade_worker import CODE, ITEM_SIZE, Declined, Ops, Parts, Scalar, Worker, serve, words_of
from torch_build import description, link_own, vector_code, why_crippled
from torch_eager import EagerNames, is_of_operator, release, storage_of
from torch_gradients import gradients_under, record
from torch_kernels import compile_together
from torch_plain import Shaken, compiled_entry, is_random
from torch_source import Promised, Script, run_script, watched_calls
from torch_transforms import ENGINES as TRANSFORMS
from torch_transforms import run_transformed
from torch_transforms import warm as warm_transform

PROFILED_RUNS = 1
RUNS = PROFILED_RUNS + 2  # the first after them compiles
FORGOTTEN = 64  # programs until dynamo forgets them, too
BACKENDS = {
    "dynamo": ("eager", False),
    "aot": ("aot_eager_decomp_partition", False),
    "compile": ("inductor", False),
    "compile(dynamic)": ("inductor", True),
}
TORCHSCRIPTS = {
    f"aten.{name}.{overload}"
    for name, overloads in (
        ("tensor", "default bool float int"),
        ("as_tensor", "default bool float int list"),
        ("to", "prim_Device prim_dtype prim_other"),
    )
    for overload in overloads.split()
}
TRAINED = {"gradients": True, "subgradients": True}
COMPILED = {
    **TRAINED,
    "error_classes": True,
    "strides": True,
    "aliases": True,  # what torch.compile promises
    "declines": sorted(TORCHSCRIPTS),
}
# Inductor's own switches (torch._inductor.config), away from their defaults, that change code and
# not what it should give.
SWITCHES = {
    "allow_buffer_reuse": [False],
    "combo_kernels": [True],
    "comprehensive_padding": [False],
    "constant_and_index_propagation": [False],
    "cpp.enable_loop_tail_vec": [False],
    "cpp.enable_tiling_heuristics": [False],
    "cpp.fallback_scatter_reduce_sum": [False],
    "cpp.max_horizontal_fusion_size": [1],
    "cpp.min_chunk_size": [1],
    "cpp.no_redundant_loops": [False],
    "cpp.simdlen": [1, 256, 512],
    "cpp.weight_prepack": [False],
    "cpp_wrapper": [True],
    "epilogue_fusion": [False],
    "force_pointwise_cat": [True],
    "inplace_buffers": [False],
    "joint_graph_constant_folding": [False],
    "layout_optimization": [False],
    "loop_ordering_after_fusion": [False],
    "max_fusion_size": [1, 2],
    "max_pointwise_cat_inputs": [0],
    "memory_planning": [True],
    "online_softmax": [False],
    "pattern_matcher": [False],
    "permute_fusion": [True],
    "pick_loop_orders": [False],
    "realize_opcount_threshold": [1],
    "realize_reads_threshold": [1],
    "shape_padding": [False],
    "split_cat_fx_passes": [False],
    "split_reductions": [False],
    "unroll_reductions_threshold": [1, 64],
}
# Dynamo's (torch._dynamo.config), of which the same holds.
DYNAMO = {
    "allow_rnn": [True],
    "assume_static_by_default": [False],
    "automatic_dynamic_shapes": [False],
    "capture_dynamic_output_shape_ops": [True],
    "capture_scalar_outputs": [True],
    "install_free_tensors": [True],
    "prefer_deferred_runtime_asserts_over_guards": [True],
    "recompile_limit": [1],
    "specialize_float": [True],
    "specialize_int": [True],
    "use_graph_deduplication": [True],
    "use_lazy_graph_module": [False],
}
INDUCTOR = {**COMPILED, "packs": 32}  # a C++ compiler takes a second, however little it is given
# of 0, inf and nan
OWN_ARITHMETIC = {f"scalar.{n}" for n in ("div", "floordiv", "remainder", "max", "min")}
GRADIENTS = "grad:"  # and an engine: a request for the gradients of a program under it
# of weights that are not asked for it gives None
ATTENTION = "aten._native_multi_head_attention.default"
LACKS = "We don't have an op for"  # TorchScript's schemas take no bool for a number, and the like
WRAPPED = re.compile(r"got (\w+)\(['\"](.*)")
# What eager mode says where compilers need not, or where it is stricter than the 1.13.1 that ours
# follows: what is said of it, and by which words of PyTorch's errors it is known.
EXCUSES = {
    "no kernel for a dtype or shape": (
        r"not implemented for '?\w+",
        r"Expected X.is_contiguous",
        r"for isin\(\): BFloat16",
        r"MKL FFT doesn't support",
        r"but found ComplexHalf",
        r"Only zero batch or zero channel inputs are supported",
        r"expected scalar type ComplexDouble but found ComplexFloat",
    ),
    "overlapping writes": (r"single memory location",),
    "pairs whose memory holds no complex numbers": (
        r"must have a last dimension with stride 1",
        r"must have a stride divisible by 2",
        r"must have a storage_offset divisible by 2",
        r"view_as_complex is only supported for",
    ),
    "a view of a result whose strides are no promise": (r"view size is not compatible",),
    "an undefined tensor": (
        r"undefined Tensor",
        r"UNKNOWN_SCALAR",
        r"tensor does not have a device",
        r"op\.is_output INTERNAL",
        r"'NoneType' object has no attribute",
        r"Expected a value of type 'List\[Tensor\]' .* instead found type 'list'",
    ),
    "arguments checked more strictly than by 1.13": (
        r"Boolean (alpha|beta) only supported",
        r"elements of target should be between",
        r"lambda must be in range",
        r"weight_[ih]h \w+ dim must",
        r"Expected reduction dim -1 or 0 for scalar",
        r"without narrowing to the specified dtype",
        r"vector_norm: Expected a floating",
        r"eps must be non-negative",
        r"expected BoolTensor for mask",
        r"order must be non-negative",
        r"does not have an identity",
        r"i?stft requires (the return_complex|a complex-valued)",
        r"only supports? boolean masks",
        r"source tensor shape must match",
        r"running_var must either both be",
    ),
    "torch.tensor of a list as an operator": (
        r"tensor\(\) Expected a value of type 'List\[t\]'",
        r"Input must be of ints, floats, or bools, got t",
    ),
    "strides that kernels of a GPU would refuse": (r"strides should be multiple of",),
    "a pad to no elements, or segments of none, which 1.13 refuses": (
        r"resulted in a negative output size",
        r"Expected data\.numel\(\) > 0",
    ),
    "an internal assertion of 1.13, mended since": (
        r"stable.has_value\(\) INTERNAL",
        r"needs_dynamic_casting",
    ),
}
# Of these it says by which error: where ours refuses the call, too, compilers have to.
REFUSALS = ("no kernel for a dtype or shape", "arguments checked more strictly than by 1.13")
UNJUDGED = [(re.compile("|".join(texts)), reason) for reason, texts in EXCUSES.items()]
CELL = re.compile(r"aten\.(lstm|gru|rnn_tanh|rnn_relu)_cell\.")
CELL_SHAPE = re.compile(r"broadcast shape|Dimension out of range|doesn't match hidden")
CONVERTS = re.compile(r"aten\.(masked_fill_?|index_add_?|fill_?\.Tensor)")
NO_NUMBER = re.compile(r"value cannot be converted to type .* without overflow")
MEMORY_FORMATS = (  # by code
    torch.contiguous_format,
    torch.preserve_format,
    torch.channels_last,
    torch.channels_last_3d,
)
DTYPES = {getattr(torch, name): name for name in ITEM_SIZE}


def holds_number(value):
    return (
        any(map(holds_number, value))
        if isinstance(value, (list, tuple))
        else isinstance(value, (int, float))
    )


def forget_sizes():
    """What Dynamo remembers of functions by file and line, such as sizes that changed, is of other
    programs."""
    from torch._dynamo import pgo

    if hasattr(pgo, "reset_code_state"):
        pgo.reset_code_state()


class TorchScalar(Scalar):
    size = staticmethod(lambda t, *dim: t.size(*dim) if dim else list(t.size()))
    dim = staticmethod(lambda t: t.dim())
    dtype = staticmethod(lambda t: CODE[DTYPES[t.dtype]])
    numel = staticmethod(lambda t: t.numel())
    is_floating_point_ = staticmethod(lambda t: t.is_floating_point())
    is_complex_ = staticmethod(lambda t: t.is_complex())
    requires_grad_ = staticmethod(lambda t: t.requires_grad)
    is_leaf_ = staticmethod(lambda t: t.is_leaf)
    element_size_ = staticmethod(lambda t: t.element_size())
    get_device_ = staticmethod(lambda t: t.get_device())
    storage_offset_ = staticmethod(lambda t: t.storage_offset())
    stride_ = staticmethod(lambda t: list(t.stride()))
    stride_int = staticmethod(lambda t, dim: t.stride(dim))
    is_contiguous_ = staticmethod(lambda t: t.is_contiguous())
    is_contiguous_memory_format = staticmethod(
        lambda t, code: t.is_contiguous(memory_format=MEMORY_FORMATS[code])
    )
    len = staticmethod(len)
    item = staticmethod(lambda t: t.item())
    Bool_Tensor, Int_Tensor, Float_Tensor = (
        staticmethod(bool),
        staticmethod(int),
        staticmethod(float),
    )
    is_cpu_ = staticmethod(lambda t: t.is_cpu)
    is_cuda_ = staticmethod(lambda t: t.is_cuda)
    is_quantized_ = staticmethod(lambda t: t.is_quantized)
    is_sparse_ = staticmethod(lambda t: t.is_sparse)
    IntImplicit_, FloatImplicit_, ScalarImplicit_ = Int_Tensor, Float_Tensor, item


class TorchOps(Ops):
    aten, torch = torch.ops.aten, torch
    scalar = TorchScalar

    def __init__(self):
        pass

    def dtype(self, name):
        return getattr(torch, name)

    layout = memory_format = dtype

    def device(self, name):
        return torch.device(name)

    def tensor(self, dtype, sizes, elements):
        return torch.tensor(elements, dtype=getattr(torch, dtype)).reshape(sizes)


class EagerOps(TorchOps):
    aten, torch = EagerNames(torch.ops.aten), EagerNames(torch, "torch")


def set_fuser(on):
    torch._C._jit_set_profiling_executor(True)
    torch._C._jit_set_profiling_mode(True)
    torch._C._jit_set_num_profiled_runs(PROFILED_RUNS)
    torch._C._jit_override_can_fuse_on_cpu(on)
    torch._C._jit_set_texpr_fuser_enabled(on)
    torch._C._jit_set_te_must_use_llvm_cpu(False)
    torch._C._jit_set_texpr_reductions_enabled(on)


def legal_switches():
    """Of each engine those that this version has."""
    from torch._dynamo import config

    has = set(torch._inductor.list_options())
    dynamo = {name: values for name, values in DYNAMO.items() if hasattr(config, name)}
    inductor = {name: values for name, values in SWITCHES.items() if name in has}
    return {"compile": inductor, "dynamo": dynamo, "aot": dynamo}


class UnderConfig:
    """What is compiled, with switches of Dynamo's in force while it is called."""

    def __init__(self, function, switches):
        self.__dict__.update(function=function, switches=switches)

    def __call__(self, *arguments):
        with torch._dynamo.config.patch(self.switches):
            return self.function(*arguments)

    def __getattr__(self, name):
        return getattr(self.function, name)

    def __setattr__(self, name, value):
        setattr(self.function, name, value)


def compile_with(function, engine, dynamic, options):
    """By torch.compile, under the plan's options."""
    backend, _ = BACKENDS[engine]
    if not options or backend == "inductor":
        return torch.compile(function, backend=backend, dynamic=dynamic, options=options or None)
    return UnderConfig(torch.compile(function, backend=backend, dynamic=dynamic), options)


class Torch(Worker):
    name, version = "PyTorch", torch.__version__
    counted = None  # the program that Dynamo's counters are of
    names = "torch"
    script = Script
    forks = True
    ops, eager_ops = TorchOps(), EagerOps()
    contract = {
        "eager": {**TRAINED, "half_steps_rounded": True},  # prod, logit
        "dynamo": COMPILED,
        "aot": {**COMPILED, "half_steps_rounded": True},
        "compile": {**INDUCTOR, "recompiles": True},
        "compile(dynamic)": INDUCTOR,
        **dict.fromkeys(
            ["script", "script(nnc)"],
            {**TRAINED, "seconds": 15, "declines": sorted(OWN_ARITHMETIC)},
        ),
        **dict.fromkeys(TRANSFORMS, {**TRAINED, "declines": sorted(TORCHSCRIPTS)}),
        # of equal numbers another derivative, as lawful
        "jvp": {"gradients": True, "declines": sorted(TORCHSCRIPTS)},
    }

    def __init__(self):
        self.forgotten, self.asked_for_vector_code = 0, False
        self.options = legal_switches() if release() >= (2, 0) else {}
        self.build = description()
        late = (
            None
            if release() >= (2, 0)
            else "needs PyTorch 2; --engine-python names its interpreter"
        )
        self.engines = {
            "eager": None,
            "script": None,
            "script(nnc)": None,
            "trace": None,
            **dict.fromkeys(BACKENDS, late),
        }
        for engine, (_, since) in TRANSFORMS.items():
            needed = ".".join(map(str, since))
            self.engines[engine] = None if release() >= since else f"needs PyTorch {needed}"

    def memory(self, dtype, data):
        dtype = getattr(torch, dtype)
        return torch.frombuffer(data, dtype=dtype) if data else torch.empty(0, dtype=dtype)

    def view(self, memory, sizes, strides, offset):
        """No view of another tensor, which would be an input of another kind, but one over the same
        storage."""
        return torch.empty(0, dtype=memory.dtype).set_(storage_of(memory), offset, sizes, strides)

    def is_tensor(self, value):
        return isinstance(value, torch.Tensor)

    def parts(self, t):
        if t.layout is not torch.strided or t.is_conj() or t.is_neg():
            raise Declined("a result that is not strided")
        storage = storage_of(t)
        address, size = storage.data_ptr(), storage.nbytes()
        return Parts(
            DTYPES.get(t.dtype, str(t.dtype)),
            list(t.size()),
            list(t.stride()),
            t.storage_offset(),
            address or None,
            lambda: ctypes.string_at(address, size) if size else b"",
        )

    def run(self, engine, program, call):
        if program.script:
            return self.run_source(engine, program, call)
        if engine == "eager":
            return self.eager(program, call), {}
        if engine.startswith(GRADIENTS):
            return self.gradients(program, call, engine[len(GRADIENTS) :]), {}
        if engine in BACKENDS:
            return self.run_compiled(engine, program, call)
        if engine == "trace":
            return self.run_trace(program, call), {}
        if engine in TRANSFORMS:
            self.require(engine, program)
            return run_transformed(engine, program, self.ops, call, self.timed), {}
        return self.run_script(engine, program, call)

    def eager(self, program, call):
        """Where there is no kernel, or memory is written that is read, eager mode says so and
        compilers need not."""
        try:
            results = self.timed(program.function, self.eager_ops, *call.arguments())
        except Declined:
            raise
        except Exception as e:
            if CELL_SHAPE.search(str(e)) and any(map(CELL.match, program.ops)):
                raise Declined("a cell whose weights do not fit its state") from None
            if any(map(CONVERTS.match, program.ops)) and NO_NUMBER.search(str(e)):
                raise Declined("a value or a factor that a dtype does not hold") from None
            self.excuse(e)
            e.by_operator = is_of_operator(e, program.source)
            raise
        if ATTENTION in program.ops and None in [
            r for r in results if not isinstance(r, torch.Tensor)
        ]:
            raise Declined("an undefined tensor")
        return results

    @staticmethod
    def excuse(e):
        """Declines what eager mode refuses and compilers need not."""
        said = f"\nrefused: {type(e).__name__}: {words_of(e)}"
        if isinstance(e, NotImplementedError):
            raise Declined("no kernel" + said) from None
        for text, reason in UNJUDGED:
            if text.search(said):
                raise Declined(reason + (said if reason in REFUSALS else "")) from None

    def gradients(self, program, call, engine):
        """What eager mode refuses is declined; what else another engine refuses is raised."""
        *arguments, seeds = call.arguments()
        if engine in TRANSFORMS:
            self.require(engine, program)
            return gradients_under(engine, program, self.ops, arguments, seeds)
        if engine in ("script", "script(nnc)"):
            return self.gradients_of_script(engine, program, call)
        if engine in BACKENDS:
            function = self.compiled_for_gradients(program, call, engine)
            return record(partial(function, self.ops), arguments, seeds)
        try:
            return record(partial(program.function, self.eager_ops), arguments, seeds)
        except Declined:
            raise
        except Exception as e:
            raise Declined(
                "PyTorch raises\n"
                f"{str(e).strip().splitlines()[0] if str(e).strip() else type(e).__name__}"
            ) from None

    def compiled_for_gradients(self, program, call, engine):
        self.require(engine, program)
        _, dynamic = BACKENDS[engine]
        key = (GRADIENTS + engine, *sorted(call.options.items()))
        if key not in program.kept:
            program.kept[key] = compile_with(program.function, engine, dynamic, call.options)
        return program.kept[key]

    def gradients_of_script(self, engine, program, call):
        """Of a function of its own: what is profiled without gradients is optimised for none."""
        function, runs = self.function_of_ir(engine, program, GRADIENTS + engine)
        for _ in range(max(1, RUNS - runs[0])):
            runs[0] += 1
            *arguments, seeds = call.arguments()
            try:
                grads = record(function, arguments, seeds)
            except RuntimeError as e:
                if LACKS in str(e):
                    raise Declined("TorchScript has no such overload") from None
                raise
        return grads

    def function_of_ir(self, engine, program, key):
        """TorchScript's function, kept under a key, and how often it ran."""
        if not OWN_ARITHMETIC.isdisjoint(program.ops):
            raise Declined("TorchScript's own arithmetic of plain floats")
        set_fuser(engine == "script(nnc)")
        if key not in program.kept:
            if " : bool[] = prim::Constant[" in program.ir:
                raise Declined("a constant list of bools, which parse_ir reads as one of ints")
            try:
                graph = torch._C.parse_ir(program.ir)
                program.kept[key] = torch._C._create_function_from_graph("program", graph), [0]
            except Exception as e:
                raise Declined(
                    f"TorchScript does not read it\n{str(e).strip().splitlines()[0]}"
                ) from None
        if program.kept[key] is None:
            raise Declined("nothing was fused")
        return program.kept[key]

    def run_script(self, engine, program, call):
        function, runs = self.function_of_ir(engine, program, engine)
        nnc = engine == "script(nnc)"
        try:
            while runs[0] < RUNS - 1:
                runs[0] += 1
                function(*call.arguments())
            results = self.timed(function, *call.arguments())
        except RuntimeError as e:
            if LACKS in str(e):
                raise Declined("TorchScript has no such overload") from None
            raise
        groups = (
            str(torch.jit.last_executed_optimized_graph()).count(" = prim::TensorExprGroup")
            if nnc
            else 0
        )
        if nnc and not groups:
            program.kept[engine] = None
            raise Declined("nothing was fused")
        return results, {"fused_groups": groups}

    def run_trace(self, program, call):
        arguments = call.arguments()
        indices = [i for i, a in enumerate(arguments) if isinstance(a, torch.Tensor)]
        if not indices:
            raise Declined("a trace without tensors")

        def over(*tensors):
            whole = list(arguments)
            for index, t in zip(indices, tensors):
                whole[index] = t
            return program.function(self.ops, *whole)

        try:
            function = torch.jit.trace(
                over, [arguments[i] for i in indices], check_trace=False, strict=False
            )
        except Exception as e:
            raise Declined(f"it cannot be traced\n{str(e).strip().splitlines()[0]}") from None
        if holds_number(program.function(self.ops, *call.arguments())):
            raise Declined("a size among the results, which a trace has as a tensor")
        arguments = call.arguments()
        return self.timed(function, *[arguments[i] for i in indices])

    def run_compiled(self, engine, program, call):
        self.require(engine, program)
        function, counts = self.ready(engine, program, call, lambda: program.function)
        results = self.timed(function, self.ops, *call.arguments())
        return results, self.counts(program, counts)

    def run_source(self, engine, program, call):
        """Of a text: as CPython runs it, or compiled; of a plain one also gradients."""
        script, graded = program.script, engine.startswith(GRADIENTS)
        engine = engine[len(GRADIENTS) :] if graded else engine
        if graded and not script.plain:
            raise Declined("gradients of a text that is not plain")
        if engine == "eager":
            if script.plain:
                return self.run_plain(graded, program, call), {}
            if engine not in program.kept:
                program.kept[engine] = script.entry_anew()
            try:
                return run_script(self, program.kept[engine], script, call, Promised), {}
            except Exception as e:
                self.excuse(e)
                raise
        if engine not in BACKENDS:
            raise Declined("an engine that takes no source")
        why = self.why_unavailable(engine)
        if why:
            raise Declined(why)
        if script.plain and engine == "aot" and is_random(script.text):
            raise Declined("numbers that are drawn: those of decompositions are others")
        key = (graded, "loaded", engine, *sorted(call.options.items()))
        if key not in program.kept:
            program.kept[key] = script.entry_of_role(None)
        entry, loaded = program.kept[key]
        function, counts = self.ready(engine, program, call, lambda: entry, graded)
        by = loaded.parameters() if graded else None
        results = run_script(self, function, script, call, by=by)
        return results, self.counts(program, counts)

    def run_plain(self, graded, program, call):
        """In CPython. A mode that looks at each operator changes some of them (PyTorch 2.13 forgets
        that a matrix is conjugated), so what it has to say is asked of another run."""
        script, role = program.script, call.options.get("role")

        def run(role, guard):
            key = (graded, "plain", role)
            if key not in program.kept:
                program.kept[key] = script.entry_of_role(role)
            function, loaded = program.kept[key]
            by = loaded.parameters() if graded else None
            return run_script(self, function, script, call, guard, by)

        watched = None
        if role is None:
            try:
                run("watched", watched_calls)
            except Declined:
                raise
            except BaseException as e:
                watched = e
        try:
            return run(role, Shaken if role == "shaken" else contextlib.nullcontext)
        except Exception as e:
            if type(e) is type(watched) and words_of(e) == words_of(watched):
                e.by_operator = getattr(watched, "by_operator", False)
                e.for_result = getattr(watched, "for_result", False)
            raise

    def ready(self, engine, program, call, function, graded=False):
        """What is compiled, once for each engine with its options, and the dict of its counts."""
        from torch._dynamo.utils import counters
        from torch._inductor import metrics

        key = (graded, engine, *sorted(call.options.items()))
        if key not in program.kept:
            # How long guards take is measured on each compile: half the time of small ones.
            torch._dynamo.guards.profile_guard_manager = lambda *_: 0.0
            backend, dynamic = BACKENDS[engine]
            if backend == "inductor":
                compile_together()
            counters.clear()
            metrics.reset()
            if program.script:
                forget_sizes()
            if program.script and not dynamic:
                dynamic = None  # as people call it: numbers and sizes that change become dynamic
            options = call.options
            if backend == "inductor" and program.script and "manual_seed" in program.script.text:
                options = {**options, "fallback_random": True}  # the numbers of eager mode
            compiler = partial(compile_with, engine=engine, dynamic=dynamic, options=options)
            program.kept[key] = (compiled_entry(function(), compiler), {})
        return program.kept[key]

    def counts(self, program, counts):
        """Fills in what was compiled, behind a call."""
        from torch._dynamo.utils import counters
        from torch._inductor import metrics

        if not counts:
            counts.update(
                graphs=counters["stats"]["unique_graphs"],
                graph_breaks=sum(counters["graph_break"].values()),
                kernels=getattr(metrics, "generated_kernel_count", 0),
            )
            self.counted = program
        elif self.counted is program:  # the counters are of the last program that was compiled
            counts["recompiles"] = counters["stats"]["unique_graphs"] - counts["graphs"]
        if not counts["graphs"]:
            raise Declined("nothing was compiled")
        return counts

    def require(self, engine, program):
        """Declines what takes no operators of TorchScript's, and an engine that there is not."""
        if not TORCHSCRIPTS.isdisjoint(program.ops):
            raise Declined("an operator that is TorchScript's alone")
        why = self.why_unavailable(engine) if engine in BACKENDS else None
        if why:
            raise Declined(why)

    def why_unavailable(self, engine):
        """Why there is no such engine: a compiler without its vector code is not the one that users
        run."""
        if BACKENDS[engine][0] == "inductor" and not self.asked_for_vector_code:
            self.asked_for_vector_code, why = True, why_crippled()
            if not why:
                self.build["vector code"] = vector_code()[0] if vector_code() else "none"
            self.engines.update(
                (e, why) for e, (backend, _) in BACKENDS.items() if why and backend == "inductor"
            )
        return self.engines[engine]

    def error(self, e):
        """What dynamo wraps is reported as it was raised, without who raised it; of what
        TorchScript's interpreter says, the last line."""
        text = words_of(e)
        wrapped = type(e).__name__ == "TorchRuntimeError" and WRAPPED.search(text)
        if wrapped:
            return wrapped.group(1), wrapped.group(2) + "\n" + text
        if type(e).__name__ == "BackendCompilerFailed":
            text = text.partition(" raised:\n")[2] or text
        if text.startswith("The following operation failed in the TorchScript interpreter"):
            text = text.strip().splitlines()[-1].removeprefix("RuntimeError: ") + "\n" + text
        return type(e).__name__, text

    def warm(self, engine):
        """Dynamo and its backends take seconds to import and to compile their first program."""
        warm_transform(engine)
        if engine in BACKENDS and not self.why_unavailable(engine):
            backend, dynamic = BACKENDS[engine]
            torch.compile(lambda x: x.sin() + 1, backend=backend, dynamic=dynamic)(torch.zeros(8))
            torch._dynamo.reset()

    def forget(self, program):
        self.forgotten += 1
        if self.forgotten % FORGOTTEN == 0 and not self.engines["aot"]:
            torch._dynamo.reset()


if __name__ == "__main__":
    torch.set_grad_enabled(False)
    torch.set_num_threads(1)
    link_own()
    serve(Torch())
