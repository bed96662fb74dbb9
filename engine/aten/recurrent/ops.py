# Sequences of different lengths, padded or packed, and recurrent layers over packed ones.
#
# Packed data holds the rows of all sequences step by step, the longest sequence first:
# `batch_sizes` says how many sequences still run at each step. A layer keeps one state per
# sequence and renews the first of them at each step; backwards, the shorter sequences start
# with the state they were given.

aten::pad_sequence(Tensor[] sequences, bool batch_first=False, float padding_value=0.) -> Tensor
    if len(sequences) == 0:
        raise RuntimeError("pad_sequence: received an empty list of sequences")
    longest = 0
    trailing = sequences[0].shape[1:]
    for s in sequences:
        if s.dim() == 0 or s.shape[1:] != trailing:
            raise RuntimeError(
                "pad_sequence takes tensors of one or more dims whose sizes but the first agree"
            )
        longest = max(longest, s.shape[0])
    lines: List[Tensor] = []
    for s in sequences:
        rest = torch.full(
            [longest - s.shape[0]] + trailing, padding_value, dtype=sequences[0].dtype
        )
        lines.append(torch.cat([s.to(sequences[0].dtype), rest]))
    return torch.stack(lines, 0 if batch_first else 1)
    draw sequences=(w[N,K];=[M,K];=[L,K])

aten::_pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first) -> (Tensor, Tensor)
    values
    if input.dim() < 2 or input.numel() == 0:
        raise RuntimeError("cannot pack an empty tensor, nor one of less than two dims")
    x = input.transpose(0, 1) if batch_first else input
    if lengths.dtype != torch.int64 or lengths.dim() != 1 or lengths.shape[0] != x.shape[1]:
        raise RuntimeError(
            f"lengths are {x.shape[1]} integers of 64 bits, one for each sequence of the batch"
        )
    if bool((lengths[1:] > lengths[:-1]).any()):
        raise RuntimeError(
            "lengths must be sorted in decreasing order when enforce_sorted is True; pass "
            "enforce_sorted=False"
        )
    if int(lengths[-1]) < 1 or int(lengths[0]) > x.shape[0]:
        raise RuntimeError(
            f"the length of a sequence lies from 1 to {x.shape[0]}, which is what the tensor holds"
        )
    runs = torch.arange(int(lengths[0])).unsqueeze(1) < lengths
    return x.flatten(0, 1).index_select(0, runs.flatten().nonzero().flatten()), runs.to(
        torch.int64
    ).sum([1]).type_as(lengths)
    draw input=w[T,B,I] lengths=l[B]{T..T} batch_first=False T=1..4

aten::_pad_packed_sequence(Tensor data, Tensor batch_sizes, bool batch_first, Scalar padding_value,
                           int total_length) -> (Tensor, Tensor)
    values
    if (
        batch_sizes.dim() != 1
        or batch_sizes.numel() == 0
        or data.dim() == 0
        or bool((batch_sizes[1:] > batch_sizes[:-1]).any())
    ):
        raise RuntimeError("batch_sizes is a line of decreasing numbers, one for each step")
    if int(batch_sizes[-1]) < 0 or int(batch_sizes.sum()) != data.shape[0]:
        raise RuntimeError(f"batch_sizes does not sum up to the {data.shape[0]} rows of the data")
    steps = batch_sizes.shape[0]
    if total_length > 0 and total_length < steps:
        raise RuntimeError(
            f"expected total_length to be at least the length of the longest sequence, {steps}, "
            f"got {total_length}"
        )
    total, count = max(total_length, steps), int(batch_sizes[0])
    lengths = (torch.arange(count) < batch_sizes.unsqueeze(1)).to(torch.int64).sum([0])
    runs = torch.arange(total).unsqueeze(1) < lengths
    empty = data.new_full([total * count] + data.shape[1:], padding_value)
    padded = empty.index_copy(0, runs.flatten().nonzero().flatten(), data).reshape(
        [total, count] + data.shape[1:]
    )
    return (padded.transpose(0, 1) if batch_first else padded).type_as(data), lengths.type_as(
        batch_sizes
    )
    draw data=w[3B,I] batch_sizes=l[3]{B..B} padding_value=0|1.5 total_length=0|3|5 B=1..3

