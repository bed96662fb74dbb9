// Statements of whole Python (python.h): gradients, optimizers, modes of training, random states.
#include "fuzz/gen/python.h"

namespace fusillade::fuzz::python {
namespace {

[[maybe_unused]] const bool kRegistered =
    add_rows(600, {
                      {"backward", "a loss that is walked back, once or twice", 4, "", R"=(
@p = $T.$(double()|float())$.detach().clone().requires_grad_()
@l = $(((@p * $L - $N) ** 2).sum()|(@p.clamp(-2, 2) * $L).sum()|(@p.abs() + @p[:1]).sum()\
|(torch.relu(@p) * @p.flip(0)).sum()|@p.cumsum(0).amax())$
$(@l.backward()|(@l + 1).backward()|@l.backward(retain_graph=True); @l.backward()\
|torch.autograd.backward([@l]))$
@t = @p.grad.to($T.dtype) % 7
log.append($(@l.requires_grad|@p.grad.dtype|@p.is_leaf|@l.grad_fn is None|@p.grad.shape)$))="},

                      {"grad", "gradients that are asked for, and those of gradients", 4, "", R"=(
@p = $T.double().clone().requires_grad_()
@q = ($T.double() + 1).requires_grad_($(True|bool($C))$)
@y = $(@p * @p * @q|@p * 2 + @q|(@p - @q.detach()) ** 2|torch.where(@p > 0, @p * 3, @q)\
|@p.view(-1).flip(0).view(@p.shape) * @q)$
@g, = torch.autograd.grad(@y.sum(), [@p], create_graph=$(True|False|bool($C))$)
if @g.requires_grad:
    @h, = torch.autograd.grad((@g * @g).sum(), [@p], allow_unused=True)
    @g = @g if @h is None else @g + @h
@t = @g.detach().to($T.dtype) % 7
log.append(($(@g.requires_grad|@y.requires_grad|@q.requires_grad)$, @y.is_leaf)))="},

                      {"optimizer", "steps of SGD on one parameter", 3, "", R"=(
@p = torch.nn.Parameter($T.double().clone())
@o = torch.optim.SGD([@p], lr=$(1.0|0.5)$$(|, momentum=0.5|, momentum=0.5, nesterov=True\
|, weight_decay=1.0|, maximize=True)$)
for @i in range(2):
    @o.zero_grad($(|set_to_none=False)$)
    ((@p - @i) * $L).sum().backward()
    @o.step()
@t = @p.detach().floor().to($T.dtype) % 7
log.append($(len(@o.param_groups)|@o.param_groups[0]["lr"]|@p.requires_grad|@p.grad is None)$))="},

                      {"by_hand", "a step of descent by hand, without gradients", 3, R"=(
def @f(p, lr=1):
    with torch.no_grad():
        p -= lr * p.grad
    p.grad = None
    return p)=",
                       R"=(
@p = $T.$(double()|float())$.clone().requires_grad_()
(@p * $L + @p.detach()).sum().backward()
@v = @f(@p$(|, lr=2|, $N)$)
log.append((@v is @p, @p.grad is None, @v.requires_grad))
@t = @p.detach().to($T.dtype) % 7)="},

                      {"function", "an autograd function of the script's own", 4, R"=(
class @F(torch.autograd.Function):
    @!staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        ctx.save_for_backward(x)
        $(|ctx.set_materialize_grads(False)|x = x + 0)$
        return x * n$(|, x > 0|, x.clone())$

    @!staticmethod
    def backward(ctx, *grads):
        x, = ctx.saved_tensors
        g = torch.zeros_like(x) if grads[0] is None else grads[0]
        return g * ctx.n + (x > 0).to(g.dtype), None)=",
                       R"=(
@p = $T.double().clone().requires_grad_($(True|True|bool($C))$)
@y = @F.apply(@p, $N)
@z = @y[0] if isinstance(@y, tuple) else @y
if @z.requires_grad:
    @z.sum().backward()
@t = (@z.detach() if @p.grad is None else @p.grad).to($T.dtype) % 7
log.append((@z.requires_grad, @z.is_leaf)))="},

