"""PyTorch's eager mode, operator by operator: what it leaves open, and how its operators are
called.

Of some arguments eager mode gives what is no promise, differs between versions or depends on memory
that nobody wrote; a call with such is declined with the reason, and nothing is compared
(results/found.md).
"""

import os
import traceback

import torch
from fusillade_worker import Declined


def release():
    return tuple(int(n) for n in torch.__version__.split("+")[0].split(".")[:2] if n.isdigit())


def storage_of(t):
    return t.untyped_storage() if hasattr(t, "untyped_storage") else t.storage()


def unspecified_unique(self, sorted=True, return_inverse=False, return_counts=False):
    if return_counts and not return_inverse:
        raise Declined("an inverse that is not asked for")
    mode_of_nan(self)
    if not sorted and release() < (2, 0):
        raise Declined("values that are not asked for in an order")


def dtype_of_ldexp(self, other):
    if self.dtype in (torch.float16, torch.bfloat16) and not other.is_floating_point():
        raise Declined("ldexp of half floats by integers, whose dtype differs between versions")


def indices_that_wrap(self, *, spacing, dim=None, edge_order=1):
    if any(not t.is_floating_point() and t.dtype != torch.int64 for t in spacing):
        raise Declined(
            "a gradient at places of narrow integers, whose steps are negated and multiplied in "
            "these"
        )


def edges_out_of_order(self, bins, *args, **kwargs):
    if not (bins.diff() >= 0).all():
        raise Declined("edges of bins that do not ascend, among which no order is said")


def bins_of_nan(self, *args, **kwargs):
    if self.isnan().any():
        raise Declined("a NaN, which is in no bin")


def bins_given(self, bins, *args, **kwargs):
    edges_out_of_order(self, bins)
    bins_of_nan(self)


def pivots_of_infinities(self, *args, **kwargs):
    if not self.isfinite().all():
        raise Declined(
            "a matrix of infinities or NaN, which is singular or not by the order of its rows"
        )


def inverse_of_infinities(self, n):
    if n < 0:
        pivots_of_infinities(self)


def mode_of_nan(self, *args, **kwargs):
    if self.is_floating_point() and self.isnan().any():
        raise Declined("a NaN, which has no place in an order")


def isin_of_repeated(elements, test_elements, *, assume_unique=False, invert=False):
    sides = [t for t in (elements, test_elements) if isinstance(t, torch.Tensor)]
    for number in (elements, test_elements):
        alone = (
            not isinstance(number, torch.Tensor)
            or number.dim() == 0
            and number.dtype == torch.float64
        )
        if alone and torch.tensor(float(number), dtype=torch.float32).item() != float(number):
            raise Declined(
                "a number that float32 does not hold, which is rounded where there are few elements"
            )
    if len(sides) == 2 and len({t.is_floating_point() for t in sides}) == 2:
        whole = next(t for t in sides if not t.is_floating_point())
        if (whole.to(torch.promote_types(sides[0].dtype, sides[1].dtype)).long() != whole).any():
            raise Declined(
                "integers that become equal among floats, where they are sorted together"
            )
    if assume_unique and any(t.unique().numel() < t.numel() for t in sides):
        raise Declined("elements said to be unique that are not")


def ldexp_of_far(self, other):
    dtype_of_ldexp(self, other)
    if not other.is_floating_point() and other.numel() and int(other.long().abs().max()) > 126:
        raise Declined(
            "ldexp by integers whose power overflows, which versions before 2.13 round to float "
            "first"
        )


def bag_of_columns(weight, *args, **kwargs):
    if weight.stride(1) != 1:
        raise Declined("an embedding bag whose shape hangs on how the weights lie")


def trigamma(n, self):
    if n == 1 and self.dtype == torch.float64:
        raise Declined("trigamma of doubles, of which PyTorch has nine digits")


