"""ATen's ops of order, of indices and of matrices, and what is built on them (norms, losses,
cells), where they read the same for any Library (aten_arrays)."""

from functools import partial

from aten import HALVES, kind, need, several, wide, wrap_dim
from aten_shapes import slice_dim


def topk(lib, x, k, dim=-1, largest=True, sorted=True):
    need(sorted, "an order that is not sorted")
    values, at = lib.ops["sort.default"](x, dim, largest)
    return (slice_dim(values, dim, 0, k), slice_dim(at, dim, 0, k)) if x.ndim else (values, at)


def add_order(lib, sort_indices):
    lib.ops["argsort.default"] = lambda x, dim=-1, descending=False: sort_indices(
        x, dim, descending
    )
    lib.ops["argsort.stable"] = lambda x, stable, dim=-1, descending=False: sort_indices(
        x, dim, descending
    )
    lib.ops["msort.default"] = lambda x: lib.ops["sort.default"](x, 0)[0]
    lib.ops["topk.default"] = partial(topk, lib)


def index(lib, x, indices, inside):
    """`inside`: a function of indices and a size, which wraps."""
    at = [slice(None)] * x.ndim
    need(len(indices) <= x.ndim, "indices of bools")
    for d, i in enumerate(indices):
        if i is not None:
            dtype = lib.dtype_of(i)
            need(kind(dtype) == 1 and dtype != "uint8", "indices of bools")
            at[d] = inside(i, x.shape[d])
    return tuple(at)


def lines(x, dim, at, inside):
    """Indices of whole lines along a dim."""
    found = [slice(None)] * x.ndim
    found[wrap_dim(dim, x.ndim)] = inside(at.reshape(-1), x.shape[dim])
    return tuple(found)


def one_hot(lib, x, num_classes=-1):
    need(num_classes > 0, "classes by the values")
    lib.check((x < 0) | (x >= num_classes), "an index out of range")
    return lib.cast(lib.np.expand_dims(x, -1) == lib.np.arange(num_classes), "int64")


# ---- matrices


def add_product(lib, multiply):
    def run(bias, a, b, beta=1, alpha=1):
        np, dtype = lib.np, lib.dtype_of(bias)
        out = multiply(a, b) if alpha == 1 else lib.number(alpha, dtype) * multiply(a, b)
        if beta == 0:
            return np.broadcast_to(out, np.broadcast_shapes(out.shape, bias.shape))
        return (bias if beta == 1 else lib.number(beta, dtype) * bias) + out

    return run


def linear(lib, x, weight, bias=None):
    out = lib.matmul(x, weight.T)
    return out if bias is None else out + bias


def add_matrices(lib, sum_of_first):
    """`sum_of_first`: over the first dim."""
    np, product = lib.np, lib.product
    lib.op(*(f"{n}.default" for n in ("mm", "bmm", "mv", "dot", "matmul", "vdot")))(
        product(lib.matmul)
    )
    lib.op("addmm.default", "baddbmm.default", "addmv.default")(
        product(add_product(lib, lib.matmul))
    )
    lib.op("outer.default", "ger.default")(lambda a, b: lib.ops["mul.Tensor"](a[:, None], b))
    lib.ops.update(
        {
            "addbmm.default": product(
                add_product(lib, lambda a, b: sum_of_first(lib.matmul(a, b)))
            ),
            "addr.default": product(add_product(lib, np.outer)),
            "linear.default": product(partial(linear, lib)),
        }
    )


# ---- windows, norms, losses


def affine(x, weight, bias):
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


def normal(lib, x, axis, eps):
    mean_of = lib.mean_of
    away = x - mean_of(x, axis, True)
    width = mean_of(away * away, axis, True) + lib.number(eps, lib.dtype_of(x))
    return away / lib.np.sqrt(width)


def layer_norm(lib, x, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True):
    axis = tuple(range(x.ndim - len(normalized_shape), x.ndim))
    return affine(normal(lib, x, axis, eps), weight, bias)


def group_norm(lib, x, num_groups, weight=None, bias=None, eps=1e-05, cudnn_enabled=True):
    y = normal(lib, x.reshape(x.shape[0], num_groups, -1), (2,), eps).reshape(x.shape)
    weight, bias = (
        None if v is None else v.reshape((-1,) + (1,) * (x.ndim - 2)) for v in (weight, bias)
    )
    return affine(y, weight, bias)


