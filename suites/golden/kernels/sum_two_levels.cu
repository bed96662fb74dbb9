extern "C" __global__ void __launch_bounds__(128) sum_two_levels_0(const u16* b0, u16* b1, u16* b2) {
  u16 b3[2];
  __shared__ float b4[4];
  const int v19 = blockIdx.x;
  const int v22 = threadIdx.x;
  const int v20 = threadIdx.y;
  const int v17 = v20;
  float v16 = (0x0p+0f);
  for (int v21 = 0; v21 < 2; ++v21) {
    const int e0 = v21 * 64;
    const int e1 = e0 + v22;
    const int v18 = e1;
    const bool e2 = v18 < 100;
    if (e2) {
      const float e3 = from_half(b0[v17 * 100 + v18]);
      const float v23 = e3;
      b3[v21] = to_half(v23);
      const float e4 = v16 + v23;
      v16 = e4;
    }
  }
  const int e5 = v20 * 64;
  const int e6 = e5 + v22;
  const int e7 = e6 % 32;
  const i64 e8 = e7 ^ 16;
  const float v24 = shuffle((float)v16, e8);
  const float e9 = v16 + v24;
  v16 = e9;
  const int e10 = v20 * 64;
  const int e11 = e10 + v22;
  const int e12 = e11 % 32;
  const i64 e13 = e12 ^ 8;
  const float v25 = shuffle((float)v16, e13);
  const float e14 = v16 + v25;
  v16 = e14;
  const int e15 = v20 * 64;
  const int e16 = e15 + v22;
  const int e17 = e16 % 32;
  const i64 e18 = e17 ^ 4;
  const float v26 = shuffle((float)v16, e18);
  const float e19 = v16 + v26;
  v16 = e19;
  const int e20 = v20 * 64;
  const int e21 = e20 + v22;
  const int e22 = e21 % 32;
  const i64 e23 = e22 ^ 2;
  const float v27 = shuffle((float)v16, e23);
  const float e24 = v16 + v27;
  v16 = e24;
  const int e25 = v20 * 64;
  const int e26 = e25 + v22;
  const int e27 = e26 % 32;
  const i64 e28 = e27 ^ 1;
  const float v28 = shuffle((float)v16, e28);
  const float e29 = v16 + v28;
  v16 = e29;
  const int e30 = v22 % 32;
  const int v29 = e30;
  const bool e31 = v29 < 1;
  if (e31) {
    const int e32 = v22 / 32;
    b4[v20 * 2 + e32] = v16;
  }
  __syncthreads();
  const float e33 = b4[v20 * 2];
  v16 = e33;
  const float e34 = b4[v20 * 2 + 1];
  const float e35 = v16 + e34;
  v16 = e35;
  const float e36 = from_half(to_half(v16));
  const float v30 = e36;
  const bool e37 = v22 < 1;
  if (e37) {
    b2[v17] = to_half(v30);
  }
  for (int v21 = 0; v21 < 2; ++v21) {
    const int e38 = v21 * 64;
    const int e39 = e38 + v22;
    const int v18 = e39;
    const bool e40 = v18 < 100;
    if (e40) {
      const float e41 = from_half(b3[v21]);
      const float e42 = e41 - v30;
      const float e43 = from_half(to_half(e42));
      b1[v17 * 100 + v18] = to_half(e43);
    }
  }
}