prim::packed_line(Tensor data, int[] sizes, Tensor h, Tensor c, Tensor[] weights, bool biased,
                  bool backwards, str mode) -> (Tensor, Tensor, Tensor)
    b_ih: Optional[Tensor] = None
    b_hh: Optional[Tensor] = None
    if biased:
        b_ih, b_hh = weights[2], weights[3]
    outs: List[Tensor] = []
    end = data.shape[0] if backwards else 0
    for step in range(len(sizes)):
        n = sizes[len(sizes) - 1 - step] if backwards else sizes[step]
        begin = end - n if backwards else end
        x, state = data[begin:begin + n], h[:n]
        end = begin if backwards else begin + n
        if mode == "lstm":
            state, memory = torch.lstm_cell(x, [state, c[:n]], weights[0], weights[1], b_ih, b_hh)
            c = torch.cat([memory, c[n:]])
            if h.shape[1] != c.shape[1]:
                state = torch.linear(state, weights[-1])
        elif mode == "gru":
            state = torch.gru_cell(x, state, weights[0], weights[1], b_ih, b_hh)
        elif mode == "tanh":
            state = torch.rnn_tanh_cell(x, state, weights[0], weights[1], b_ih, b_hh)
        else:
            state = torch.rnn_relu_cell(x, state, weights[0], weights[1], b_ih, b_hh)
        outs.append(state)
        h = torch.cat([state, h[n:]])
    if backwards:
        outs.reverse()
    return torch.cat(outs), h, c

prim::packed_layers(Tensor data, Tensor batch_sizes, Tensor h, Tensor c, Tensor[] params,
                    bool has_biases, int num_layers, float dropout, bool train, bool bidirectional,
                    str mode) -> (Tensor, Tensor, Tensor)
    random if train and num_layers > 1 and dropout > 0 and dropout < 1
    if (
        data.dim() != 2
        or h.dim() != 3
        or c.dim() != 3
        or batch_sizes.dim() != 1
        or batch_sizes.numel() == 0
    ):
        raise RuntimeError(
            "a layer over packed data takes data of two dims, states of three and batch_sizes of "
            "one"
        )
    sizes: List[int] = batch_sizes.tolist()
    lines = num_layers * (2 if bidirectional else 1)
    if (
        h.shape[0] != lines
        or c.shape[0] != lines
        or h.shape[1] != sizes[0]
        or c.shape[1] != sizes[0]
    ):
        raise RuntimeError(f"the states have sizes ({lines}, {sizes[0]}, hidden), given {h.shape}")
    if min(sizes) < 1 or sum(sizes) != data.shape[0] or sizes != sorted(sizes, reverse=True):
        raise RuntimeError("batch_sizes decreases, is positive and sums up to the rows of the data")
    per = (4 if has_biases else 2) + (1 if h.shape[2] != c.shape[2] else 0)
    if lines < 1 or len(params) != per * lines:
        raise RuntimeError(f"expected {per * lines} weights, got {len(params)}")
    x = data
    hs: List[Tensor] = []
    cs: List[Tensor] = []
    outs: List[Tensor] = []
    for line in range(lines):
        weights = params[line * per:(line + 1) * per]
        out, last_h, last_c = torch.ops.prim.packed_line(
            x, sizes, h[line], c[line], weights, has_biases, bidirectional and line % 2 == 1, mode
        )
        outs.append(out)
        hs.append(last_h)
        cs.append(last_c)
        if not bidirectional or line % 2 == 1:
            x = torch.dropout(torch.cat(outs, 1), dropout, train and line + 1 < lines)
            outs.clear()
    return x, torch.stack(hs), torch.stack(cs)

aten::lstm.data(Tensor data, Tensor batch_sizes, Tensor[] hx, Tensor[] params, bool has_biases,
                int num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor,
                Tensor)
    random if train and num_layers > 1 and dropout > 0 and dropout < 1
    if len(hx) != 2:
        raise RuntimeError("lstm takes two states")
    return torch.ops.prim.packed_layers(
        data,
        batch_sizes,
        hx[0],
        hx[1],
        params,
        has_biases,
        num_layers,
        dropout,
        train,
        bidirectional,
        "lstm",
    )
    draw data=w[3B,I] batch_sizes=l[3]{B..B} hx=(=[1,B,H];=[1,B,H])
        params=(=[4H,I];=[4H,H];=[4H];=[4H]) has_biases=True num_layers=1 dropout=0.0 train=False
        bidirectional=False
    others subnormals flushed

aten::gru.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases,
               int num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor)
    random if train and num_layers > 1 and dropout > 0 and dropout < 1
    out, h, c = torch.ops.prim.packed_layers(
        data,
        batch_sizes,
        hx,
        hx,
        params,
        has_biases,
        num_layers,
        dropout,
        train,
        bidirectional,
        "gru",
    )
    return out, h
    draw data=w[3B,I] batch_sizes=l[3]{B..B} hx==[1,B,H] params=(=[3H,I];=[3H,H];=[3H];=[3H])
        has_biases=True num_layers=1 dropout=0.0 train=False bidirectional=False
    others subnormals flushed

