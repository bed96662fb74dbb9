"""What every worker of tensors shares: the protocol, tensors in and out with their aliases, errors
(docs/reference/workers.md).

A worker is a subclass of Worker and a call of serve(). It says what a tensor is there and what the
ops are:

    class Mine(Worker):
        name, version = "mine", "1"
        engines = {"eager": None, "jit": "needs version 2"}    # a text: why there is none
        ops = Ops({"neg.default": lambda x: -x})

        def memory(self, dtype, data): ...                   # over a bytearray, shared by the
                                                             # tensors in it
        def view(self, memory, sizes, strides, offset): ...  # a tensor in it; strides and offset
                                                             # count elements
        def is_tensor(self, value): ...
        def parts(self, tensor): ...                           # a Parts

    serve(Mine())
"""

import ctypes
import json
import math
import os
import select
import signal
import socket
import struct
import sys
import time
import typing

LOW, HIGH = -(1 << 63), (1 << 63) - 1
ITEM_SIZE = {
    "bool": 1,
    "uint8": 1,
    "int8": 1,
    "int16": 2,
    "int32": 4,
    "int64": 8,
    "float16": 2,
    "bfloat16": 2,
    "float32": 4,
    "float64": 8,
}
# what `prim::dtype` gives
CODE = {
    "uint8": 0,
    "int8": 1,
    "int16": 2,
    "int32": 3,
    "int64": 4,
    "float16": 5,
    "float32": 6,
    "float64": 7,
    "bool": 11,
    "bfloat16": 15,
}
NAME_OF_CODE = {code: name for name, code in CODE.items()}
MOST_TEXT = 2000  # of an error
MOST_BYTES = 512 << 20  # of a message


def vectors():
    """The widest vector instructions of this processor, as its flags are called."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            flags = set(
                next(line for line in file if line.startswith(("flags", "Features"))).split()
            )
    except (OSError, StopIteration):
        return "unknown"
    return next(
        (name for name in ("avx512f", "avx2", "avx", "sse2", "sve", "asimd") if name in flags),
        "none",
    )


class Declined(Exception):
    """The engine does not take this: nothing is known, and no fault is found."""


def words_of(e):
    """What it says, unless its class, which may be a program's own, raises instead."""
    try:
        return str(e)
    except BaseException as of_text:
        return f"its text raises {type(of_text).__name__}"


class Parts(typing.NamedTuple):
    """The parts of a tensor; `key` is equal for tensors that share memory (None: it shares none),
    and `data` gives the whole memory's bytes."""

    dtype: str
    sizes: list
    strides: list
    offset: int
    key: object
    data: typing.Callable


def int64(v):
    """Ints have 64 bits, and wrap."""
    return v if type(v) is not int or LOW <= v <= HIGH else (v - LOW) % (1 << 64) + LOW


def fits(v):
    if not LOW <= v <= HIGH:
        raise OverflowError("an int beyond 64 bits")
    return v


def choose_promoted(choose, a, b):
    v = choose(a, b)
    return float(v) if isinstance(a, float) or isinstance(b, float) else v


def root(a):
    if a < 0:  # Python raises, TorchScript gives nan
        raise Declined("the root of a negative number")
    return math.sqrt(a)


def power(a, b):
    if not (abs(b) <= 64 and abs(a) <= 1e4) or a == 0 > b or a < 0 and b != int(b):
        raise Declined("a power that is far, infinite or not real")
    return float(a) ** float(b)


def logarithm(a, *base):
    if not all(0 < v < math.inf for v in (a, *base)) or 1 in base:
        raise Declined("a logarithm that is infinite or not real")
    return math.log(a, *base)


def exponential(a):
    if not abs(a) <= 700:
        raise Declined("a power of e that is far")
    return math.exp(a)


def whole(rounded):
    def convert(a):
        if not abs(a) < HIGH:
            raise Declined("a number that no int holds")
        return rounded(a)

    return convert


