extern "C" __global__ void __launch_bounds__(32) layer_norm_0(const float* b0, const float* b1, float* b2) {
  float b3[2];
  const int v22 = blockIdx.x;
  const int v25 = threadIdx.x;
  const int v23 = threadIdx.y;
  const int v21 = v23;
  float v16 = (0x0p+0f);
  for (int v24 = 0; v24 < 2; ++v24) {
    const bool e0 = v21 < 6;
    if (e0) {
      const int e1 = v21 / 3;
      const int v18 = e1;
      const int e2 = v21 % 3;
      const int v19 = e2;
      const int e3 = v24 * 2;
      const int e4 = e3 + v25;
      const int v20 = e4;
      const float e5 = b0[v18 * 12 + v19 * 4 + v20];
      const bool e6 = e5 < (0x0p+0f);
      const float e7 = e6 ? (0x0p+0f) : e5;
      const float v26 = e7;
      b3[v24] = v26;
      const float e8 = v16 + v26;
      v16 = e8;
    }
  }
  const int e9 = v23 * 2;
  const int e10 = e9 + v25;
  const int e11 = e10 % 32;
  const i64 e12 = e11 ^ 1;
  const float v27 = shuffle((float)v16, e12);
  const float e13 = v16 + v27;
  v16 = e13;
  const int e14 = v23 * 2;
  const int e15 = e14 + v25;
  const int e16 = e15 % 32;
  const int e17 = e16 % 2;
  const int e18 = e16 - e17;
  const float v28 = shuffle((float)v16, e18);
  v16 = v28;
  const float e19 = v16 / (0x1p+2f);
  const float v29 = e19;
  float v17 = (0x0p+0f);
  for (int v24 = 0; v24 < 2; ++v24) {
    const bool e20 = v21 < 6;
    if (e20) {
      const int e21 = v21 / 3;
      const int v18 = e21;
      const int e22 = v21 % 3;
      const int v19 = e22;
      const int e23 = v24 * 2;
      const int e24 = e23 + v25;
      const int v20 = e24;
      const float e25 = b3[v24];
      const float e26 = e25 - v29;
      const float e27 = e26 * e26;
      const float e28 = v17 + e27;
      v17 = e28;
    }
  }
  const int e29 = v23 * 2;
  const int e30 = e29 + v25;
  const int e31 = e30 % 32;
  const i64 e32 = e31 ^ 1;
  const float v30 = shuffle((float)v17, e32);
  const float e33 = v17 + v30;
  v17 = e33;
  const int e34 = v23 * 2;
  const int e35 = e34 + v25;
  const int e36 = e35 % 32;
  const int e37 = e36 % 2;
  const int e38 = e36 - e37;
  const float v31 = shuffle((float)v17, e38);
  v17 = v31;
  const float e39 = v17 / (0x1p+2f);
  const float v32 = e39;
  for (int v24 = 0; v24 < 2; ++v24) {
    const bool e40 = v21 < 6;
    if (e40) {
      const int e41 = v21 / 3;
      const int v18 = e41;
      const int e42 = v21 % 3;
      const int v19 = e42;
      const int e43 = v24 * 2;
      const int e44 = e43 + v25;
      const int v20 = e44;
      const float e45 = b3[v24];
      const float e46 = e45 - v29;
      const float e47 = v32 + (0x1.4f8b58p-17f);
      const float e48 = sqrtf(e47);
      const float e49 = (0x1p+0f) / e48;
      const float e50 = e46 * e49;
      const float e51 = b1[v20];
      const float e52 = e50 * e51;
      const float e53 = e52 + (-0x0p+0f);
      b2[v18 * 12 + v19 * 4 + v20] = e53;
    }
  }
}