def lengths_of_cosine(x1, x2, dim=1, eps=1e-8):
    if x1.dtype != x2.dtype:
        raise Declined("a cosine of two dtypes, whose norms are rounded to each")
    steps_of_halves(x1)
    if eps * eps > torch.finfo(torch.float32).max and x1.dtype != torch.float64:
        raise Declined("a number that float32 does not hold")
    if x1.dtype == torch.float16:
        lengths = [t.double().norm(2, dim) for t in torch.broadcast_tensors(x1, x2)]
        if not all(((n >= 2.0**-14) & (n < 65504)).all() for n in lengths) or eps >= 65504:
            raise Declined("a cosine of vectors whose length float16 does not hold")


def statistics_of_one_memory(
    input, weight, bias, running_mean, running_var, training, *args, **kwargs
):
    pointers = [
        t.data_ptr()
        for t in (weight, bias, running_mean, running_var)
        if t is not None and t.numel()
    ]
    written = running_mean is not None or running_var is not None
    if training and written and len(set(pointers)) < len(pointers):
        raise Declined("running statistics that share memory")


def scale_of_another_size(self, output_size, *rest, **named):
    dims = "dhw"[5 - self.dim() :]
    scales = dict(zip(dims, [v for v in rest if not isinstance(v, bool)]))
    scales.update(
        (dims if name == "scales" else name[-1], v)
        for name, v in named.items()
        if name.startswith("scales")
    )
    for dim, size, out_size in zip(dims, self.shape[2:], output_size):
        scale = scales.get(dim)
        if scale is not None and not out_size <= size * scale < out_size + 1:
            raise Declined("a scale that is not that of the sizes")


def padding_of_no_mode(input, grid, interpolation_mode, padding_mode, align_corners):
    if not 0 <= padding_mode <= 2:
        raise Declined("a padding mode that is none, which reads what no one wrote")


def inverse_of_a_number(self, alpha=1.0):
    if torch.tensor(float(alpha)).item() != alpha:
        raise Declined(
            "a number that float32 does not hold, which is divided by before it is rounded"
        )


def one_limit(self, min=None, max=None):
    if (min is None) != (max is None) and any(v is not None and v != v for v in (min, max)):
        raise Declined("one limit that is NaN, which versions before 2 pass over")


def limits_exchanged(self, eps=None):
    if eps is not None and not eps <= 0.5:
        raise Declined("limits of which the lower is above the upper")


def logits_of_two_dtypes(self, target, weight=None, pos_weight=None, reduction=1):
    if any(t is not None and t.dtype != self.dtype for t in (target, pos_weight)):
        raise Declined("logits, targets and weights of two dtypes, whose parts are rounded to each")


def elements_written_twice(self, src, size, stride, storage_offset=None):
    room = 1
    for step, n in sorted(zip(stride, size)):
        if n > 1 and step < room:
            raise Declined("elements that are written twice")
        room = step * (n - 1) + room if n > 1 else room
    if not self.is_contiguous() or self.storage_offset():
        raise Declined("places in a tensor that is strided, which versions count otherwise")


def steps_of_halves(first, *args, **kwargs):
    if release() < (2, 0) and first.dtype in (torch.float16, torch.bfloat16):
        raise Declined("steps that versions before 2 round to 16 bits")


def norms_of_matrices(self, *args, **kwargs):
    steps_of_halves(self)
    if release() < (2, 0) and self.numel() == 0:
        raise Declined("a norm of nothing, which versions before 2 refuse")


def parameters_of_another_dtype(input, *args, **kwargs):
    given = [t for t in (*args, *kwargs.values()) if isinstance(t, torch.Tensor)]
    if release() < (2, 0) and any(t.dtype != input.dtype for t in given):
        raise Declined(
            "parameters of another dtype than the input's, which versions before 2 refuse"
        )


def order_below_0(self, n=1, *args, **kwargs):
    if n < 0:
        raise Declined("an order below 0, which versions after 1.13 refuse")


def probabilities_without_end(log_probs, *args, **kwargs):
    if not (log_probs < float("inf")).all():
        raise Declined("a probability that is NaN or infinite")


def layers_of_nothing(input, *rest):
    if any(
        t.numel() == 0
        for given in (input, *rest)
        if isinstance(given, (list, tuple))
        for t in given
    ):
        raise Declined("a recurrent layer of no inputs or no hidden units, which nn refuses")


