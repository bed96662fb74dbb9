// See emit_autocast.h.
//
//   with torch.autocast("cpu", dtype=torch.bfloat16):      %a =
//   aten::_autocast_to_reduced_precision
//       z = torch.mm(x, y)                                                     (%x, ..., 15)
//                                                          %z = aten::mm(%a, %b)
//
// Which calls are cast for, and how, is a field of their operators (ops/autocast.h). The casts are
// nodes like any other, so that every engine runs the same ones.
#include "engine/front/emit_autocast.h"

#include <algorithm>
#include <span>
#include <utility>

#include "engine/aten/view/reshape_in_place.h"
#include "engine/ops/autocast.h"

namespace fusillade::front {
namespace {

constexpr std::string_view kNames[] = {"torch.autocast", "torch.amp.autocast",
                                       "torch.amp.autocast_mode.autocast"};
constexpr std::string_view kOfCpu[] = {"torch.cpu.amp.autocast",
                                       "torch.cpu.amp.autocast_mode.autocast"};
constexpr std::string_view kOfCuda[] = {"torch.cuda.amp.autocast",
                                        "torch.cuda.amp.autocast_mode.autocast"};
constexpr std::string_view kAsks = "aten::is_autocast_cpu_enabled";

constexpr const char* kUnsupported =
    "In CPU autocast, but the target dtype is not supported. Disabling autocast.\nCPU Autocast "
    "only "
    "supports dtypes of torch.bfloat16, torch.float16 currently.";

bool among(std::span<const std::string_view> names, const std::string& path) {
  return std::ranges::find(names, path) != names.end();
}

const IValue& known_constant(Emitter& to, const Expr& at, const std::string& what) {
  const Node* from = to.emit(at)->node();
  if (!from->is(prim::constant()))
    to.wrong(at, fmt::format("autocast takes a {} that is known before the program runs", what));
  return from->constant();
}

bool read_device(Emitter& to, const Expr& at, AutocastContext& out) {
  static constexpr std::string_view kDevices[] = {"cpu", "cuda"};
  const IValue& device = known_constant(to, at, "device_type");
  if (device.tag() != IValue::Tag::Str || !among(kDevices, device.as_str()))
    to.wrong(at, "autocast is of device_type 'cpu' or 'cuda'");
  out.of_cpu = device.as_str() == kDevices[0];
  return true;
}

// Is it one that autocast casts to?
bool read_dtype(Emitter& to, const Expr& at, AutocastContext& out) {
  const IValue& dtype = known_constant(to, at, "dtype");
  if (dtype.is_none()) return true;
  out.dtype = dtype_from_aten(dtype.as_int());
  return out.dtype == DType::BF16 || out.dtype == DType::F16;
}

bool read_enabled(Emitter& to, const Expr& at, AutocastContext& out) {
  const IValue& enabled = known_constant(to, at, "value of 'enabled'");
  if (!enabled.is_bool()) to.wrong(at, "'enabled' is a bool");
  out.enabled = enabled.as_bool();
  return true;
}

// Arguments of autocast, and their places: of torch.autocast, and of that of one device.
struct Word {
  std::string_view name;
  size_t place, place_of_one;
  bool (*read)(Emitter& to, const Expr& at, AutocastContext& out);
};
constexpr Word kWords[] = {
    {"device_type", 1, 0, &read_device},
    {"dtype", 2, 2, &read_dtype},
    {"enabled", 3, 1, &read_enabled},
    {"cache_enabled", 4, 3, nullptr}};  // what was cast once need not be cast again

int64_t code_of(DType dtype) { return row_of(dtype).aten_code; }

bool holds(const NotCast& not_cast, const Node* n) {
  const auto it = not_cast.find(n);
  return it != not_cast.end() && it->second == std::pair(&std::as_const(n->graph()), &n->op());
}

void keep(NotCast& not_cast, const Node* n) { not_cast[n] = {&n->graph(), &n->op()}; }

// Is it an `out=` form (front/out_form), which PyTorch has no autocast for?
bool fills_out(const Node* n) {
  return std::ranges::any_of(n->outputs(), [](const Value* v) {
    return std::ranges::any_of(
        v->uses(), [](const Use& use) { return use.user && use.user->op().schema.name == kInto; });
  });
}

class Caster {
 public:
  Caster(const AutocastContext& context, NotCast& not_cast)
      : context_(context), not_cast_(not_cast) {}

  void node(Node* n) {
    if (holds(not_cast_, n)) return;
    if (!context_.enabled) keep(not_cast_, n);
    for (Block* inner : n->blocks()) block(inner);
    if (n->attr("Subgraph")) block(n->subgraph().block());
    if (!context_.enabled) return;
    if (n->op().name == kAsks)
      return n->output()->replace_all_uses_with(n->graph().constant(IValue(true), n));
    if (fills_out(n)) return;
    if (const AutocastBy by = autocast_by(n->op()); by.op) {
      std::vector<Value*> args(n->inputs().begin(), n->inputs().end());
      args.push_back(n->graph().constant(IValue(code_of(context_.dtype)), n));
      const Type type = n->input(by.argument)->type().without_shapes();
      return n->set_input(by.argument, insert_cast(*by.op, args, type, n));
    }
    const Autocast cast = autocast_of(n->op());
    for (size_t i = 0; cast != Autocast::None && i < n->inputs().size(); ++i)
      if (Value* replacement = cast_value(n->inputs()[i], cast == Autocast::Lower, n))
        n->set_input(static_cast<int>(i), replacement);
  }

