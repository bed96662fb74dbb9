"""The ops that bench/peers/eager.py measures: a line each.

    name | inputs, as a benchmark program states them | three sizes N, or a letter of SIZES |
        what is returned

The parameters are called a, b, c, d in order. What is returned may be a few statements, the last
one the result. Inputs that must be close to each other are computed by the program itself (a matrix
that is positive definite), on both sides alike.
"""

SIZES = {
    "V": (16, 4096, 1048576),  # vectors
    "M": (4, 64, 1024),  # square matrices
    "P": (8, 128, 512),  # products of matrices
    "L": (4, 32, 128),  # linear algebra
    "C": (8, 28, 112),  # the side of an image
}

OPS = {
    "element-wise": """
add | f32[N] f32[N] | V | a + b
sub | f32[N] f32[N] | V | a - b
mul | f32[N] f32[N] | V | a * b
div | f32[N] f32[N] | V | a / b
add_number | f32[N] | V | a + 2.5
add_row | f32[N,N] f32[N] | M | a + b
add_column | f32[N,N] f32[N,1] | M | a + b
add_f64 | f64[N] f64[N] | V | a + b
add_i64 | i64[N] i64[N] | V | a + b
mul_f16 | f16[N] f16[N] | V | a * b
add_ | f32[N] f32[N] | V | a.add_(b)
add_transposed | f32[N,N] f32[N,N] | M | a + b.t()
neg | f32[N] | V | -a
abs | f32[N] | V | torch.abs(a)
exp | f32[N] | V | torch.exp(a)
exp_f64 | f64[N] | V | torch.exp(a)
log | f32[N] | V | torch.log(a)
sqrt | f32[N] | V | torch.sqrt(a)
rsqrt | f32[N] | V | torch.rsqrt(a)
sin | f32[N] | V | torch.sin(a)
tanh | f32[N] | V | torch.tanh(a)
sigmoid | f32[N] | V | torch.sigmoid(a)
erf | f32[N] | V | torch.erf(a)
relu | f32[N] | V | torch.relu(a)
gelu | f32[N] | V | F.gelu(a)
silu | f32[N] | V | F.silu(a)
softplus | f32[N] | V | F.softplus(a)
hardswish | f32[N] | V | F.hardswish(a)
leaky_relu | f32[N] | V | F.leaky_relu(a, 0.1)
square | f32[N] | V | a ** 2
pow | f32[N] f32[N] | V | torch.pow(torch.abs(a), b)
atan2 | f32[N] f32[N] | V | torch.atan2(a, b)
clamp | f32[N] | V | torch.clamp(a, -1.0, 1.0)
where | bool[N] f32[N] f32[N] | V | torch.where(a, b, c)
maximum | f32[N] f32[N] | V | torch.maximum(a, b)
less | f32[N] f32[N] | V | a < b
logical_and | bool[N] bool[N] | V | torch.logical_and(a, b)
floor | f32[N] | V | torch.floor(a)
addcmul | f32[N] f32[N] f32[N] | V | torch.addcmul(a, b, c)
lerp | f32[N] f32[N] | V | torch.lerp(a, b, 0.3)
masked_fill | f32[N] bool[N] | V | a.masked_fill(b, 0.0)
to_f64 | f32[N] | V | a.to(torch.float64)
to_i64 | f32[N] | V | a.to(torch.int64)
remainder | f32[N] f32[N] | V | torch.remainder(a, b)
remainder_number | f32[N] | V | a % 0.7
fmod | f32[N] f32[N] | V | torch.fmod(a, b)
remainder_f64 | f64[N] f64[N] | V | torch.remainder(a, b)
floor_divide | f32[N] f32[N] | V | torch.floor_divide(a, b)
remainder_i64 | i64[N] i64[N]<100 | V | torch.remainder(a, b + 1)
floor_divide_i64 | i64[N] i64[N]<100 | V | torch.floor_divide(a, b + 1)
mul_i64 | i64[N] i64[N] | V | a * b
div_i64 | i64[N] i64[N]<100 | V | a / (b + 1)
add_i32 | i32[N] i32[N] | V | a + b
add_u8 | u8[N] u8[N] | V | a + b
add_f16 | f16[N] f16[N] | V | a + b
add_bf16 | bf16[N] bf16[N] | V | a + b
exp_bf16 | bf16[N] | V | torch.exp(a)
sigmoid_f16 | f16[N] | V | torch.sigmoid(a)
relu_bf16 | bf16[N] | V | torch.relu(a)
bitwise_and | i64[N] i64[N] | V | torch.bitwise_and(a, b)
bitwise_xor_i32 | i32[N] i32[N] | V | torch.bitwise_xor(a, b)
bitwise_not | i64[N] | V | torch.bitwise_not(a)
shift_left | i64[N] i64[N]<8 | V | a << b
shift_right | i64[N] i64[N]<8 | V | a >> b
equal_i64 | i64[N] i64[N] | V | a == b
greater_equal | f32[N] f32[N] | V | a >= b
not_equal_number | f32[N] | V | a != 0.5
logical_not | bool[N] | V | torch.logical_not(a)
logical_xor_f32 | f32[N] f32[N] | V | torch.logical_xor(a, b)
isnan | f32[N] | V | torch.isnan(a)
isfinite | f32[N] | V | torch.isfinite(a)
sign | f32[N] | V | torch.sign(a)
reciprocal | f32[N] | V | torch.reciprocal(a)
ceil | f32[N] | V | torch.ceil(a)
round | f32[N] | V | torch.round(a)
trunc | f32[N] | V | torch.trunc(a)
frac | f32[N] | V | torch.frac(a)
exp2 | f32[N] | V | torch.exp2(a)
expm1 | f32[N] | V | torch.expm1(a)
log1p | f32[N] | V | torch.log1p(torch.abs(a))
log2 | f32[N] | V | torch.log2(torch.abs(a))
log10 | f32[N] | V | torch.log10(torch.abs(a))
cos | f32[N] | V | torch.cos(a)
tan | f32[N] | V | torch.tan(a)
asin | f32[N] | V | torch.asin(torch.clamp(a, -1.0, 1.0))
acos | f32[N] | V | torch.acos(torch.clamp(a, -1.0, 1.0))
atan | f32[N] | V | torch.atan(a)
sinh | f32[N] | V | torch.sinh(a)
cosh | f32[N] | V | torch.cosh(a)
asinh | f32[N] | V | torch.asinh(a)
acosh | f32[N] | V | torch.acosh(torch.abs(a) + 1.0)
atanh | f32[N] | V | torch.atanh(torch.clamp(a, -0.9, 0.9))
lgamma | f32[N] | V | torch.lgamma(a)
digamma | f32[N] | V | torch.digamma(a)
erfc | f32[N] | V | torch.erfc(a)
erfinv | f32[N] | V | torch.erfinv(torch.clamp(a, -0.9, 0.9))
i0 | f32[N] | V | torch.special.i0(a)
logit | f32[N] | V | torch.logit(a, 0.1)
xlogy | f32[N] f32[N] | V | torch.special.xlogy(a, torch.abs(b))
logaddexp | f32[N] f32[N] | V | torch.logaddexp(a, b)
hypot | f32[N] f32[N] | V | torch.hypot(a, b)
copysign | f32[N] f32[N] | V | torch.copysign(a, b)
nextafter | f32[N] f32[N] | V | torch.nextafter(a, b)
fmax | f32[N] f32[N] | V | torch.fmax(a, b)
cube | f32[N] | V | a ** 3
pow_number | f32[N] | V | torch.pow(torch.abs(a), 1.7)
pow_i64 | i64[N]<10 | V | a ** 3
number_pow | f32[N] | V | 2.0 ** a
sin_f64 | f64[N] | V | torch.sin(a)
tanh_f64 | f64[N] | V | torch.tanh(a)
elu | f32[N] | V | F.elu(a)
selu | f32[N] | V | F.selu(a)
celu | f32[N] | V | F.celu(a)
mish | f32[N] | V | F.mish(a)
logsigmoid | f32[N] | V | F.logsigmoid(a)
hardsigmoid | f32[N] | V | F.hardsigmoid(a)
hardtanh | f32[N] | V | F.hardtanh(a)
relu6 | f32[N] | V | F.relu6(a)
softsign | f32[N] | V | F.softsign(a)
tanhshrink | f32[N] | V | F.tanhshrink(a)
softshrink | f32[N] | V | F.softshrink(a)
gelu_tanh | f32[N] | V | F.gelu(a, approximate="tanh")
prelu | f32[8,16,N] f32[16] | 4,64,4096 | F.prelu(a, b)
glu | f32[N,N] | M | F.glu(a)
threshold | f32[N] | V | F.threshold(a, 0.1, 20.0)
nan_to_num | f32[N] | V | torch.nan_to_num(a)
addcdiv | f32[N] f32[N] f32[N] | V | torch.addcdiv(a, b, c)
lerp_tensor | f32[N] f32[N] f32[N] | V | torch.lerp(a, b, c)
where_number | bool[N] f32[N] | V | torch.where(a, b, 0.0)
where_row | bool[N,1] f32[N,N] f32[N] | M | torch.where(a, b, c)
masked_fill_row | f32[N,N] bool[N] | M | a.masked_fill(b, 0.0)
clamp_tensors | f32[N] f32[N] f32[N] | V | torch.clamp(a, b, c)
clamp_i64 | i64[N] | V | torch.clamp(a, -4, 4)
add_strided | f32[N,N] f32[N,N] | M | a[:, ::2] + b[:, ::2]
mul_column | f32[N,N] f32[N,1] | M | a * b
add_rank3 | f32[4,N,N] f32[4,1,N] | 4,64,512 | a + b
copy_ | f32[N] f32[N] | V | a.copy_(b)
mul_number_ | f32[N] | V | a.mul_(1.0)
fill | f32[N] | V | torch.full_like(a, 3.0)
to_f16 | f32[N] | V | a.to(torch.float16)
to_bf16 | f32[N] | V | a.to(torch.bfloat16)
f16_to_f32 | f16[N] | V | a.to(torch.float32)
i64_to_f32 | i64[N] | V | a.to(torch.float32)
bool_to_f32 | bool[N] | V | a.to(torch.float32)
f32_to_bool | f32[N] | V | a.to(torch.bool)
f32_to_i32 | f32[N] | V | a.to(torch.int32)
arange | f32[N] | V | torch.arange(a.size(0))
linspace | f32[N] | V | torch.linspace(0.0, 1.0, a.size(0))
""",
    "reductions": """
sum | f32[N,N] | M | torch.sum(a)
sum_rows | f32[N,N] | M | torch.sum(a, 1)
sum_columns | f32[N,N] | M | torch.sum(a, 0)
sum_i64 | i64[N,N] | M | torch.sum(a, 1)
sum_f16 | f16[N,N] | M | torch.sum(a, 1)
mean | f32[N,N] | M | torch.mean(a, 1)
prod | f32[N,N] | M | torch.prod(a, 1)
amax_rows | f32[N,N] | M | torch.amax(a, 1)
amax_columns | f32[N,N] | M | torch.amax(a, 0)
max_dim | f32[N,N] | M | torch.max(a, 1)[1]
argmax | f32[N,N] | M | torch.argmax(a, 1)
argmax_columns | f32[N,N] | M | torch.argmax(a, 0)
any | bool[N,N] | M | torch.any(a, 1)
var | f32[N,N] | M | torch.var(a, 1)
norm | f32[N,N] | M | torch.norm(a)
logsumexp | f32[N,N] | M | torch.logsumexp(a, 1)
softmax | f32[N,N] | M | torch.softmax(a, 1)
softmax_columns | f32[N,N] | M | torch.softmax(a, 0)
log_softmax | f32[N,N] | M | torch.log_softmax(a, 1)
cumsum | f32[N,N] | M | torch.cumsum(a, 1)
cumsum_columns | f32[N,N] | M | torch.cumsum(a, 0)
cumprod | f32[N,N] | M | torch.cumprod(a, 1)
cummax | f32[N,N] | M | torch.cummax(a, 1)[0]
layer_norm | f32[N,N] f32[N] f32[N] | M | F.layer_norm(a, [a.size(1)], b, c)
batch_norm | f32[8,16,N,N] f32[16] f32[16] | 4,16,64 | \
F.batch_norm(a, b, torch.abs(c), training=False)
cross_entropy | f32[N,100] i64[N]<100 | 4,64,1024 | F.cross_entropy(a, b)
mse_loss | f32[N] f32[N] | V | F.mse_loss(a, b)
sum_middle | f32[N,N,16] | 4,32,256 | torch.sum(a, 1)
sum_middle_small | f32[64,N,8] | 4,64,1024 | torch.sum(a, 1)
sum_middle_large | f32[4,N,N] | 4,64,512 | torch.sum(a, 1)
sum_two | f32[N,16,N] | 4,32,256 | torch.sum(a, [0, 2])
sum_f64 | f64[N,N] | M | torch.sum(a, 0)
sum_i64_columns | i64[N,N] | M | torch.sum(a, 0)
sum_i64_all | i64[N,N] | M | torch.sum(a)
sum_i32 | i32[N,N] | M | torch.sum(a, 1)
sum_bool | bool[N,N] | M | torch.sum(a)
sum_f16_columns | f16[N,N] | M | torch.sum(a, 0)
sum_bf16 | bf16[N,N] | M | torch.sum(a)
sum_transposed | f32[N,N] | M | torch.sum(a.t(), 1)
mean_columns | f32[N,N] | M | torch.mean(a, 0)
mean_spatial | f32[8,16,N,N] | 4,16,64 | torch.mean(a, [2, 3])
mean_channels | f32[8,16,N,N] | 4,16,64 | torch.mean(a, [0, 2, 3])
mean_middle | f32[8,64,N,N] | 4,16,64 | torch.mean(a, 1)
prod_columns | f32[N,N] | M | torch.prod(a, 0)
amin | f32[N,N] | M | torch.amin(a, 1)
max_all | f32[N,N] | M | torch.max(a)
min_dim_columns | f32[N,N] | M | torch.min(a, 0)[0]
amax_middle | f32[N,N,16] | 4,32,256 | torch.amax(a, 1)
amax_i64 | i64[N,N] | M | torch.amax(a, 1)
aminmax | f32[N,N] | M | torch.aminmax(a)[0]
max_middle | f32[N,N,16] | 4,32,256 | torch.max(a, 1)[0]
argmin_all | f32[N,N] | M | torch.argmin(a)
all | bool[N,N] | M | torch.all(a)
all_columns | bool[N,N] | M | torch.all(a, 0)
any_f32 | f32[N,N] | M | torch.any(a, 1)
count_nonzero | f32[N,N] | M | torch.count_nonzero(a)
std_all | f32[N,N] | M | torch.std(a)
std_columns | f32[N,N] | M | torch.std(a, 0)
var_mean | f32[N,N] | M | torch.var_mean(a, 1)[0]
norm_rows | f32[N,N] | M | torch.norm(a, 2, 1)
norm_columns | f32[N,N] | M | torch.linalg.vector_norm(a, 2.0, 0)
norm_1 | f32[N,N] | M | torch.norm(a, 1, 1)
norm_3 | f32[N,N] | M | torch.linalg.vector_norm(a, 3.0, 1)
normalize | f32[N,N] | M | F.normalize(a)
cosine_similarity | f32[N,N] f32[N,N] | M | F.cosine_similarity(a, b)
pairwise_distance | f32[N,N] f32[N,N] | M | F.pairwise_distance(a, b)
nansum | f32[N,N] | M | torch.nansum(a, 1)
logsumexp_columns | f32[N,N] | M | torch.logsumexp(a, 0)
logcumsumexp | f32[N,N] | M | torch.logcumsumexp(a, 1)
logcumsumexp_columns | f32[N,N] | M | torch.logcumsumexp(a, 0)
cumsum_i64 | i64[N,N] | M | torch.cumsum(a, 1)
cumsum_middle | f32[N,N,16] | 4,32,256 | torch.cumsum(a, 1)
cumprod_columns | f32[N,N] | M | torch.cumprod(a, 0)
cummin | f32[N,N] | M | torch.cummin(a, 1)[0]
cummax_columns | f32[N,N] | M | torch.cummax(a, 0)[1]
median | f32[N,N] | M | torch.median(a, 1)[0]
median_all | f32[N,N] | M | torch.median(a)
median_columns | f32[N,N] | M | torch.median(a, 0)[0]
nanmedian | f32[N,N] | M | torch.nanmedian(a, 1)[0]
kthvalue | f32[N,N] | M | torch.kthvalue(a, 2, 1)[0]
kthvalue_columns | f32[N,N] | M | torch.kthvalue(a, 2, 0)[0]
quantile | f32[N,N] | M | torch.quantile(a, 0.3, 1)
softmax_middle | f32[N,N,16] | 4,32,256 | torch.softmax(a, 1)
softmin | f32[N,N] | M | F.softmin(a, 1)
log_softmax_columns | f32[N,N] | M | torch.log_softmax(a, 0)
log_softmax_f64 | f64[N,N] | M | torch.log_softmax(a, 1)
softmax_f16 | f16[N,N] | M | torch.softmax(a, 1)
group_norm | f32[8,32,N,N] f32[32] f32[32] | 4,16,64 | F.group_norm(a, 8, b, c)
group_norm_plain | f32[N,N] | 8,64,1024 | F.group_norm(a, 4)
instance_norm | f32[8,16,N,N] | 4,16,64 | F.instance_norm(a)
layer_norm_two | f32[8,N,N] f32[N,N] f32[N,N] | 4,32,256 | \
F.layer_norm(a, [a.size(1), a.size(2)], b, c)
layer_norm_f16 | f16[N,N] | M | F.layer_norm(a, [a.size(1)])
batch_norm_train | f32[8,16,N,N] f32[16] f32[16] | 4,16,64 | \
F.batch_norm(a, b, torch.abs(c), training=True)
batch_norm_lines | f32[N,64] f32[64] f32[64] | 8,256,4096 | \
F.batch_norm(a, b, torch.abs(c), training=False)
local_response_norm | f32[2,16,N,N] | 4,16,64 | F.local_response_norm(a, 5)
cross_entropy_weights | f32[N,100] i64[N]<100 f32[100] | 4,64,1024 | \
F.cross_entropy(a, b, torch.abs(c))
cross_entropy_smooth | f32[N,100] i64[N]<100 | 4,64,1024 | \
F.cross_entropy(a, b, label_smoothing=0.1)
cross_entropy_spatial | f32[2,10,N,N] i64[2,N,N]<10 | 4,16,128 | F.cross_entropy(a, b)
cross_entropy_shares | f32[N,100] f32[N,100] | 4,64,1024 | F.cross_entropy(a, b)
nll_loss | f32[N,100] i64[N]<100 | 4,64,1024 | F.nll_loss(a, b)
nll_loss_none | f32[N,100] i64[N]<100 | 4,64,1024 | F.nll_loss(a, b, reduction="none")
kl_div | f32[N] f32[N] | V | F.kl_div(a, torch.abs(b), reduction="sum")
smooth_l1_loss | f32[N] f32[N] | V | F.smooth_l1_loss(a, b)
huber_loss | f32[N] f32[N] | V | F.huber_loss(a, b)
l1_loss | f32[N] f32[N] | V | F.l1_loss(a, b)
bce_with_logits | f32[N] f32[N] | V | F.binary_cross_entropy_with_logits(a, torch.abs(b))
bce | f32[N] f32[N] | V | F.binary_cross_entropy(torch.sigmoid(a), torch.sigmoid(b))
poisson_nll_loss | f32[N] f32[N] | V | F.poisson_nll_loss(a, b)
gaussian_nll_loss | f32[N] f32[N] f32[N] | V | F.gaussian_nll_loss(a, b, torch.abs(c))
hinge_embedding_loss | f32[N] f32[N] | V | F.hinge_embedding_loss(a, torch.sign(b))
soft_margin_loss | f32[N] f32[N] | V | F.soft_margin_loss(a, torch.sign(b))
margin_ranking_loss | f32[N] f32[N] f32[N] | V | F.margin_ranking_loss(a, b, torch.sign(c))
triplet_margin_loss | f32[N,64] f32[N,64] f32[N,64] | 4,64,1024 | F.triplet_margin_loss(a, b, c)
cosine_embedding_loss | f32[N,64] f32[N,64] f32[N] | 4,64,1024 | \
F.cosine_embedding_loss(a, b, torch.sign(c))
multi_margin_loss | f32[N,100] i64[N]<100 | 4,64,1024 | F.multi_margin_loss(a, b)
ctc_loss | f32[N,8,20] i64[8,4]<19 | 10,50,200 | \
F.ctc_loss(torch.log_softmax(a, 2), b + 1, torch.full([8], a.size(0), dtype=torch.int64), \
torch.full([8], 4, dtype=torch.int64))
""",
    "products": """
mm | f32[N,N] f32[N,N] | P | torch.mm(a, b)
mm_transposed | f32[N,N] f32[N,N] | P | torch.mm(a, b.t())
mm_f64 | f64[N,N] f64[N,N] | P | torch.mm(a, b)
mv | f32[N,N] f32[N] | M | torch.mv(a, b)
dot | f32[N] f32[N] | V | torch.dot(a, b)
outer | f32[N] f32[N] | M | torch.outer(a, b)
bmm | f32[16,N,N] f32[16,N,N] | 4,32,128 | torch.bmm(a, b)
bmm_transposed | f32[16,N,N] f32[16,N,N] | 4,32,128 | torch.bmm(a, b.transpose(1, 2))
addmm | f32[N] f32[N,N] f32[N,N] | P | torch.addmm(a, b, c)
linear | f32[64,N] f32[N,N] f32[N] | P | F.linear(a, b, c)
matmul | f32[4,N,32] f32[32,N] | P | torch.matmul(a, b)
attention | f32[2,4,N,32] f32[2,4,N,32] f32[2,4,N,32] | 4,64,256 | \
F.scaled_dot_product_attention(a, b, c)
cdist | f32[N,32] f32[N,32] | 4,64,512 | torch.cdist(a, b)
mm_bf16 | bf16[N,N] bf16[N,N] | P | torch.mm(a, b)
mm_f16 | f16[N,N] f16[N,N] | P | torch.mm(a, b)
mm_i64 | i64[N,N] i64[N,N] | 8,32,128 | torch.mm(a, b)
mm_thin | f32[N,4] f32[4,N] | 8,128,1024 | torch.mm(a, b)
mm_strided | f32[N,N] f32[N,N] | P | torch.mm(a[:, ::2], b[::2])
baddbmm | f32[16,N,N] f32[16,N,N] f32[16,N,N] | 4,32,128 | torch.baddbmm(a, b, c)
addmv | f32[N] f32[N,N] f32[N] | M | torch.addmv(a, b, c)
addr | f32[N,N] f32[N] f32[N] | M | torch.addr(a, b, c)
einsum | f32[8,N,32] f32[8,N,32] | 4,32,128 | torch.einsum("bik,bjk->bij", a, b)
einsum_three | f32[N,N] f32[N,N] f32[N,N] | 8,32,128 | torch.einsum("ij,jk,kl->il", a, b, c)
einsum_heads | f32[2,N,4,16] f32[2,N,4,16] | 4,32,128 | torch.einsum("bihd,bjhd->bhij", a, b)
tensordot | f32[8,N,16] f32[16,N,8] | 4,32,128 | torch.tensordot(a, b, [[1, 2], [1, 0]])
kron | f32[N,N] f32[4,4] | 4,32,128 | torch.kron(a, b)
bilinear | f32[N,32] f32[N,32] f32[16,32,32] | 4,64,256 | F.bilinear(a, b, c)
linear_rank3 | f32[4,N,64] f32[128,64] f32[128] | 4,32,256 | F.linear(a, b, c)
matmul_vector | f32[8,N,64] f32[64] | 4,64,512 | torch.matmul(a, b)
chain | f32[N,N] f32[N,N] f32[N,N] | 8,64,256 | torch.linalg.multi_dot([a, b, c])
attention_causal | f32[2,4,N,32] f32[2,4,N,32] f32[2,4,N,32] | 4,64,256 | \
F.scaled_dot_product_attention(a, b, c, is_causal=True)
cross | f32[N,3] f32[N,3] | V | torch.cross(a, b, 1)
cdist_1 | f32[N,32] f32[N,32] | 4,64,512 | torch.cdist(a, b, 1.0)
""",
    "convolutions": """
conv2d | f32[1,16,N,N] f32[16,16,3,3] f32[16] | C | F.conv2d(a, b, c, padding=1)
conv2d_batch | f32[8,16,N,N] f32[32,16,3,3] f32[32] | 8,28,56 | F.conv2d(a, b, c, padding=1)
conv2d_strided | f32[1,3,N,N] f32[32,3,7,7] f32[32] | C | F.conv2d(a, b, c, stride=2, padding=3)
conv2d_1x1 | f32[1,64,N,N] f32[64,64,1,1] f32[64] | 8,28,56 | F.conv2d(a, b, c)
depthwise | f32[1,32,N,N] f32[32,1,3,3] f32[32] | C | F.conv2d(a, b, c, padding=1, groups=32)
grouped | f32[1,32,N,N] f32[32,8,3,3] f32[32] | C | F.conv2d(a, b, c, padding=1, groups=4)
conv1d | f32[4,16,N] f32[32,16,5] f32[32] | 32,512,4096 | F.conv1d(a, b, c, padding=2)
conv_transpose2d | f32[1,16,N,N] f32[16,8,2,2] f32[8] | C | F.conv_transpose2d(a, b, c, stride=2)
max_pool2d | f32[1,16,N,N] | C | F.max_pool2d(a, 2)
avg_pool2d | f32[1,16,N,N] | C | F.avg_pool2d(a, 2)
adaptive_avg_pool2d | f32[1,64,N,N] | C | F.adaptive_avg_pool2d(a, [1, 1])
interpolate | f32[1,16,N,N] | 8,28,56 | F.interpolate(a, scale_factor=2.0, mode="nearest")
conv3d | f32[1,4,N,N,N] f32[8,4,3,3,3] f32[8] | 4,8,24 | F.conv3d(a, b, c, padding=1)
conv2d_dilated | f32[1,16,N,N] f32[16,16,3,3] f32[16] | C | F.conv2d(a, b, c, padding=2, dilation=2)
conv2d_f64 | f64[1,16,N,N] f64[16,16,3,3] f64[16] | 8,28,56 | F.conv2d(a, b, c, padding=1)
conv1d_strided | f32[4,16,N] f32[32,16,5] f32[32] | 32,512,4096 | F.conv1d(a, b, c, stride=2)
conv1d_depthwise | f32[4,32,N] f32[32,1,5] f32[32] | 32,512,4096 | \
F.conv1d(a, b, c, padding=2, groups=32)
conv_transpose1d | f32[4,16,N] f32[16,8,4] f32[8] | 32,512,4096 | \
F.conv_transpose1d(a, b, c, stride=2)
conv_transpose2d_3x3 | f32[1,16,N,N] f32[16,16,3,3] f32[16] | 8,28,56 | \
F.conv_transpose2d(a, b, c, stride=2, padding=1)
conv_transpose2d_groups | f32[1,16,N,N] f32[16,4,2,2] f32[8] | 8,28,56 | \
F.conv_transpose2d(a, b, c, stride=2, groups=2)
conv_transpose3d | f32[1,4,N,N,N] f32[4,4,2,2,2] f32[4] | 4,8,16 | \
F.conv_transpose3d(a, b, c, stride=2)
max_pool1d | f32[4,16,N] | 32,512,4096 | F.max_pool1d(a, 2)
max_pool2d_3x3 | f32[1,16,N,N] | C | F.max_pool2d(a, 3, 2, 1)
max_pool2d_indices | f32[1,16,N,N] | C | F.max_pool2d_with_indices(a, [2, 2])[1]
max_pool3d | f32[1,4,N,N,N] | 4,8,32 | F.max_pool3d(a, 2)
avg_pool1d | f32[4,16,N] | 32,512,4096 | F.avg_pool1d(a, 2)
avg_pool2d_3x3 | f32[1,16,N,N] | C | F.avg_pool2d(a, 3, 2, 1)
avg_pool3d | f32[1,4,N,N,N] | 4,8,32 | F.avg_pool3d(a, 2)
adaptive_avg_pool1d | f32[4,16,N] | 32,512,4096 | F.adaptive_avg_pool1d(a, 7)
adaptive_avg_pool2d_7 | f32[1,64,N,N] | C | F.adaptive_avg_pool2d(a, [7, 7])
adaptive_avg_pool3d | f32[1,4,N,N,N] | 4,8,32 | F.adaptive_avg_pool3d(a, [2, 2, 2])
adaptive_max_pool2d | f32[1,16,N,N] | C | F.adaptive_max_pool2d(a, [3, 3])
lp_pool2d | f32[1,16,N,N] | C | F.lp_pool2d(a, 2.0, 2)
unfold | f32[1,16,N,N] | 8,28,56 | F.unfold(a, [3, 3], padding=1)
fold | f32[1,144,N] | 64,784,3136 | F.fold(a[:, :, 0:64], [8, 8], [3, 3], padding=1)
upsample_nearest1d | f32[4,16,N] | 32,512,4096 | F.interpolate(a, scale_factor=2.0)
upsample_bilinear | f32[1,16,N,N] | 8,28,56 | \
F.interpolate(a, scale_factor=2.0, mode="bilinear", align_corners=False)
upsample_bilinear_corners | f32[1,16,N,N] | 8,28,56 | \
F.interpolate(a, scale_factor=2.0, mode="bilinear", align_corners=True)
upsample_bicubic | f32[1,16,N,N] | 8,28,56 | \
F.interpolate(a, scale_factor=2.0, mode="bicubic", align_corners=False)
upsample_linear | f32[4,16,N] | 32,512,4096 | \
F.interpolate(a, scale_factor=2.0, mode="linear", align_corners=False)
upsample_trilinear | f32[1,4,N,N,N] | 4,8,16 | \
F.interpolate(a, scale_factor=2.0, mode="trilinear", align_corners=False)
upsample_nearest3d | f32[1,4,N,N,N] | 4,8,16 | F.interpolate(a, scale_factor=2.0, mode="nearest")
upsample_area | f32[1,16,N,N] | 8,28,56 | F.interpolate(a, size=[4, 4], mode="area")
upsample_antialias | f32[1,16,N,N] | 8,28,56 | \
F.interpolate(a, size=[6, 6], mode="bilinear", align_corners=False, antialias=True)
grid_sample | f32[1,16,N,N] f32[1,N,N,2] | 8,28,56 | F.grid_sample(a, b, align_corners=False)
grid_sample_nearest | f32[1,16,N,N] f32[1,N,N,2] | 8,28,56 | \
F.grid_sample(a, b, mode="nearest", align_corners=False)
grid_sample_border | f32[1,16,N,N] f32[1,N,N,2] | 8,28,56 | \
F.grid_sample(a, b, padding_mode="border", align_corners=True)
grid_sample_reflection | f32[1,16,N,N] f32[1,N,N,2] | 8,28,56 | \
F.grid_sample(a, b, padding_mode="reflection", align_corners=False)
grid_sample_bicubic | f32[1,16,N,N] f32[1,N,N,2] | 8,28,56 | torch.grid_sampler(a, b, 2, 0, False)
grid_sample_3d | f32[1,4,N,N,N] f32[1,N,N,N,3] | 4,8,16 | F.grid_sample(a, b, align_corners=False)
affine_grid | f32[2,2,3] f32[N] | 8,28,56 | \
F.affine_grid(a, [2, 3, b.size(0), b.size(0)], align_corners=False)
pixel_shuffle | f32[1,16,N,N] | C | F.pixel_shuffle(a, 2)
pixel_unshuffle | f32[1,4,N,N] | C | F.pixel_unshuffle(a, 2)
channel_shuffle | f32[1,16,N,N] | C | torch.channel_shuffle(a, 4)
pad_reflect | f32[1,16,N,N] | C | F.pad(a, [1, 1, 1, 1], mode="reflect")
pad_replicate | f32[1,16,N,N] | C | F.pad(a, [1, 1, 1, 1], mode="replicate")
pad_circular | f32[1,16,N,N] | C | F.pad(a, [1, 1, 1, 1], mode="circular")
pad_images | f32[1,16,N,N] | C | F.pad(a, [1, 1, 1, 1])
""",
    "indexing": """
index_select | f32[N,64] i64[N]<N | 16,512,8192 | torch.index_select(a, 0, b)
index_select_1 | f32[64,N] i64[N]<N | 16,512,8192 | torch.index_select(a, 1, b)
index | f32[N,64] i64[N]<N | 16,512,8192 | a[b]
gather | f32[N,64] i64[N,64]<64 | 16,512,8192 | torch.gather(a, 1, b)
scatter_add | f32[N,64] i64[N,64]<64 f32[N,64] | 16,512,8192 | torch.scatter_add(a, 1, b, c)
index_add | f32[N,64] i64[N]<N f32[N,64] | 16,512,8192 | torch.index_add(a, 0, b, c)
index_put | f32[N,64] i64[N]<N f32[N,64] | 16,512,8192 | torch.index_put(a, [b], c)
index_put_accumulate | f32[N,64] i64[N]<N f32[N,64] | 16,512,8192 | torch.index_put(a, [b], c, True)
embedding | f32[1000,64] i64[N]<1000 | 16,512,8192 | F.embedding(b, a)
embedding_bag | f32[1000,64] i64[N,8]<1000 | 4,64,1024 | F.embedding_bag(b, a)
masked_select | f32[N] bool[N] | V | torch.masked_select(a, b)
nonzero | bool[N] | V | torch.nonzero(a)
roll | f32[N,N] | M | torch.roll(a, [3], [1])
flip | f32[N,N] | M | torch.flip(a, [1])
cat | f32[N,N] f32[N,N] | M | torch.cat([a, b], 1)
stack | f32[N,N] f32[N,N] | M | torch.stack([a, b])
contiguous | f32[N,N] | M | a.t().contiguous()
pad | f32[N,N] | M | F.pad(a, [1, 1, 1, 1])
repeat | f32[N,64] | 4,64,1024 | a.repeat([2, 2])
tril | f32[N,N] | M | torch.tril(a)
topk | f32[64,N] | 16,256,4096 | torch.topk(a, 5)[0]
sort | f32[64,N] | 16,256,4096 | torch.sort(a)[0]
unique | i64[N]<1000 | 16,4096,262144 | torch.unique(a)
mode | i64[64,N]<100 | 16,256,1024 | torch.mode(a)[0]
searchsorted | i64[N]<1000 | 16,4096,262144 | torch.searchsorted(torch.arange(1000), a)
bincount | i64[N]<1000 | 16,4096,262144 | torch.bincount(a)
scatter | f32[N,64] i64[N,64]<64 f32[N,64] | 16,512,8192 | torch.scatter(a, 1, b, c)
scatter_rows | f32[N,64] i64[N,64]<N f32[N,64] | 16,512,8192 | torch.scatter(a, 0, b, c)
scatter_number | f32[N,64] i64[N,1]<64 | 16,512,8192 | torch.scatter(a, 1, b, 1.0)
scatter_amax | f32[N,64] i64[N,64]<64 f32[N,64] | 16,512,8192 | \
torch.scatter_reduce(a, 1, b, c, "amax")
scatter_mean | f32[N,64] i64[N,64]<64 f32[N,64] | 16,512,8192 | \
torch.scatter_reduce(a, 1, b, c, "mean")
scatter_prod | f32[N,64] i64[N,64]<N f32[N,64] | 16,512,8192 | \
torch.scatter_reduce(a, 0, b, c, "prod", include_self=False)
scatter_sum | f32[N,64] i64[N,64]<64 f32[N,64] | 16,512,8192 | \
torch.scatter_reduce(a, 1, b, c, "sum")
index_amax | f32[N,64] i64[N]<N f32[N,64] | 16,512,8192 | torch.index_reduce(a, 0, b, c, "amax")
gather_rows | f32[N,64] i64[N,64]<N | 16,512,8192 | torch.gather(a, 0, b)
index_copy | f32[N,64] i64[N]<N f32[N,64] | 16,512,8192 | torch.index_copy(a, 0, b, c)
index_fill | f32[N,64] i64[N]<N | 16,512,8192 | torch.index_fill(a, 0, b, 1.0)
index_two | f32[N,64] i64[N]<N i64[N]<64 | 16,512,8192 | a[b, c]
index_column | f32[64,N] i64[N]<N | 16,512,8192 | a[:, b]
index_mask | f32[N,64] bool[N] | 16,512,8192 | a[b]
index_mask_full | f32[N,N] bool[N,N] | M | a[b]
index_put_mask | f32[N,N] bool[N,N] f32[1] | M | torch.index_put(a, [b], c)
take | f32[N,64] i64[N]<64 | 16,512,8192 | torch.take(a, b)
take_along_dim | f32[N,64] i64[N,64]<64 | 16,512,8192 | torch.take_along_dim(a, b, 1)
masked_scatter | f32[N] bool[N] f32[N] | V | torch.masked_scatter(a, b, c)
nonzero_2d | f32[N,N] | M | torch.nonzero(a)
argwhere | bool[N,N] | M | torch.argwhere(a)
one_hot | i64[N]<50 | 16,512,8192 | F.one_hot(a, 50)
repeat_interleave | f32[N,64] | 16,512,8192 | torch.repeat_interleave(a, 2, 0)
repeat_interleave_counts | f32[N,16] i64[N]<4 | 16,512,8192 | torch.repeat_interleave(a, b, 0)
expand_copy | f32[N,1] | M | a.expand([a.size(0), a.size(0)]).contiguous()
tile | f32[N,64] | 4,64,1024 | torch.tile(a, [3])
triu | f32[N,N] | M | torch.triu(a)
diag | f32[N] | M | torch.diag(a)
diagonal_copy | f32[N,N] | M | torch.diagonal(a).contiguous()
diag_embed | f32[N,N] | 4,32,128 | torch.diag_embed(a)
trace | f32[N,N] | M | torch.trace(a)
eye | f32[N] | M | torch.eye(a.size(0))
flip_rows | f32[N,N] | M | torch.flip(a, [0])
flip_both | f32[N,N] | M | torch.flip(a, [0, 1])
rot90 | f32[N,N] | M | torch.rot90(a, 1, [0, 1])
roll_rows | f32[N,N] | M | torch.roll(a, [3], [0])
roll_flat | f32[N] | V | torch.roll(a, 3)
cat_rows | f32[N,N] f32[N,N] | M | torch.cat([a, b], 0)
cat_middle | f32[8,N,16] f32[8,N,16] | 4,64,1024 | torch.cat([a, b], 1)
cat_many | f32[N,16] | 4,64,1024 | torch.cat([a, a, a, a, a, a, a, a], 1)
stack_last | f32[N,N] f32[N,N] | M | torch.stack([a, b], -1)
split_add | f32[N,N] | M | torch.cat(torch.chunk(a, 2, 1), 0)
permute_copy | f32[8,N,16,4] | 4,64,512 | a.permute([2, 0, 3, 1]).contiguous()
permute_nhwc | f32[2,16,N,N] | 8,28,112 | a.permute([0, 2, 3, 1]).contiguous()
transpose_f64 | f64[N,N] | M | a.t().contiguous()
transpose_f16 | f16[N,N] | M | a.t().contiguous()
transpose_u8 | u8[N,N] | M | a.t().contiguous()
transpose_middle | f32[8,N,4,16] | 4,64,512 | a.transpose(1, 2).contiguous()
strided_slice | f32[N,N] | M | a[::2, ::2].contiguous()
unfold_view | f32[N] | V | a.unfold(0, 4, 2).contiguous()
meshgrid | f32[N] f32[N] | M | torch.stack(torch.meshgrid([a, b], indexing="ij"))
topk_large | f32[64,N] | 16,256,4096 | torch.topk(a, 16)[1]
topk_least | f32[64,N] | 16,256,4096 | torch.topk(a, 5, largest=False)[0]
topk_columns | f32[N,64] | 16,256,4096 | torch.topk(a, 5, 0)[0]
sort_columns | f32[N,64] | 16,256,4096 | torch.sort(a, 0)[0]
sort_descending | f32[64,N] | 16,256,4096 | torch.sort(a, descending=True)[1]
sort_i64 | i64[64,N]<100 | 16,256,4096 | torch.sort(a)[0]
sort_long | f32[N] | V | torch.sort(a)[0]
argsort | f32[64,N] | 16,256,4096 | torch.argsort(a)
msort | f32[N,64] | 16,256,1024 | torch.msort(a)
unique_inverse | i64[N]<1000 | 16,4096,262144 | torch.unique(a, return_inverse=True)[1]
unique_f32 | f32[N] | 16,4096,262144 | torch.unique(a)
unique_consecutive | i64[N]<4 | 16,4096,262144 | torch.unique_consecutive(a)
mode_f32 | f32[64,N] | 16,64,256 | torch.mode(a)[0]
searchsorted_f32 | f32[N] | 16,4096,262144 | torch.searchsorted(torch.linspace(-3.0, 3.0, 1000), a)
bucketize | f32[N] f32[10] | 16,4096,262144 | torch.bucketize(a, torch.linspace(-1.0, 1.0, 10))
bincount_weights | i64[N]<1000 f32[N] | 16,4096,262144 | torch.bincount(a, b)
bincount_few | i64[N]<10 | 16,4096,262144 | torch.bincount(a)
histc | f32[N] | 16,4096,262144 | torch.histc(a, 50, -3.0, 3.0)
isin | i64[N]<1000 i64[32]<1000 | 16,4096,65536 | torch.isin(a, b)
embedding_bag_sum | f32[1000,64] i64[N,8]<1000 | 4,64,1024 | F.embedding_bag(b, a, mode="sum")
embedding_bag_max | f32[1000,64] i64[N,8]<1000 | 4,64,1024 | F.embedding_bag(b, a, mode="max")
diff | f32[N,N] | M | torch.diff(a)
trapezoid | f32[N,N] | M | torch.trapezoid(a)
combinations | f32[N] | 4,32,128 | torch.combinations(a)
tril_indices | f32[N] | 4,64,512 | torch.tril_indices(a.size(0), a.size(0))
cov | f32[N,N] | 4,64,256 | torch.cov(a)
corrcoef | f32[N,N] | 4,64,256 | torch.corrcoef(a)
segment_add | f32[N,64] i64[N]<16 | 16,512,8192 | torch.zeros([16, 64]).index_add(0, b, a)
renorm | f32[N,64] | 4,64,1024 | torch.renorm(a, 2.0, 0, 1.0)
""",
    "linear algebra": """
solve | f32[N,N] f32[N,8] | L | torch.linalg.solve(a, b)
inv | f32[N,N] | L | torch.linalg.inv(a)
det | f32[N,N] | L | torch.linalg.det(a)
slogdet_f64 | f64[N,N] | L | torch.linalg.slogdet(a)[1]
cholesky | f32[N,N] | L | torch.linalg.cholesky(a.mm(a.t()) + 10.0 * torch.eye(a.size(0)))
qr | f32[N,N] | L | torch.linalg.qr(a)[0]
eigh | f32[N,N] | L | torch.linalg.eigh(a)[1]
eigvalsh_f64 | f64[N,N] | L | torch.linalg.eigvalsh(a)
svd | f32[N,N] | L | torch.linalg.svd(a)[1]
svdvals | f32[N,N] | L | torch.linalg.svdvals(a)
pinv | f32[N,N] | L | torch.linalg.pinv(a)
solve_triangular | f32[N,N] f32[N,8] | L | torch.linalg.solve_triangular(a, b, upper=True)
matrix_norm | f32[N,N] | L | torch.linalg.matrix_norm(a)
cholesky_solve | f32[N,4] f32[N,N] | L | torch.cholesky_solve(a, torch.tril(b))
lu_factor | f32[N,N] | L | torch.linalg.lu_factor(a)[0]
lstsq | f32[N,N] f32[N,4] | L | torch.linalg.lstsq(a, b)[0]
eigvals | f32[N,N] | L | torch.linalg.norm(a, 2.0)
matrix_power | f32[N,N] | L | torch.linalg.matrix_power(a, 3)
matrix_exp | f32[N,N] | L | torch.matrix_exp(a * 0.1)
inv_batch | f32[16,N,N] | 4,16,64 | torch.linalg.inv(a)
solve_batch | f32[16,N,N] f32[16,N,4] | 4,16,64 | torch.linalg.solve(a, b)
det_batch | f32[16,N,N] | 4,16,64 | torch.linalg.det(a)
cholesky_batch | f32[16,N,N] | 4,16,64 | \
torch.linalg.cholesky(a.matmul(a.transpose(1, 2)) + 10.0 * torch.eye(a.size(1)))
matrix_rank | f32[N,N] | L | torch.linalg.matrix_rank(a)
solve_of_many | f32[N,N] f32[N,8] | 200,300,400 | torch.linalg.solve(a, b)
inv_of_many | f32[N,N] | 200,300,400 | torch.linalg.inv(a)
det_of_many | f64[N,N] | 200,300,400 | torch.linalg.det(a)
slogdet_of_many | f32[N,N] | 200,300,400 | torch.linalg.slogdet(a)[1]
logdet_of_many | f64[N,N] | 200,300,400 | \
torch.logdet(a.mm(a.t()) + torch.eye(a.size(0), dtype=torch.float64))
lu_factor_of_many | f32[N,N] | 200,300,400 | torch.linalg.lu_factor(a)[0]
solve_of_small | f32[N,N] f32[N,8] | 48,128,200 | torch.linalg.solve(a * 0.001, b)
solve_triangular_of_many | f32[N,N] f32[N,8] | 200,300,400 | \
torch.linalg.solve_triangular(a + 30.0 * torch.eye(a.size(0)), b, upper=True)
""",
}
