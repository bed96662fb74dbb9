// Grids that count elements, as loops over axes: what is written, that drawn ones keep their bits,
// and which stay.
#include "engine/kernel/flat_walk.h"

#include "engine/ir/graph.h"
#include "engine/run/plan.h"
#include "engine/tensor/domain.h"
#include "suites/unit/grid_kernels.h"

namespace fusillade::kernel {
namespace {

using namespace built;

// How a drawn grid counts its elements.
struct Count {
  int64_t blocks, threads, iterations;
  bool side_by_side;  // the iterations of one block, not the blocks of one iteration

  Expr element() const {
    const Expr block = at(0), thread = at(1), iteration = at(3);
    if (iterations == 1) return block * whole(threads) + thread;
    if (side_by_side)
      return block * whole(threads * iterations) + (iteration * whole(threads) + thread);
    return iteration * whole(blocks * threads) + (block * whole(threads) + thread);
  }
  Stmt grid_of(Body work) const {
    if (iterations > 1) work = several(loop(3, iterations, std::move(work)));
    return grid(blocks, threads, std::move(work));
  }
};

Count count_of(int64_t elements, int64_t threads, int64_t iterations, bool side_by_side) {
  const int64_t each = threads * iterations;
  return {(elements + each - 1) / each, threads, iterations, side_by_side};
}

// The indices of an element, innermost last: by lets that divide once, or by quotients of
// quotients.
std::vector<Expr> indices_of(const Dims& sizes, Expr element, bool nested) {
  std::vector<Expr> out;
  int64_t inner = numel_of(sizes);
  for (int d = 0; d < sizes.rank(); ++d) {
    inner /= sizes[d];
    Expr quotient = element;
    if (nested)
      for (int later = sizes.rank() - 1; later > d; --later)
        quotient = floor_div(quotient, whole(sizes[later]));
    else quotient = floor_div(element, whole(inner));
    out.push_back(d == 0 ? quotient : floor_mod(quotient, whole(sizes[d])));
  }
  return out;
}

bool has_grid(const Kernel& k) {
  return std::ranges::any_of(k.body, [](const Stmt& s) { return is_grid(s.loop); });
}

// The interpreter's bits of the loops and the machine's are those of the grid.
void expect_kept(const Kernel& k) {
  const Kernel loops = along_axes(k);
  check(loops);
  Memory want = memory_of(k, 1), got = want;
  launch(*backend("interp").compile(k), k, want);
  launch(*backend("interp").compile(loops), loops, got);
  ASSERT_EQ(got, want) << print(k) << print(loops);
  expect_same(k);
}

// temp = (x * scale + number of the element) along `sizes`; out = temp + shift, where scale and
// shift lie along some of the axes.
class DrawnWalk {
 public:
  explicit DrawnWalk(uint64_t seed) : random_(seed) {}

  Kernel kernel() {
    Kernel k = empty_kernel(pick(4) == 0 ? Domain::Ring : Domain::Real);
    ExprPool::Scope scope(*k.pool);
    for (size_t rank = 1 + pick(3); rank > 0; --rank)
      sizes_.push_back(1 + static_cast<int64_t>(pick(rank == 1 ? 70 : 12)));
    const int64_t elements = numel_of(sizes_);
    const int64_t threads[] = {1, 7, 32, 64, 128};
    const Count count =
        count_of(elements, threads[pick(5)], 1 + static_cast<int64_t>(pick(4)), pick(2) == 0);
    const bool masked = elements % (count.threads * count.iterations) != 0;
    const bool named = masked || pick(2) == 0, nested = pick(2) == 0;
    const Expr element = named ? at(2) : count.element();
    std::vector<Expr> at_element = indices_of(sizes_, element, nested);
    Body work;
    if (pick(2) == 0) {
      for (size_t d = 0; d < at_element.size(); ++d) {
        work.push_back(set(Stmt::Kind::Let, 5 + static_cast<int>(d), at_element[d]));
        at_element[d] = at(5 + static_cast<int>(d));
      }
    }
    const Expr x = read(k, at_element, sizes_.rank()), scale = read(k, at_element, 0);
    const int temp = add_buffer(k, BufferRole::Temp, DType::F32, sizes_);
    const int out = add_buffer(k, BufferRole::Out, DType::F32, sizes_);
    work.push_back(store_to(temp, at_element, x * scale + convert(element, Model::F32)));
    const Expr loaded = Expr::load(temp, DType::F32, at_element);
    work.push_back(store_to(out, at_element, loaded + read(k, at_element, 0)));
    if (pick(3) == 0) {
      const Expr few = floor_mod(element, whole(sizes_[sizes_.rank() - 1])) < whole(2);
      const int few_out = add_buffer(k, BufferRole::Out, DType::F32, sizes_);
      work.push_back(store_to(few_out, at_element, loaded));
      work.push_back(when(few, several(store_to(few_out, at_element, loaded * loaded))));
    }
    if (masked) work = several(when(element < whole(elements), std::move(work)));
    if (named) work.insert(work.begin(), set(Stmt::Kind::Let, 2, count.element()));
    k.body.push_back(count.grid_of(std::move(work)));
    return k;
  }
  // Axes of more than one element.
  int64_t axes() const {
    return std::ranges::count_if(sizes_, [](int64_t n) { return n > 1; });
  }

