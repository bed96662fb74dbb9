extern "C" __global__ void __launch_bounds__(32) layer_norm_0(const float* b0, const float* b1, float* b2) {
  float b3[2];
  const i64 v22 = blockIdx.x;
  const i64 v25 = threadIdx.x;
  const i64 v23 = threadIdx.y;
  const i64 v21 = v23;
  float v16 = (0x0p+0f);
  for (i64 v24 = 0; v24 < 2ll; ++v24) {
    const bool e0 = v21 < 6ll;
    if (e0) {
      const i64 e1 = floor_div(v21, 3ll);
      const i64 v18 = e1;
      const i64 e2 = floor_mod(v21, 3ll);
      const i64 v19 = e2;
      const i64 e3 = wrap_mul(v24, 2ll);
      const i64 e4 = wrap_add(e3, v25);
      const i64 v20 = e4;
      const float e5 = b0[v18 * 12ll + v19 * 4ll + v20];
      const bool e6 = e5 < (0x0p+0f);
      const float e7 = e6 ? (0x0p+0f) : e5;
      const float v26 = e7;
      b3[v24] = v26;
      const float e8 = v16 + v26;
      v16 = e8;
    }
  }
  const i64 e9 = wrap_mul(v23, 2ll);
  const i64 e10 = wrap_add(e9, v25);
  const i64 e11 = floor_mod(e10, 32ll);
  const i64 e12 = e11 ^ 1ll;
  const float v27 = shuffle((float)v16, e12);
  const float e13 = v16 + v27;
  v16 = e13;
  const i64 e14 = wrap_mul(v23, 2ll);
  const i64 e15 = wrap_add(e14, v25);
  const i64 e16 = floor_mod(e15, 32ll);
  const i64 e17 = floor_mod(e16, 2ll);
  const i64 e18 = wrap_sub(e16, e17);
  const float v28 = shuffle((float)v16, e18);
  v16 = v28;
  const float e19 = v16 / (0x1p+2f);
  const float v29 = e19;
  float v17 = (0x0p+0f);
  for (i64 v24 = 0; v24 < 2ll; ++v24) {
    const bool e20 = v21 < 6ll;
    if (e20) {
      const i64 e21 = floor_div(v21, 3ll);
      const i64 v18 = e21;
      const i64 e22 = floor_mod(v21, 3ll);
      const i64 v19 = e22;
      const i64 e23 = wrap_mul(v24, 2ll);
      const i64 e24 = wrap_add(e23, v25);
      const i64 v20 = e24;
      const float e25 = b3[v24];
      const float e26 = e25 - v29;
      const float e27 = e26 * e26;
      const float e28 = v17 + e27;
      v17 = e28;
    }
  }
  const i64 e29 = wrap_mul(v23, 2ll);
  const i64 e30 = wrap_add(e29, v25);
  const i64 e31 = floor_mod(e30, 32ll);
  const i64 e32 = e31 ^ 1ll;
  const float v30 = shuffle((float)v17, e32);
  const float e33 = v17 + v30;
  v17 = e33;
  const i64 e34 = wrap_mul(v23, 2ll);
  const i64 e35 = wrap_add(e34, v25);
  const i64 e36 = floor_mod(e35, 32ll);
  const i64 e37 = floor_mod(e36, 2ll);
  const i64 e38 = wrap_sub(e36, e37);
  const float v31 = shuffle((float)v17, e38);
  v17 = v31;
  const float e39 = v17 / (0x1p+2f);
  const float v32 = e39;
  for (i64 v24 = 0; v24 < 2ll; ++v24) {
    const bool e40 = v21 < 6ll;
    if (e40) {
      const i64 e41 = floor_div(v21, 3ll);
      const i64 v18 = e41;
      const i64 e42 = floor_mod(v21, 3ll);
      const i64 v19 = e42;
      const i64 e43 = wrap_mul(v24, 2ll);
      const i64 e44 = wrap_add(e43, v25);
      const i64 v20 = e44;
      const float e45 = b3[v24];
      const float e46 = e45 - v29;
      const float e47 = v32 + (0x1.4f8b58p-17f);
      const float e48 = sqrtf(e47);
      const float e49 = (0x1p+0f) / e48;
      const float e50 = e46 * e49;
      const float e51 = b1[v20];
      const float e52 = e50 * e51;
      const float e53 = e52 + (-0x0p+0f);
      b2[v18 * 12ll + v19 * 4ll + v20] = e53;
    }
  }
}
