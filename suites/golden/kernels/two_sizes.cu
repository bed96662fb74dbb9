extern "C" __global__ void __launch_bounds__(32) two_sizes_0(const float* b0, const float* b1, float* b2, float* b3, float* b4) {
  const i64 v16 = blockIdx.x;
  const i64 v17 = threadIdx.x;
  for (i64 v18 = 0; v18 < 2ll; ++v18) {
    const i64 e0 = wrap_mul(v18, 32ll);
    const i64 e1 = wrap_mul(v16, 32ll);
    const i64 e2 = wrap_add(e1, v17);
    const i64 e3 = wrap_add(e0, e2);
    const i64 v19 = e3;
    const bool e4 = v19 < 40ll;
    if (e4) {
      const i64 v0 = v19;
      const float e5 = b1[v0];
      const float e6 = e5 * e5;
      b4[v0] = e6;
      const float e7 = b4[v0];
      const float e8 = b1[v0];
      const float e9 = e7 - e8;
      b3[v0] = e9;
    }
  }
}
extern "C" __global__ void __launch_bounds__(32) two_sizes_1(const float* b0, const float* b1, float* b2, float* b3, float* b4) {
  const i64 v20 = blockIdx.x;
  const i64 v21 = threadIdx.x;
  for (i64 v22 = 0; v22 < 2ll; ++v22) {
    const i64 e0 = wrap_mul(v22, 64ll);
    const i64 e1 = wrap_mul(v20, 32ll);
    const i64 e2 = wrap_add(e1, v21);
    const i64 e3 = wrap_add(e0, e2);
    const i64 v23 = e3;
    const bool e4 = v23 < 120ll;
    if (e4) {
      const i64 e5 = floor_div(v23, 40ll);
      const i64 v0 = e5;
      const i64 e6 = floor_mod(v23, 40ll);
      const i64 v1 = e6;
      const float e7 = b0[v0 * 40ll + v1];
      const float e8 = b4[v1];
      const float e9 = e7 * e8;
      const float e10 = b3[v1];
      const float e11 = e9 * e10;
      b2[v0 * 40ll + v1] = e11;
    }
  }
}
