// Stages become parts, one after the other: loops over a thread's iterations, and values of a row,
// which all threads that share it compute. A loop ends where something needs what it reduces; then
// the row's threads exchange their partial results.
//
// What two loops read is cached in registers, an element per iteration, where that many fit.
// Otherwise it is loaded again, and what the grid itself computed is loaded back from memory. What
// one loop reads twice is loaded once.
#include "engine/fuse/tile_grid.h"

#include <map>
#include <set>
#include <unordered_map>

#include "engine/base/probe.h"
#include "engine/fuse/block_reduction.h"
#include "engine/fuse/expr_rewrite.h"
#include "engine/fuse/welford.h"

namespace fusillade::fuse {
namespace {

using namespace write;
using kernel::BufferRole;
using Member = Segment::Member;
using Role = Segment::Role;

Probe probe_cached("fuse/tile-cached");
Probe probe_again("fuse/tile-read-again");

constexpr int64_t kMostInRegisters = 32;  // elements in registers of a thread

// A member's expressions, over the variables of the axes.
struct Work {
  const Member* member;
  Expr update, value;
  std::vector<Expr> indices;
  bool wide = false;  // its store
  int buffer() const { return member->stage->buffer; }
};

struct Part {
  bool of_rows = false;
  std::vector<size_t> works = {};
};

class TileGrid {
 public:
  TileGrid(const Segment& segment, const TileSchedule& schedule,
           const std::function<bool(int)>& read_later, DynamicNumbers& numbers,
           kernel::Kernel& kernel)
      : segment_(segment),
        schedule_(schedule),
        read_later_(read_later),
        numbers_(numbers),
        kernel_(kernel),
        domain_(schedule.domain) {}

  Stmt build() {
    for (const Member& m : segment_.members) works_.push_back(over_axes(m));
    make_parts();
    count_reads();
    choose_cached();
    if (segment_.reduces) append(domain_.define(schedule_.all_rows), out_);
    fill_tiles();
    for (const Part& part : parts_) {
      if (part.of_rows) row_value(works_[part.works[0]]);
      else loop_part(part);
    }
    return domain_.grid(std::move(out_));
  }

 private:
  Work over_axes(const Member& m) {
    ExprRewrite rename([&](const ExprNode* e) {
      const bool own = e->op == ExprOp::Var && static_cast<size_t>(e->id) < m.axes.size();
      return own ? axis_var(m.axes[static_cast<size_t>(e->id)]) : Expr();
    });
    Work w{&m, {}, rename(m.stage->value), {}};
    if (m.reduces()) w.update = rename(m.stage->update);
    for (const Expr& e : m.stage->indices) w.indices.push_back(rename(e));
    for (const Expr& root : {m.stage->value, m.stage->update}) {
      for_each_node(root, [&](const ExprNode* e) {
        if (e->op != ExprOp::Load) return;
        if (lies_across(e, m, segment_, schedule_, kernel_)) across_.insert(rename(e).node());
        if (!segment_.writer_of(e->id) && wide(e->id, e->child, m)) wide_.insert(rename(e).node());
      });
    }
    std::vector<const ExprNode*> at;
    for (const Expr& e : m.stage->indices) at.push_back(e.node());
    w.wide = m.full && wide(m.stage->buffer, at.data(), m);
    return w;
  }

  // With reductions, where lanes run one by one: is it loaded into registers first, or stored from
  // there?
  bool wide(int buffer, const ExprNode* const* indices, const Member& m) const {
    return segment_.reduces &&
           is_wide(kernel_.buffers[static_cast<size_t>(buffer)], indices, m, segment_, schedule_);
  }

  Expr axis_var(int axis) const { return index_var(domain_.var(axis)); }

  void make_parts() {
    Part loop;
    std::set<int> reduced;  // by the loop that is open
    const auto close = [&] {
      if (!loop.works.empty()) parts_.push_back(std::move(loop));
      loop = {};
      reduced.clear();
    };
    for (size_t i = 0; i < works_.size(); ++i) {
      bool waits = false;
      for_each_load(works_[i], [&](const ExprNode* e) { waits |= reduced.contains(e->id); });
      if (waits) close();
      if (works_[i].member->of_rows()) {
        parts_.push_back({true, {i}});
        continue;
      }
      loop.works.push_back(i);
      if (works_[i].member->reduces()) reduced.insert(works_[i].buffer());
    }
    close();
  }

