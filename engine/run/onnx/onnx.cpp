// See onnx.h.
#include "engine/run/onnx/onnx.h"

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/run/onnx/reading.h"

namespace fusillade::onnx {
namespace {

constexpr int kMostGraphs = 16;                // within each other
constexpr size_t kMostText = size_t{1} << 28;  // of the lines of all nodes
constexpr int64_t kOldest = 13, kNewest = 28;  // opsets
// Of a size that the model leaves open, in either trial.
constexpr std::array<int64_t, kTrials> kTrialSizes = {64, 96};

// What may be shown of a name.
std::string show_plainly(const std::string& name) {
  std::string out = name;
  for (char& c : out)
    if (static_cast<unsigned char>(c) < ' ') c = '_';
  return out;
}

// "y, mask = Dropout(x)"
std::string line_of(const NodeText& node) {
  return fmt::format("{} = {}({})\n", show_plainly(join(node.outputs, ", ")), show_plainly(node.op),
                     show_plainly(join(node.inputs, ", ")));
}

std::string name_of_node(const NodeText& node) {
  return fmt::format("node {} '{}'", node.number, node.name);
}

class ModelReader {
 public:
  ModelReader(const ModelText& model, const std::string& label, const std::string* folder)
      : model_(model), label_(label) {
    if (folder) beside_.emplace().folder = *folder;
  }

  Module run() {
    const auto version = model_.opsets.find("");
    opset_ = version->second;
    if (opset_ < kOldest || opset_ > kNewest)
      fail("'{}': opset {} (legal: {} to {}); onnx.version_converter converts models", label_,
           opset_, kOldest, kNewest);
    tensors(model_.graph);
    inputs();
    list_nodes();
    for (const NodeText& node : model_.graph.nodes) read(node);
    builder_.set_range({});
    return builder_.finish(outputs());
  }

 private:
  // The model as lines of text, one for each node: what errors of a run show.
  void list_nodes() {
    auto source = std::make_shared<Source>();
    source->file = label_;
    for (const NodeText& node : model_.graph.nodes) {
      places_.push_back(static_cast<uint32_t>(source->text.size()));
      source->text += line_of(node);
      if (source->text.size() > kMostText)
        fail("'{}': names of more than {} bytes", label_, kMostText);
    }
    places_.push_back(static_cast<uint32_t>(source->text.size()));
    source_ = source;
  }

  SourceRange range_of(const NodeText& node) const {
    return {source_, places_[node.number - 1], places_[node.number] - 1};
  }

  // Of a graph within a node: its nodes are shown as that node.
  void read_within(const GraphText& graph) {
    if (++depth_ > kMostGraphs) fail("graphs are nested more than {} deep", kMostGraphs);
    tensors(graph);
    for (const NodeText& node : graph.nodes) read(node);
    --depth_;
  }

  void tensors(const GraphText& graph) {
    for (const TensorText& text : graph.tensors) {
      Meaning& m = names_[text.name];
      if (!m.name.empty()) fail("'{}': two tensors are called '{}'", label_, text.name);
      m.name = text.name;
      try {
        m.constant = tensor_of(text.message, label_, beside_ ? &*beside_ : nullptr);
      } catch (const Error& e) {
        fail("'{}': {}", label_, e.what());
      }
    }
  }

  // An input with an initialiser is a tensor of the file.
  void inputs() {
    for (const ValueText& in : model_.graph.inputs) {
      const auto [at, fresh] = names_.try_emplace(in.name);
      if (!fresh) continue;
      at->second.name = in.name;
      try {
        at->second.term = input(in);
      } catch (const Error& e) {
        fail("'{}': input '{}': {}", label_, in.name, e.what());
      }
    }
  }

  Term input(const ValueText& in) {
    if (!in.is_tensor) fail("inputs are tensors; sequences, maps and optionals are not supported");
    if (!in.has_shape) fail("its number of dimensions is not declared");
    std::vector<Count> sizes;
    Dims dims;
    for (const SizeText& n : in.sizes) {
      Count& size = sizes.emplace_back(n.value);
      if (n.value < 0) size.trial = kTrialSizes;
      dims.push_back(size.trial[1]);
    }
    numel_of(dims);  // throws Error where there are too many
    return builder_.input(in.name, dtype_of(in.data_type), sizes);
  }

  void read(const NodeText& node) {
    if (!node.domain.empty())
      fail(
          "'{}': {} is {}.{}, which Fusillade does not read; it reads {} operators of ai.onnx: "
          "fusillade list onnx",
          label_, name_of_node(node), node.domain, node.op, Table<Row>::instance().size());
    const Row* row = Table<Row>::instance().find(node.op);
    if (!row)
      fail(
          "'{}': {} is {}, which Fusillade does not read; it reads {} operators: fusillade list "
          "onnx",
          label_, name_of_node(node), node.op, Table<Row>::instance().size());
    try {
      if (opset_ < row->since)
        fail("it is read as of opset {}, and the model imports {}", row->since, opset_);
      read_by(*row, node);
    } catch (const Error& e) {
      fail("'{}': {} ({}): {}", label_, name_of_node(node), node.op, e.what());
    }
  }

  void read_by(const Row& row, const NodeText& node) {
    if (depth_ == 0) builder_.set_range(range_of(node));
    Reading reading(builder_, node, opset_, label_, names_, graphs_);
    if (!row.fold || !row.fold(reading)) row.read(reading);
    for (size_t i = reading.count_given(); i < node.outputs.size(); ++i)
      if (reading.wants(i)) fail("it has {} results, and '{}' is one more", i, node.outputs[i]);
  }

  std::vector<Term> outputs() {
    NodeText end;
    for (const ValueText& out : model_.graph.outputs) end.inputs.push_back(out.name);
    if (end.inputs.empty()) fail("'{}': it has no outputs", label_);
    Reading reading(builder_, end, opset_, label_, names_, graphs_);
    std::vector<Term> out;
    for (size_t i = 0; i < end.inputs.size(); ++i) {
      try {
        out.push_back(reading.tensor(i));
      } catch (const Error& e) {
        fail("'{}': output '{}': {}", label_, end.inputs[i], e.what());
      }
    }
    return out;
  }

  const ModelText& model_;
  const std::string& label_;
  std::optional<Beside> beside_;
  int64_t opset_ = 0;
  int depth_ = 0;  // of graphs within nodes
  std::shared_ptr<const Source> source_;
  std::vector<uint32_t> places_;  // in its text, where each node begins
  Builder builder_;
  std::map<std::string, Meaning> names_;
  const ReadGraph graphs_ = [this](const GraphText& graph) { read_within(graph); };
};

}  // namespace

Module read_model(std::string_view bytes, const std::string& label, const std::string* folder) {
  const ModelText model = read_text(bytes, label);
  return ModelReader(model, label, folder).run();
}

}  // namespace fusillade::onnx
