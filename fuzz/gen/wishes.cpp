// Arguments of rows that draw their own: each wish is granted by a value in scope or a fresh input.
#include "fuzz/gen/graph_state.h"

namespace fusillade::fuzz {
namespace {

class ChoosingFrom : public Chooser {
 public:
  explicit ChoosingFrom(Choices& choices) : choices_(choices) {}
  int64_t between(int64_t lo, int64_t hi) override { return choices_.between(lo, hi); }

 private:
  Choices& choices_;
};

bool holds(const Type& type, const Wish& wish) {
  return type.is_tensor() && type.info().dtype == wish.dtype && type.info().sizes == wish.sizes;
}

// Calls read the range from the name; the number behind it keeps names apart.
std::string range_name(const Wish& wish) {
  return fmt::format("from_{}_to_{}_n", -wish.lo, wish.hi);
}

bool grant(GraphState& g, const Wish& wish, Value* offered, DrawnArg& arg) {
  switch (wish.kind) {
    case Wish::Kind::Literal:
      arg.literal = wish.literal;
      return true;
    case Wish::Kind::Offered:
      arg.value = offered;
      return offered != nullptr;
    case Wish::Kind::List:
      arg.is_list = true;
      for (const Wish& item : wish.items) {
        DrawnArg inner;
        if (!grant(g, item, offered, inner)) return false;
        arg.list.push_back(inner.value);
      }
      return true;
    case Wish::Kind::Tensor:
      break;
  }
  if (wish.lo <= wish.hi) {
    // Numbers of places stay out of the pool: nothing may write to them.
    for (Value* v : g.graph->inputs()) {
      if (v->name().starts_with(range_name(wish)) && holds(v->type(), wish) &&
          g.choices.chance(0.5))
        arg.value = v;
    }
    if (arg.value) return true;
    arg.value = add_input(g, wish.dtype, wish.sizes, true);
    if (arg.value) arg.value->set_name(range_name(wish) + std::to_string(g.graph->inputs().size()));
    return arg.value != nullptr;
  }
  for (Value* v : g.tensors) {
    if (holds(v->type(), wish) && (!arg.value || g.choices.chance(0.5))) arg.value = v;
  }
  if (arg.value && g.choices.chance(0.8)) return true;
  Value* made = add_input(g, wish.dtype, wish.sizes);
  if (made) g.tensors.push_back(made);
  if (made) arg.value = made;
  return arg.value != nullptr;
}

}  // namespace

bool grant_wishes(GraphState& g, const Row& row, DrawFn draw) {
  constexpr int kOffers = 4;
  ChoosingFrom chooser(g.choices);
  std::vector<Wish> wishes;
  Value* offered = nullptr;
  for (int i = 0; i < kOffers && wishes.empty(); ++i) {
    offered = pick_tensor(g);
    wishes = draw(row, chooser, &offered->type().info());
  }
  if (wishes.empty()) {
    offered = nullptr;
    wishes = draw(row, chooser, nullptr);
  }
  if (wishes.empty()) return false;
  g.args.resize(wishes.size());
  for (size_t i = 0; i < wishes.size(); ++i) {
    if (!grant(g, wishes[i], offered, g.args[i])) return false;
    bool written = i < row.schema.args.size() && row.schema.args[i].written;
    if (written && g.args[i].value && overlaps(g.args[i].value->type().info())) return false;
  }
  return true;
}

}  // namespace fusillade::fuzz
