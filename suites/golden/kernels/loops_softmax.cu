extern "C" __global__ void __launch_bounds__(32) loops_softmax_0(const float* b0, float* b1, float* b2, float* b3, float* b4, float* b5) {
  const int v12 = blockIdx.x;
  const int v13 = threadIdx.x;
  const int e0 = v12 * 32;
  const int e1 = e0 + v13;
  const int v14 = e1;
  const bool e2 = v14 < 120;
  if (e2) {
    const int e3 = v14 / 40;
    const int v0 = e3;
    const int e4 = v14 % 40;
    const int v1 = e4;
    const float e5 = b0[v0 * 40 + v1];
    const float e6 = e5 * e5;
    b2[v0 * 40 + v1] = e6;
  }
}
extern "C" __global__ void __launch_bounds__(32) loops_softmax_1(const float* b0, float* b1, float* b2, float* b3, float* b4, float* b5) {
  const int v15 = blockIdx.x;
  const int v16 = threadIdx.x;
  const int e0 = v15 * 32;
  const int e1 = e0 + v16;
  const int v17 = e1;
  const bool e2 = v17 < 3;
  if (e2) {
    const int v8 = v17;
    float v2 = f32_bits(0xff800000u);
    for (int v3 = 0; v3 < 40; ++v3) {
      const bool e3 = v2 != v2;
      const float e4 = b2[v8 * 40 + v3];
      const bool e5 = e4 != e4;
      const bool e6 = v2 < e4;
      const float e7 = e6 ? e4 : v2;
      const float e8 = e5 ? e4 : e7;
      const float e9 = e3 ? v2 : e8;
      v2 = e9;
    }
    b3[v8] = v2;
  }
}
extern "C" __global__ void __launch_bounds__(32) loops_softmax_2(const float* b0, float* b1, float* b2, float* b3, float* b4, float* b5) {
  const int v18 = blockIdx.x;
  const int v19 = threadIdx.x;
  const int e0 = v18 * 32;
  const int e1 = e0 + v19;
  const int v20 = e1;
  const bool e2 = v20 < 120;
  if (e2) {
    const int e3 = v20 / 40;
    const int v9 = e3;
    const int e4 = v20 % 40;
    const int v4 = e4;
    const float e5 = b2[v9 * 40 + v4];
    const float e6 = b3[v9];
    const float e7 = e5 - e6;
    const float e8 = expf(e7);
    b4[v9 * 40 + v4] = e8;
  }
}
extern "C" __global__ void __launch_bounds__(32) loops_softmax_3(const float* b0, float* b1, float* b2, float* b3, float* b4, float* b5) {
  const int v21 = blockIdx.x;
  const int v22 = threadIdx.x;
  const int e0 = v21 * 32;
  const int e1 = e0 + v22;
  const int v23 = e1;
  const bool e2 = v23 < 3;
  if (e2) {
    const int v10 = v23;
    float v5 = (0x0p+0f);
    for (int v6 = 0; v6 < 40; ++v6) {
      const float e3 = b4[v10 * 40 + v6];
      const float e4 = v5 + e3;
      v5 = e4;
    }
    b5[v10] = v5;
  }
}
extern "C" __global__ void __launch_bounds__(32) loops_softmax_4(const float* b0, float* b1, float* b2, float* b3, float* b4, float* b5) {
  const int v24 = blockIdx.x;
  const int v25 = threadIdx.x;
  const int e0 = v24 * 32;
  const int e1 = e0 + v25;
  const int v26 = e1;
  const bool e2 = v26 < 120;
  if (e2) {
    const int e3 = v26 / 40;
    const int v11 = e3;
    const int e4 = v26 % 40;
    const int v7 = e4;
    const float e5 = b4[v11 * 40 + v7];
    const float e6 = b5[v11];
    const float e7 = e5 / e6;
    b1[v11 * 40 + v7] = e7;
  }
}
