// Transforms of kernels: what each writes, that it gives the same bits on the checking back end and
// on machine code, and that it declines what would not.
#include "engine/fuse/transforms/edit.h"
#include "engine/fuse/transforms/transform.h"
#include "suites/unit/llvm_backend_kernels.h"

namespace fusillade::fuse {
namespace {

using namespace kernel;
using namespace kernel::built;

Kernel after(const Kernel& k, const std::string& steps) {
  Kernel out = own_names(k);
  for (const Step& s : parse_steps(steps)) out = apply_step(out, s);
  return out;
}

std::string refusal(const Kernel& k, const std::string& steps) {
  try {
    after(k, steps);
  } catch (const Error& e) {
    return e.what();
  }
  return "legal";
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Memory results(const Kernel& k, const std::string& back, const Memory& given) {
  Memory m;
  for (size_t i = 0; i < given.size(); ++i) m.push_back(given[i]);
  for (size_t i = given.size(); i < k.buffers.size(); ++i) m.emplace_back();
  launch(*backend(back).compile(k), k, m);
  Memory out;
  for (size_t i = 0; i < m.size(); ++i)
    if (k.buffers[i].role == BufferRole::Out) out.push_back(m[i]);
  return out;
}

// Returns what came out, for those who look at it.
Kernel expect_same_after(const Kernel& k, const std::string& steps, bool compiled = true) {
  const Kernel result = after(k, steps);
  const Memory given = memory_of(k, 3);
  const Memory wanted = results(k, "interp", given);
  EXPECT_EQ(results(result, "interp", given), wanted) << steps << "\n" << print(result);
  if (k.domain == Domain::Ring && compiled)
    EXPECT_EQ(results(result, "llvm", given), wanted) << steps << "\n" << print(result);
  return result;
}

std::string body_of(const Kernel& k) {
  const std::string text = print(k);
  const size_t last = text.rfind("strides=");
  return text.substr(text.find('\n', last) + 1);
}

// b1[v0] = b0[v0] + b0[v0]
Kernel doubling_kernel(int64_t n) {
  return elementwise(
      Domain::Ring, {DType::F32}, DType::F32, [](const Exprs& x) { return x[0] + x[0]; }, n);
}

// b1[v0, v1] = b0[v1, v0] + 1
Kernel transpose_kernel(int64_t rows, int64_t columns) {
  Kernel k = empty_kernel(Domain::Ring);
  const ExprPool::Scope scope(*k.pool);
  const int in = add_buffer(k, BufferRole::In, DType::F32, Dims{columns, rows});
  const int out = add_buffer(k, BufferRole::Out, DType::F32, Dims{rows, columns});
  const Expr x = Expr::load(in, DType::F32, {at(1), at(0)}) + Expr::imm_f(1, Model::F32);
  k.body.push_back(loop(0, rows, one(loop(1, columns, one(store_to(out, {at(0), at(1)}, x))))));
  return k;
}

// b1 is b0 + 1 in halves, b2 is b1 squared.
Kernel two_stages(int64_t n, int64_t shift = 0, Domain domain = Domain::Ring) {
  Kernel k = empty_kernel(domain);
  const ExprPool::Scope scope(*k.pool);
  const int in = add_buffer(k, BufferRole::In, DType::F32, Dims{n + shift});
  const int out = add_buffer(k, BufferRole::Out, DType::F32, Dims{n});
  const int temp = add_buffer(k, BufferRole::Temp, DType::F16, Dims{n + shift});
  const Expr x = Expr::load(in, DType::F32, {at(0)}) + Expr::imm_f(1, Model::F32);
  const Expr y = Expr::load(temp, DType::F16, {at(1) + Expr::imm_i(shift)});
  k.body.push_back(loop(0, n + shift, one(store_to(temp, {at(0)}, x)), LoopKind::Parallel));
  k.body.push_back(loop(1, n, one(store_to(out, {at(1)}, y * y)), LoopKind::Parallel));
  return k;
}

// b2[v0 + 1, v1] = b2[v0, v1 + 1] + 1: iteration (v0, v1) reads what (v0 - 1, v1 + 1) wrote.
Kernel skewed_kernel() {
  Kernel k = empty_kernel(Domain::Ring);
  const ExprPool::Scope scope(*k.pool);
  const int in = add_buffer(k, BufferRole::In, DType::F32, Dims{4, 5});
  const int out = add_buffer(k, BufferRole::Out, DType::F32, Dims{4, 5});
  const int temp = add_buffer(k, BufferRole::Temp, DType::F32, Dims{4, 5});
  const auto nest = [&](int v, int64_t rows, int64_t columns, Stmt s) {
    k.body.push_back(loop(v, rows, one(loop(v + 1, columns, one(std::move(s))))));
  };
  nest(0, 4, 5, store_to(temp, {at(0), at(1)}, Expr::load(in, DType::F32, {at(0), at(1)})));
  const Expr one_more = Expr::imm_i(1);
  nest(2, 3, 4,
       store_to(
           temp, {at(2) + one_more, at(3)},
           Expr::load(temp, DType::F32, {at(2), at(3) + one_more}) + Expr::imm_f(1, Model::F32)));
  nest(4, 4, 5, store_to(out, {at(4), at(5)}, Expr::load(temp, DType::F32, {at(4), at(5)})));
  return k;
}

Kernel sums(Domain domain, DType dtype, int64_t rows = 3, int64_t columns = 7) {
  return reduction(domain, dtype, rows, columns, 0, Dims{columns, 1}, &sum_of);
}

TEST(Transforms, NamesOfItsOwnForEachLoop) {
  Kernel k = two_stages(4);
  k.body[1].var = 0;
  {
    const ExprPool::Scope scope(*k.pool);
    replace(k.body[1].body, {{1, at(0)}});
  }
  const Kernel named = own_names(k);
  EXPECT_EQ(named.body[0].var, 0);
  EXPECT_EQ(named.body[1].var, 1);
  EXPECT_EQ(named.num_vars, 2);
  EXPECT_EQ(results(named, "interp", memory_of(k, 1)), results(k, "interp", memory_of(k, 1)));
}

TEST(Transforms, SplitWithTail) {
  const Kernel split = expect_same_after(doubling_kernel(20), "split(v0,8,tail)");
  EXPECT_EQ(body_of(split),
            "  parallel v1 in 2\n"
            "    for v2 in 8\n"
            "      e0 = mul.i64 v1 i64:8\n"
            "      e1 = add.i64 e0 v2\n"
            "      e2 = load.f32:f32 b0 e1\n"
            "      e3 = add.f32 e2 e2\n"
            "      b1[e1] = e3\n"
            "  parallel v3 in 4\n"
            "    e4 = add.i64 v3 i64:10\n"
            "    e5 = load.f32:f32 b0 e4\n"
            "    e6 = add.f32 e5 e5\n"
            "    b1[e4] = e6\n");
  EXPECT_EQ(after(doubling_kernel(20), "split(v0,5,tail)").body.size(), 1u);
}

TEST(Transforms, SplitWithMask) {
  const Kernel split = expect_same_after(doubling_kernel(20), "split(v0,8,mask)");
  EXPECT_EQ(body_of(split),
            "  parallel v1 in 3\n"
            "    for v2 in 8\n"
            "      e0 = mul.i64 v1 i64:8\n"
            "      e1 = add.i64 e0 v2\n"
            "      let v3 = e1\n"
            "      e2 = lt.bool v3 i64:14\n"
            "      if e2\n"
            "        e3 = load.f32:f32 b0 v3\n"
            "        e4 = add.f32 e3 e3\n"
            "        b1[v3] = e4\n");
  EXPECT_EQ(body_of(after(doubling_kernel(20), "split(v0,4,mask)")),
            body_of(after(doubling_kernel(20), "split(v0,4,tail)")));
  EXPECT_TRUE(says(refusal(doubling_kernel(20), "split(v0,20,mask)"), "2 to 19 iterations"));
  EXPECT_TRUE(says(refusal(doubling_kernel(20), "split(v0,1,tail)"), "2 to 19 iterations"));
}

TEST(Transforms, UnrollWholeAndInParts) {
  EXPECT_EQ(expect_same_after(doubling_kernel(5), "unroll(v0)").body.size(), 5u);
  const Kernel unrolled = expect_same_after(doubling_kernel(11), "unroll(v0,4)");
  ASSERT_EQ(unrolled.body.size(), 4u);
  EXPECT_EQ(unrolled.body[0].extent, 2);
  EXPECT_EQ(unrolled.body[0].body.size(), 4u);
  EXPECT_TRUE(says(refusal(doubling_kernel(1000), "unroll(v0)"), "more than 256 statements"));
  expect_same_after(sums(Domain::Real, DType::F32), "unroll(v2,3)");
}

TEST(Transforms, ReorderWhereStoresAreDistinct) {
  const Kernel reordered = expect_same_after(transpose_kernel(3, 5), "reorder(v0,v1)");
  EXPECT_EQ(reordered.body[0].extent, 5);
  EXPECT_EQ(reordered.body[0].body[0].extent, 3);
}

TEST(Transforms, ReorderLeavesDependences) {
  EXPECT_TRUE(says(refusal(skewed_kernel(), "reorder(v2,v3)"), "differs in both loops"));
  expect_same_after(skewed_kernel(), "reorder(v0,v1);reorder(v4,v5)");
  EXPECT_TRUE(says(refusal(skewed_kernel(), "tile(v2,v3,2,2)"), "differs in both loops"));
  EXPECT_TRUE(says(refusal(two_stages(4), "reorder(v0,v1)"), "does not stand alone"));
}

// b1[v0] is a sum over v2 and v3.
Kernel sums_of_two(Domain domain, DType dtype) {
  Kernel k = empty_kernel(domain);
  const ExprPool::Scope scope(*k.pool);
  const int in = add_buffer(k, BufferRole::In, dtype, Dims{3, 4, 5});
  const int out = add_buffer(k, BufferRole::Out, dtype, Dims{3});
  const Model model = compute_of(dtype);
  const Expr acc = Expr::var(1, model);
  Body body;
  body.push_back(
      set(Stmt::Kind::Declare, 1, model == Model::I64 ? Expr::imm_i(0) : Expr::imm_f(0, model)));
  Stmt update = set(Stmt::Kind::Update, 1, acc + Expr::load(in, dtype, {at(0), at(2), at(3)}));
  body.push_back(loop(2, 4, one(loop(3, 5, one(std::move(update))))));
  body.push_back(store_to(out, {at(0)}, acc));
  k.body.push_back(loop(0, 3, std::move(body), LoopKind::Parallel));
  return k;
}

TEST(Transforms, ReductionsChangeTheirOrderWhereThatIsExact) {
  for (const char* steps : {"reorder(v2,v3)", "tile(v2,v3,3,2)", "rfactor(v2)", "rfactor(v3)"}) {
    EXPECT_TRUE(says(refusal(sums_of_two(Domain::Real, DType::F32), steps), "exact")) << steps;
    expect_same_after(sums_of_two(Domain::Real, DType::I64), steps);
    expect_same_after(sums_of_two(Domain::Ring, DType::F32), steps);
  }
}

TEST(Transforms, FoldsByTwoOperationsKeepTheirOrder) {
  Kernel k = sums_of_two(Domain::Real, DType::I64);
  {
    const ExprPool::Scope scope(*k.pool);
    const Expr twice = Expr::var(1, Model::I64) * (at(2) + Expr::imm_i(2));
    k.body[0].body[1].body[0].body.push_back(set(Stmt::Kind::Update, 1, twice));
  }
  expect_same_after(k, "unroll(v2)");
  for (const char* steps : {"reorder(v2,v3)", "tile(v2,v3,3,2)"})
    EXPECT_TRUE(says(refusal(k, steps), "exact")) << steps;
  EXPECT_TRUE(says(refusal(k, "rfactor(v3)"), "two operations"));
}

TEST(Transforms, TileWithAndWithoutMasks) {
  expect_same_after(transpose_kernel(6, 10), "tile(v0,v1,3,5)");
  const Kernel tiled = expect_same_after(transpose_kernel(7, 10), "tile(v0,v1,3,4)");
  EXPECT_TRUE(says(body_of(tiled), "if "));
  EXPECT_FALSE(says(body_of(after(transpose_kernel(6, 10), "tile(v0,v1,3,5)")), "if "));
}

TEST(Transforms, FlattenAndSplitAgain) {
  const Kernel flat = expect_same_after(transpose_kernel(4, 5), "flatten(v0,v1)");
  EXPECT_EQ(flat.body[0].extent, 20);
  // Quotient and remainder by 5 together identify the iteration.
  expect_same_after(transpose_kernel(4, 5), "flatten(v0,v1);parallel(v2)");
  const Kernel back =
      expect_same_after(transpose_kernel(4, 5), "flatten(v0,v1);split(v2,5,tail);simplify()");
  EXPECT_FALSE(says(body_of(back), "floor"));
}

// (v3/5)*5 + v3%5 is another element in each iteration, which the test on indices does not see.
TEST(Transforms, FlattenIsSerialWhereStoresAreNotProvenDisjoint) {
  const Kernel flat = expect_same_after(doubling_kernel(20), "split(v0,5,tail);flatten(v1,v2)");
  EXPECT_EQ(flat.body[0].extent, 20);
  EXPECT_EQ(flat.body[0].loop, LoopKind::Serial);
  EXPECT_EQ(after(transpose_kernel(4, 5), "parallel(v0);flatten(v0,v1)").body[0].loop,
            LoopKind::Parallel);
}

TEST(Transforms, FuseAndDistribute) {
  const Kernel fused = expect_same_after(two_stages(6), "merge_loops(v0,v1)");
  EXPECT_EQ(fused.body.size(), 1u);
  EXPECT_EQ(expect_same_after(fused, "distribute(v0,1)").body.size(), 2u);
  EXPECT_TRUE(says(refusal(two_stages(6, 1), "merge_loops(v0,v1)"), "extents differ"));
  Kernel shifted = two_stages(6, 1);
  shifted.body[0].extent = 6;  // what is read one further is not computed yet, nor is it ever
  EXPECT_TRUE(
      says(refusal(shifted, "merge_loops(v0,v1)"), "another iteration of the other writes"));
  EXPECT_TRUE(says(refusal(sums(Domain::Ring, DType::F32), "distribute(v0,1)"), "reads v"));
}

TEST(Transforms, InlineRoundsAsTheStoreDoes) {
  const Kernel inlined = expect_same_after(two_stages(6), "inline(b2)");
  EXPECT_FALSE(says(body_of(inlined), " b2 "));
  EXPECT_TRUE(says(body_of(inlined), "round"));
  expect_same_after(two_stages(6, 2, Domain::Real), "inline(b2);dead_stores()");
  EXPECT_EQ(after(two_stages(6), "inline(b2);dead_stores()").body.size(), 1u);
  EXPECT_TRUE(says(refusal(two_stages(6), "inline(b1)"), "no temporary"));
}

// b2 is b0, b3 is b2 + 1, b1 is b3: two temporaries in a row, of one size.
Kernel three_stages() {
  Kernel k = empty_kernel(Domain::Ring);
  const ExprPool::Scope scope(*k.pool);
  const int in = add_buffer(k, BufferRole::In, DType::F32, Dims{6});
  const int out = add_buffer(k, BufferRole::Out, DType::F32, Dims{6});
  const int chain[] = {in, add_buffer(k, BufferRole::Temp, DType::F32, Dims{6}),
                       add_buffer(k, BufferRole::Temp, DType::F32, Dims{6}),
                       add_buffer(k, BufferRole::Temp, DType::F32, Dims{6}), out};
  for (int i = 0; i < 4; ++i) {
    const Expr x = Expr::load(chain[i], DType::F32, {at(i)}) + Expr::imm_f(1, Model::F32);
    k.body.push_back(loop(i, 6, one(store_to(chain[i + 1], {at(i)}, x))));
  }
  return k;
}

TEST(Transforms, ReuseWhereTheFirstHasEnded) {
  const Kernel reused = expect_same_after(three_stages(), "reuse(b2,b4)");
  EXPECT_FALSE(says(body_of(reused), "b4["));
  EXPECT_TRUE(says(refusal(three_stages(), "reuse(b2,b3)"), "is used after"));
  // b3 is computed from b2, which now is written again before b3 is read.
  EXPECT_TRUE(says(refusal(three_stages(), "reuse(b2,b4);inline(b3)"), "written twice"));
  expect_same_after(three_stages(), "inline(b2);reuse(b2,b4)");
}

TEST(Transforms, ComputeAt) {
  for (int shift : {0, 2}) {
    const Kernel computed_at = expect_same_after(two_stages(6, shift), "compute_at(b2,v1)");
    ASSERT_EQ(computed_at.body.size(), 1u);
    EXPECT_EQ(computed_at.body[0].body.size(), 2u);
  }
  EXPECT_TRUE(says(refusal(three_stages(), "compute_at(b2,v2)"), "outside of the loop"));
  // The input of b2 must be as it was: here it is b0, whose memory is written in between.
  Kernel aliased = two_stages(6);
  aliased.may_alias.push_back({0, 1});
  EXPECT_TRUE(says(refusal(aliased, "compute_at(b2,v1)"), "written in between"));
}

TEST(Transforms, Cache) {
  const Kernel cached = expect_same_after(transpose_kernel(3, 5), "cache(b0,v1)");
  EXPECT_EQ(cached.buffers[2].sizes, Dims({5}));
  EXPECT_EQ(expect_same_after(transpose_kernel(3, 5), "cache(b0,v0)").buffers[2].sizes,
            Dims({3, 5}));
  // Of a parallel loop each iteration has a copy.
  EXPECT_EQ(expect_same_after(transpose_kernel(3, 5), "parallel(v0);cache(b0,v1)").buffers[2].sizes,
            Dims({3, 5}));
  EXPECT_TRUE(says(refusal(skewed_kernel(), "cache(b2,v2)"), "may write it"));
  EXPECT_TRUE(says(refusal(transpose_kernel(3, 5), "cache(b1,v0)"), "does not read it"));
  EXPECT_TRUE(
      says(refusal(transpose_kernel(3, 5), "split(v1,3,mask);cache(b0,v2)"), "under a condition"));
}

TEST(Transforms, RfactorHasAnAccumulatorForEachIteration) {
  const Kernel factored =
      expect_same_after(sums(Domain::Ring, DType::F32), "split(v2,3,tail);rfactor(v3)");
  EXPECT_EQ(factored.buffers.back().sizes, Dims({3, 2}));
  expect_same_after(reduction(Domain::Real, DType::I32, 3, 7, 1, Dims{7, 1}, &product_of),
                    "split(v2,3,mask);rfactor(v3)");
  EXPECT_TRUE(says(
      refusal(reduction(Domain::Ring, DType::F32, 3, 7, 0, Dims{7, 1}, &larger), "rfactor(v2)"),
      "no exact fold"));
}

TEST(Transforms, ParallelAndVector) {
  const Kernel vectorized = expect_same_after(transpose_kernel(3, 5), "parallel(v0);vectorize(v1)");
  EXPECT_EQ(vectorized.body[0].loop, LoopKind::Parallel);
  EXPECT_EQ(vectorized.body[0].body[0].loop, LoopKind::Vector);
  EXPECT_TRUE(says(print(vectorized), "vector v1 in 5"));
  EXPECT_TRUE(says(refusal(transpose_kernel(3, 5), "parallel(v0);parallel(v1)"), "nested"));
  EXPECT_TRUE(says(refusal(transpose_kernel(3, 5), "vectorize(v0)"), "holds a loop"));
  expect_same_after(skewed_kernel(), "vectorize(v3)");  // what it reads is of another row
  EXPECT_TRUE(says(refusal(skewed_kernel(), "parallel(v2)"), "another writes"));
  EXPECT_TRUE(says(refusal(sums(Domain::Ring, DType::F32), "vectorize(v2)"), "another writes"));
}

TEST(Transforms, LanesThatAreACallAreQuietlyNone) {
  const Kernel k = elementwise(
      Domain::Real, {DType::F64}, DType::F64, [](const Exprs& x) { return pow(x[0], x[0]); }, 8);
  testing::internal::CaptureStderr();
  results(after(k, "split(v0,4,tail);vectorize(v2)"), "llvm", memory_of(k, 3));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Transforms, SimplifyKnowsRanges) {
  const Kernel simplified =
      expect_same_after(doubling_kernel(20), "split(v0,8,mask);unroll(v1);simplify()");
  const std::string text = body_of(simplified);  // of the last eight only four are there
  EXPECT_TRUE(says(text, "if ") && text.find("if ") == text.rfind("if ")) << text;
  const Kernel whole = expect_same_after(transpose_kernel(1, 6), "split(v1,3,tail);simplify()");
  EXPECT_FALSE(says(body_of(whole), "v0"));
  EXPECT_TRUE(says(refusal(doubling_kernel(20), "simplify()"), "nothing to simplify"));
}

// b1[v0, v1] = b0[(v0*9 + v1)/9, v1], where the quotient is v0: in tiles a let that only the
// condition around it keeps below 7.
TEST(Transforms, SimplifyLeavesLetsToTheirConditions) {
  Kernel k = empty_kernel(Domain::Ring);
  {
    const ExprPool::Scope scope(*k.pool);
    const int in = add_buffer(k, BufferRole::In, DType::F32, Dims{7, 9});
    const int out = add_buffer(k, BufferRole::Out, DType::F32, Dims{7, 9});
    const Expr row = floor_div(at(0) * Expr::imm_i(9) + at(1), Expr::imm_i(9));
    Stmt s = store_to(out, {at(0), at(1)}, Expr::load(in, DType::F32, {row, at(1)}));
    k.body.push_back(loop(0, 7, one(loop(1, 9, one(std::move(s))))));
  }
  EXPECT_FALSE(says(body_of(expect_same_after(k, "simplify()")), "floor"));
  expect_same_after(k, "tile(v0,v1,2,3)");
  const Kernel tiled = expect_same_after(k, "tile(v0,v1,2,3);split(v5,2,tail);simplify()");
  EXPECT_TRUE(says(body_of(tiled), "floor"));
}

TEST(Transforms, DeadStoresTakeTheirLoopsAlong) {
  EXPECT_TRUE(says(refusal(two_stages(6), "dead_stores()"), "nothing is dead"));
  const Kernel remaining = expect_same_after(three_stages(), "inline(b2);dead_stores()");
  EXPECT_EQ(remaining.body.size(), 3u);
}

TEST(Transforms, GridsAreLeftAlone) {
  Kernel k = doubling_kernel(4);
  k.body[0].loop = LoopKind::Thread;
  Body threads = std::move(k.body);
  k.body = one(loop(1, 2, std::move(threads), LoopKind::Block));
  for (const Transform* t : Table<Transform>::instance().by_name())
    EXPECT_TRUE(sites(*t, own_names(k)).empty()) << t->name;
  EXPECT_TRUE(says(refusal(k, "split(v0,2,tail)"), "grid"));
}

TEST(Transforms, BadTextSaysWhatIsLegal) {
  const Kernel k = transpose_kernel(3, 5);
  EXPECT_TRUE(says(refusal(k, "splitt(v0,8,tail)"), "the transforms are: cache, compute_at"));
  EXPECT_TRUE(says(refusal(k, "splitt(v0,8,tail)"), "split"));
  EXPECT_TRUE(says(refusal(k, "split(v0,8)"), "split(loop, factor, tail|mask)"));
  EXPECT_TRUE(says(refusal(k, "split(b0,8,tail)"), "'b0' is not the variable of a loop"));
  EXPECT_TRUE(says(refusal(k, "split(v0,two,tail)"), "'two' is not a whole number"));
  EXPECT_TRUE(says(refusal(k, "split(v0,2,head)"), "they are: tail, mask"));
  EXPECT_TRUE(says(refusal(k, "split(v9,2,tail)"), "there is no loop over v9; legal is: split(v0"));
  EXPECT_TRUE(says(refusal(k, "cache(b7,v0)"), "there is no b7"));
  EXPECT_TRUE(says(refusal(k, "unroll v0"), "is no transform"));
  EXPECT_TRUE(says(refusal(k, " ; "), "names no transform"));
  EXPECT_EQ(to_string(parse_steps(" unroll( v1 ) ; split(v0, 2,mask);")),
            "unroll(v1);split(v0,2,mask)");
}

// Every transform has a site somewhere here, and every site is as legal as it says.
TEST(Transforms, EverySiteGivesTheSameBits) {
  const Kernel kernels[] = {transpose_kernel(4, 6),
                            two_stages(7, 2),
                            three_stages(),
                            skewed_kernel(),
                            sums(Domain::Ring, DType::F32),
                            doubling_kernel(9),
                            sums_of_two(Domain::Ring, DType::F64)};
  for (const Transform* t : Table<Transform>::instance().by_name()) {
    if (t->name.starts_with("test_")) continue;  // of other tests, wrong on purpose
    size_t found = 0;
    for (const Kernel& k : kernels) {
      const Kernel named = own_names(k);
      for (const char* before :
           {"", "inline(b2)", "split(v0,3,tail)", "flatten(v0,v1)", "merge_loops(v0,v1)"}) {
        if (*before && !is_legal(named, parse_steps(before)[0])) continue;
        const Kernel start = *before ? after(named, before) : named;
        for (const Arguments& a : sites(*t, start)) {
          ++found;
          const std::string first = *before ? std::string(before) + ";" : "";
          expect_same_after(k, first + to_string(Step{t, a}), found % 50 == 0);
        }
      }
    }
    EXPECT_GT(found, 0u) << t->name;
  }
}

}  // namespace
}  // namespace fusillade::fuse