 private:
  size_t pick(size_t n) { return static_cast<size_t>(random_() % n); }

  // Of an input that lies along some axes, at least so many.
  Expr read(Kernel& k, const std::vector<Expr>& at_element, int least) {
    Dims sizes;
    std::vector<Expr> indices;
    for (int d = 0; d < sizes_.rank(); ++d) {
      const bool along = d < least || pick(2) == 0;
      sizes.push_back(along ? sizes_[d] : 1);
      indices.push_back(along ? at_element[static_cast<size_t>(d)] : whole(0));
    }
    return Expr::load(add_buffer(k, BufferRole::In, DType::F32, sizes), DType::F32, indices);
  }

  std::mt19937_64 random_;
  Dims sizes_;
};

TEST(FlatWalk, DrawnGridsKeepTheirBits) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    DrawnWalk drawn(seed);
    const Kernel k = drawn.kernel();
    check(k);
    EXPECT_EQ(has_grid(along_axes(k)), drawn.axes() == 0) << print(k) << print(along_axes(k));
    expect_kept(k);
    if (testing::Test::HasFatalFailure()) return;
  }
}

Expr column(Expr e) { return floor_mod(e, whole(40)); }

// out = in * scale, of 3 rows of 40 elements; of the element's number, where scale is read. Below
// `most`; 0 elsewhere.
Kernel scaled_rows(Expr (*of_scale)(Expr), int64_t most = 120) {
  Kernel k = empty_kernel();
  ExprPool::Scope scope(*k.pool);
  const Dims sizes{3, 40};
  const int in = add_buffer(k, BufferRole::In, DType::F32, sizes);
  const int scale = add_buffer(k, BufferRole::In, DType::F32, Dims{120});
  const int out = add_buffer(k, BufferRole::Out, DType::F32, sizes);
  Body zeros = several(store_to(out, {at(3), at(4)}, Expr::imm_f(0, Model::F32)));
  if (most < 120) k.body.push_back(loop(3, 3, several(loop(4, 40, std::move(zeros)))));
  const Count count = count_of(120, 32, 1, false);
  const std::vector<Expr> mine{floor_div(at(2), whole(40)), column(at(2))};
  const Expr value =
      Expr::load(in, DType::F32, mine) * Expr::load(scale, DType::F32, {of_scale(at(2))});
  k.body.push_back(
      count.grid_of(several(set(Stmt::Kind::Let, 2, count.element()),
                            when(at(2) < whole(most), several(store_to(out, mine, value))))));
  return k;
}

TEST(FlatWalk, IndicesAreVariables) {
  const Kernel k = scaled_rows(column);
  const std::string text = print(along_axes(k));
  EXPECT_EQ(text.substr(text.find("  parallel")),
            "  parallel v17 in 3\n"
            "    for v16 in 40\n"
            "      e0 = load.f32:f32 b0 v17 v16\n"
            "      e1 = load.f32:f32 b1 v16\n"
            "      e2 = mul.f32 e0 e1\n"
            "      b2[v17, v16] = e2\n");
  EXPECT_EQ(llvm_backend().compile(k)->disassembly().find("gather"), std::string::npos);
}

// A mask that ends within a row, rows of 7 among rows of 40, a thread that asks which it is: the
// division stays.
TEST(FlatWalk, WhatIsNoAxisStays) {
  for (const Kernel& k :
       {scaled_rows(column, 110), scaled_rows([](Expr e) { return floor_mod(e, whole(7)); }),
        scaled_rows([](Expr) { return at(1); })}) {
    if (print(along_axes(k)).find("thread") == std::string::npos)
      ADD_FAILURE() << print(along_axes(k));
    expect_kept(k);
  }
}

TEST(FlatWalk, WhatEndsBetweenRowsHasFewerOfThem) {
  const Kernel k = scaled_rows(column, 80);
  EXPECT_FALSE(has_grid(along_axes(k)));
  expect_kept(k);
}

