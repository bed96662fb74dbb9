// See listing.h.
#include "engine/run/exported/listing.h"

#include "engine/base/error.h"
#include "engine/base/text.h"

namespace fusillade::exported {
namespace {

using Kind = Json::Kind;

std::string text_of(const Json& value);

std::string list_text(const Json& list) {
  std::vector<std::string> items;
  for (const auto& [none, item] : list.items) items.push_back(text_of(*item));
  return "[" + join(items, ", ") + "]";
}

// Of a part of an argument: of {"as_tensor": {"name": "x"}} its name.
std::string text_of(const Json& value) {
  switch (value.kind) {
    case Kind::Null:
      return "None";
    case Kind::Bool:
      return value.integer ? "True" : "False";
    case Kind::Int:
      return std::to_string(value.integer);
    case Kind::Float:
      return python_float_text(value.real);
    case Kind::String:
      return std::string(value.text);
    case Kind::Array:
      return list_text(value);
    case Kind::Object:
      break;
  }
  for (const auto& [key, item] : value.items) {
    if (key == "as_none") return "None";
    if (key == "as_graph") return "<graph>";
    if (key == "name" || key == "type" || key.starts_with("as_")) return text_of(*item);
  }
  return "...";
}

}  // namespace

std::string line_of(const JsonDocument& doc, const Json& node) {
  std::vector<std::string> inputs, outputs;
  for (const auto& [none, output] : doc.need(node, "outputs", Kind::Array).items)
    outputs.push_back(text_of(*output));
  for (const auto& [none, input] : doc.need(node, "inputs", Kind::Array).items) {
    const Json* kind = doc.find(*input, "kind");
    constexpr int64_t kKeyword = 2;
    const bool keyword = kind && kind->is(Kind::Int) && kind->integer == kKeyword;
    inputs.push_back((keyword ? doc.text(*input, "name") + "=" : "") +
                     text_of(doc.need(*input, "arg")));
  }
  std::string out = join(outputs, ", ");
  out += (out.empty() ? "" : " = ") + doc.text(node, "target") + "(" + join(inputs, ", ") + ")";
  for (char& c : out)
    if (c == '\n') c = ' ';
  return out;
}

std::string name_of_node(const JsonDocument& doc, const Json& node, size_t number) {
  const Json* name = doc.find(node, "name");
  std::string text = name && name->is(Kind::String) ? std::string(name->text) : "";
  const Json& outputs = doc.need(node, "outputs", Kind::Array);
  if (text.empty() && !outputs.items.empty()) text = text_of(*outputs.items[0].second);
  return text.empty() ? fmt::format("node {}", number) : fmt::format("node {} '{}'", number, text);
}

void Listing::add_line(const std::string& line) {
  constexpr size_t kMost = size_t{1} << 28;
  if (text_.size() + line.size() > kMost)
    fail("'{}': its nodes, written out, have more than {} MiB", file_, kMost >> 20);
  begin_ = text_.size();
  length_ = line.size();
  text_ += line + "\n";
  ++lines_;
}

void Listing::finish() {
  const auto source = std::make_shared<const Source>(Source{file_, std::move(text_)});
  for (const Place& p : placed_)
    p.node->range = {source, static_cast<uint32_t>(p.begin), static_cast<uint32_t>(p.end)};
}

}  // namespace fusillade::exported
