// See nest.h.
//
// A kernel is a few steps, each a loop over every dimension of the buffer it writes. A step fills a
// buffer, overwrites one in whole or in part (also from its own elements), or carries one along a
// dimension, each element from the one before. Values are small expressions over earlier results,
// at indices that stay inside: shifted, reversed, divided, repeated, or of a reduction.
#include "fuzz/gen/nest.h"

#include <algorithm>

#include "engine/fuse/statements.h"
#include "engine/fuse/transforms/edit.h"

namespace fusillade::fuzz {
namespace {

using namespace fuse::write;
using kernel::BufferRole;
using kernel::Kernel;
using kernel::LoopKind;

constexpr int64_t kMostElements = 120;  // of a buffer
constexpr int64_t kMostSteps = 6;

struct Loop {
  int var;
  int64_t extent;
};

Model model_of(DType dtype) {
  if (dtype == DType::F64) return Model::F64;
  return is_float(dtype) ? Model::F32 : Model::I64;
}

class Nest {
 public:
  explicit Nest(Choices& choices) : choices_(choices) {}

  Kernel make() {
    out_.pool = std::make_shared<ExprPool>();
    const ExprPool::Scope scope(*out_.pool);
    if (choices_.chance(0.6)) out_.domain = Domain::Ring;
    real_ = choices_.chance(0.4);
    draw_shapes();
    for (int64_t n = choices_.between(1, 2); n > 0; --n) readable_.push_back(add(BufferRole::In));
    for (int64_t n = choices_.between(2, kMostSteps); n > 0; --n) {
      const bool over = !written_.empty() && choices_.chance(0.4);
      put(over ? write_over() : fill(add(BufferRole::Temp)));
    }
    put(fill(add(BufferRole::Out)));
    kernel::check(out_);
    return std::move(out_);
  }

 private:
  // Two, so that buffers are often alike.
  void draw_shapes() {
    for (Dims& d : shapes_) {
      int64_t elements = 1;
      for (int64_t r = choices_.between(1, 3); r > 0; --r) {
        const int64_t size = choices_.between(1, 9);
        if (elements * size > kMostElements) break;
        d.push_back(size);
        elements *= size;
      }
    }
    static const std::vector<DType> reals = {DType::F32, DType::F16, DType::F64, DType::BF16};
    static const std::vector<DType> whole = {DType::I64, DType::U8, DType::I16, DType::I32};
    for (DType& d : dtypes_) d = choices_.pick(real_ ? reals : whole);
  }

  int add(BufferRole role) {
    const Dims sizes = shapes_[choices_.chance(0.75) ? 0 : 1];
    const DType dtype = dtypes_[choices_.chance(0.75) ? 0 : 1];
    const int b = fuse::add_temp(out_, dtype, sizes);
    out_.buffers[static_cast<size_t>(b)].role = role;
    return b;
  }
  const kernel::Buffer& buffer(int b) const { return out_.buffers[static_cast<size_t>(b)]; }

  // Often fused into the loop of the last statement, where their extents agree: what that loop
  // writes is then read iteration by iteration.
  void put(Stmt s) {
    Stmt* last = out_.body.empty() ? nullptr : &out_.body.back();
    const bool fuses =
        last && last->kind == Stmt::Kind::For && last->extent == s.extent && choices_.chance(0.25);
    if (!fuses) return out_.body.push_back(std::move(s));
    fuse::replace(s.body, {{s.var, index_var(last->var)}});
    append(std::move(s.body), last->body);
  }

  // A loop over each dimension, in any order, with `less` fewer iterations along dimension `along`.
  std::vector<Loop> loops_of(int b, int along = -1, int64_t less = 0) {
    std::vector<Loop> out;
    for (int d = 0; d < buffer(b).sizes.rank(); ++d)
      out.push_back({fuse::fresh_var(out_), buffer(b).sizes[d] - (d == along ? less : 0)});
    return out;
  }

  Stmt around(const std::vector<Loop>& loops, Body body) {
    std::vector<Loop> order = loops;
    if (order.size() > 1 && choices_.chance(0.25)) std::swap(order[0], order[1]);
    for (size_t i = order.size(); i-- > 0;)
      body = fuse::one(loop(LoopKind::Serial, order[i].var, order[i].extent, std::move(body)));
    return std::move(body[0]);
  }

  static std::vector<Expr> variables(const std::vector<Loop>& loops) {
    std::vector<Expr> out;
    for (const Loop& l : loops) out.push_back(index_var(l.var));
    return out;
  }

  Stmt fill(int b) {
    const std::vector<Loop> loops = loops_of(b);
    Body body;
    const Expr value = stored_value(b, loops, body);
    body.push_back(store(b, variables(loops), value));
    readable_.push_back(b);
    if (buffer(b).role == BufferRole::Temp) written_.push_back(b);
    return around(loops, std::move(body));
  }