 private:
  void block(Block* b) {
    std::vector<Node*> nodes;
    for (Node* n : b->nodes()) nodes.push_back(n);
    for (Node* n : nodes) node(n);
  }

  // Null: it is no tensor, nor may hold one.
  Value* cast_value(Value* v, bool lower, Node* before) {
    Graph& graph = before->graph();
    const auto constant = [&](IValue c) { return graph.constant(std::move(c), before); };
    const IValue wanted = lower ? IValue(code_of(context_.dtype)) : IValue();
    const Type& type = v->type();
    if (type.is_tensor()) {
      std::vector<Value*> args{v, constant(false), constant(true)};
      if (lower) args.insert(args.end(), {constant(code_of(DType::F16)), constant(wanted)});
      return insert_cast(
          lower ? "aten::_autocast_to_reduced_precision" : "aten::_autocast_to_full_precision",
          args, TypeKind::Tensor, before);
    }
    const bool around = type.is(TypeKind::Optional) || type.is(TypeKind::List);
    if (!around || !type.element().is_tensor()) return nullptr;
    const bool list = type.is(TypeKind::List);
    return insert_cast(list ? "prim::autocast_list" : "prim::autocast_optional",
                       {v, constant(wanted)}, type.without_shapes(), before);
  }

  static Value* insert_cast(const char* name, const std::vector<Value*>& args, const Type& type,
                            Node* before) {
    return insert_cast(operator_named(name), args, type, before);
  }
  static Value* insert_cast(const Operator& op, const std::vector<Value*>& args, const Type& type,
                            Node* before) {
    Node* n = before->graph().create(op, args, 1);
    n->output()->set_type(type);
    n->range = before->range;
    n->insert_before(before);
    return n->output();
  }

  const AutocastContext& context_;
  NotCast& not_cast_;
};

void copy_block(const Block* from, const Block* copy, NotCast& not_cast) {
  auto other = copy->nodes().begin();
  for (const Node* n : from->nodes()) {
    const Node* same = *other;
    ++other;
    if (holds(not_cast, n)) keep(not_cast, same);
    for (size_t i = 0; i < n->blocks().size(); ++i)
      copy_block(n->blocks()[i], same->blocks()[i], not_cast);
    if (n->attr("Subgraph")) copy_block(n->subgraph().block(), same->subgraph().block(), not_cast);
  }
}

}  // namespace

std::optional<AutocastContext> autocast_context(Emitter& to, const std::string& path,
                                                const Expr& context) {
  const bool any = among(kNames, path);
  AutocastContext out;
  out.of_cpu = !among(kOfCuda, path);
  if (!any && !among(kOfCpu, path) && out.of_cpu) return std::nullopt;
  const std::span<const Word> words = any ? std::span(kWords) : std::span(kWords).subspan(1);
  bool has_device = !any;
  const Expr* unsupported = nullptr;  // a dtype that PyTorch warns of, and casts nothing
  for (size_t i = 1; i < context.kids.size(); ++i) {
    const Expr& kid = *context.kids[i];
    const std::string& given = context.words[i - 1];
    auto word = std::ranges::find_if(words, [&](const Word& w) {
      return given.empty() ? (any ? w.place : w.place_of_one) == i : w.name == given;
    });
    if (word == words.end())
      to.wrong(kid, fmt::format("autocast takes {}, not '{}'",
                                any ? "device_type, dtype, enabled and cache_enabled"
                                    : "enabled, dtype and cache_enabled",
                                given));
    if (word->read && !word->read(to, kid, out)) unsupported = &kid;
    has_device = has_device || word->read == &read_device;
  }
  if (unsupported && out.enabled && out.of_cpu) {
    out.enabled = false;
    to.apply("aten::warn", {to.constant(IValue::str(kUnsupported), *unsupported)}, *unsupported);
  }
  if (!has_device) to.wrong(context, "autocast takes a device_type, as in torch.autocast('cpu')");
  return out;
}

void autocast_behind(Block* block, Node* before, const AutocastContext& context,
                     NotCast& not_cast) {
  if (!context.of_cpu) return;
  std::vector<Node*> nodes;
  for (Node* n : block->nodes()) nodes.push_back(n);
  auto from = std::ranges::find(nodes, before);
  from = from == nodes.end() ? nodes.begin() : from + 1;
  Caster caster(context, not_cast);
  for (; from != nodes.end(); ++from) caster.node(*from);
}

void copy_not_cast(const Graph& from, const Graph& copy, NotCast& not_cast) {
  if (!not_cast.empty()) copy_block(from.block(), copy.block(), not_cast);
}

}  // namespace fusillade::front