def indices_of_some_dims(self, mask, indices, *rest):
    if all(at is None for at in indices):
        raise Declined("a masked index without indices")
    if self.numel() == 0 and len(indices) != self.dim():
        raise Declined(
            "a masked index of nothing whose indices are not as many as its dims, which writes "
            "past their sizes"
        )


def read_where_written(written, *args, **kwargs):
    """What an operator in place reads of its result's memory, at other offsets, depends on the
    order of elements."""
    for t in (*args, *kwargs.values()):
        if (
            isinstance(t, torch.Tensor)
            and storage_of(t).data_ptr() == storage_of(written).data_ptr()
            and layout_of(t) != layout_of(written)
        ):
            (low, high), (least, most) = reach(t), reach(written)
            if low <= most and least <= high:
                raise Declined("an operand that shares memory with what is written")


def layout_of(t):
    return t.storage_offset(), t.stride(), t.size()


def reach(t):
    first = t.storage_offset()
    return first, first + sum((size - 1) * stride for size, stride in zip(t.size(), t.stride()))


# Of these, what eager mode gives is no promise; the function declines it.
UNSPECIFIED = {
    "_unique2.default": unspecified_unique,
    "ldexp.Tensor": ldexp_of_far,
    "ldexp_.default": ldexp_of_far,
    **dict.fromkeys(["histc.default", "histogram.bin_ct"], bins_of_nan),
    "histogram.bins_tensor": bins_given,
    "mode.default": mode_of_nan,
    "cosine_similarity.default": lengths_of_cosine,
    **dict.fromkeys(["embedding_bag.default", "embedding_bag.padding_idx"], bag_of_columns),
    "polygamma.default": trigamma,
    "polygamma_.default": lambda self, n: trigamma(n, self),
    **dict.fromkeys(
        ["isin.Tensor_Tensor", "isin.Tensor_Scalar", "isin.Scalar_Tensor"], isin_of_repeated
    ),
    **dict.fromkeys(
        ["batch_norm.default", "native_batch_norm.default", "instance_norm.default"],
        statistics_of_one_memory,
    ),
    **dict.fromkeys(
        [
            f"{name}.default"
            for name in (
                *(
                    f"{kind}{n}d"
                    for kind in ("upsample_nearest", "_upsample_nearest_exact")
                    for n in "123"
                ),
                "upsample_linear1d",
                "upsample_trilinear3d",
                *(
                    f"{by}upsample_bi{kind}2d{aa}"
                    for kind in ("linear", "cubic")
                    for by, aa in (("", ""), ("_", "_aa"))
                ),
            )
        ],
        scale_of_another_size,
    ),
    **dict.fromkeys(
        [
            f"{cell}.{by}"
            for cell in ("lstm", "gru", "rnn_tanh", "rnn_relu")
            for by in ("input", "data")
        ],
        layers_of_nothing,
    ),
    **dict.fromkeys([f"grid_sampler{n}.default" for n in ("", "_2d", "_3d")], padding_of_no_mode),
    **dict.fromkeys(["gradient.tensorarrayint", "gradient.tensorarray"], indices_that_wrap),
    **dict.fromkeys(["ctc_loss.IntList", "ctc_loss.Tensor"], probabilities_without_end),
    "diff.default": order_below_0,
    "as_strided_scatter.default": elements_written_twice,
    **dict.fromkeys(
        [
            f"{name}.default"
            for name in (
                "_softmax_backward_data",
                "_log_softmax_backward_data",
                "sinc",
                "sinc_",
                "special_sinc",
                "dist",
                "frobenius_norm",
                "linalg_vector_norm",
                "pairwise_distance",
            )
        ],
        steps_of_halves,
    ),
    **dict.fromkeys(
        [
            "frobenius_norm.dim",
            "frobenius_norm.out",
            "norm.out",
            "torch.norm",
        ],
        steps_of_halves,
    ),
    **dict.fromkeys(["linalg_matrix_norm.default", "linalg_norm.default"], norms_of_matrices),
    **dict.fromkeys(["linalg_matrix_norm.str_ord", "linalg_norm.ord_str"], norms_of_matrices),
    **dict.fromkeys(
        [f"{by}{kind}_norm.default" for by in ("", "native_") for kind in ("group", "layer")],
        parameters_of_another_dtype,
    ),
    **dict.fromkeys(
        ["_unsafe_masked_index.default", "_unsafe_masked_index_put_accumulate.default"],
        indices_of_some_dims,
    ),
    **dict.fromkeys(["clamp.default", "clamp_.default"], one_limit),
    **dict.fromkeys(["logit.default", "logit_.default", "special_logit.default"], limits_exchanged),
    **dict.fromkeys(["celu.default", "celu_.default"], inverse_of_a_number),
    "binary_cross_entropy_with_logits.default": logits_of_two_dtypes,
    **dict.fromkeys(["linalg_matrix_power.default", "matrix_power.default"], inverse_of_infinities),
    **dict.fromkeys(
        [
            f"{name}.default"
            for name in (
                "linalg_inv",
                "linalg_inv_ex",
                "linalg_lu",
                "_lu_with_info",
                "linalg_lu_factor",
                "linalg_lu_factor_ex",
                "linalg_ldl_factor",
                "linalg_ldl_factor_ex",
                "inverse",
                "matrix_exp",
                "linalg_matrix_exp",
                "linalg_tensorsolve",
                "linalg_tensorinv",
                "linalg_solve",
                "linalg_solve_ex",
                "linalg_householder_product",
                "orgqr",
            )
        ],
        pivots_of_infinities,
    ),
}