aten::rnn_tanh.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases,
                    int num_layers, float dropout, bool train, bool bidirectional) -> (Tensor,
                    Tensor)
    random if train and num_layers > 1 and dropout > 0 and dropout < 1
    out, h, c = torch.ops.prim.packed_layers(
        data,
        batch_sizes,
        hx,
        hx,
        params,
        has_biases,
        num_layers,
        dropout,
        train,
        bidirectional,
        "tanh",
    )
    return out, h
    draw data=w[3B,I] batch_sizes=l[3]{B..B} hx==[1,B,H] params=(=[H,I];=[H,H];=[H];=[H])
        has_biases=True num_layers=1 dropout=0.0 train=False bidirectional=False
    others subnormals flushed

aten::rnn_relu.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases,
                    int num_layers, float dropout, bool train, bool bidirectional) -> (Tensor,
                    Tensor)
    random if train and num_layers > 1 and dropout > 0 and dropout < 1
    out, h, c = torch.ops.prim.packed_layers(
        data,
        batch_sizes,
        hx,
        hx,
        params,
        has_biases,
        num_layers,
        dropout,
        train,
        bidirectional,
        "relu",
    )
    return out, h
    draw data=w[3B,I] batch_sizes=l[3]{B..B} hx==[1,B,H] params=(=[H,I];=[H,H]) has_biases=False
        num_layers=1 dropout=0.0 train=False bidirectional=False
    others subnormals flushed

aten::lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None,
                Tensor? b_hh=None) -> (Tensor, Tensor)
    payload
    h, c = hx
    gates = torch.ops.aten.linear(input, w_ih, b_ih) + torch.ops.aten.linear(h, w_hh, b_hh)
    i, f, g, o = gates.chunk(4, 1)
    cell = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * cell.tanh(), cell
    others subnormals flushed

aten::gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None,
               Tensor? b_hh=None) -> Tensor
    payload
    i_r, i_z, i_n = torch.ops.aten.linear(input, w_ih, b_ih).chunk(3, 1)
    h_r, h_z, h_n = torch.ops.aten.linear(hx, w_hh, b_hh).chunk(3, 1)
    reset = (i_r + h_r).sigmoid()
    update = (i_z + h_z).sigmoid()
    new = (i_n + reset * h_n).tanh()
    return (hx - new) * update + new
    others subnormals flushed

aten::rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None,
                    Tensor? b_hh=None) -> Tensor
    payload
    from_input = torch.ops.aten.linear(input, w_ih, b_ih)
    return (from_input + torch.ops.aten.linear(hx, w_hh, b_hh)).tanh()
    others subnormals flushed

aten::rnn_relu_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None,
                    Tensor? b_hh=None) -> Tensor
    payload
    from_input = torch.ops.aten.linear(input, w_ih, b_ih)
    return (from_input + torch.ops.aten.linear(hx, w_hh, b_hh)).relu()

aten::lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers,
                 float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor,
                 Tensor, Tensor)
    payload
    random if train and num_layers > 1 and dropout > 0 and dropout < 1
    h_all, c_all = hx
    x = input.transpose(0, 1) if batch_first else input
    steps = x.size(0)
    directions = int(bidirectional) + 1
    per_side = int(has_biases) * 2 + 2
    hs: List[Tensor] = []
    cs: List[Tensor] = []
    projected = h_all.size(2) != c_all.size(2)
    stride = per_side + int(projected)
    for layer in range(num_layers):
        sides: List[Tensor] = []
        for side in range(directions):
            at = layer * directions + side
            first = at * stride
            w_ih = params[first]
            w_hh = params[first + 1]
            b_ih: Optional[Tensor] = None
            b_hh: Optional[Tensor] = None
            if has_biases:
                b_ih = params[first + 2]
                b_hh = params[first + 3]
            outs: List[Tensor] = []
            h = h_all.select(0, at)
            c = c_all.select(0, at)
            for t in range(steps):
                x_t = x.select(0, steps - 1 - t if side != 0 else t)
                h, c = torch.ops.aten.lstm_cell(x_t, [h, c], w_ih, w_hh, b_ih, b_hh)
                if projected:
                    h = torch.ops.aten.linear(h, params[first + per_side], None)
                outs.append(h)
            stacked = torch.stack(outs)
            sides.append(stacked.flip([0]) if side != 0 else stacked)
            hs.append(h)
            cs.append(c)
        drops = (layer < num_layers - 1) & train
        x = torch.ops.aten.dropout(torch.cat(sides, 2), dropout, drops)
    y = x.transpose(0, 1) if batch_first else x
    return y, torch.stack(hs), torch.stack(cs)
    draw input=w[T,B,I] hx=(=[1,B,H];=[1,B,H]) params=(=[4H,I];=[4H,H];=[4H];=[4H]) has_biases=True
        num_layers=1 dropout=0.0 train=False bidirectional=False batch_first=False
    others subnormals flushed