  template <class See>
  static void for_each_load(const Work& w, See see) {
    const auto loads = [&](const ExprNode* e) {
      if (e->op == ExprOp::Load) see(e);
    };
    for_each_node(w.value, loads);
    for_each_node(w.update, loads);
  }

  // Does it differ between iterations?
  bool varies_in_loop(const ExprNode* load) const {
    bool found = false;
    for_each_node(load, [&](const ExprNode* e) {
      if (e->op != ExprOp::Var) return;
      for (size_t axis = 0; axis < segment_.axes.size(); ++axis)
        found |=
            domain_.var(static_cast<int>(axis)) == e->id && segment_.axes[axis].role != Role::Row;
    });
    return found;
  }

  void count_reads() {
    for (size_t p = 0; p < parts_.size(); ++p) {
      if (parts_[p].of_rows) continue;
      for (size_t i : parts_[p].works) {
        for_each_load(works_[i], [&](const ExprNode* e) {
          const Member* writer = segment_.writer_of(e->id);
          if (writer && writer->full) readers_[e->id].insert(p);
          if (!writer && varies_in_loop(e)) reads_[e].push_back(p);
        });
        if (works_[i].member->full) producers_[works_[i].buffer()] = p;
      }
    }
  }

  // What the grid makes first: reading it back costs a store too.
  void choose_cached() {
    const int64_t each = domain_.extent(schedule_.iteration);
    const int64_t iterations = kernel::is_dynamic(each) ? kMostInRegisters + 1 : each * lanes();
    int64_t left = kMostInRegisters;
    const auto hold = [&](DType dtype) {
      left -= iterations;
      return new_buffer(BufferRole::Register, dtype, Dims{iterations});
    };
    const auto dtype_of = [&](int buffer) {
      return kernel_.buffers[static_cast<size_t>(buffer)].dtype;
    };
    const auto fits = [&] {
      (left >= iterations ? probe_cached : probe_again).hit();
      return left >= iterations;
    };
    for (const auto& [buffer, parts] : readers_)
      if (*parts.rbegin() != producers_.at(buffer) && fits())
        cached_values_[buffer] = hold(dtype_of(buffer));
    std::map<uint32_t, const ExprNode*> in_order;
    for (const auto& [load, parts] : reads_)
      if (parts.front() != parts.back()) in_order[load->index] = load;
    for (const auto& [index, load] : in_order)
      if (fits()) cached_loads_[load] = hold(load->dtype);
  }

  int64_t lanes() const { return schedule_.lane < 0 ? 1 : domain_.extent(schedule_.lane); }

  int new_buffer(BufferRole role, DType dtype, const Dims& sizes) {
    kernel_.buffers.push_back({role, dtype, sizes, contiguous_strides(sizes)});
    return static_cast<int>(kernel_.buffers.size()) - 1;
  }

  // What lies across goes through tiles in shared memory, a column wider than needed so that a
  // column's elements lie in different banks. Tiles that do not fit are read as they lie.
  void fill_tiles() {
    std::map<uint32_t, const ExprNode*> in_order;
    for (const ExprNode* load : across_) in_order[load->index] = load;
    const auto indices_in = [&](const LoopDomain& d) {
      return std::vector<Expr>{d.index(schedule_.tile[0]), d.index(schedule_.tile[1])};
    };
    Body fill;
    int64_t left = kernel::kMostSharedBytes;
    for (const auto& [index, load] : in_order) {
      const Dims sizes{domain_.extent(schedule_.tile[0]), domain_.extent(schedule_.tile[1]) + 1};
      left -= numel_of(sizes) * static_cast<int64_t>(size_of(load->dtype));
      if (left < 0) break;
      const int tile = new_buffer(BufferRole::Shared, load->dtype, sizes);
      fill.push_back(store(tile, indices_in(*schedule_.turned), Expr(load)));
      in_tiles_[load] = Expr::load(tile, load->dtype, indices_in(domain_));
    }
    if (fill.empty()) return;
    const LoopDomain& turned = *schedule_.turned;
    append(turned.iterations(schedule_.transposed_iteration,
                             turned.around(schedule_.all, std::move(fill))),
           out_);
    out_.push_back(barrier());
  }