def to_dtype(self, dtype=None, non_blocking=False, copy=False):
    return torch.ops.aten.to.dtype(self, self.dtype if dtype is None else dtype, non_blocking, copy)


# Operators of TorchScript's interpreter, which as operators alone read their arguments wrongly:
# what they mean.
SPELT = {
    "to.prim_dtype": to_dtype,
    "to.prim_other": lambda self, non_blocking=False, copy=False: to_dtype(
        self, None, non_blocking, copy
    ),
    "to.prim_Device": lambda self, device, dtype=None, non_blocking=False, copy=False: to_dtype(
        self, dtype, non_blocking, copy
    ),
}


class EagerNames:
    """torch.ops.aten, or torch (path "torch"), with UNSPECIFIED and SPELT; a bool for a number,
    which old versions take for an int, is declined."""

    def __init__(self, names, path=""):
        self.__names, self.__path = names, path  # no op has such a name

    def __getattr__(self, name):
        found = getattr(self.__names, name)
        if not self.__path:
            found = EagerNames(found, name)
        else:
            path = f"{self.__path}.{name}"
            found = SPELT.get(path) or self.__with_checks(
                found, UNSPECIFIED.get(path), self.__path.endswith("_")
            )
        setattr(self, name, found)
        return found

    @staticmethod
    def __with_checks(op, unspecified, in_place):
        numbers = (
            {}
            if release() >= (2, 0) or not hasattr(op, "_schema")
            else {a.name: i for i, a in enumerate(op._schema.arguments) if "number" in str(a.type)}
        )
        checks = [
            check for check in (unspecified, read_where_written if in_place else None) if check
        ]
        if not numbers and not checks:
            return op

        def call(*args, **kwargs):
            for check in checks:
                check(*args, **kwargs)
            for name, i in numbers.items():
                if isinstance(args[i] if i < len(args) else kwargs.get(name), bool):
                    raise Declined("a bool for a number, which becomes an int")
            return op(*args, **kwargs)

        return call


def is_of_operator(error, source):
    """Did an operator of ATen raise it, and no statement or number of the program?"""
    frame, line = list(traceback.walk_tb(error.__traceback__))[-1]
    file = frame.f_code.co_filename
    if file == "program":
        return "ops.aten." in source.splitlines()[line - 1]
    return os.path.basename(file) != "fusillade_worker.py"
