extern "C" __global__ void __launch_bounds__(32) across_0(const float* b0, const float* b1, float* b2) {
  __shared__ float b3[72];
  const i64 v22 = blockIdx.x;
  const i64 v19 = threadIdx.x;
  const i64 v24 = threadIdx.y;
  for (i64 v23 = 0; v23 < 2ll; ++v23) {
    const i64 e0 = wrap_mul(v22, 8ll);
    const i64 e1 = wrap_add(e0, v19);
    const i64 v16 = e1;
    const i64 e2 = wrap_mul(v23, 4ll);
    const i64 e3 = wrap_add(e2, v24);
    const i64 v17 = e3;
    const bool e4 = v16 < 9ll;
    const bool e5 = v17 < 7ll;
    const bool e6 = e4 && e5;
    if (e6) {
      const float e7 = b1[v17 * 9ll + v16];
      const i64 e8 = wrap_mul(v23, 4ll);
      const i64 e9 = wrap_add(e8, v24);
      b3[e9 * 9ll + v19] = e7;
    }
  }
  __syncthreads();
  for (i64 v23 = 0; v23 < 2ll; ++v23) {
    const i64 e10 = wrap_mul(v22, 8ll);
    const i64 e11 = wrap_mul(v23, 4ll);
    const i64 e12 = wrap_add(e11, v24);
    const i64 e13 = wrap_add(e10, e12);
    const i64 v16 = e13;
    const i64 v17 = v19;
    const bool e14 = v16 < 9ll;
    const bool e15 = v17 < 7ll;
    const bool e16 = e14 && e15;
    if (e16) {
      const float e17 = b0[v16 * 7ll + v17];
      const i64 e18 = wrap_mul(v23, 4ll);
      const i64 e19 = wrap_add(e18, v24);
      const float e20 = b3[v19 * 9ll + e19];
      const float e21 = e17 - e20;
      b2[v16 * 7ll + v17] = e21;
    }
  }
}