def of_dtype(lib, function):
    """A softmax."""

    def run(x, dim, dtype=None):
        need(x.ndim and x.size, "no elements, or no dims")
        return lib.in_wide(function)(x if dtype is None else lib.cast(x, dtype), dim)

    return run


def adaptive_average(lib, dims):
    def run(x, output_size):
        need(kind(lib.dtype_of(x)) == 2, "integers")
        y = lib.cast(x, wide(lib.dtype_of(x)))
        for d, n in zip(range(x.ndim - dims, x.ndim), several(output_size, dims)):
            size = x.shape[d]
            cells = [slice_dim(y, d, i * size // n, -(-(i + 1) * size // n)) for i in range(n)]
            y = lib.np.stack([lib.mean_of(c, (d,)) for c in cells], d)
        return lib.cast(y, lib.dtype_of(x))

    return run


def loss(lib, function, reduce):
    """`reduce`: a mean where its second argument is 1, and a sum where it is 2."""

    @lib.in_wide
    def run(x, target, reduction=1, **named):
        return reduce(function(x, target, **named), reduction)

    def run_checked(x, target, *args, **named):
        need(x.dtype == target.dtype and x.shape == target.shape, "mixed dtypes")
        need(
            (args[0] if args else named.get("reduction", 1)) in (0, 1, 2),
            "a reduction that is none",
        )
        return run(x, target, *args, **named)

    return run_checked


def smooth_l1(lib, x, y, beta=1.0):
    z, limit = lib.np.abs(x - y), lib.number(beta, lib.dtype_of(x))
    return z if beta == 0 else lib.where(z < limit, 0.5 * z * z / limit, z - 0.5 * beta)


def huber(lib, x, y, delta=1.0):
    z, d = lib.np.abs(x - y), lib.number(delta, lib.dtype_of(x))
    return lib.where(z <= d, 0.5 * z * z, d * (z - 0.5 * d))


def add_losses(lib, mse, reduce):
    for name, function in (
        ("mse", mse),
        ("l1", lambda x, y: lib.np.abs(x - y)),
        ("smooth_l1", partial(smooth_l1, lib)),
        ("huber", partial(huber, lib)),
    ):
        lib.ops[name + "_loss.default"] = loss(lib, function, reduce)


# ---- recurrent cells


def gates(lib, x, h, w_ih, w_hh, b_ih, b_hh):
    return linear(lib, x, w_ih, b_ih), linear(lib, h, w_hh, b_hh)


def plain_cell(lib, function):
    return lib.product(
        lambda x, h, w_ih, w_hh, b_ih=None, b_hh=None: function(
            sum(gates(lib, x, h, w_ih, w_hh, b_ih, b_hh))
        )
    )


def gru_cell(lib, x, h, w_ih, w_hh, b_ih=None, b_hh=None):
    np, sigmoid = lib.np, lib.sigmoid
    (r, z, n), (r2, z2, n2) = (np.split(g, 3, -1) for g in gates(lib, x, h, w_ih, w_hh, b_ih, b_hh))
    new = np.tanh(n + sigmoid(r + r2) * n2)
    return (h - new) * sigmoid(z + z2) + new


def lstm_cell(lib, x, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    np, sigmoid = lib.np, lib.sigmoid
    need(lib.dtype_of(x) not in HALVES, "16-bit floats")
    i, f, g, o = np.split(sum(gates(lib, x, hx[0], w_ih, w_hh, b_ih, b_hh)), 4, -1)
    c = sigmoid(f) * hx[1] + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def glu(lib, x, dim=-1):
    a, b = lib.np.split(x, 2, dim)
    return a * lib.sigmoid(b)


def add_layers(lib):
    """Needs of the library: mean_of and sigmoid."""
    ops = lib.ops
    for dims in (1, 2):
        ops[f"adaptive_avg_pool{dims}d.default"] = adaptive_average(lib, dims)
    for name, function in lib.of({"layer_norm": layer_norm, "group_norm": group_norm}).items():
        ops[name + ".default"] = lib.in_wide(function)
    ops["glu.default"] = lib.in_wide(partial(glu, lib))
    ops["gru_cell.default"] = lib.product(partial(gru_cell, lib))
    ops["lstm_cell.default"] = partial(lstm_cell, lib)
    ops["rnn_tanh_cell.default"] = plain_cell(lib, lib.np.tanh)
    ops["rnn_relu_cell.default"] = plain_cell(lib, lambda x: lib.where(x < 0, lib.zero(x), x))
