extern "C" __global__ void __launch_bounds__(32) loops_scan_0(const float* b0, float* b1, float* b2) {
  const int v6 = blockIdx.x;
  const int v7 = threadIdx.x;
  const int e0 = v6 * 32;
  const int e1 = e0 + v7;
  const int v8 = e1;
  const bool e2 = v8 < 6;
  if (e2) {
    const int v0 = v8;
    double v1 = (-0x0p+0);
    for (int v2 = 0; v2 < 20; ++v2) {
      const float e3 = b0[v0 * 20 + v2];
      const float e4 = -e3;
      const double e5 = (double)e4;
      const double e6 = v1 + e5;
      v1 = e6;
      const float e7 = (float)v1;
      b2[v0 * 20 + v2] = e7;
    }
  }
}
extern "C" __global__ void __launch_bounds__(32) loops_scan_1(const float* b0, float* b1, float* b2) {
  const int v9 = blockIdx.x;
  const int v10 = threadIdx.x;
  const int e0 = v9 * 32;
  const int e1 = e0 + v10;
  const int v11 = e1;
  const bool e2 = v11 < 20;
  if (e2) {
    const int v3 = v11;
    double v4 = (-0x0p+0);
    for (int v5 = 0; v5 < 6; ++v5) {
      const float e3 = b2[v5 * 20 + v3];
      const double e4 = (double)e3;
      const double e5 = v4 + e4;
      v4 = e5;
      const float e6 = (float)v4;
      b1[v5 * 20 + v3] = e6;
    }
  }
}
