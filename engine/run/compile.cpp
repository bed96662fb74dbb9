// Graph to bytecode: a walk over blocks that loads each node's inputs, runs it, and stores its
// outputs.
//
// Each value has a register of its own; a loop's outputs share the registers of its carried
// parameters. Branch and loop results go through the stack, so that swaps are safe. Arguments that
// a node leaves to its schema's defaults are filled in here, once.
#include <limits>
#include <mutex>

#include "engine/fuse/products.h"
#include "engine/ir/interpret.h"
#include "engine/passes/pass.h"
#include "engine/run/bytecode.h"
#include "engine/run/liveness.h"
#include "engine/run/tasks.h"

namespace fusillade {
namespace {

// Products that make their group too large for one kernel run as operators; what is around them is
// grouped anew.
void group_around_products(Graph& graph, const Node& group) {
  const auto word = [&](const char* name) { return std::get<IValue>(*group.attr(name)).as_str(); };
  const std::string fuse = fmt::format("fuse({},{},no_products)", word("fuser"), word("backend"));
  run_pipeline(graph, parse_pipeline(fuse));
  for (Node* n : graph.block()->nodes())
    if (n->is(prim::fusion_group()) && group.has_attr("sizes"))
      n->set_attr("sizes", *group.attr("sizes"));
}

// The nodes of a fused group as bytecode, compiled when a call first needs them.
fuse::Group::ByNode by_node(const Node& group) {
  struct Later {
    std::shared_ptr<Graph> graph;
    std::once_flag once = {};
    std::unique_ptr<Code> code = {};
  };
  auto later = std::make_shared<Later>(std::get<std::shared_ptr<Graph>>(*group.attr("Subgraph")));
  if (fuse::holds_products(*later->graph)) {
    later->graph = later->graph->clone();
    group_around_products(*later->graph, group);
  }
  return [later](std::span<const IValue> args) {
    std::call_once(later->once, [&] { later->code = compile_bytecode(*later->graph); });
    return run_bytecode(*later->code, args);
  };
}

class Compiler {
 public:
  Compiler(const Graph& graph, const JitSetting* setting, int depth)
      : live_(graph),
        setting_(setting),
        code_(std::make_unique<Code>()),
        register_of_(graph.id_limit(), -1),
        depth_(depth) {
    if (depth > max_call_depth()) calls_nest_too_deep();
    code_->name = graph.name;
    code_->inputs = static_cast<uint32_t>(graph.inputs().size());
    code_->outputs = static_cast<uint32_t>(graph.outputs().size());
    for (const Value* v : graph.inputs()) register_of_[v->id()] = fresh(1);
    block(graph.block());
    load_inputs(graph.block()->return_node());
    emit(Opcode::Ret, nullptr, code_->outputs, 0);
    code_->registers = static_cast<uint32_t>(registers_);
  }

  std::unique_ptr<Code> take() { return std::move(code_); }

 private:
  // --- emission

  size_t emit(Opcode op, const Node* node, size_t n, int64_t x) {
    if (n > std::numeric_limits<uint16_t>::max() || x > std::numeric_limits<int32_t>::max())
      decline("the program is too large for the VM: an operand of {} does not fit",
              std::max<size_t>(n, x));
    code_->instructions.push_back({op, 0, static_cast<uint16_t>(n), static_cast<int32_t>(x)});
    code_->nodes.push_back(node);
    return code_->instructions.size() - 1;
  }

  int64_t here() const { return static_cast<int64_t>(code_->instructions.size()); }
  void patch(size_t at) { code_->instructions[at].x = static_cast<int32_t>(here()); }

  void grow_stack(size_t n) {
    stack_ += n;
    code_->stack = std::max(code_->stack, static_cast<uint32_t>(stack_));
  }
  void shrink_stack(size_t n) { stack_ -= n; }

  int fresh(size_t n) {
    int first = registers_;
    registers_ += static_cast<int>(n);
    return first;
  }

  int register_of(const Value* v) {
    int& at = register_of_[v->id()];
    if (at < 0) at = fresh(1);
    return at;
  }

  void load_constant(IValue value, const Node* node) {
    code_->constants.push_back(std::move(value));
    emit(Opcode::LoadC, node, 0, last(code_->constants));
    grow_stack(1);
  }