  // --- loops

  void loop_part(const Part& part) {
    std::vector<const Stage*> reducing;
    for (size_t i : part.works) {
      const Stage& s = *works_[i].member->stage;
      if (!works_[i].member->reduces()) continue;
      reducing.push_back(&s);
      out_.push_back(set(Stmt::Kind::Declare, s.accumulator, s.identity));
      if (s.moments && s.accumulator == s.moments->squares)
        out_.push_back(set(Stmt::Kind::Declare, s.moments->count, s.identity));
    }
    if (columns() > 0) {
      write_iteration(part);
      Body iteration = domain_.around(schedule_.all, schedule_.lane, by_lanes());
      const bool alone =
          parts_.size() == 1 && domain_.extent(schedule_.iteration) == 1 && schedule_.rest == 0;
      append(alone ? std::move(iteration)
                   : domain_.iterations(schedule_.iteration, std::move(iteration)),
             out_);
      if (schedule_.rest > 0) rest_of_line(part);
      append_exchange(reducing, schedule_, kernel_, out_);
    }
    computed_.clear();
    named_.clear();
    for (size_t i : part.works)
      if (works_[i].member->reduces()) row_value(works_[i]);
  }

  void write_iteration(const Part& part) {
    computed_.clear();
    named_.clear();
    work_.clear();
    loaded_.clear();
    for (size_t i : part.works) add_work(works_[i]);
  }

  // Where nothing reduces lanes run at the same time. Accumulators take one after the other; what
  // is loaded and stored at once goes through registers.
  std::vector<LoopDomain::Lanes> by_lanes() {
    std::vector<LoopDomain::Lanes> out;
    using kernel::LoopKind;
    if (!loads_.empty()) out.push_back({LoopKind::Vector, std::move(loads_)});
    const bool together = schedule_.lane >= 0 && !segment_.reduces;
    out.push_back({together ? LoopKind::Vector : LoopKind::Serial, std::move(work_)});
    if (!stores_.empty()) out.push_back({LoopKind::Vector, std::move(stores_)});
    loads_.clear();
    stores_.clear();
    return out;
  }

  // The last elements of a line, fewer than lanes.
  void rest_of_line(const Part& part) {
    write_iteration(part);
    const auto [block, thread] = schedule_.rest_axes;
    const int side = kernel_.num_vars++;
    out_.push_back(
        set(Stmt::Kind::Let, side,
            domain_.index(block) * number(domain_.extent(thread)) + domain_.index(thread)));
    const Expr mine = index_var(side);
    const int line = domain_.var(schedule_.line);
    const int64_t n = domain_.extent(schedule_.line);
    const Expr first = numbers_.dynamic(n)
                           ? numbers_.value(numbers_.whole(n, lanes())) * number(lanes())
                           : number(n - schedule_.rest);
    Expr mask = mine < number(schedule_.rest);
    if (numbers_.dynamic(n)) mask = mask & (index_var(line) < numbers_.value(n));
    Body one;
    (numbers_.dynamic(n) ? out_ : one).push_back(set(Stmt::Kind::Let, line, first + mine));
    append(std::move(work_), one);
    out_.push_back(when(mask, std::move(one)));
  }

  int64_t columns() const {
    int64_t n = 1;
    for (const Segment::Axis& a : segment_.axes)
      if (a.role != Role::Row) n *= a.extent;
    return n;
  }

