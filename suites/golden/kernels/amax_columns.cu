extern "C" __global__ void __launch_bounds__(64) amax_columns_0(const float* b0, float* b1, float* b2) {
  __shared__ float b3[64];
  const int v19 = blockIdx.x;
  const int v20 = threadIdx.x;
  const int v22 = threadIdx.y;
  const int v18 = v20;
  float v16 = f32_bits(0xff800000u);
  for (int v21 = 0; v21 < 2; ++v21) {
    const int e0 = v21 * 8;
    const int e1 = e0 + v22;
    const int v17 = e1;
    const bool e2 = v17 < 9;
    const bool e3 = v18 < 5;
    const bool e4 = e2 && e3;
    if (e4) {
      const float e5 = b0[v17 * 5 + v18];
      const float e6 = -e5;
      const float v23 = e6;
      b2[v17 * 5 + v18] = v23;
      const bool e7 = v16 != v16;
      const bool e8 = v23 != v23;
      const bool e9 = v16 < v23;
      const float e10 = e9 ? v23 : v16;
      const float e11 = e8 ? v23 : e10;
      const float e12 = e7 ? v16 : e11;
      v16 = e12;
    }
  }
  b3[v22 * 8 + v20] = v16;
  __syncthreads();
  const bool e13 = v22 < 4;
  if (e13) {
    const float e14 = b3[v22 * 8 + v20];
    const bool e15 = e14 != e14;
    const int e16 = v22 + 4;
    const float e17 = b3[e16 * 8 + v20];
    const bool e18 = e17 != e17;
    const bool e19 = e14 < e17;
    const float e20 = e19 ? e17 : e14;
    const float e21 = e18 ? e17 : e20;
    const float e22 = e15 ? e14 : e21;
    b3[v22 * 8 + v20] = e22;
  }
  __syncthreads();
  const bool e23 = v22 < 2;
  if (e23) {
    const float e24 = b3[v22 * 8 + v20];
    const bool e25 = e24 != e24;
    const int e26 = v22 + 2;
    const float e27 = b3[e26 * 8 + v20];
    const bool e28 = e27 != e27;
    const bool e29 = e24 < e27;
    const float e30 = e29 ? e27 : e24;
    const float e31 = e28 ? e27 : e30;
    const float e32 = e25 ? e24 : e31;
    b3[v22 * 8 + v20] = e32;
  }
  __syncthreads();
  const bool e33 = v22 < 1;
  if (e33) {
    const float e34 = b3[v22 * 8 + v20];
    const bool e35 = e34 != e34;
    const int e36 = v22 + 1;
    const float e37 = b3[e36 * 8 + v20];
    const bool e38 = e37 != e37;
    const bool e39 = e34 < e37;
    const float e40 = e39 ? e37 : e34;
    const float e41 = e38 ? e37 : e40;
    const float e42 = e35 ? e34 : e41;
    b3[v22 * 8 + v20] = e42;
  }
  __syncthreads();
  const float e43 = b3[v20];
  v16 = e43;
  const float v24 = v16;
  const bool e44 = v18 < 5;
  if (e44) {
    const bool e45 = v22 < 1;
    if (e45) {
      b1[v18] = v24;
    }
  }
}