  void load_inputs(const Node* node) {
    for (int i = 0; i < static_cast<int>(node->inputs().size()); ++i) {
      const Value* v = node->input(i);
      if (v->node()->is(prim::constant())) {
        load_constant(v->node()->constant(), node);
        continue;
      }
      emit(live_.last_use(node, i) ? Opcode::Move : Opcode::Load, node, 0, register_of(v));
      grow_stack(1);
    }
  }

  // Pops one value per output, the last first.
  void store_outputs(const Node* node) {
    for (size_t k = node->outputs().size(); k-- > 0;) {
      const Value* v = node->outputs()[k];
      if (Liveness::is_used(v)) emit(Opcode::Store, node, 0, register_of(v));
      else emit(Opcode::Drop, node, 0, 0);
    }
    shrink_stack(node->outputs().size());
  }

  void release(const std::vector<const Value*>& values, const Node* node) {
    for (const Value* v : values) emit(Opcode::DropR, node, 0, register_of(v));
  }

  // --- nodes

  void block(const Block* block) {
    release(live_.drop_at_entry(block), block->owner());
    for (const Node* node : block->nodes()) {
      if (node->is(prim::constant())) continue;
      if (node->is(prim::if_())) if_node(node);
      else if (node->is(prim::loop())) loop_node(node);
      else plain_node(node);
    }
  }

  void if_node(const Node* node) {
    load_inputs(node);
    size_t to_else = emit(Opcode::Jf, node, 0, 0);
    shrink_stack(1);
    branch(node, node->blocks()[0]);
    size_t to_end = emit(Opcode::Jmp, node, 0, 0);
    patch(to_else);
    branch(node, node->blocks()[1]);
    patch(to_end);
  }

  void branch(const Node* node, const Block* taken) {
    block(taken);
    load_inputs(taken->return_node());
    store_outputs(node);
  }

  void loop_node(const Node* node) {
    const Block* body = node->blocks()[0];
    size_t carried = node->outputs().size();
    int state = fresh(4);  // iteration, trips, condition, parameter
    int first = fresh(carried);
    register_of_[body->params()[0]->id()] = state + 3;
    for (size_t k = 0; k < carried; ++k)
      register_of_[body->params()[k + 1]->id()] = register_of_[node->outputs()[k]->id()] =
          first + static_cast<int>(k);
    load_inputs(node);
    store_carried(node, first, carried);
    emit(Opcode::Store, node, 0, state + 2);
    emit(Opcode::Store, node, 0, state + 1);
    shrink_stack(2);
    load_constant(IValue(0), node);
    emit(Opcode::Store, node, 0, state);
    shrink_stack(1);
    int64_t head = here();
    size_t test = emit(Opcode::Loop, node, static_cast<size_t>(state), 0);
    block(body);
    load_inputs(body->return_node());
    store_carried(node, first, carried);
    emit(Opcode::Store, node, 0, state + 2);
    shrink_stack(1);
    emit(Opcode::Jmp, node, 0, head);
    patch(test);
    release(live_.drop_after(node), node);
  }

  void store_carried(const Node* node, int first, size_t count) {
    if (count) emit(Opcode::StoreN, node, count, first);
    shrink_stack(count);
  }

  void point_node(const Node* node) {
    auto call = std::make_unique<PointCall>(node->op(), site_of(node));
    auto constant = [&](IValue value) {
      code_->constants.push_back(std::move(value));
      call->operands.push_back(static_cast<int32_t>(~last(code_->constants)));
    };
    for (int i = 0; i < static_cast<int>(node->inputs().size()); ++i) {
      const Value* v = node->input(i);
      if (v->node()->is(prim::constant())) {
        constant(v->node()->constant());
        continue;
      }
      if (live_.last_use(node, i)) call->dying |= uint64_t{1} << call->operands.size();
      call->operands.push_back(register_of(v));
    }
    for (const SchemaArg& a : missing_arguments(node)) constant(a.default_value);
    const Value* out = node->outputs()[0];
    if (Liveness::is_used(out)) call->out = register_of(out);
    const size_t args = call->operands.size();
    code_->points.push_back(std::move(call));
    emit(Opcode::Point, node, args, last(code_->points));
    grow_stack(args);  // where the operator itself has to be called
    shrink_stack(args);
  }