  void add_work(const Work& w) {
    if (w.member->reduces()) {
      const Expr next = resolve_expr(w.update);
      const Stage& s = *w.member->stage;
      if (s.moments) take_moments(s, next);
      else work_.push_back(set(Stmt::Kind::Update, s.accumulator, next));
      return;
    }
    Expr value = resolve_expr(w.value);
    const auto readers = readers_.find(w.buffer());
    const auto cached = cached_values_.find(w.buffer());
    if (readers != readers_.end()) {
      value = let_bind(value);
      computed_[w.buffer()] = value;
    }
    if (in_memory(w, readers != readers_.end() && cached == cached_values_.end())) {
      if (w.wide) value = store_wide(w, value);
      else work_.push_back(store(w.buffer(), w.indices, value));
    }
    if (cached != cached_values_.end()) work_.push_back(store(cached->second, {slot()}, value));
  }

  // The second of a pair takes in what both were given.
  void take_moments(const Stage& s, Expr given) {
    const StageMoments& m = *s.moments;
    if (s.accumulator == m.mean) {
      mean_given_ = let_bind(given);
      return;
    }
    const Model model = given.model();
    const std::array accumulators = {m.count, m.mean, m.squares};
    Moments old;
    for (size_t i = 0; i < old.size(); ++i) old[i] = Expr::var(accumulators[i], model);
    Moments next = combine_moments(old, Moments{m.of_count, mean_given_, given});
    for (Expr& e : next) e = let_bind(e);
    for (size_t i = 0; i < next.size(); ++i)
      work_.push_back(set(Stmt::Kind::Update, accumulators[i], next[i]));
  }

  // What is stored when all lanes have computed it.
  Expr store_wide(const Work& w, Expr value) {
    const DType dtype = kernel_.buffers[static_cast<size_t>(w.buffer())].dtype;
    const int lane_buffer = new_buffer(BufferRole::Register, dtype, Dims{lanes()});
    const Expr lane = domain_.index(schedule_.lane);
    work_.push_back(store(lane_buffer, {lane}, value));
    const Expr result = Expr::load(lane_buffer, dtype, {lane});
    stores_.push_back(store(w.buffer(), w.indices, result));
    return result;
  }

  // Must a value be written where later readers find it?
  bool in_memory(const Work& w, bool read_back) const {
    if (kernel_.buffers[static_cast<size_t>(w.buffer())].role == BufferRole::Out) return true;
    if (read_later_(w.buffer())) return true;
    return read_back && *readers_.at(w.buffer()).rbegin() != producers_.at(w.buffer());
  }

  // The slot of a cached value's element in this iteration.
  Expr slot() const {
    const Expr iteration = domain_.index(schedule_.iteration);
    return schedule_.lane < 0 ? iteration
                              : iteration * number(lanes()) + domain_.index(schedule_.lane);
  }

  Expr let_bind(Expr value) {
    const int var = kernel_.num_vars++;
    work_.push_back(set(Stmt::Kind::Let, var, value));
    return Expr::var(var, value.model());
  }

  // An expression of what threads know at this place.
  Expr resolve_expr(Expr e) {
    ExprRewrite resolve([&](const ExprNode* node) { return value_of_load(node); });
    return resolve(e);
  }

  Expr value_of_load(const ExprNode* node) {
    if (node->op != ExprOp::Load) return {};
    if (const auto it = row_values_.find(node->id); it != row_values_.end()) return it->second;
    if (const auto it = computed_.find(node->id); it != computed_.end()) return it->second;
    if (const auto it = cached_values_.find(node->id); it != cached_values_.end())
      return Expr::load(it->second, node->dtype, {slot()});
    if (const auto it = named_.find(node); it != named_.end()) return it->second;
    if (const auto it = in_tiles_.find(node); it != in_tiles_.end())
      return named_load(node, it->second);
    if (wide_.contains(node)) return load_wide(node);
    if (const auto it = cached_loads_.find(node); it != cached_loads_.end())
      return cache_load(node, it->second);
    return named_load(node, node);
  }

  // Loads before the first lane runs; only once where the value is cached.
  Expr load_wide(const ExprNode* node) {
    if (const auto it = loaded_.find(node); it != loaded_.end()) return it->second;
    const auto cached = cached_loads_.find(node);
    const bool keeps = cached != cached_loads_.end();
    const int buffer =
        keeps ? cached->second : new_buffer(BufferRole::Register, node->dtype, Dims{lanes()});
    const Expr at = keeps ? slot() : domain_.index(schedule_.lane);
    if (!keeps || filled_.insert(node).second) loads_.push_back(store(buffer, {at}, Expr(node)));
    return loaded_[node] = Expr::load(buffer, node->dtype, {at});
  }