  // Overwrites a written buffer: in whole or in part, under a condition or not, or carried along.
  Stmt write_over() {
    const int b = choices_.pick(written_);
    const int along =
        static_cast<int>(choices_.below(static_cast<uint64_t>(buffer(b).sizes.rank())));
    const bool carried = buffer(b).sizes[along] > 1 && choices_.chance(0.5);
    const std::vector<Loop> loops = loops_of(b, along, carried ? 1 : 0);
    std::vector<Expr> from = variables(loops);
    std::vector<Expr> to = from;
    if (carried)
      (choices_.chance(0.7) ? to : from)[static_cast<size_t>(along)] = to[along] + number(1);
    Body body;
    const Expr own = in_model_of(Expr::load(b, buffer(b).dtype, from), b);
    const Expr value =
        choices_.chance(0.5) ? combine(own, stored_value(b, loops, body)) : own + one_of(b);
    body.push_back(store(b, to, value));
    if (choices_.chance(0.2) && loops[0].extent > 1)
      body =
          fuse::one(when(index_var(loops[0].var) < number(loops[0].extent / 2), std::move(body)));
    return around(loops, std::move(body));
  }

  Expr one_of(int b) const {
    const Model m = model_of(buffer(b).dtype);
    return m == Model::I64 ? number(3) : Expr::imm_f(3, m);
  }
  Expr in_model_of(Expr e, int b) const { return convert(e, model_of(buffer(b).dtype)); }

  // What a store to `b` takes; statements before it go to `body`.
  Expr stored_value(int b, const std::vector<Loop>& loops, Body& body) {
    const Model m = model_of(buffer(b).dtype);
    Expr value = choices_.chance(0.3) ? reduction(m, loops, body) : expression(m, loops, 3);
    if (choices_.chance(0.15)) {
      const int let = fuse::fresh_var(out_);
      body.push_back(set(Stmt::Kind::Let, let, value));
      value = Expr::var(let, m);
    }
    return value;
  }

  // Over one loop or two.
  Expr reduction(Model m, const std::vector<Loop>& loops, Body& body) {
    const int acc = fuse::fresh_var(out_);
    std::vector<Loop> inner = loops;
    for (int64_t n = choices_.chance(0.4) ? 2 : 1; n > 0; --n)
      inner.push_back({fuse::fresh_var(out_), choices_.between(1, 5)});
    const bool product = choices_.chance(0.2);
    const Expr start = m == Model::I64 ? number(product) : Expr::imm_f(product ? 1 : 0, m);
    body.push_back(set(Stmt::Kind::Declare, acc, start));
    const Expr x = expression(m, inner, 2), so_far = Expr::var(acc, m);
    Body iteration = fuse::one(set(Stmt::Kind::Update, acc, product ? so_far * x : so_far + x));
    for (size_t i = inner.size(); i-- > loops.size();)
      iteration =
          fuse::one(loop(LoopKind::Serial, inner[i].var, inner[i].extent, std::move(iteration)));
    append(std::move(iteration), body);
    return so_far;
  }

  Expr expression(Model m, const std::vector<Loop>& loops, int depth) {
    if (depth == 0 || choices_.chance(0.35)) return leaf(m, loops);
    const Expr a = expression(m, loops, depth - 1);
    return combine(a, expression(m, loops, depth - 1));
  }

  Expr combine(Expr a, Expr b) {
    switch (choices_.below(has_order(a) ? 5 : 3)) {
      case 0:
        return a + b;
      case 1:
        return a - b;
      case 2:
        return a * b;
      case 3:
        return select(a < b, a, b);
      default:
        return select(a > b, a, -b);
    }
  }
  // Residues in place of floats have no order.
  bool has_order(Expr e) const { return e.model() == Model::I64 || out_.domain == Domain::Real; }

  Expr leaf(Model m, const std::vector<Loop>& loops) {
    if (choices_.chance(0.1)) {
      const Loop& l = choices_.pick(loops);
      const Expr v = index_var(l.var) + number(choices_.between(-2, 2));
      return out_.domain == Domain::Ring && m != Model::I64 ? Expr::imm_f(2, m) : convert(v, m);
    }
    const int b = choices_.chance(0.5) ? readable_.back() : choices_.pick(readable_);
    std::vector<Expr> at;
    for (int d = 0; d < buffer(b).sizes.rank(); ++d)
      at.push_back(index(buffer(b).sizes[d], loops, static_cast<size_t>(d)));
    return convert(Expr::load(b, buffer(b).dtype, at), m);
  }

  // From 0 to `size` - 1; mostly of the loop at the same depth.
  Expr index(int64_t size, const std::vector<Loop>& loops, size_t depth) {
    const Loop& l =
        depth < loops.size() && choices_.chance(0.8) ? loops[depth] : choices_.pick(loops);
    const Expr v = index_var(l.var);
    const int64_t room = size - l.extent;
    if (room < 0)
      return choices_.chance(0.5) ? floor_mod(v, number(size))
                                  : floor_div(v, number((l.extent + size - 1) / size));
    switch (choices_.below(8)) {
      case 0:
        return number(choices_.between(0, size - 1));
      case 1:
        return number(l.extent - 1 + choices_.between(0, room)) - v;
      case 2:
        return floor_div(v, number(2));
      case 3:
        return floor_mod(v + number(1), number(size));
      default:
        return v + number(choices_.between(0, room));
    }
  }

  Choices& choices_;
  Kernel out_;
  bool real_ = false;
  Dims shapes_[2];
  DType dtypes_[2];
  std::vector<int> readable_;  // that may be read
  std::vector<int> written_;   // those of them that are temporaries
};

}  // namespace

kernel::Kernel generate_nest(Choices& choices) { return Nest(choices).make(); }

}  // namespace fusillade::fuzz
