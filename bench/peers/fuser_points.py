"""What bench/peers/fusers.py times: programs and modules at sizes that fill a cache, and our
plans."""

OURS = {f"{fuser}": f"vm/o2,fuse({fuser},llvm)" for fuser in ("loopnest", "tile", "pointwise")} | {
    "unfused": "vm/o2"
}

CALL, L1, L2, MEMORY = "call", "L1", "L2", "memory"

MATRICES = {L1: (8, 256), L2: (64, 1024), MEMORY: (8192, 1024)}


def rows(form):
    return {size: form.format(n=n, m=m).split() for size, (n, m) in MATRICES.items()}


def lstm_cell(batch, hidden):
    state, weight = f"{batch},{hidden}", f"{4 * hidden},{hidden}"
    return [state] * 3 + [weight] * 2 + [str(4 * hidden)] * 2


def resnet(batch, channels, side):
    half = [f"{channels},{channels},3,3", str(channels), str(channels)]
    return [f"{batch},{channels},{side},{side}", *half, *half]


POINTS = {  # program: size: sizes of its f32 inputs
    "ratio_iou": {
        size: [n] * 8 for size, n in {CALL: "16", L1: "512", L2: "16384", MEMORY: "2097152"}.items()
    },
    "gelu_bias": rows("{n},{m} {m}"),
    "softmax_scale": rows("{n},{m}"),
    "layer_norm": rows("{n},{m} {m} {m}"),
    "bias_dropout_layer_norm": rows("{n},{m} {m} {n},{m} {n},{m} {m} {m}"),
    "lstm_cell": {L1: lstm_cell(4, 16), L2: lstm_cell(16, 96), MEMORY: lstm_cell(64, 512)},
    "attention": {L1: ["2,16,16"] * 3, L2: ["8,64,32"] * 3, MEMORY: ["64,256,64"] * 3},
    "resnet_block": {L1: resnet(1, 8, 8), L2: resnet(1, 32, 28), MEMORY: resnet(8, 64, 56)},
}

STREAMS = ("ratio_iou", "gelu_bias", "softmax_scale", "layer_norm", "bias_dropout_layer_norm")

MODULES = {
    "conv2d": ("conv2d_module.py", "Conv2dByHand(3, 16, 3)", "1,3,512,512"),
    "lstm": ("lstm_module.py", "Layer(128, 128)", "64,16,128"),
}

FORWARD, BACKWARD = "forward", "forward + backward"

MODULE_PLANS = {
    FORWARD: {"loopnest": "jit/o2,fuse(loopnest,llvm)", "unfused": "jit/o2"},
    BACKWARD: {"loopnest": "vm/inline,lower_tuples,dce,autodiff(whole,mincut,2,loopnest,llvm)"},
}

MODULE_REPEATS = {"conv2d": 5, "lstm": 40}
