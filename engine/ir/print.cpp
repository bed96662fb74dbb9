// Graph to TorchScript's text. Unnamed values are numbered in the order of the text, and a name
// that two values carry gets a number behind it, so that printing what was parsed gives the same
// text again.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "engine/base/visible.h"
#include "engine/ir/graph.h"
#include "engine/ir/literal.h"

namespace fusillade {
namespace {

class Printer {
 public:
  // Subgraphs of subgraphs are printed behind, each label once in the whole text.
  std::string graph(const Graph& g) {
    one_graph(g);
    for (size_t i = 0; i < subgraphs_.size(); ++i) {
      out_ += "with " + subgraphs_[i].first + " = ";
      names_.clear();
      taken_.clear();
      next_ = 0;
      again_ = 1;
      one_graph(*subgraphs_[i].second);
    }
    return out_;
  }

  std::string line(const Node* n) {
    one_ = true;
    node(n, 0);
    if (!out_.empty() && out_.back() == '\n') out_.pop_back();
    return out_;
  }

 private:
  void one_graph(const Graph& g) {
    out_ += "graph(";
    params(g.block(), ",\n      ");
    out_ += "):\n";
    body(g.block(), 1);
    out_ += "  return (";
    list(g.outputs());
    out_ += ")\n";
  }

  const std::string& name(const Value* v) {
    auto [it, fresh] = names_.try_emplace(v);
    if (!fresh) return it->second;
    std::string text = v->name();
    if (text.empty()) {
      do text = std::to_string(next_++);
      while (taken_.count(text));
    }
    for (std::string base = text; taken_.count(text);) text = base + "." + std::to_string(again_++);
    it->second = "%" + text;
    taken_.insert(std::move(text));
    return it->second;
  }

  void name_and_type(const Value* v) {
    out_ += name(v);
    out_ += " : ";
    out_ += v->type().text();
  }
  void list(const List<Value*>& values) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (i) out_ += ", ";
      out_ += name(values[i]);
    }
  }
  void params(const Block* b, const char* separator) {
    for (size_t i = 0; i < b->params().size(); ++i) {
      if (i) out_ += separator;
      name_and_type(b->params()[i]);
    }
  }

  void body(const Block* b, int depth) {
    for (Node* n : b->nodes()) node(n, depth);
  }

  void node(const Node* n, int depth) {
    out_.append(static_cast<size_t>(2 * depth), ' ');
    for (size_t i = 0; i < n->outputs().size(); ++i) {
      if (i) out_ += ", ";
      name_and_type(n->outputs()[i]);
    }
    if (!n->outputs().empty()) out_ += " = ";
    out_ += n->op().schema.name;
    attributes(n);
    out_ += "(";
    list(n->inputs());
    out_ += ")";
    if (n->range.valid()) {
      out_ += " # ";
      place(n->range);
    }
    out_ += "\n";
    if (one_) return;
    for (size_t i = 0; i < n->blocks().size(); ++i) {
      const Block* b = n->blocks()[i];
      std::string pad(static_cast<size_t>(2 * depth + 2), ' ');
      out_ += pad + "block" + std::to_string(i) + "(";
      params(b, ", ");
      out_ += "):\n";
      body(b, depth + 2);
      out_ += pad + "  -> (";
      list(b->results());
      out_ += ")\n";
    }
  }

  // SourceRange::where, going on from the last place in the same text.
  void place(const SourceRange& range) {
    const std::string& text = range.source->text;
    if (text.empty() || one_) {
      out_ += range.where();
      return;
    }
    if (source_ != range.source.get() || range.begin < line_start_) {
      source_ = range.source.get();
      line_ = line_start_ = 0;
    }
    size_t begin = std::min<size_t>(range.begin, text.size());
    for (size_t newline; (newline = text.find('\n', line_start_)) < begin; ++line_)
      line_start_ = newline + 1;
    // A file's name may hold a newline, and what follows it would be parsed as a node.
    const std::string& file = source_->file;
    fmt::format_to(std::back_inserter(out_), "{}:{}:{}",
                   file.find('\n') == std::string::npos ? file : visible_line(file), line_ + 1,
                   begin - line_start_);
  }

  void attributes(const Node* n) {
    std::string text;
    for (auto& [key, value] : n->attrs()) {
      if (auto* g = std::get_if<std::shared_ptr<Graph>>(&value)) {
        std::string label = n->op().schema.name + "_" + std::to_string(subgraphs_.size());
        subgraphs_.emplace_back(label, g->get());
        out_ += "_" + std::to_string(subgraphs_.size() - 1);
        continue;
      }
      const IValue& v = std::get<IValue>(value);
      if (v.is_none()) continue;
      text += (text.empty() ? "" : ", ") + key + "=" + print_literal(v);
    }
    if (!text.empty()) out_ += "[" + text + "]";
  }

  std::string out_;
  bool one_ = false;
  int next_ = 0;   // of unnamed values
  int again_ = 1;  // behind names that two values carry
  std::unordered_map<const Value*, std::string> names_;
  std::unordered_set<std::string> taken_;
  const Source* source_ = nullptr;  // of the last place, and the line it is on
  size_t line_ = 0;
  size_t line_start_ = 0;
  std::vector<std::pair<std::string, const Graph*>> subgraphs_;
};

}  // namespace

std::string print(const Graph& graph) { return Printer().graph(graph); }
std::string print(const Node* node) { return Printer().line(node); }

}  // namespace fusillade