                      {"modes", "what is recorded under modes of gradients", 3, R"=(
@!$(torch.no_grad()|torch.enable_grad()|torch.inference_mode())$
def @f(p):
    return p * 2, torch.is_grad_enabled())=",
                       R"=(
@p = $T.double().clone().requires_grad_()
@y, @m = @f(@p)
with torch.$(no_grad()|enable_grad()|set_grad_enabled(bool($C))|inference_mode())$:
    @z = @p $(* 3|+ $N|.view(-1)|[:1])$
log.append((@m, @y.requires_grad, @z.requires_grad, torch.is_grad_enabled(), @z.is_inference()))
@t = @y.detach().clone().to($T.dtype) % 7)="},

                      {"detach", "writes beside what was detached, or through a view", 3, "", R"=(
@p = $T.double().clone().requires_grad_()
@q = @p $(* 1|+ 0)$
@v = @q$([0]|.view(-1)|.t()|.detach()|.detach().clone())$
@v.$(mul_(2)|add_($N)|zero_()|fill_($L))$
@g, = torch.autograd.grad((@q * $L).sum(), [@p])
@t = (@q.detach() + @g).to($T.dtype) % 7
log.append((@v.requires_grad, @q.requires_grad)))="},

                      {"trains", "a module in both modes, with a buffer and a parameter", 3, R"=(
class @M(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.w = torch.nn.Parameter(torch.full((n,), 2.0))
        self.register_buffer("seen", torch.zeros(()))
        self.drop = torch.nn.Dropout($(0.0|1.0)$)

    def forward(self, x):
        if self.training:
            self.seen += 1
            x = self.drop(x)
        return x * self.w)=",
                       R"=(
@m = @M($T.shape[1])
@y = @m($T.float())
@m.$(eval()|train(bool($C)))$
@z = @m($T.float())
(@y + @z).sum().backward()
@t = (@y + @z).detach().to($T.dtype) % 7
log.append((@m.training, float(@m.seen), [k for k, _ in @m.named_parameters()])))="},

                      {"autocast", "products of small numbers under autocast", 2, "", R"=(
@a, @b = ($T % 3).float(), ($T % 2).float()
with torch.autocast("cpu", dtype=torch.bfloat16$(|, enabled=bool($C))$):
    @y = torch.mm(@a, @b.t())
    @z = $(@y + @a.mm(@b.t())|@y.sum()|torch.relu(@y)|@y.softmax(0) * 0|@y.float() - 1)$
log.append((@y.dtype, @z.dtype))
@t = ($T + @y.sum().to($T.dtype)) % 7)="},

                      {"several_dtypes", "parameters of one float type beside another", 2, "", R"=(
@a = ($T % 4).$(bfloat16()|half()|double())$
@w = torch.$(ones($T.shape[1])|full((), 2.0)|ones(1, 1))$
@y = $(@a * @w|@a + 1.5|@a * torch.tensor(2.0)|torch.where(@a > 0, @a, @w)\
|@a.mul_(@w)|torch.cat([@a, @w.expand_as(@a)])[: @a.shape[0]])$
log.append(@y.dtype)
@t = @y.floor().to($T.dtype) % 7)="},

                      {"seeded", "random numbers of a seed", 3, "", R"=(
torch.manual_seed($N)
@a = torch.$(randint(0, 5, $T.shape)|randperm($T.numel()).reshape($T.shape) % 5\
|randint_like($T, 0, 4))$
$(torch.manual_seed($L)|log.append(torch.initial_seed())|@z = torch.randint(0, 9, (2,)))$
@b = torch.randint(0, $(3|$L + 1)$, $T.shape)
@t = ($T + @a.to($T.dtype) * 2 + @b.to($T.dtype)) % 7)="},

                      {"functional", "torch.func: grad, vjp, jvp and vmap of a closure", 3, R"=(
def @f(k):
    def loss(p, x):
        return ((p * k - x) ** 2).sum()

    return loss)=",
                       R"=(
@p = $T.double()
@y = $(torch.func.grad(@f($N))(@p, @p + 1)|torch.func.vjp(@f(2), @p, @p)[1](@p.sum() * 0 + 1)[0]\
|torch.func.jvp(@f($N), (@p, @p), (@p, @p * 0))[1] + @p\
|torch.func.vmap(@f(1))(@p, @p.flip(0))[:, None] + @p\
|torch.func.vmap(torch.func.grad(@f(2)))(@p, @p - $L))$
@t = @y.to($T.dtype) % 7)="},

                  });

}  // namespace
}  // namespace fusillade::fuzz::python
