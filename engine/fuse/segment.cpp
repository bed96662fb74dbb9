// Stages are taken in order; each joins the last segment or begins one.
#include "engine/fuse/segment.h"

#include <algorithm>

#include "engine/fuse/expr_rewrite.h"

namespace fusillade::fuse {
namespace {

using Role = Segment::Role;

constexpr int64_t kMostReductions = 16;  // of one grid: each takes some of a block's memory

// Accumulators of a stage's; a pair of moments counts when its first stage joins.
int64_t accumulators(const Stage& s) {
  if (s.accumulator < 0) return 0;
  if (!s.moments) return 1;
  return s.accumulator == s.moments->mean ? 3 : 0;
}

// The axes of a stage that would join, -1 where not yet determined.
class Fit {
 public:
  Fit(const Segment& segment, const Stage& stage) : segment_(segment), stage_(stage) {
    for (int64_t n : stage.sizes) extents_.push_back(n);
    for (int64_t n : stage.reduce_sizes) extents_.push_back(n);
    axes_.assign(extents_.size(), -1);
  }

  bool find() {
    bool fits = true;
    for (const Expr& root : {stage_.identity, stage_.update, stage_.value})
      for_each_node(root, [&](const ExprNode* e) { fits = fits && reads_as_written(e); });
    return fits && by_extent() && covers();
  }

  Segment::Member member() const { return {&stage_, axes_, full()}; }
  const std::vector<int>& axes() const { return axes_; }

 private:
  bool is_reduced(size_t dim) const { return dim >= static_cast<size_t>(stage_.sizes.rank()); }

  bool take(size_t dim, int axis) {
    const Role wanted = is_reduced(dim) ? Role::Column : Role::Row;
    const Segment::Axis& a = segment_.axes[static_cast<size_t>(axis)];
    const bool of_role = a.role == Role::Any || a.role == wanted || stage_.accumulator < 0;
    if (axes_[dim] == axis) return true;
    if (axes_[dim] >= 0 || std::ranges::count(axes_, axis) > 0) return false;
    if (!of_role || a.extent != extents_[dim]) return false;
    axes_[dim] = axis;
    return true;
  }

  // A load of what the segment writes is of the element that was written at the same place.
  bool reads_as_written(const ExprNode* e) {
    if (e->op != ExprOp::Load) return true;
    const Segment::Member* writer = segment_.writer_of(e->id);
    if (!writer) return true;
    const auto writes = [&](const Segment::Member& m) { return m.stage->buffer == e->id; };
    if (std::ranges::count_if(segment_.members, writes) > 1) return false;
    for (uint32_t p = 0; p < e->children; ++p) {
      const ExprNode* written = writer->stage->indices[p].node();
      const ExprNode* read = e->child[p];
      if (written->op == ExprOp::Imm) {
        if (read != written) return false;
        continue;
      }
      if (written->op != ExprOp::Var) return false;
      if (read->op != ExprOp::Var || static_cast<size_t>(read->id) >= axes_.size()) return false;
      if (!take(static_cast<size_t>(read->id), writer->axes[static_cast<size_t>(written->id)]))
        return false;
    }
    return true;
  }

  bool by_extent() {
    const bool rows_alone = stage_.accumulator < 0 && axes_.size() < segment_.axes.size();
    for (size_t dim = 0; dim < axes_.size(); ++dim) {
      for (int axis = 0; axes_[dim] < 0 && axis < static_cast<int>(segment_.axes.size()); ++axis) {
        const Segment::Axis& a = segment_.axes[static_cast<size_t>(axis)];
        if (!rows_alone || a.role != Role::Column) take(dim, axis);
      }
      if (axes_[dim] < 0) return false;
    }
    return true;
  }

  bool full() const { return stage_.accumulator < 0 && axes_.size() == segment_.axes.size(); }

  bool covers() const {
    if (stage_.accumulator >= 0)
      return axes_.size() == segment_.axes.size() &&
             segment_.reductions() + accumulators(stage_) <= kMostReductions;
    if (full()) return true;
    return segment_.reduces && axes_.size() == segment_.with_role(Role::Row).size() &&
           std::ranges::all_of(axes_, [&](int axis) {
             return segment_.axes[static_cast<size_t>(axis)].role == Role::Row;
           });
  }

  const Segment& segment_;
  const Stage& stage_;
  std::vector<int64_t> extents_;
  std::vector<int> axes_;
};

void set_roles(Segment& segment, const Segment::Member& m) {
  if (!m.reduces()) return;
  segment.reduces = true;
  for (size_t dim = 0; dim < m.axes.size(); ++dim)
    segment.axes[static_cast<size_t>(m.axes[dim])].role =
        dim < static_cast<size_t>(m.stage->sizes.rank()) ? Role::Row : Role::Column;
}

Segment start_segment(const Stage& stage) {
  Segment segment;
  for (int64_t n : stage.sizes) segment.axes.push_back({n});
  for (int64_t n : stage.reduce_sizes) segment.axes.push_back({n});
  Fit fit(segment, stage);
  FUS_CHECK(fit.find(), "a stage does not fit itself");
  segment.members.push_back(fit.member());
  set_roles(segment, segment.members[0]);
  return segment;
}

}  // namespace

std::vector<int> Segment::with_role(Role role) const {
  std::vector<int> out;
  for (size_t i = 0; i < axes.size(); ++i)
    if (axes[i].role == role) out.push_back(static_cast<int>(i));
  return out;
}

int64_t Segment::reductions() const {
  int64_t n = 0;
  for (const Member& m : members) n += accumulators(*m.stage);
  return n;
}

const Segment::Member* Segment::writer_of(int buffer) const {
  for (const Member& m : members)
    if (m.stage->buffer == buffer) return &m;
  return nullptr;
}

bool Segment::reads(int buffer) const {
  bool found = false;
  for (const Member& m : members)
    for (const Expr& root : {m.stage->update, m.stage->value})
      for_each_node(root, [&](const ExprNode* e) {
        found = found || (e->op == ExprOp::Load && e->id == buffer);
      });
  return found;
}

std::vector<Segment> segments_of(const std::vector<Stage>& stages) {
  std::vector<Segment> out;
  for (const Stage& stage : stages) {
    if (stage.moments && stage.accumulator == stage.moments->squares) {
      const std::vector<int> axes = out.back().members.back().axes;  // those of its other half
      out.back().members.push_back({&stage, axes});
      continue;
    }
    if (!out.empty()) {
      Fit fit(out.back(), stage);
      if (fit.find()) {
        out.back().members.push_back(fit.member());
        set_roles(out.back(), out.back().members.back());
        continue;
      }
    }
    out.push_back(start_segment(stage));
  }
  return out;
}

}  // namespace fusillade::fuse
