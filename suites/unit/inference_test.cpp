// Inference is monotone: who knows less of a call's arguments concludes less of its results, never
// something else, and sees no error where there is none.
#include <gtest/gtest.h>

#include <map>

#include "engine/ir/visit.h"
#include "fuzz/gen/generate.h"

namespace fusillade {
namespace {

using fuzz::Choices;

// Symbols represent sizes that are equal wherever they are written.
void forget_sizes(Choices& c, TensorInfo& info, std::map<int64_t, int64_t>& symbols) {
  const bool named = c.chance(0.5);
  info.strides_known = false;
  info.strides = Dims();
  for (int64_t& s : info.sizes) {
    if (c.chance(0.5)) continue;
    if (named) s = symbols.emplace(s, -2 - static_cast<int64_t>(symbols.size())).first->second;
    else s = -1;
  }
}

ArgInfo weaker(Choices& c, const ArgInfo& full, std::map<int64_t, int64_t>& symbols) {
  ArgInfo out = full;
  if (!full.type.is_tensor()) {
    if (c.chance(0.3)) out = {full.type, {}, false, {}};
    return out;
  }
  TensorInfo& info = out.type.info();
  switch (c.below(6)) {
    case 0:
      info.strides_known = false;
      info.strides = Dims();
      break;
    case 1:
    case 2:
      forget_sizes(c, info, symbols);
      break;
    case 3: {
      const DType dtype = info.dtype;
      const bool has_dtype = info.has_dtype;
      info = TensorInfo();
      info.dtype = dtype;
      info.has_dtype = has_dtype && c.chance(0.5);
      break;
    }
    default:
      break;
  }
  return out;
}

// A known size must be one that the symbol or the gap in its position may have.
bool covers(const TensorInfo& weak, const TensorInfo& full,
            const std::map<int64_t, int64_t>& symbols) {
  if (weak.has_dtype && (!full.has_dtype || weak.dtype != full.dtype)) return false;
  if (!weak.rank_known) return true;
  if (!full.rank_known || full.sizes.rank() != weak.sizes.rank()) return false;
  for (int d = 0; d < full.sizes.rank(); ++d) {
    auto symbol = symbols.find(full.sizes[d]);
    const bool named = symbol != symbols.end() && symbol->second == weak.sizes[d];
    if (weak.sizes[d] != -1 && weak.sizes[d] != full.sizes[d] && !named) return false;
  }
  return !weak.strides_known || (full.strides_known && full.strides == weak.strides);
}

class Monotone {
 public:
  void look(Choices& c, const Block* block) {
    each_node_inside_out(block, [&](const Node* n) {
      if (n->op().infer && n->blocks().empty()) look(c, n);
    });
  }
  std::map<std::string, std::string> broken;  // by operator
  int compared = 0;

 private:
  void look(Choices& c, const Node* n) {
    std::vector<ArgInfo> args = arg_infos(n);
    const Schema& s = n->op().schema;
    for (size_t i = args.size(); i < s.args.size() && !s.varargs; ++i)
      args.push_back({s.args[i].type, s.args[i].default_value, true, {}});
    std::vector<Type> full;
    try {
      n->op().infer(n->op(), args, full);
    } catch (const Exception&) {
      return;
    }
    for (int k = 0; k < 4; ++k) {
      std::vector<ArgInfo> less;
      std::map<int64_t, int64_t> symbols;
      for (const ArgInfo& a : args) less.push_back(weaker(c, a, symbols));
      compare(n, less, full, symbols);
    }
  }

  void compare(const Node* n, const std::vector<ArgInfo>& less, const std::vector<Type>& full,
               const std::map<int64_t, int64_t>& symbols) {
    std::vector<Type> weak;
    std::string given;
    for (const ArgInfo& a : less)
      given += (given.empty() ? "" : ", ") +
               (a.known && !a.type.is_tensor() ? describe(a.value) : a.type.text());
    try {
      n->op().infer(n->op(), less, weak);
    } catch (const Unsupported&) {
      return;
    } catch (const Exception& e) {
      broken[n->op().name] = fmt::format("({}): {}", given, e.what());
      return;
    }
    ++compared;
    for (size_t k = 0; k < weak.size() && k < full.size(); ++k) {
      const bool tensors = weak[k].is_tensor() && full[k].is_tensor();
      const bool ok = tensors ? covers(weak[k].info(), full[k].info(), symbols)
                              : full[k].without_shapes().subtype_of(weak[k].without_shapes());
      if (!ok)
        broken[n->op().name] =
            fmt::format("({}) -> {}, in truth {}", given, weak[k].text(), full[k].text());
    }
  }
};

TEST(Inference, WhoKnowsLessConcludesLess) {
  Monotone monotone;
  for (uint64_t i = 0; i < 6000; ++i) {
    Choices c(29, i);
    std::string policy;
    std::unique_ptr<Graph> graph = fuzz::generate_graph(c, {}, &policy);
    monotone.look(c, graph->block());
  }
  for (const auto& [row, how] : monotone.broken) ADD_FAILURE() << row << how;
  EXPECT_GT(monotone.compared, 100000);
}

}  // namespace
}  // namespace fusillade