// Numbers that are no index count too: the element itself, all of its digits, none of them.
TEST(FlatWalk, NumbersOfAnElement) {
  for (auto of_scale :
       {+[](Expr e) { return e; }, +[](Expr e) { return floor_mod(e + whole(1), whole(40)); },
        +[](Expr e) { return floor_mod(e, whole(120)); },
        +[](Expr e) { return floor_div(e, whole(200)); },
        +[](Expr e) { return floor_mod(e, whole(8)); },
        +[](Expr e) { return floor_div(column(e), whole(4)); },
        +[](Expr e) { return floor_mod(floor_div(e, whole(8)), whole(5)); },
        +[](Expr e) { return floor_mod(column(e) + whole(3), whole(7)); }}) {
    const Kernel k = scaled_rows(of_scale);
    EXPECT_FALSE(has_grid(along_axes(k))) << print(along_axes(k));
    expect_kept(k);
  }
}

// The second iteration of each thread reads what its first one wrote.
TEST(FlatWalk, IterationsOfAThreadStayInOrder) {
  Kernel k = empty_kernel();
  ExprPool::Scope scope(*k.pool);
  const int in = add_buffer(k, BufferRole::In, DType::F32, Dims{4, 48});
  const int out = add_buffer(k, BufferRole::Out, DType::F32, Dims{4, 48});
  const Count count{3, 32, 2, false};
  const Expr row = floor_div(at(2), whole(48)), column = floor_mod(at(2), whole(48));
  const Expr before = Expr::load(out, DType::F32, {floor_mod(row + whole(2), whole(4)), column});
  k.body.push_back(count.grid_of(
      several(set(Stmt::Kind::Let, 2, count.element()),
              store_to(out, {row, column}, Expr::load(in, DType::F32, {row, column})),
              when(whole(1) < row,
                   several(store_to(out, {row, column},
                                    before + Expr::load(in, DType::F32, {row, column})))))));
  check(k);
  EXPECT_EQ(print(along_axes(k)).find("parallel"), std::string::npos);
  EXPECT_FALSE(has_grid(along_axes(k)));
  expect_kept(k);
}

TEST(FlatWalk, ThreadsThatMeetStay) {
  for (const Kernel& k : {tree_sum(2, 8), transpose(DType::F32, 8, 8), warp_sum(DType::F32, 2, 32)})
    EXPECT_EQ(print(along_axes(k)), print(k));
}

// Rows of 9 cut into rows of 15, of which the first is read again and again: (e % 15) % 9.
TEST(FlatWalk, RemaindersOfRemaindersAreNoDigits) {
  const auto graph = parse_graph(
      "graph(%x : Tensor, %w : Tensor, %b : Tensor):\n"
      "  %two : float = prim::Constant[value=2.]()\n  %one : int = prim::Constant[value=1]()\n"
      "  %zero : int = prim::Constant[value=0]()\n  %no : bool = prim::Constant[value=0]()\n"
      "  %s59 : int[] = prim::Constant[value=[5, 9]]()\n"
      "  %s315 : int[] = prim::Constant[value=[3, 15]]()\n"
      "  %s45 : int[] = prim::Constant[value=[45]]()\n"
      "  %c : Tensor = aten::mul(%b, %two)\n  %d : Tensor = aten::expand(%c, %s59, %no)\n"
      "  %e : Tensor = aten::reshape(%d, %s315)\n"
      "  %g : Tensor = aten::select(%e, %zero, %zero)\n"
      "  %h : Tensor = aten::expand(%g, %s315, %no)\n"
      "  %i : Tensor = aten::reshape(%h, %s45)\n  %j : Tensor = aten::mul(%x, %w)\n"
      "  %r : Tensor = aten::add(%j, %i, %one)\n  return (%r)\n");
  std::vector<IValue> inputs;
  for (const Dims& sizes : {Dims{3, 45}, Dims{3, 1}, Dims{9}}) {
    Tensor t = Tensor::empty(sizes, DType::F32);
    for (int64_t i = 0; i < t.numel(); ++i) set_element(t, i, static_cast<double>(i % 17 - 5));
    inputs.emplace_back(t);
  }
  const auto wanted = prepare(*graph, parse_plan("eager"))->run(inputs);
  for (const char* fuser : {"tile", "pointwise", "loopnest"}) {
    const auto given =
        prepare(*graph, parse_plan(fmt::format("vm/fuse({},llvm)", fuser)))->run(inputs);
    EXPECT_TRUE(bitwise_equal(wanted[0].as_tensor(), given[0].as_tensor())) << fuser;
  }
}

}  // namespace
}  // namespace fusillade::kernel
