extern "C" __global__ void __launch_bounds__(32) across_0(const float* b0, const float* b1, float* b2) {
  __shared__ float b3[72];
  const int v22 = blockIdx.x;
  const int v19 = threadIdx.x;
  const int v24 = threadIdx.y;
  for (int v23 = 0; v23 < 2; ++v23) {
    const int e0 = v22 * 8;
    const int e1 = e0 + v19;
    const int v16 = e1;
    const int e2 = v23 * 4;
    const int e3 = e2 + v24;
    const int v17 = e3;
    const bool e4 = v16 < 9;
    const bool e5 = v17 < 7;
    const bool e6 = e4 && e5;
    if (e6) {
      const float e7 = b1[v17 * 9 + v16];
      const int e8 = v23 * 4;
      const int e9 = e8 + v24;
      b3[e9 * 9 + v19] = e7;
    }
  }
  __syncthreads();
  for (int v23 = 0; v23 < 2; ++v23) {
    const int e10 = v22 * 8;
    const int e11 = v23 * 4;
    const int e12 = e11 + v24;
    const int e13 = e10 + e12;
    const int v16 = e13;
    const int v17 = v19;
    const bool e14 = v16 < 9;
    const bool e15 = v17 < 7;
    const bool e16 = e14 && e15;
    if (e16) {
      const float e17 = b0[v16 * 7 + v17];
      const int e18 = v23 * 4;
      const int e19 = e18 + v24;
      const float e20 = b3[v19 * 9 + e19];
      const float e21 = e17 - e20;
      b2[v16 * 7 + v17] = e21;
    }
  }
}
