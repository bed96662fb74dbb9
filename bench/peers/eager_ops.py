"""The ops that bench/peers/eager.py measures: a line each.

    name | inputs, as a benchmark program states them | three sizes N, or a letter of SIZES | what is returned

The parameters are called a, b, c, d in order. What is returned may be a few statements, the last one the result.
Inputs that must lie near each other are made by the program itself (a matrix that is positive definite), on both sides
alike.
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
batch_norm | f32[8,16,N,N] f32[16] f32[16] | 4,16,64 | F.batch_norm(a, b, torch.abs(c), training=False)
cross_entropy | f32[N,100] i64[N]<100 | 4,64,1024 | F.cross_entropy(a, b)
mse_loss | f32[N] f32[N] | V | F.mse_loss(a, b)
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
attention | f32[2,4,N,32] f32[2,4,N,32] f32[2,4,N,32] | 4,64,256 | F.scaled_dot_product_attention(a, b, c)
cdist | f32[N,32] f32[N,32] | 4,64,512 | torch.cdist(a, b)
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
""",
}
