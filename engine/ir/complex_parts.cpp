// See complex_parts.h.
#include "engine/ir/complex_parts.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "engine/base/error.h"
#include "engine/ir/call_stack.h"
#include "engine/ir/prims.h"
#include "engine/ir/visit.h"
#include "engine/ops/class_type.h"

namespace fusillade {
namespace {

constexpr int64_t kComplexFloat = 9, kComplexDouble = 10;  // at::ScalarType
constexpr std::string_view kPrefix = "prim::complex_";

// What these give of complex numbers is real.
const std::set<std::string_view> kReal{"abs",         "absolute",
                                       "angle",       "real",
                                       "imag",        "view_as_real",
                                       "size",        "dim",
                                       "numel",       "len",
                                       "is_complex",  "is_floating_point",
                                       "eq",          "ne",
                                       "fft_irfft",   "fft_hfft",
                                       "fft_irfft2",  "fft_hfft2",
                                       "fft_irfftn",  "fft_hfftn",
                                       "istft",       "device",
                                       "layout",      "is_cuda",
                                       "is_cpu",      "requires_grad",
                                       "__is__",      "__isnot__",
                                       "is_sparse",   "is_quantized",
                                       "norm",        "linalg_vector_norm",
                                       "isnan",       "isinf",
                                       "isfinite",    "isreal",
                                       "equal",       "allclose",
                                       "nonzero",     "element_size",
                                       "any",         "all",
                                       "linalg_norm", "frobenius_norm"};
// These stay as they are.
const std::set<std::string_view> kKept{
    "unchecked_cast", "__getitem__", "to",        "append",  "alias",      "requires_grad_",
    "data",           "device",      "layout",    "is_cuda", "is_cpu",     "requires_grad",
    "dtype",          "__is__",      "__isnot__", "len",     "lift_fresh", "is_sparse",
    "is_quantized",   "detach_"};

std::string_view base_of(const Operator& op) {
  const std::string_view name = op.schema.name;
  return name.substr(name.find("::") + 2);
}

// "aten::fft_fft", also for the operator that replaces it.
std::string as_written(const Operator& op) {
  const std::string& name = op.schema.name;
  return name.starts_with(kPrefix) ? "aten::" + name.substr(kPrefix.size()) : name;
}

int argument(const Operator& op, std::string_view name) {
  const std::vector<SchemaArg>& args = op.schema.args;
  const auto at = std::ranges::find_if(args, [&](const SchemaArg& a) { return a.name == name; });
  return at == args.end() ? -1 : static_cast<int>(at - args.begin());
}

const Value* input_called(const Node* n, std::string_view name) {
  const int at = argument(n->op(), name);
  return at < 0 || at >= static_cast<int>(n->inputs().size()) ? nullptr : n->input(at);
}

bool is_constant(const Value* v) { return v->node()->is(prim::constant()); }

bool is_complex_code(const Value* v) {
  if (!v || !is_constant(v) || v->node()->constant().tag() != IValue::Tag::Int) return false;
  const int64_t code = v->node()->constant().as_int();
  return code == kComplexFloat || code == kComplexDouble;
}

bool is_true(const Value* v) {
  return v && is_constant(v) && v->node()->constant().tag() == IValue::Tag::Bool &&
         v->node()->constant().as_bool();
}

bool known_constant(const Node* n, const ComplexTensors& known) {
  return n->is(prim::constant()) && n->constant().is_tensor() &&
         known.constants.contains(n->constant().as_tensor().impl());
}

bool known_field(const Node* n, const ComplexTensors& known) {
  if (!n->is(prim::get_attr()) || known.fields.empty()) return false;
  const auto* name = n->attr("name");
  const Type& of = n->input()->type();
  return name && of.class_type() &&
         known.fields.contains({of.class_type()->name, std::get<IValue>(*name).as_str()});
}

constexpr const char* kAsks = "return_complex";  // an argument that asks for complex numbers

// Does the node make complex numbers of what is real?
bool makes_complex(const Node* n, const ComplexTensors& known) {
  const Operator& op = n->op();
  if (op.schema.name.starts_with(kPrefix)) return false;  // it gives pairs of reals already
  if (op.family == "complex") return op.name != "aten::view_as_real" && op.name != "aten::imag";
  const Value* asked = input_called(n, kAsks);
  return (asked && is_true(asked)) || is_complex_code(input_called(n, "dtype")) ||
         known_constant(n, known) || known_field(n, known);
}

// Before calls are inlined, what a callee is given is not known.
bool may_make_complex(const Block* block, const ComplexTensors& known) {
  return any_node<Within::Callees>(block, [&](const Node* n) {
    const Value* asked = input_called(n, kAsks);
    return makes_complex(n, known) || (asked && !is_constant(asked));
  });
}

void inline_calls(Block* block) {
  each_node_inside_out(block, [&](Node* call) {
    if (!call->is(prim::call_function()) || call->has_attr("task")) return;
    std::unique_ptr<Graph> callee = call->subgraph().clone();
    inline_calls(callee->block());
    Node* before = call->prev();
    const std::vector<Value*> results = inline_graph(*callee, call, call->inputs());
    for (size_t i = 0; i < results.size(); ++i)
      call->output(static_cast<int>(i))->replace_all_uses_with(results[i]);
    std::vector<Node*> inlined;
    for (Node* n = before ? before->next() : block->first(); n != call; n = n->next())
      inlined.push_back(n);
    set_caller(inlined, call);
    call->destroy();
  });
}

// Is it complex, or which items of a tuple are?
struct Form {
  bool complex = false;
  std::vector<Form> items;
  bool any() const {
    return complex || std::ranges::any_of(items, [](const Form& f) { return f.any(); });
  }
};

class Pairs {
 public:
  Pairs(Graph& graph, const ComplexTensors& known) : graph_(graph), known_(known) {}