def of_some(choose):
    def choose_from(items):
        if not items:
            raise Declined("the least or greatest of nothing")
        return choose(items)

    return choose_from


class Scalar:
    """Arithmetic of plain ints, floats and bools; what asks tensors for such is added by who has
    tensors."""

    add = staticmethod(lambda a, b: int64(a + b))
    sub = staticmethod(lambda a, b: int64(a - b))
    mul = staticmethod(lambda a, b: int64(a * b))
    neg = staticmethod(lambda a: int64(-a))
    abs = staticmethod(lambda a: int64(abs(a)))
    floordiv = staticmethod(lambda a, b: int64(a // b))
    remainder = staticmethod(lambda a, b: a % b)
    div = staticmethod(lambda a, b: a / b)
    max = staticmethod(lambda a, b: choose_promoted(max, a, b))
    min = staticmethod(lambda a, b: choose_promoted(min, a, b))
    sqrt = staticmethod(root)
    pow = staticmethod(power)
    log = staticmethod(logarithm)
    exp = staticmethod(exponential)
    ceil, floor = staticmethod(whole(math.ceil)), staticmethod(whole(math.floor))
    divmod = staticmethod(lambda a, b: (int64(a // b), a % b))
    sum_int = staticmethod(lambda items: int64(sum(items)))
    min_self_int, max_self_int = staticmethod(of_some(min)), staticmethod(of_some(max))
    eq = staticmethod(lambda a, b: a == b)
    ne = staticmethod(lambda a, b: a != b)
    lt = staticmethod(lambda a, b: a < b)
    le = staticmethod(lambda a, b: a <= b)
    gt = staticmethod(lambda a, b: a > b)
    ge = staticmethod(lambda a, b: a >= b)
    __and__ = staticmethod(lambda a, b: a & b)
    __or__ = staticmethod(lambda a, b: a | b)
    __xor__ = staticmethod(lambda a, b: a ^ b)
    __not__ = staticmethod(lambda a: not a)
    bitwise_not = staticmethod(lambda a: ~a)
    __derive_index = staticmethod(lambda index, start, step: int64(start + index * step))
    Bool = staticmethod(lambda a: bool(a))
    Int = staticmethod(lambda a: fits(int(a)))
    Float = staticmethod(lambda a: float(a))


# a class renames what begins with __
setattr(Scalar, "__derive_index", Scalar.__dict__["_Scalar__derive_index"])
Scalar.names = [
    n
    for n, f in vars(Scalar).items()
    if isinstance(f, staticmethod) and not n.startswith("_Scalar")
]


class Names:
    """A dict's entries "add.Tensor" as attributes of attributes."""

    def __init__(self, table):
        for path, function in table.items():
            name, _, rest = path.partition(".")
            if rest:
                inner = {
                    k[len(name) + 1 :]: v for k, v in table.items() if k.startswith(name + ".")
                }
                setattr(self, name, Names(inner))
            else:
                setattr(self, name, function)


class Ops:
    """What a program is given: ops.aten.NAME.OVERLOAD of the table, ops.scalar, and words for
    dtypes and the like."""

    scalar = Scalar
    listed = None  # what there is, where it is a table: only that is drawn

    def __init__(self, table):
        self.aten = Names(table)
        self.listed = ["aten." + op for op in table] + ["scalar." + name for name in Scalar.names]

    def dtype(self, name):
        return name

    def dtype_of_code(self, code):
        if code is None:
            return None
        if code not in NAME_OF_CODE:
            raise Declined("a dtype that workers do not know")
        return self.dtype(NAME_OF_CODE[code])

    def layout(self, name):
        return name

    def memory_format(self, name):
        return name

    def device(self, name):
        return name

    def tensor(self, dtype, sizes, elements):
        raise Declined("a constant tensor")


class Program:
    def __init__(self, said, worker):
        self.function = self.declined = self.script = None
        self.kept = {}  # what engines keep of it, each under its name
        if "source" in said:  # the form `source`
            self.ir, self.source, self.ops = "", said["source"]["text"], []
            self.script = worker.script(said["source"])
            self.declined = self.script.declined
            return
        self.ir, self.source, self.ops = said["ir"], said["python"], said["ops"]
        missing = [op for op in said["ops"] if not worker.has(op)]
        if missing:
            self.declined = "ops that it lacks\n" + ", ".join(missing)
            return
        names = {"__name__": "program"}
        try:
            exec(compile(self.source, "program", "exec"), names)
            self.function = names["program"]
        except (SyntaxError, MemoryError, RecursionError) as e:  # nested deeper than Python goes
            self.declined = f"{type(e).__name__}: {e}"


class Call:
    """The arguments of one call, built afresh as often as an engine wants to run it; the last ones
    are reported."""

    def __init__(self, worker, head, data):
        self.worker, self.head = worker, head
        self.options = head.get("options", {})  # of the engine, those that the plan names
        self.printed = ""  # of the form `source`
        self.bytes, at = [], 0
        for size in head["storages"]:
            self.bytes.append(bytes(data[at : at + size]))
            at += size
        self.arguments()

    def arguments(self):
        self.data = [bytearray(b) for b in self.bytes]
        self.memories, self.keys, self.tensors = {}, {}, []
        for t in self.head["tensors"]:
            k = t["storage"]
            if k not in self.memories:
                self.memories[k] = self.worker.memory(t["dtype"], self.data[k])
            self.tensors.append(
                self.worker.view(self.memories[k], t["sizes"], t["strides"], t["offset"])
            )
            key = self.worker.parts(self.tensors[-1]).key
            if key is not None and self.data[k]:
                self.keys[key] = k
        self.given = [self.value(v) for v in self.head["args"]]
        return list(self.given)

    def value(self, v):
        if not isinstance(v, dict):
            return v
        ((kind, inner),) = v.items()
        if kind == "tensor":
            return self.tensors[inner]
        if kind == "float":
            return float(inner)
        if kind == "device":
            return self.worker.ops.device(inner)
        if kind == "dict":
            return {self.value(key): self.value(item) for key, item in inner}
        items = [self.value(x) for x in inner]
        return tuple(items) if kind == "tuple" else items

    def outcome(self, results, counters):
        self.out = list(self.data)
        self.encoded_tensors = []
        encoded = [self.encode(v) for v in results]
        lists = {str(i): self.encode(v) for i, v in enumerate(self.given) if isinstance(v, list)}
        return self.pack({"results": encoded, "counters": counters, "lists": lists})

    def failure(self, error, text, raised):
        self.out, self.encoded_tensors = list(self.data), []
        text = text.encode("ascii", "replace").decode()[:MOST_TEXT]
        of = {name: getattr(raised, name, False) for name in ("by_operator", "for_result")}
        return self.pack({"error": {"class": error, "text": text, **of}})

    def pack(self, head):
        head.update(
            id=self.head["id"], tensors=self.encoded_tensors, storages=[len(b) for b in self.out]
        )
        if self.printed:
            head["printed"] = self.printed
        return json.dumps(head).encode() + b"\n" + b"".join(self.out)

    def encode(self, v):
        if self.worker.is_tensor(v):
            return {"tensor": self.tensor(self.worker.parts(v))}
        if v is None or type(v) in (bool, int, str):
            return v
        if type(v) is float:
            return (
                v
                if math.isfinite(v)
                else {"float": "nan" if v != v else "inf" if v > 0 else "-inf"}
            )
        if isinstance(v, (list, tuple)):
            return {"list" if isinstance(v, list) else "tuple": [self.encode(x) for x in v]}
        raise Declined(f"a result of type {type(v).__name__}")

    def tensor(self, parts):
        if parts.dtype not in ITEM_SIZE:
            raise Declined(f"a result of dtype {parts.dtype}")
        storage = self.keys.get(parts.key) if parts.key is not None else None
        if storage is None:
            storage = len(self.out)
            self.out.append(parts.data())
            if parts.key is not None and self.out[-1]:
                self.keys[parts.key] = storage
            if sum(map(len, self.out)) > MOST_BYTES:
                raise Declined("results too large to send")
        self.encoded_tensors.append(
            {
                "dtype": parts.dtype,
                "sizes": list(parts.sizes),
                "strides": list(parts.strides),
                "offset": parts.offset,
                "storage": storage,
            }
        )
        return len(self.encoded_tensors) - 1


class Worker:
    name, version = "unnamed", "0"
    # what else distinguishes its results and times from another's: instruction set, threads, BLAS
    build: dict = {}
    engines: dict = {"eager": None}
    contract: dict = {}
    # by engine: switches of the compiler, each with the values that campaigns draw
    options: dict = {}
    ops: Ops = Ops({})
    # "torch": programs call PyTorch's Python API where that calls other overloads (`ops.torch`)
    names = None
    # what makes a program of the form `source` ready, an object with `declined`; None: it is not
    # taken
    script = None
    # may a process that has imported what it imports be forked, many times? Not where it has
    # threads
    forks = False

    took = None  # seconds of the clock, and of this process, in the last call of timed()

    def timed(self, function, *arguments):
        """The engine's own call: how long it takes goes with the outcome, for `fusillade
        bench`."""
        clock, processor = time.perf_counter(), time.process_time()
        results = function(*arguments)
        self.took = [time.perf_counter() - clock, time.process_time() - processor]
        return results

    def run(self, engine, program, call):
        """Results (a list or tuple), and counters; raises what the program raises."""
        return self.timed(program.function, self.ops, *call.arguments()), {}

    def has(self, op):
        at = self.ops
        try:
            for name in op.split("."):
                at = getattr(at, name)
        except AttributeError:
            return False
        return True

    def error(self, e):
        """An exception's class and text."""
        return type(e).__name__, words_of(e)

    def forget(self, program):
        pass

    def warm(self, engine):
        """Makes ready what an engine needs once, for all that are forked from this process."""


class Served:
    def __init__(self, worker, channel):
        self.worker, self.channel = worker, channel
        self.programs = {}

    def send(self, kind, body):
        data = memoryview(b"%d %s\n%s" % (len(body), kind.encode(), body))
        while data:
            data = data[os.write(self.channel, data) :]

    def hello(self):
        w = self.worker
        lines = {
            "protocol": 1,
            "name": w.name,
            "version": w.version,
            "python": sys.version.split()[0],
            "forms": "graph source" if w.script else "graph",
            "values": "tensors",
            "engines": json.dumps({k: True if v is None else v for k, v in w.engines.items()}),
            "contract": json.dumps(w.contract),
        }
        if w.options:
            lines["options"] = json.dumps(w.options)
        if w.build:
            lines["build"] = json.dumps(w.build)
        if w.names:
            lines["names"] = w.names
        if w.forks:
            lines["forks"] = 1
        if w.ops.listed is not None:
            lines["ops"] = json.dumps(w.ops.listed)
        self.send("hello", "".join(f"{key}: {value}\n" for key, value in lines.items()).encode())

    def take(self, kind, body):
        if kind == "prepare":
            for said in json.loads(body)["programs"]:
                self.programs[said["id"]] = Program(said, self.worker)
        elif kind == "forget":
            for program in json.loads(body):
                self.worker.forget(self.programs.pop(program, None))
        elif kind == "run":
            head, _, data = body.partition(b"\n")
            self.answer(json.loads(head), data)

    def answer(self, head, data):
        def without(reason, text):
            return (
                json.dumps(
                    {
                        "id": head["id"],
                        reason: text[:MOST_TEXT],
                        "tensors": [],
                        "storages": head["storages"],
                    }
                ).encode()
                + b"\n"
                + data
            )

        self.send("begin", head["program"].encode())
        program = self.programs.get(head["program"])
        call = None
        try:
            if program is None or program.declined:
                raise Declined(program.declined if program else "a program that was not prepared")
            call = Call(self.worker, head, data)
            self.worker.took = None
            results, counters = self.worker.run(head["engine"], program, call)
            if self.worker.took:
                counters = {**counters, "took": self.worker.took}
            body = call.outcome(results, counters)
        except Declined as e:
            body = without("declined", str(e))
        except MemoryError as e:
            body = without("limit", str(e) or "memory")
        except BaseException as e:  # sys.exit() is a program's outcome, and not this process's end
            body = (
                call.failure(*self.worker.error(e), e)
                if call
                else without("declined", f"{type(e).__name__}: {words_of(e)}")
            )
        if len(body) > MOST_BYTES:
            body = without("limit", f"results and arguments of more than {MOST_BYTES >> 20} MiB")
        self.send("outcome", body)


class ForkServer:
    """Forks this process for whoever asks; reports to each its worker's number and, at its end, how
    it ended."""

    DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG

    def __init__(self):
        self.poll = select.poll()
        self.poll.register(0, select.POLLIN)
        # by descriptor, of a process or of who waits for it: (process, both descriptors)
        self.waits = {}

    def fork_worker(self, channel, errors, reporter):
        """True in the new worker, whose stdin and stdout are the channel."""
        parent = os.getpid()
        process = os.fork()
        if process == 0:
            ctypes.CDLL(None).prctl(self.DIES_WITH_PARENT, signal.SIGKILL)
            if os.getppid() != parent:
                os._exit(1)
            for descriptor, to in ((channel, 0), (channel, 1), (errors, 2)):
                os.dup2(descriptor, to)
        for descriptor in (channel, errors) + ((reporter, *self.waits) if process == 0 else ()):
            os.close(descriptor)
        if process == 0:
            return True
        gone = os.pidfd_open(process)
        self.waits[reporter] = self.waits[gone] = process, reporter, gone
        self.poll.register(gone, select.POLLIN)
        self.poll.register(reporter, 0)
        self.report(reporter, process)
        return False

    @staticmethod
    def report(reporter, number):
        try:
            os.write(reporter, struct.pack("i", number))
        except OSError:  # nobody waits
            pass

    def end(self, descriptor):
        process, reporter, gone = self.waits[descriptor]
        if descriptor == reporter:
            os.kill(process, signal.SIGKILL)
        self.report(reporter, os.waitpid(process, 0)[1])
        for descriptor in (reporter, gone):
            del self.waits[descriptor]
            self.poll.unregister(descriptor)
            os.close(descriptor)

    def wait(self):
        """Until there is something to read."""
        while True:
            ready = [descriptor for descriptor, _ in self.poll.poll()]
            for descriptor in ready:
                if descriptor in self.waits:
                    self.end(descriptor)
            if 0 in ready:
                return


def serve(worker):
    """Answers messages until their end. What libraries print goes to stderr: stdout is the
    channel."""
    while answer_all(worker):
        pass


def answer_all(worker):
    """True in a process that was forked meanwhile."""
    served, fork_server = Served(worker, os.dup(1)), ForkServer()
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    served.hello()
    source = socket.socket(fileno=os.dup(0))
    data, given = bytearray(), []
    while True:
        line = data.find(b"\n")
        end = line + 1 + int(data[:line].split()[0]) if line >= 0 else math.inf
        if end <= len(data):
            kind, body = data[:line].split()[1].decode(), bytes(data[line + 1 : end])
            del data[:end]
            if kind == "fork":
                descriptors, given = given[:3], given[3:]
                if fork_server.fork_worker(*descriptors):
                    os.close(served.channel)
                    source.close()
                    return True
            elif kind == "warm":
                worker.warm(body.decode())
            else:
                served.take(kind, body)
            continue
        if fork_server.waits:
            fork_server.wait()
        more, descriptors, _, _ = socket.recv_fds(source, 1 << 20, 3, socket.MSG_CMSG_CLOEXEC)
        if not more:
            return False
        data += more
        given += descriptors
