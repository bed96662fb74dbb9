# Numbers counted into bins, and segments of a dim folded into one number each.
#
# A number belongs to the bin whose lower edge it reaches; the last bin holds its upper edge too,
# and what lies outside every bin, NaN among it, is not counted. Bins by number are of one width.

prim::histogram_points(Tensor self, Tensor? weight) -> Tensor
    if self.dtype != torch.float32 and self.dtype != torch.float64:
        raise RuntimeError("histograms are those of float and double")
    if weight is not None:
        if weight.dtype != self.dtype or weight.shape != self.shape[:-1]:
            raise RuntimeError("histograms take a weight of their dtype for each point")
    return self.reshape([-1, self.shape[-1]])

prim::histogram_bounds(Tensor line, float[]? given, int d, int dims) -> (float, float)
    low, high = 0.0, 1.0
    if given is not None:
        if len(given) != 2 * dims:
            raise RuntimeError("a histogram's range is two numbers for each dim")
        low, high = given[2 * d], given[2 * d + 1]
    elif line.shape[0] > 0:
        low, high = float(line.min()), float(line.max())
    if not (low - low == 0.0 and high - high == 0.0 and low <= high):
        raise RuntimeError(f"a histogram's range is finite and ascending, got {low} and {high}")
    return (low - 0.5, high + 0.5) if low == high else (low, high)

prim::count_in_bins(Tensor points, Tensor[] edges, Tensor[] indices, Tensor? weight,
                    bool density) -> Tensor
    shape: List[int] = [t.shape[0] - 1 for t in edges]
    count = 1
    position = torch.zeros([points.shape[0]], dtype=torch.int64)
    inside = torch.ones([points.shape[0]], dtype=torch.bool)
    for d in range(len(edges)):
        inside = inside & (indices[d] >= 0)
        position = position * shape[d] + indices[d].clamp_min(0)
        count = count * shape[d]
    each = torch.ones([points.shape[0]], dtype=points.dtype) if weight is None else weight.flatten()
    counted = (
        torch.zeros([count], dtype=points.dtype)
        .index_add(0, position, torch.where(inside, each, torch.zeros_like(each)))
        .reshape(shape)
    )
    if density:
        counted = counted / counted.sum()
        for d in range(len(edges)):
            wide = [1] * len(edges)
            wide[d] = shape[d]
            counted = counted / (
                edges[d].narrow(0, 1, shape[d]) - edges[d].narrow(0, 0, shape[d])
            ).reshape(wide)
    return counted

prim::bin_indices(Tensor line, Tensor edges) -> Tensor
    n = edges.shape[0]
    index = torch.searchsorted(edges, line.contiguous(), right=True) - 1
    index = torch.where(line == edges[n - 1], torch.full_like(index, n - 2), index)
    return index.masked_fill(~((line >= edges[0]) & (line <= edges[n - 1])), -1)

prim::even_bins(Tensor self, int[] bins, float[]? given, Tensor? weight) -> (Tensor[], Tensor[])
    points = torch.ops.prim.histogram_points(self, weight)
    if self.dim() < 2 or len(bins) != points.shape[1] or len(bins) == 0 or min(bins) < 1:
        raise RuntimeError(
            "histogramdd takes points in the last dim, and a positive number of bins for each of "
            "its coordinates"
        )
    edges: List[Tensor] = []
    indices: List[Tensor] = []
    for d in range(len(bins)):
        low, high = torch.ops.prim.histogram_bounds(points.select(1, d), given, d, len(bins))
        edges.append(torch.linspace(low, high, bins[d] + 1, dtype=self.dtype))
        indices.append(torch.ops.prim.bin_indices(points.select(1, d), edges[d]))
    return edges, indices

prim::given_bins(Tensor self, Tensor[] bins, Tensor? weight) -> Tensor[]
    points = torch.ops.prim.histogram_points(self, weight)
    if self.dim() < 2 or len(bins) != points.shape[1]:
        raise RuntimeError(
            "histogramdd takes points in the last dim, and edges for each of its coordinates"
        )
    indices: List[Tensor] = []
    for d in range(len(bins)):
        if bins[d].dim() != 1 or bins[d].shape[0] < 2 or bins[d].dtype != self.dtype:
            raise RuntimeError("histogramdd takes lines of two edges or more, of the points' dtype")
        indices.append(torch.ops.prim.bin_indices(points.select(1, d), bins[d]))
    return indices