aten::gru.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers,
                float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)
    payload
    random if train and num_layers > 1 and dropout > 0 and dropout < 1
    x = input.transpose(0, 1) if batch_first else input
    steps = x.size(0)
    directions = int(bidirectional) + 1
    stride = int(has_biases) * 2 + 2
    hs: List[Tensor] = []
    for layer in range(num_layers):
        sides: List[Tensor] = []
        for side in range(directions):
            at = layer * directions + side
            first = at * stride
            w_ih = params[first]
            w_hh = params[first + 1]
            b_ih: Optional[Tensor] = None
            b_hh: Optional[Tensor] = None
            if has_biases:
                b_ih = params[first + 2]
                b_hh = params[first + 3]
            outs: List[Tensor] = []
            h = hx.select(0, at)
            for t in range(steps):
                x_t = x.select(0, steps - 1 - t if side != 0 else t)
                h = torch.ops.aten.gru_cell(x_t, h, w_ih, w_hh, b_ih, b_hh)
                outs.append(h)
            stacked = torch.stack(outs)
            sides.append(stacked.flip([0]) if side != 0 else stacked)
            hs.append(h)
        drops = (layer < num_layers - 1) & train
        x = torch.ops.aten.dropout(torch.cat(sides, 2), dropout, drops)
    y = x.transpose(0, 1) if batch_first else x
    return y, torch.stack(hs)
    draw input=w[T,B,I] hx==[1,B,H] params=(=[3H,I];=[3H,H];=[3H];=[3H]) has_biases=True
        num_layers=1 dropout=0.0 train=False bidirectional=False batch_first=False
    others subnormals flushed

aten::rnn_tanh.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers,
                     float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor,
                     Tensor)
    payload
    random if train and num_layers > 1 and dropout > 0 and dropout < 1
    x = input.transpose(0, 1) if batch_first else input
    steps = x.size(0)
    directions = int(bidirectional) + 1
    stride = int(has_biases) * 2 + 2
    hs: List[Tensor] = []
    for layer in range(num_layers):
        sides: List[Tensor] = []
        for side in range(directions):
            at = layer * directions + side
            first = at * stride
            w_ih = params[first]
            w_hh = params[first + 1]
            b_ih: Optional[Tensor] = None
            b_hh: Optional[Tensor] = None
            if has_biases:
                b_ih = params[first + 2]
                b_hh = params[first + 3]
            outs: List[Tensor] = []
            h = hx.select(0, at)
            for t in range(steps):
                x_t = x.select(0, steps - 1 - t if side != 0 else t)
                h = torch.ops.aten.rnn_tanh_cell(x_t, h, w_ih, w_hh, b_ih, b_hh)
                outs.append(h)
            stacked = torch.stack(outs)
            sides.append(stacked.flip([0]) if side != 0 else stacked)
            hs.append(h)
        drops = (layer < num_layers - 1) & train
        x = torch.ops.aten.dropout(torch.cat(sides, 2), dropout, drops)
    y = x.transpose(0, 1) if batch_first else x
    return y, torch.stack(hs)
    draw input=w[T,B,I] hx==[1,B,H] params=(=[H,I];=[H,H];=[H];=[H]) has_biases=True num_layers=1
        dropout=0.0 train=False bidirectional=False batch_first=False
    others subnormals flushed

aten::rnn_relu.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers,
                     float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor,
                     Tensor)
    payload
    random if train and num_layers > 1 and dropout > 0 and dropout < 1
    x = input.transpose(0, 1) if batch_first else input
    steps = x.size(0)
    directions = int(bidirectional) + 1
    stride = int(has_biases) * 2 + 2
    hs: List[Tensor] = []
    for layer in range(num_layers):
        sides: List[Tensor] = []
        for side in range(directions):
            at = layer * directions + side
            first = at * stride
            w_ih = params[first]
            w_hh = params[first + 1]
            b_ih: Optional[Tensor] = None
            b_hh: Optional[Tensor] = None
            if has_biases:
                b_ih = params[first + 2]
                b_hh = params[first + 3]
            outs: List[Tensor] = []
            h = hx.select(0, at)
            for t in range(steps):
                x_t = x.select(0, steps - 1 - t if side != 0 else t)
                h = torch.ops.aten.rnn_relu_cell(x_t, h, w_ih, w_hh, b_ih, b_hh)
                outs.append(h)
            stacked = torch.stack(outs)
            sides.append(stacked.flip([0]) if side != 0 else stacked)
            hs.append(h)
        drops = (layer < num_layers - 1) & train
        x = torch.ops.aten.dropout(torch.cat(sides, 2), dropout, drops)
    y = x.transpose(0, 1) if batch_first else x
    return y, torch.stack(hs)
    draw input=w[T,B,I] hx==[1,B,H] params=(=[H,I];=[H,H]) has_biases=False num_layers=1 dropout=0.0
        train=False bidirectional=False batch_first=False
    others subnormals flushed

# Of operators in C++.
