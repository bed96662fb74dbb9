"""Functions that torch_made.py saves: of overloads, and traced ones, of shapes, numbers, subscripts
and writes."""

import torch
import torch.nn.functional as F

T = torch.Tensor


@torch.jit.script
def overl(x: T):
    return (
        torch.sum(x),
        torch.sum(x, 1),
        torch.sum(x, [0, 1], True),
        torch.mean(x, dim=0),
        torch.max(x),
        torch.argmax(x, 1),
        x.std(),
        x.var(0),
        x.prod(),
        x.any(),
        x.all(),
        torch.logsumexp(x, 1),
    )


def tr_shape(x):
    return (
        x.reshape(x.shape[1], x.shape[0] * 1).view(-1)[: x.shape[0]]
        + x.size(1)
        + torch.full((x.shape[0],), float(x.shape[1]))
    )


def tr_dict(x):
    return {"a": x + 1, "b": x * 2}


def tr_inpl(x):
    y = torch.zeros_like(x)
    y[0] = x[1]
    y[:, 0] += 2
    y[1, 1] = 5.0
    return y


def tr_consts(x):
    return (
        x
        + torch.tensor(3) * torch.tensor([1.0, 2.0])
        - torch.ones(2, dtype=torch.float64).to(x)
        + torch.scalar_tensor(2.0)
    )


def tr_numbers(x):
    return (
        2.5 * x.sum(),
        x.long() * 2.5,
        x.long().sum() / 2,
        x.sum() - 1,
        x.sum() > 0.5,
        x.long().sum() * 2,
        x.sum() ** 2,
        torch.add(x.sum(), 3, alpha=2),
        x.long().max() == 1,
        1 - x.sum(),
    )


def tr_idx(x):
    return x[torch.tensor([1, 0])], x[[0, 1]], x[:, [1]], x[..., 0], x[x > 0].sum()


def tr_div(x):
    return x // 2, x % 3, x.floor_divide(2), x.size(0) // 2 + x, int(x.shape[0]) * x


def tr_ops(x):
    return (
        x.masked_fill(x > 0, -1.0),
        torch.where(x > 0, x, torch.zeros(())),
        x.softmax(-1),
        torch.cat((x, x)),
        torch.stack([x, x]),
        x.split(1),
        x.unbind(0),
        x.chunk(2, 1),
    )


def tr_emb(x):
    return F.one_hot(x.long().clamp(0, 3), 4).float() + F.embedding(
        x.long().clamp(0, 1), torch.ones(2, 4)
    )


def tr_detach(x):
    return (
        x.detach()
        + x.data
        + x.numel()
        + x.dim()
        + x.new_ones(2, 2)
        + torch.rand_like(x) * 0
        + x.cpu().to("cpu").to(x.device).to(torch.float32).contiguous()
    )


def tr_interp(x):
    return (
        torch.triu(x)
        + torch.tril(x, -1)
        + x.roll(1, 0)
        + x.flip(0)
        + torch.outer(x[0], x[1])
        + x.addmm(x, x)
        + torch.bmm(x[None], x[None])[0]
        + F.pad(x, (0, 0), value=1.0)
        + x.gather(1, torch.zeros(2, 2, dtype=torch.long))
        + x.index_select(0, torch.tensor([1, 0]))
    )
