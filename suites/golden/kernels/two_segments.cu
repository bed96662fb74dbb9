extern "C" __global__ void __launch_bounds__(32) two_segments_0(const int* b0, i64* b1, i64* b2) {
  const int v20 = blockIdx.x;
  const int v23 = threadIdx.x;
  const int v21 = threadIdx.y;
  const int v18 = v21;
  i64 v16 = 0;
  for (int v22 = 0; v22 < 2; ++v22) {
    const int e0 = v22 * 4;
    const int e1 = e0 + v23;
    const int v19 = e1;
    const bool e2 = v18 < 3;
    const bool e3 = v19 < 5;
    const bool e4 = e2 && e3;
    if (e4) {
      const int e5 = (i64)b0[v18 * 5 + v19];
      const i64 e6 = wrap_add(v16, e5);
      v16 = e6;
    }
  }
  const int e7 = v21 * 4;
  const int e8 = e7 + v23;
  const int e9 = e8 % 32;
  const i64 e10 = e9 ^ 2;
  const i64 v24 = shuffle((i64)v16, e10);
  const i64 e11 = wrap_add(v16, v24);
  v16 = e11;
  const int e12 = v21 * 4;
  const int e13 = e12 + v23;
  const int e14 = e13 % 32;
  const i64 e15 = e14 ^ 1;
  const i64 v25 = shuffle((i64)v16, e15);
  const i64 e16 = wrap_add(v16, v25);
  v16 = e16;
  const int e17 = v21 * 4;
  const int e18 = e17 + v23;
  const int e19 = e18 % 32;
  const int e20 = e19 % 4;
  const int e21 = e19 - e20;
  const i64 v26 = shuffle((i64)v16, e21);
  v16 = v26;
  const i64 v27 = v16;
  const bool e22 = v18 < 3;
  if (e22) {
    const bool e23 = v23 < 1;
    if (e23) {
      b2[v18] = v27;
    }
  }
}
extern "C" __global__ void __launch_bounds__(32) two_segments_1(const int* b0, i64* b1, i64* b2) {
  const int v30 = blockIdx.x;
  const int v33 = threadIdx.x;
  const int v31 = threadIdx.y;
  const int v29 = v31;
  i64 v17 = 0;
  for (int v32 = 0; v32 < 2; ++v32) {
    const int e0 = v32 * 2;
    const int e1 = e0 + v33;
    const int v28 = e1;
    const bool e2 = v28 < 3;
    const bool e3 = v29 < 1;
    const bool e4 = e2 && e3;
    if (e4) {
      const i64 e5 = b2[v28];
      const i64 e6 = wrap_mul(e5, e5);
      const i64 e7 = wrap_add(v17, e6);
      v17 = e7;
    }
  }
  const int e8 = v31 * 2;
  const int e9 = e8 + v33;
  const int e10 = e9 % 32;
  const i64 e11 = e10 ^ 1;
  const i64 v34 = shuffle((i64)v17, e11);
  const i64 e12 = wrap_add(v17, v34);
  v17 = e12;
  const int e13 = v31 * 2;
  const int e14 = e13 + v33;
  const int e15 = e14 % 32;
  const int e16 = e15 % 2;
  const int e17 = e15 - e16;
  const i64 v35 = shuffle((i64)v17, e17);
  v17 = v35;
  const i64 v36 = v17;
  const bool e18 = v29 < 1;
  if (e18) {
    const bool e19 = v33 < 1;
    if (e19) {
      b1[0] = v36;
    }
  }
}