  bool run() {
    do {
      changed_ = false;
      follow(graph_.block());
    } while (changed_);
    if (std::ranges::none_of(forms_, [](const auto& entry) { return entry.second.any(); }))
      return false;
    rewrite(graph_.block());
    for (Value* out : graph_.outputs())
      if (form(out).any())
        raise(graph_.block()->return_node(), out->node(),
              fmt::format("the program gives complex numbers, by {}, which no result here is: give "
                          "torch.view_as_real of them",
                          as_written(out->node()->op())));
    return true;
  }

 private:
  const Form& form(const Value* v) const {
    static const Form kPlain;
    const auto at = forms_.find(v);
    return at == forms_.end() ? kPlain : at->second;
  }
  bool is_complex(const Value* v) const { return form(v).complex; }

  bool merge(Form& into, const Form& from) {
    bool changed = from.complex && !into.complex;
    into.complex = into.complex || from.complex;
    if (into.items.size() < from.items.size()) into.items.resize(from.items.size());
    for (size_t i = 0; i < from.items.size(); ++i)
      changed = merge(into.items[i], from.items[i]) || changed;
    return changed;
  }
  void join(const Value* into, const Form& from) {
    if (from.any() && merge(forms_[into], Form(from))) changed_ = true;
  }

  // --- which values are complex

  void follow(const Block* block) {
    each_node_inside_out(block, [&](const Node* n) { follow(n); });
  }

  void follow(const Node* n) {
    if (n->is(prim::if_())) {
      for (size_t k = 0; k < n->outputs().size(); ++k)
        for (const Block* b : n->blocks()) join(n->outputs()[k], form(b->results()[k]));
    } else if (n->is(prim::loop())) {
      const Block* body = n->blocks()[0];
      for (size_t k = 0; k < n->outputs().size(); ++k) {
        join(body->params()[k + 1], form(n->inputs()[k + 2]));
        join(body->params()[k + 1], form(body->results()[k + 1]));
        join(n->outputs()[k], form(body->params()[k + 1]));
      }
    } else if (n->is(prim::tuple_construct()) || n->is(prim::named_tuple())) {
      Form all;
      for (const Value* v : n->inputs()) all.items.push_back(form(v));
      join(n->output(), all);
    } else if (n->is(prim::tuple_unpack())) {
      const Form from = form(n->input());
      for (size_t k = 0; k < n->outputs().size() && k < from.items.size(); ++k)
        join(n->outputs()[k], from.items[k]);
    } else if (n->op().name == "prim::TupleIndex") {
      follow_index(n);
    } else {
      follow_operator(n);
    }
  }