aten::_histogramdd_bin_edges(Tensor self, int[] bins, *, float[]? range=None, Tensor? weight=None,
                             bool density=False) -> Tensor[]
    edges, indices = torch.ops.prim.even_bins(self, bins, range, weight)
    return edges

aten::histogramdd(Tensor self, int[] bins, float[]? range=None, Tensor? weight=None,
                  bool density=False) -> (Tensor hist, Tensor[] bin_edges)
    edges, indices = torch.ops.prim.even_bins(self, bins, range, weight)
    counted = torch.ops.prim.count_in_bins(
        torch.ops.prim.histogram_points(self, weight), edges, indices, weight, density
    )
    return torch.ops.prim.as_shape(counted, bins, self.dtype), edges

aten::histogramdd.int_bins(Tensor self, int bins, float[]? range=None, Tensor? weight=None,
                           bool density=False) -> (Tensor hist, Tensor[] bin_edges)
    if self.dim() < 2:
        raise RuntimeError("histogramdd takes points in the last dim")
    counted, edges = torch.ops.aten.histogramdd(
        self, [bins] * self.shape[-1], range, weight, density
    )
    return torch.ops.prim.as_shape(counted, [bins] * self.shape[-1], self.dtype), edges

aten::histogramdd.TensorList_bins(Tensor self, Tensor[] bins, float[]? range=None,
                                  Tensor? weight=None, bool density=False) -> (Tensor hist,
                                  Tensor[] bin_edges)
    indices = torch.ops.prim.given_bins(self, bins, weight)
    return torch.ops.prim.count_in_bins(
        torch.ops.prim.histogram_points(self, weight), bins, indices, weight, density
    ), [t.clone() for t in bins]

prim::line_weights(Tensor self, Tensor? weight) -> Tensor?
    if weight is None:
        return None
    if weight.shape != self.shape:
        raise RuntimeError("histogram takes a weight for each number")
    return weight.flatten()

aten::histogram.bin_ct(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None,
                       bool density=False) -> (Tensor hist, Tensor bin_edges)
    each = torch.ops.prim.line_weights(self, weight)
    counted, edges = torch.ops.aten.histogramdd(self.reshape([-1, 1]), [bins], range, each, density)
    return counted, torch.ops.prim.as_shape(edges[0], [bins + 1], self.dtype)

aten::histogram.bins_tensor(Tensor self, Tensor bins, *, Tensor? weight=None,
                            bool density=False) -> (Tensor hist, Tensor bin_edges)
    each = torch.ops.prim.line_weights(self, weight)
    counted, edges = torch.ops.aten.histogramdd(self.reshape([-1, 1]), [bins], None, each, density)
    return torch.ops.prim.as_shape(counted, [bins.shape[0] - 1], self.dtype), bins.clone()

prim::segments_of(Tensor data, Tensor? lengths, Tensor? offsets, int axis, bool unsafe) -> (Tensor,
                  Tensor)
    given = lengths if lengths is not None else offsets
    if given is None:
        raise RuntimeError("segment_reduce takes lengths or offsets")
    if (
        given.is_floating_point()
        or given.dim() != axis + 1
        or given.shape[:axis] != data.shape[:axis]
    ):
        raise RuntimeError("segment_reduce takes integers for each line along the axis")
    whole = given.to(torch.int64)
    if lengths is None:
        return whole.narrow(axis, 0, whole.shape[axis] - 1), whole.narrow(
            axis, 1, whole.shape[axis] - 1
        )
    if (
        bool((whole < 0).any())
        or not unsafe
        and bool((whole.sum([axis]) != data.shape[axis]).any())
    ):
        raise RuntimeError(
            "segment_reduce: lengths are at least 0 and add up to the size of the axis"
        )
    ends = whole.cumsum(axis)
    return ends - whole, ends