  // What one loop reads more than once has a name there.
  Expr named_load(const ExprNode* node, Expr load) {
    const auto reads = reads_.find(node);
    if (reads == reads_.end()) return load.is(node) ? Expr() : load;
    const auto& parts = reads->second;
    const bool again = std::adjacent_find(parts.begin(), parts.end()) != parts.end();
    if (!again) return load;
    return named_[node] = let_bind(load);
  }

  Expr cache_load(const ExprNode* node, int buffer) {
    if (filled_.contains(node)) return Expr::load(buffer, node->dtype, {slot()});
    filled_.insert(node);
    const Expr value = let_bind(node);
    work_.push_back(store(buffer, {slot()}, value));
    return named_[node] = value;
  }

  // --- rows

  // Computed by all threads of a row, stored by one of them.
  void row_value(const Work& w) {
    const bool masked = domain_.needs_mask(schedule_.all_rows);
    const Expr value = resolve_expr(w.value);
    const int var = kernel_.num_vars++;
    const bool kept = w.member->reduces() || !masked;
    Body inside;
    if (kept) {
      out_.push_back(set(Stmt::Kind::Let, var, value));
    } else {
      out_.push_back(set(Stmt::Kind::Declare, var, zero(value.model())));
      inside.push_back(set(Stmt::Kind::Update, var, value));
    }
    const Expr result = Expr::var(var, value.model());
    row_values_[w.buffer()] = result;
    if (in_memory(w, false)) {
      Body one;
      one.push_back(store(w.buffer(), w.indices, result));
      const Expr share = domain_.index(schedule_.across);
      if (domain_.extent(schedule_.across) == 1) append(std::move(one), inside);
      else inside.push_back(when(share < number(1), std::move(one)));
    }
    if (!inside.empty()) append(domain_.around(schedule_.all_rows, std::move(inside)), out_);
  }

  static Expr zero(Model model) {
    if (model == Model::Bool) return Expr::imm_b(false);
    return model == Model::I64 ? number(0) : Expr::imm_f(0, model);
  }

  const Segment& segment_;
  const TileSchedule& schedule_;
  const std::function<bool(int)>& read_later_;
  DynamicNumbers& numbers_;
  kernel::Kernel& kernel_;
  LoopDomain domain_;
  std::vector<Work> works_;
  std::vector<Part> parts_;
  Body out_;

  std::map<int, std::set<size_t>> readers_;  // parts that read what a full member makes
  std::map<int, size_t> producers_;          // and the part that makes it
  std::unordered_map<const ExprNode*, std::vector<size_t>> reads_;  // parts, of loads of others
  std::set<const ExprNode*> across_;                                // loads that lie across
  std::unordered_map<const ExprNode*, Expr> in_tiles_;
  std::map<int, int> cached_values_;  // buffer: its registers
  std::unordered_map<const ExprNode*, int> cached_loads_;
  std::set<const ExprNode*> filled_;
  std::set<const ExprNode*> wide_;  // loads of rows that are one for all lanes

  Body work_;            // of the loop that is written
  Expr mean_given_;      // to the pair of moments that is written
  Body loads_, stores_;  // before it and after it, of all lanes at once
  std::unordered_map<const ExprNode*, Expr> loaded_;
  std::map<int, Expr> computed_;
  std::unordered_map<const ExprNode*, Expr> named_;
  std::map<int, Expr> row_values_;  // of what is one value a row
};

}  // namespace

Stmt build_tile_grid(const Segment& segment, const TileSchedule& schedule,
                     const std::function<bool(int)>& read_later, DynamicNumbers& numbers,
                     kernel::Kernel& kernel) {
  return TileGrid(segment, schedule, read_later, numbers, kernel).build();
}

}  // namespace fusillade::fuse
