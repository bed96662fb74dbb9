extern "C" __global__ void __launch_bounds__(32) loops_joined_0(const u16* b0, const float* b1, float* b2, float* b3, i64* b4, float* b5, float* b6) {
  const int v14 = blockIdx.x;
  const int v15 = threadIdx.x;
  const int e0 = v14 * 32;
  const int e1 = e0 + v15;
  const int v16 = e1;
  const bool e2 = v16 < 150;
  if (e2) {
    const int e3 = v16 / 50;
    const int v0 = e3;
    const int e4 = v16 % 50;
    const int v1 = e4;
    const float e5 = from_half(b0[v0 * 50 + v1]);
    b5[v0 * 54 + v1] = e5;
  }
}
extern "C" __global__ void __launch_bounds__(32) loops_joined_1(const u16* b0, const float* b1, float* b2, float* b3, i64* b4, float* b5, float* b6) {
  const int v17 = blockIdx.x;
  const int v18 = threadIdx.x;
  const int e0 = v17 * 32;
  const int e1 = e0 + v18;
  const int v19 = e1;
  const bool e2 = v19 < 12;
  if (e2) {
    const int e3 = v19 / 4;
    const int v12 = e3;
    const int e4 = v19 % 4;
    const int v2 = e4;
    const float e5 = b1[v12 + v2 * 3];
    const float e6 = -e5;
    const int e7 = v2 + 50;
    b5[v12 * 54 + e7] = e6;
  }
}
extern "C" __global__ void __launch_bounds__(32) loops_joined_2(const u16* b0, const float* b1, float* b2, float* b3, i64* b4, float* b5, float* b6) {
  const int v20 = blockIdx.x;
  const int v21 = threadIdx.x;
  const int e0 = v20 * 32;
  const int e1 = e0 + v21;
  const int v22 = e1;
  const bool e2 = v22 < 162;
  if (e2) {
    const int e3 = v22 / 54;
    const int v13 = e3;
    const int e4 = v22 % 54;
    const int v3 = e4;
    const float e5 = b5[v13 * 54 + v3];
    const float e6 = e5 * e5;
    b2[v13 * 54 + v3] = e6;
  }
}
extern "C" __global__ void __launch_bounds__(1) loops_joined_3(const u16* b0, const float* b1, float* b2, float* b3, i64* b4, float* b5, float* b6) {
  const int v26 = blockIdx.x;
  const int v27 = threadIdx.x;
  float v4 = (0x0p+0f);
  for (int v5 = 0; v5 < 3; ++v5) {
    for (int v6 = 0; v6 < 54; ++v6) {
      const float e0 = b2[v5 * 54 + v6];
      const float e1 = v4 + e0;
      v4 = e1;
    }
  }
  b3[0] = v4;
}
extern "C" __global__ void __launch_bounds__(32) loops_joined_4(const u16* b0, const float* b1, float* b2, float* b3, i64* b4, float* b5, float* b6) {
  const int v23 = blockIdx.x;
  const int v24 = threadIdx.x;
  const int e0 = v23 * 32;
  const int e1 = e0 + v24;
  const int v25 = e1;
  const bool e2 = v25 < 3;
  if (e2) {
    const int v7 = v25;
    float v8 = f32_bits(0xff800000u);
    for (int v9 = 0; v9 < 54; ++v9) {
      const bool e3 = v8 != v8;
      const float e4 = b2[v7 * 54 + v9];
      const bool e5 = e4 != e4;
      const bool e6 = v8 < e4;
      const float e7 = e6 ? e4 : v8;
      const float e8 = e5 ? e4 : e7;
      const float e9 = e3 ? v8 : e8;
      v8 = e9;
    }
    b6[v7] = v8;
    i64 v10 = 9223372036854775807ll;
    for (int v11 = 0; v11 < 54; ++v11) {
      const bool e10 = v10 != v10;
      const float e11 = b2[v7 * 54 + v11];
      const float e12 = b6[v7];
      const bool e13 = e11 == e12;
      const bool e14 = e11 != e11;
      const bool e15 = e12 != e12;
      const bool e16 = e14 && e15;
      const bool e17 = e13 || e16;
      const i64 e18 = e17 ? v11 : 9223372036854775807ll;
      const bool e19 = e18 != e18;
      const bool e20 = e18 < v10;
      const i64 e21 = e20 ? e18 : v10;
      const i64 e22 = e19 ? e18 : e21;
      const i64 e23 = e10 ? v10 : e22;
      v10 = e23;
    }
    const bool e24 = v10 == 9223372036854775807ll;
    const i64 e25 = e24 ? 0 : v10;
    b4[v7] = e25;
  }
}
