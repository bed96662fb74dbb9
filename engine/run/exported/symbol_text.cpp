// See symbol_text.h.
#include "engine/run/exported/symbol_text.h"

#include "engine/base/text.h"
#include "engine/run/exported/json_text.h"

namespace fusillade::exported {

void SymbolTexts::declare(int64_t symbol, int64_t example) {
  examples_.emplace(symbol, example);
  next_ = std::min(next_, symbol - 1);
}

std::string SymbolTexts::name_of(int64_t symbol) const {
  const bool of_input = examples_.count(symbol);
  const std::string name = fmt::format("{}{}", of_input ? 's' : 'u', -2 - symbol);
  used_[name] = of_input;
  return name;
}

std::string SymbolTexts::symbol_text(int64_t symbol) const {
  return fmt::format("Symbol('{}', {}integer=True)", name_of(symbol),
                     examples_.count(symbol) ? "positive=True, " : "");
}

std::string SymbolTexts::size_text(int64_t size) const { return product_text({size}); }

std::string SymbolTexts::product_text(const std::vector<int64_t>& sizes) const {
  int64_t known = 1, hint = 1;
  bool hinted = true;
  std::vector<std::string> factors;
  for (const int64_t size : sizes) {
    if (size >= 0) {
      known *= size;
      continue;
    }
    factors.push_back(symbol_text(size));
    const auto example = examples_.find(size);
    hinted = hinted && example != examples_.end();
    if (hinted) hint *= example->second;
  }
  if (factors.empty()) return only("as_int", std::to_string(known));
  if (known != 1) factors.insert(factors.begin(), fmt::format("Integer({})", known));
  const std::string text =
      factors.size() == 1 ? factors[0] : fmt::format("Mul({})", join(factors, ", "));
  return only("as_expr",
              fmt::format(R"({{"expr_str": {}, "hint": {}}})", quote(text),
                          hinted ? only("as_int", std::to_string(known * hint)) : "null"));
}

std::string SymbolTexts::fresh_expression(const IValue& example) {
  if (example.is_float()) {
    const std::string name = fmt::format("zuf{}", floats_++);
    used_[name] = false;
    return fmt::format("Symbol('{}')", name);
  }
  const std::string symbol = symbol_text(fresh());
  return example.is_bool() ? fmt::format("Eq({}, Integer(1))", symbol) : symbol;
}

// PyTorch takes a symbol of an input for at least 2, whatever is said here.
std::string SymbolTexts::ranges_text() const {
  std::string out;
  for (const auto& [name, of_input] : used_)
    out += fmt::format(R"({}"{}": {{"min_val": {}, "max_val": null}})", out.empty() ? "" : ", ",
                       name, of_input ? "0" : "null");
  return "{" + out + "}";
}

}  // namespace fusillade::exported
