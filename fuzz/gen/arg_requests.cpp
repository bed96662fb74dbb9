// Arguments of operators that draw their own: each request is met by a value in scope or a
// fresh input.
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

bool holds(const Type& type, const ArgRequest& request) {
  return type.is_tensor() && type.info().dtype == request.dtype &&
         type.info().sizes == request.sizes;
}

// Calls read the range from the name; the number after it makes names unique.
std::string range_name(const ArgRequest& request) {
  return fmt::format("from_{}_to_{}_n", -request.lo, request.hi);
}

bool meet(GraphState& g, const ArgRequest& request, Value* offered, DrawnArg& arg) {
  switch (request.kind) {
    case ArgRequest::Kind::Literal:
      arg.literal = request.literal;
      return true;
    case ArgRequest::Kind::Offered:
      arg.value = offered;
      return offered != nullptr;
    case ArgRequest::Kind::List:
      arg.is_list = true;
      for (const ArgRequest& item : request.items) {
        DrawnArg inner;
        if (!meet(g, item, offered, inner)) return false;
        arg.list.push_back(inner.value);
      }
      return true;
    case ArgRequest::Kind::Tensor:
      break;
  }
  if (request.lo <= request.hi) {
    // Index tensors stay out of the pool: nothing may write to them.
    for (Value* v : g.graph->inputs()) {
      if (v->name().starts_with(range_name(request)) && holds(v->type(), request) &&
          g.choices.chance(0.5))
        arg.value = v;
    }
    if (arg.value) return true;
    arg.value = add_input(g, request.dtype, request.sizes, true);
    if (arg.value)
      arg.value->set_name(range_name(request) + std::to_string(g.graph->inputs().size()));
    return arg.value != nullptr;
  }
  for (Value* v : g.tensors) {
    if (holds(v->type(), request) && (!arg.value || g.choices.chance(0.5))) arg.value = v;
  }
  if (arg.value && g.choices.chance(0.8)) return true;
  Value* input = add_input(g, request.dtype, request.sizes);
  if (input) g.tensors.push_back(input);
  if (input) arg.value = input;
  return arg.value != nullptr;
}

}  // namespace

bool meet_requests(GraphState& g, const Operator& op, DrawFn draw) {
  constexpr int kOffers = 4;
  ChoosingFrom chooser(g.choices);
  std::vector<ArgRequest> requests;
  Value* offered = nullptr;
  for (int i = 0; i < kOffers && requests.empty(); ++i) {
    offered = pick_tensor(g);
    requests = draw(op, chooser, &offered->type().info());
  }
  if (requests.empty()) {
    offered = nullptr;
    requests = draw(op, chooser, nullptr);
  }
  if (requests.empty()) return false;
  g.args.resize(requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    if (!meet(g, requests[i], offered, g.args[i])) return false;
    bool written = i < op.schema.args.size() && op.schema.args[i].written;
    if (written && g.args[i].value && overlaps(g.args[i].value->type().info())) return false;
  }
  return true;
}

}  // namespace fusillade::fuzz