  void follow_index(const Node* n) {
    const Form from = form(n->input());
    if (!is_constant(n->input(1))) return join(n->output(), {from.any(), {}});
    int64_t at = n->input(1)->node()->constant().as_int();
    if (at < 0) at += static_cast<int64_t>(n->input()->type().elements().size());
    if (at >= 0 && at < static_cast<int64_t>(from.items.size()))
      join(n->output(), from.items[static_cast<size_t>(at)]);
  }

  bool takes_complex(const Node* n) const {
    return std::ranges::any_of(n->inputs(), [&](const Value* v) { return form(v).any(); });
  }

  void follow_operator(const Node* n) {
    const std::string_view base = base_of(n->op());
    const Value* dtype = input_called(n, "dtype");
    const bool asked = dtype && is_complex(dtype);
    if (!makes_complex(n, known_) && !asked) {
      if (!takes_complex(n) || kReal.contains(base)) return;
      if (base == "append") join(n->input(), {true, {}});
    }
    for (const Value* out : n->outputs()) join(out, {true, {}});
  }

  // --- pairs in their place

  void rewrite(Block* block) {
    each_node_inside_out(block, [&](Node* n) {
      if (n->is(prim::if_())) {
        for (Block* b : n->blocks()) make_same(n->outputs(), b, 0);
      } else if (n->is(prim::loop())) {
        make_same(n->outputs(), n->blocks()[0], 1);
        for (size_t k = 0; k < n->outputs().size(); ++k)
          promote(n, static_cast<int>(k) + 2, form(n->outputs()[k]));
      } else if (n->is(prim::list_construct())) {
        for (size_t k = 0; k < n->inputs().size(); ++k)
          promote(n, static_cast<int>(k), form(n->output()));
      } else if (!n->is(prim::tuple_construct()) && !n->is(prim::tuple_unpack()) &&
                 !n->is(prim::named_tuple()) && !n->is(prim::list_unpack()) &&
                 n->op().name != "prim::TupleIndex" && !n->is(prim::constant()) &&
                 !n->is(prim::get_attr())) {
        rewrite(n);
      }
    });
  }

  // The results of a block, as those of its node are.
  void make_same(const List<Value*>& outputs, Block* block, size_t before) {
    for (size_t k = 0; k < outputs.size(); ++k)
      promote(block->return_node(), static_cast<int>(k + before), form(outputs[k]));
  }

  void promote(Node* user, int at, const Form& wanted) {
    Value* v = user->input(at);
    if (!wanted.complex || is_complex(v) || !v->type().is_tensor()) return;
    static const Operator& of = operator_named("prim::complex_of");
    Node* conversion = graph_.create(of, {v}, 1);
    conversion->output()->set_type(TypeKind::Tensor);
    conversion->range = user->range.valid() ? user->range : v->node()->range;
    conversion->insert_before(user);
    user->set_input(at, conversion->output());
  }

  Value* constant(IValue value, Node* before) {
    Node* node = graph_.create(prim::constant(), {}, 1);
    node->output()->set_type(value.type());
    node->set_attr("value", std::move(value));
    node->range = before->range;
    node->insert_before(before);
    return node->output();
  }

  void raise(Node* before, const Node* at, const std::string& message) {
    Value* text = constant(IValue::str(message), before);
    Value* none = constant(IValue(), before);
    Node* node = graph_.create(prim::raise(), {text, none}, 0);
    node->range = at->range;
    node->insert_before(before);
  }

  void refuse(Node* n) {
    raise(n, n,
          fmt::format("{} is not there for complex numbers here, or not of these arguments: take "
                      "them apart before, by torch.view_as_real, .real and .imag",
                      n->op().schema.name));
  }

  static const Operator* instead_of(const Operator& op) {
    const std::string base = std::string(kPrefix) + std::string(base_of(op));
    if (!op.schema.overload.empty())
      if (const Operator* found = find_operator(base + "." + op.schema.overload)) return found;
    const Operator* found = find_operator(base);
    return found && found->schema.args.size() == op.schema.args.size() ? found : nullptr;
  }