prim::segments_start(str reduce, Scalar? initial) -> float
    if initial is not None:
        return float(initial)
    if reduce == "max":
        return -float("inf")
    if reduce == "min":
        return float("inf")
    return 1.0 if reduce == "prod" else 0.0

aten::segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None,
                     Tensor? offsets=None, int axis=0, bool unsafe=False,
                     Scalar? initial=None) -> Tensor
    if reduce not in ["max", "mean", "min", "sum", "prod"]:
        raise RuntimeError(f"segment_reduce: reduce is max, mean, min, sum or prod, got '{reduce}'")
    if (
        not data.is_floating_point()
        or indices is not None
        or axis >= data.dim()
        or axis < -data.dim()
    ):
        raise RuntimeError("segment_reduce takes floats and an axis of them; it takes no indices")
    at = axis % data.dim()
    first, past = torch.ops.prim.segments_of(data, lengths, offsets, at, unsafe)
    shape: List[int] = first.shape + data.shape[at + 1:]
    for i in range(data.dim() - at - 1):
        first, past = first.unsqueeze(-1), past.unsqueeze(-1)
    out = torch.full(shape, torch.ops.prim.segments_start(reduce, initial), dtype=data.dtype)
    for k in range(data.shape[at]):
        item = data.narrow(at, k, 1)
        inside = (first <= k) & (past > k)
        if reduce == "max":
            merged = torch.maximum(out, item)
        elif reduce == "min":
            merged = torch.minimum(out, item)
        else:
            merged = out * item if reduce == "prod" else out + item
        out = torch.where(inside, merged, out)
    if reduce == "mean":
        counts = (past - first).expand(shape)
        none = counts == 0
        mean = out / counts.clamp_min(1).to(data.dtype)
        out = torch.where(
            none, torch.full_like(out, float("nan")) if initial is None else out, mean
        )
    return out
    draw data=w[4,N] reduce=sum|mean|max|min|prod lengths=l[2]{2..2} indices=None offsets=None
        axis=0 initial=?1.5
    peers gradient: ties are shared otherwise

aten::histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor
    if not self.is_floating_point() or bins < 1:
        raise RuntimeError("histc takes a tensor of floats and one bin or more")
    low, high = float(min), float(max)
    if low == high and self.numel() > 0:
        low, high = float(self.min()), float(self.max())
    if low == high:
        low, high = low - 1.0, high + 1.0
    if not (low < high and high - low < float("inf")):
        raise RuntimeError("histc takes finite bounds, the smaller one first")
    x = self.flatten()
    inside = (x >= low) & (x <= high)
    index = (
        ((x - low) / (high - low) * bins).masked_fill(~inside, 0).to(torch.int64).clamp(0, bins - 1)
    )
    return self.new_zeros([bins]).scatter_add(0, index, inside.to(self.dtype))
    draw self=w[N] bins=1..9 min=-2 max=3

aten::bincount(Tensor self, Tensor? weights=None, int minlength=0) -> Tensor
    values
    traits dynamic shape
    if self.dim() != 1 or self.is_floating_point() or self.dtype == torch.bool or minlength < 0:
        raise RuntimeError("bincount takes a vector of integers and a minlength of at least 0")
    if self.numel() == 0:
        return torch.zeros([minlength], dtype=torch.int64)
    if int(self.min()) < 0:
        raise RuntimeError("bincount takes no negative integers")
    count = max(minlength, int(self.max()) + 1)
    indices = self.to(torch.int64)
    if weights is None:
        return (
            torch.zeros([count], dtype=torch.int64)
            .scatter_add(0, indices, torch.ones_like(indices))
            .to(torch.int64)
        )
    if weights.shape != self.shape:
        raise RuntimeError("bincount takes as many weights as integers")
    each = weights if weights.dtype == torch.float32 else weights.to(torch.float64)
    return torch.zeros([count], dtype=each.dtype).scatter_add(0, indices, each).to(each.dtype)
    draw self=l[N]{0..7} weights=?w[N] minlength=0..9