  void plain_node(const Node* node) {
    if (PointwiseSite::takes(node->op())) return point_node(node);
    load_inputs(node);
    const size_t before = stack_;
    for (const SchemaArg& a : missing_arguments(node)) load_constant(a.default_value, node);
    size_t args = node->inputs().size() + stack_ - before;
    if (node->is(prim::fusion_group())) {
      code_->groups.push_back(std::make_unique<fuse::Group>(*node, by_node(*node)));
      emit(Opcode::Group, node, args, last(code_->groups));
    } else if (node->is(prim::differentiable())) {
      code_->differentiable.push_back(std::make_unique<Differentiable>(*node));
      emit(Opcode::Derive, node, args, last(code_->differentiable));
    } else if (setting_ && node->is(prim::fallback())) {
      code_->fallbacks.push_back(std::make_unique<Profiled>(
          std::get<std::shared_ptr<Graph>>(*node->attr("Subgraph")), *setting_,
          depth_of(node, "static"), depth_of(node, "dynamic")));
      emit(Opcode::Back, node, args, last(code_->fallbacks));
    } else if (const Graph* callee = native_of(node->op()) ? nullptr : callee_of(node)) {
      code_->callees.push_back(Compiler(*callee, setting_, depth_ + 1).take());
      if (is_composite(node->op())) code_->callees.back()->composite = &node->op();
      if (is_task(node)) code_->callees.back()->anywhere = runs_anywhere(*callee);
      emit(is_task(node) ? Opcode::Fork : Opcode::Call, node, args, last(code_->callees));
    } else {
      code_->operators.push_back({&node->op(), site_of(node)});
      emit(Opcode::Run, node, args, last(code_->operators));
    }
    shrink_stack(args);
    grow_stack(node->outputs().size());
    store_outputs(node);
  }

  static int64_t depth_of(const Node* node, const char* name) {
    const Attribute* a = node->attr(name);
    return a ? std::get<IValue>(*a).as_int() : 0;
  }

  template <class T>
  static int64_t last(const std::vector<T>& table) {
    return static_cast<int64_t>(table.size()) - 1;
  }

  Liveness live_;
  const JitSetting* setting_;
  std::unique_ptr<Code> code_;
  std::vector<int> register_of_;
  int depth_;
  int registers_ = 0;
  size_t stack_ = 0;
};

const char* name_of(Opcode op) {
  switch (op) {
#define FUS_OPCODE(name) \
  case Opcode::name:     \
    return #name;
    FUS_OPCODES(FUS_OPCODE)
#undef FUS_OPCODE
  }
  return "?";
}

std::string operand_text(const Code& code, const Instruction& in) {
  switch (in.op) {
    case Opcode::LoadC:
      return describe(code.constants[in.x]);
    case Opcode::Run:
      return fmt::format("{} {}", code.operators[in.x].op->name, code.operators[in.x].site.name);
    case Opcode::Point: {
      const PointCall& at = *code.points[in.x];
      std::string text = at.call.op->name;
      for (size_t i = 0; i < at.operands.size(); ++i) {
        const int32_t o = at.operands[i];
        text += o < 0 ? " " + describe(code.constants[~o])
                      : fmt::format(" r{}{}", o, at.dying >> i & 1 ? "." : "");
      }
      return at.out < 0 ? text : fmt::format("{} -> r{}", text, at.out);
    }
    case Opcode::Call:
    case Opcode::Fork:
      return code.callees[in.x]->name;
    default:
      return "";
  }
}

}  // namespace

std::unique_ptr<Code> compile_bytecode(const Graph& graph, const JitSetting* setting) {
  return Compiler(graph, setting, 0).take();
}

std::string print(const Code& code) {
  std::string out = fmt::format("code {}: {} inputs, {} registers, stack {}\n", code.name,
                                code.inputs, code.registers, code.stack);
  for (size_t i = 0; i < code.instructions.size(); ++i) {
    const Instruction& in = code.instructions[i];
    std::string line = fmt::format("{:4} {:<7}{:>4}{:>6}  {}", i, name_of(in.op), in.n, in.x,
                                   operand_text(code, in));
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  for (const auto& callee : code.callees) out += print(*callee);
  return out;
}

}  // namespace fusillade