  // Of real operands some operators have operators of their own: what is exact there stays so.
  const Operator* operator_for(const Node* n) const {
    const std::string of_real = fmt::format("{}{}_of_real", kPrefix, base_of(n->op()));
    const Operator* found = takes_complex(n) ? nullptr : find_operator(of_real);
    return found ? found : instead_of(n->op());
  }

  // dtypes of pairs are those of their parts, which those of real tensors are not.
  bool compares_dtypes(Node* n) {
    const std::string_view base = base_of(n->op());
    if ((base != "eq" && base != "ne") || n->inputs().size() != 2 ||
        !n->input(0)->type().is(TypeKind::Int))
      return false;
    if (is_complex(n->input(0)) && is_complex(n->input(1))) return true;
    const int at = is_complex(n->input(0)) ? 1 : 0;
    if (is_complex_code(n->input(at))) {
      const bool wide = n->input(at)->node()->constant().as_int() == kComplexDouble;
      n->set_input(at, constant(IValue(static_cast<int64_t>(wide ? 7 : 6)), n));
    } else {
      Value* known = constant(IValue(base == "ne"), n);
      n->output()->replace_all_uses_with(known);
    }
    return true;
  }

  void rewrite(Node* n) {
    const bool gives =
        std::ranges::any_of(n->outputs(), [&](const Value* v) { return is_complex(v); });
    if (!gives && !takes_complex(n)) return;
    if (compares_dtypes(n)) return;
    const Operator* by = operator_for(n);
    if (!by && !kKept.contains(base_of(n->op()))) return refuse(n);
    if (const int at = argument(n->op(), "dtype"); at >= 0 && at < std::ssize(n->inputs())) {
      const Value* dtype = n->input(at);
      const bool explicit_dtype = is_constant(dtype) && !dtype->node()->constant().is_none();
      if (explicit_dtype && !is_complex_code(dtype)) return refuse(n);
      if (explicit_dtype) {
        const bool wide = dtype->node()->constant().as_int() == kComplexDouble;
        n->set_input(at, constant(IValue(static_cast<int64_t>(wide ? 7 : 6)), n));
      }
    }
    if (!by) {  // as it is
      if (base_of(n->op()) == "append") promote(n, 1, {true, {}});
      else if (gives) promote(n, 0, {true, {}});
      return;
    }
    put(n, *by);
  }

  void put(Node* n, const Operator& by) {
    for (size_t i = 0; i < n->inputs().size(); ++i) {
      const Value* v = n->inputs()[i];
      const bool stays = by.schema.args[i].name.starts_with("real_");
      if (stays && form(v).any()) return refuse(n);
      if (!stays && by.schema.args[i].type.is_tensor()) promote(n, static_cast<int>(i), {true, {}});
    }
    const std::vector<Value*> inputs(n->inputs().begin(), n->inputs().end());
    Node* replacement = graph_.create(by, inputs, static_cast<int>(n->outputs().size()));
    replacement->range = n->range;
    replacement->insert_before(n);
    for (size_t i = 0; i < n->outputs().size(); ++i) {
      Value* out = replacement->output(static_cast<int>(i));
      out->set_type(by.schema.results[i].type);
      out->set_name(n->outputs()[i]->name());
      if (is_complex(n->outputs()[i])) forms_[out].complex = true;
      forms_.erase(n->outputs()[i]);
      n->outputs()[i]->replace_all_uses_with(out);
    }
    n->destroy();
  }

  Graph& graph_;
  const ComplexTensors& known_;
  std::unordered_map<const Value*, Form> forms_;
  bool changed_ = false;
};

}  // namespace

bool gives_pairs(const Operator& op) {
  return op.name.starts_with(kPrefix) &&
         !kReal.contains(std::string_view(op.schema.name).substr(kPrefix.size()));
}

std::unique_ptr<Graph> complex_as_pairs(const Graph& graph, const ComplexTensors& known) {
  if (!may_make_complex(graph.block(), known)) return nullptr;
  std::unique_ptr<Graph> out = graph.clone();
  inline_calls(out->block());
  if (!Pairs(*out, known).run()) return nullptr;
  return out;
}

}  // namespace fusillade
