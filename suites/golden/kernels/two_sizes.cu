extern "C" __global__ void __launch_bounds__(32) two_sizes_0(const float* b0, const float* b1, float* b2, float* b3, float* b4) {
  const int v16 = blockIdx.x;
  const int v17 = threadIdx.x;
  for (int v18 = 0; v18 < 2; ++v18) {
    const int e0 = v18 * 32;
    const int e1 = v16 * 32;
    const int e2 = e1 + v17;
    const int e3 = e0 + e2;
    const int v19 = e3;
    const bool e4 = v19 < 40;
    if (e4) {
      const int v0 = v19;
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
  const int v20 = blockIdx.x;
  const int v21 = threadIdx.x;
  for (int v22 = 0; v22 < 2; ++v22) {
    const int e0 = v22 * 64;
    const int e1 = v20 * 32;
    const int e2 = e1 + v21;
    const int e3 = e0 + e2;
    const int v23 = e3;
    const bool e4 = v23 < 120;
    if (e4) {
      const int e5 = v23 / 40;
      const int v0 = e5;
      const int e6 = v23 % 40;
      const int v1 = e6;
      const float e7 = b0[v0 * 40 + v1];
      const float e8 = b4[v1];
      const float e9 = e7 * e8;
      const float e10 = b3[v1];
      const float e11 = e9 * e10;
      b2[v0 * 40 + v1] = e11;
    }
  }
}
