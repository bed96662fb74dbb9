extern "C" __global__ void __launch_bounds__(32) loops_linear_0(const float* b0, const float* b1, const float* b2, float* b3, float* b4, float* b5) {
  const int v6 = blockIdx.x;
  const int v7 = threadIdx.x;
  const int e0 = v6 * 32;
  const int e1 = e0 + v7;
  const int v8 = e1;
  const int e2 = v8 / 20;
  const int v0 = e2;
  const int e3 = v8 % 20;
  const int v1 = e3;
  const float e4 = b1[v1 * 8 + v0];
  b4[v0 * 20 + v1] = e4;
}
extern "C" __global__ void __launch_bounds__(32) loops_linear_1(const float* b0, const float* b1, const float* b2, float* b3, float* b4, float* b5) {
  const int v9 = blockIdx.x;
  const int v10 = threadIdx.x;
  const int e0 = v9 * 32;
  const int e1 = e0 + v10;
  const int v11 = e1;
  const bool e2 = v11 < 240;
  if (e2) {
    const int e3 = v11 / 20;
    const int v2 = e3;
    const int e4 = v11 % 20;
    const int v3 = e4;
    float v4 = (0x0p+0f);
    for (int v5 = 0; v5 < 1; ++v5) {
      const float e5 = b0[v2 * 8];
      const float e6 = b4[v3];
      const float e7 = e5 * e6;
      const float e8 = b0[v2 * 8 + 1];
      const float e9 = b4[1 * 20 + v3];
      const float e10 = e8 * e9;
      const float e11 = e7 + e10;
      const float e12 = b0[v2 * 8 + 2];
      const float e13 = b4[2 * 20 + v3];
      const float e14 = e12 * e13;
      const float e15 = e11 + e14;
      const float e16 = b0[v2 * 8 + 3];
      const float e17 = b4[3 * 20 + v3];
      const float e18 = e16 * e17;
      const float e19 = e15 + e18;
      const float e20 = b0[v2 * 8 + 4];
      const float e21 = b4[4 * 20 + v3];
      const float e22 = e20 * e21;
      const float e23 = e19 + e22;
      const float e24 = b0[v2 * 8 + 5];
      const float e25 = b4[5 * 20 + v3];
      const float e26 = e24 * e25;
      const float e27 = e23 + e26;
      const float e28 = b0[v2 * 8 + 6];
      const float e29 = b4[6 * 20 + v3];
      const float e30 = e28 * e29;
      const float e31 = e27 + e30;
      const float e32 = b0[v2 * 8 + 7];
      const float e33 = b4[7 * 20 + v3];
      const float e34 = e32 * e33;
      const float e35 = e31 + e34;
      const float e36 = v4 + e35;
      v4 = e36;
    }
    const float e37 = b2[v3];
    const float e38 = e37 + v4;
    b5[v2 * 20 + v3] = e38;
    const float e39 = b5[v2 * 20 + v3];
    const bool e40 = e39 < (0x0p+0f);
    const float e41 = e40 ? (0x0p+0f) : e39;
    b3[v2 * 20 + v3] = e41;
  }
}
