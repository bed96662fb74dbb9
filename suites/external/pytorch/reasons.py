"""Why operators of the database do not pass every sample: whose the difference is, by operator.

`why(name)` gives the reason of an operator's first record here whose words start its name, or
"open" where nobody has looked. A record is here only where the cause was found, not guessed
from the numbers.
"""

HALF = "ours: each step is rounded to half precision, where PyTorch computes in float"
SIGNS = (
    "neither: eigenvectors and singular vectors are unique up to signs, which builds of LAPACK "
    "choose differently"
)
TIES = "PyTorch's: which of equal elements come first is left to an unstable sort"
QUOTIENT = "PyTorch's: where a quotient is beyond float its vector kernels give NaN"

REASONS = (
    (("aminmax",), "PyTorch's: 1.13.1 keeps a dim of a 0-d tensor, later versions do not"),
    (("argsort", "sort", "mode"), TIES),
    (("div (floor", "floor_divide", "fmod", "remainder"), QUOTIENT),
    (
        ("histogram",),
        (
            "PyTorch's: 1.13.1 counts what lies within a rounding of an edge in the bin that its "
            "division tells, 2.13 and ours by the edges"
        ),
    ),
    (("linalg.eigh", "linalg.svd", "svd"), SIGNS),
    (
        ("linspace",),
        (
            "PyTorch's: 1.13.1 steps by whole numbers in lanes of int64, later versions round each "
            "step to half precision"
        ),
    ),
    (
        (
            "masked.softm",
            "masked.log",
            "logspace",
            "nn.functional.linear_cross",
            "nn.functional.bilinear",
            "nn.functional.conv3d",
            "nn.functional.embedding_bag",
        ),
        HALF,
    ),
    (("matrix_exp",), "PyTorch's: NaN in half precision"),
    (
        ("nn.functional.multi_head_attention",),
        (
            "neither: softmax of products of hundreds in float32, whose rounding is as large; "
            "against doubles PyTorch is off by 0.8e-5 of the largest, ours by 2.3e-5"
        ),
    ),
    (("nn.functional.batch_norm",), "ours: no input of one dim that is empty"),
    (("special.bessel",), "PyTorch's: its doubles are off by 3e-7, SciPy agrees with ours"),
    (("unique",), "PyTorch's: what is not to be sorted comes in the order of a hash table"),
)


def why(name):
    for words, reason in REASONS:
        if name.startswith(words):
            return reason
    return "open"
