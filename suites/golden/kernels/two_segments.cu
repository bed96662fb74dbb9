extern "C" __global__ void __launch_bounds__(32) two_segments_0(const int* b0, i64* b1, i64* b2) {
  const i64 v20 = blockIdx.x;
  const i64 v23 = threadIdx.x;
  const i64 v21 = threadIdx.y;
  const i64 v18 = v21;
  i64 v16 = 0ll;
  for (i64 v22 = 0; v22 < 2ll; ++v22) {
    const i64 e0 = wrap_mul(v22, 4ll);
    const i64 e1 = wrap_add(e0, v23);
    const i64 v19 = e1;
    const bool e2 = v18 < 3ll;
    const bool e3 = v19 < 5ll;
    const bool e4 = e2 && e3;
    if (e4) {
      const i64 e5 = (i64)b0[v18 * 5ll + v19];
      const i64 e6 = wrap_add(v16, e5);
      v16 = e6;
    }
  }
  const i64 e7 = wrap_mul(v21, 4ll);
  const i64 e8 = wrap_add(e7, v23);
  const i64 e9 = floor_mod(e8, 32ll);
  const i64 e10 = e9 ^ 2ll;
  const i64 v24 = shuffle((i64)v16, e10);
  const i64 e11 = wrap_add(v16, v24);
  v16 = e11;
  const i64 e12 = wrap_mul(v21, 4ll);
  const i64 e13 = wrap_add(e12, v23);
  const i64 e14 = floor_mod(e13, 32ll);
  const i64 e15 = e14 ^ 1ll;
  const i64 v25 = shuffle((i64)v16, e15);
  const i64 e16 = wrap_add(v16, v25);
  v16 = e16;
  const i64 e17 = wrap_mul(v21, 4ll);
  const i64 e18 = wrap_add(e17, v23);
  const i64 e19 = floor_mod(e18, 32ll);
  const i64 e20 = floor_mod(e19, 4ll);
  const i64 e21 = wrap_sub(e19, e20);
  const i64 v26 = shuffle((i64)v16, e21);
  v16 = v26;
  const i64 v27 = v16;
  const bool e22 = v18 < 3ll;
  if (e22) {
    const bool e23 = v23 < 1ll;
    if (e23) {
      b2[v18] = v27;
    }
  }
}
extern "C" __global__ void __launch_bounds__(32) two_segments_1(const int* b0, i64* b1, i64* b2) {
  const i64 v30 = blockIdx.x;
  const i64 v33 = threadIdx.x;
  const i64 v31 = threadIdx.y;
  const i64 v29 = v31;
  i64 v17 = 0ll;
  for (i64 v32 = 0; v32 < 2ll; ++v32) {
    const i64 e0 = wrap_mul(v32, 2ll);
    const i64 e1 = wrap_add(e0, v33);
    const i64 v28 = e1;
    const bool e2 = v28 < 3ll;
    const bool e3 = v29 < 1ll;
    const bool e4 = e2 && e3;
    if (e4) {
      const i64 e5 = b2[v28];
      const i64 e6 = wrap_mul(e5, e5);
      const i64 e7 = wrap_add(v17, e6);
      v17 = e7;
    }
  }
  const i64 e8 = wrap_mul(v31, 2ll);
  const i64 e9 = wrap_add(e8, v33);
  const i64 e10 = floor_mod(e9, 32ll);
  const i64 e11 = e10 ^ 1ll;
  const i64 v34 = shuffle((i64)v17, e11);
  const i64 e12 = wrap_add(v17, v34);
  v17 = e12;
  const i64 e13 = wrap_mul(v31, 2ll);
  const i64 e14 = wrap_add(e13, v33);
  const i64 e15 = floor_mod(e14, 32ll);
  const i64 e16 = floor_mod(e15, 2ll);
  const i64 e17 = wrap_sub(e15, e16);
  const i64 v35 = shuffle((i64)v17, e17);
  v17 = v35;
  const i64 v36 = v17;
  const bool e18 = v29 < 1ll;
  if (e18) {
    const bool e19 = v33 < 1ll;
    if (e19) {
      b1[0] = v36;
    }
  }
}
