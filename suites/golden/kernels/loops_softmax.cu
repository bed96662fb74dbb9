extern "C" __global__ void __launch_bounds__(32) loops_softmax_0(const float* b0, float* b1, float* b2, float* b3, float* b4, float* b5) {
  const int v9 = blockIdx.x;
  const int v10 = threadIdx.x;
  const int e0 = v9 * 32;
  const int e1 = e0 + v10;
  const int v11 = e1;
  const bool e2 = v11 < 120;
  if (e2) {
    const int e3 = v11 / 40;
    const int v0 = e3;
    const int e4 = v11 % 40;
    const int v1 = e4;
    const float e5 = b0[v0 * 40 + v1];
    const float e6 = e5 * e5;
    b2[v0 * 40 + v1] = e6;
  }
}
extern "C" __global__ void __launch_bounds__(32) loops_softmax_1(const float* b0, float* b1, float* b2, float* b3, float* b4, float* b5) {
  const int v12 = blockIdx.x;
  const int v13 = threadIdx.x;
  const int e0 = v12 * 32;
  const int e1 = e0 + v13;
  const int v14 = e1;
  const bool e2 = v14 < 3;
  if (e2) {
    const int v7 = v14;
    float v2 = f32_bits(0xff800000u);
    for (int v3 = 0; v3 < 40; ++v3) {
      const bool e3 = v2 != v2;
      const float e4 = b2[v7 * 40 + v3];
      const bool e5 = e4 != e4;
      const bool e6 = v2 < e4;
      const float e7 = e6 ? e4 : v2;
      const float e8 = e5 ? e4 : e7;
      const float e9 = e3 ? v2 : e8;
      v2 = e9;
    }
    b3[v7] = v2;
    float v4 = (0x0p+0f);
    for (int v5 = 0; v5 < 40; ++v5) {
      const float e10 = b2[v7 * 40 + v5];
      const float e11 = b3[v7];
      const float e12 = e10 - e11;
      const float e13 = expf(e12);
      b4[v7 * 40 + v5] = e13;
      const float e14 = b4[v7 * 40 + v5];
      const float e15 = v4 + e14;
      v4 = e15;
    }
    b5[v7] = v4;
  }
}
extern "C" __global__ void __launch_bounds__(32) loops_softmax_2(const float* b0, float* b1, float* b2, float* b3, float* b4, float* b5) {
  const int v15 = blockIdx.x;
  const int v16 = threadIdx.x;
  const int e0 = v15 * 32;
  const int e1 = e0 + v16;
  const int v17 = e1;
  const bool e2 = v17 < 120;
  if (e2) {
    const int e3 = v17 / 40;
    const int v8 = e3;
    const int e4 = v17 % 40;
    const int v6 = e4;
    const float e5 = b4[v8 * 40 + v6];
    const float e6 = b5[v8];
    const float e7 = e5 / e6;
    b1[v8 * 40 + v6] = e7;
  }
}
