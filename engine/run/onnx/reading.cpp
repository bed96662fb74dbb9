// See reading.h. (law: rules name ops)
#include "engine/run/onnx/reading.h"

#include <algorithm>

#include "engine/base/error.h"

namespace fusillade::onnx {
namespace {

constexpr int64_t kMostNumbers = 4096;  // of a tensor of the file that is taken as counts

Numbers numbers_of(const Tensor& tensor) {
  Numbers out{tensor.dtype(), tensor.sizes(), {}};
  for (int64_t i = 0; i < tensor.numel(); ++i) out.items.emplace_back(element_as_int(tensor, i));
  return out;
}

Tensor tensor_of(const Numbers& numbers) {
  Tensor out = Tensor::empty(numbers.sizes, numbers.dtype);
  for (size_t i = 0; i < numbers.items.size(); ++i)
    set_element_int(out, static_cast<int64_t>(i), numbers.items[i].number());
  return out;
}

}  // namespace

int64_t axis_of(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank) fail("axis {} of {} dimensions", axis, rank);
  return axis < 0 ? axis + rank : axis;
}

bool Numbers::is_known() const {
  return std::all_of(items.begin(), items.end(), [](const Count& n) { return n.is_known(); });
}

Reading::Reading(Builder& builder, const NodeText& node, int64_t opset, const std::string& label,
                 std::map<std::string, Meaning>& names, const ReadGraph& graphs)
    : builder_(builder),
      node_(node),
      opset_(opset),
      label_(label),
      names_(names),
      graphs_(graphs) {}

bool Reading::wants(size_t output) const {
  return output < node_.outputs.size() && !node_.outputs[output].empty();
}

Meaning& Reading::meaning(size_t i) {
  if (!has(i)) fail("input {} is missing", i);
  const auto found = names_.find(node_.inputs[i]);
  if (found == names_.end()) fail("nothing before it is named '{}'", node_.inputs[i]);
  return found->second;
}

const Tensor* Reading::constant(size_t i) {
  Meaning& m = meaning(i);
  if (!m.constant.is_defined() && m.numbers && m.numbers->is_known())
    m.constant = tensor_of(*m.numbers);
  return m.constant.is_defined() ? &m.constant : nullptr;
}

const Numbers* Reading::numbers(size_t i) {
  Meaning& m = meaning(i);
  if (!m.numbers && m.constant.is_defined() && !is_float(m.constant.dtype()) &&
      m.constant.numel() <= kMostNumbers)
    m.numbers = numbers_of(m.constant);
  return m.numbers ? &*m.numbers : nullptr;
}

Term Reading::tensor(size_t i) {
  Meaning& m = meaning(i);
  if (m.term) return *m.term;
  if (const Tensor* known = constant(i)) {
    m.term = builder_.attribute(m.name, *known);
    return *m.term;
  }
  const Numbers& numbers = *m.numbers;
  m.term = builder_.call("aten::tensor", {numbers.items, numbers.dtype});
  if (numbers.sizes.rank() != 1)
    m.term =
        builder_.call("aten::reshape",
                      {*m.term, std::vector<int64_t>(numbers.sizes.begin(), numbers.sizes.end())});
  return *m.term;
}

bool Reading::is_number(size_t i, size_t beside) {
  const Tensor* known = constant(i);
  if (!known || known->numel() != 1 || constant(beside)) return false;
  return known->rank() == 0 || known->rank() <= tensor(beside).rank();
}

Arg Reading::operand(size_t i, size_t beside) {
  if (!is_number(i, beside)) return tensor(i);
  const Tensor& known = *constant(i);
  if (is_float(known.dtype())) return element_as_double(known, 0);
  if (known.dtype() == DType::Bool) return element_as_int(known, 0) != 0;
  return element_as_int(known, 0);
}

const Counts& Reading::counts(size_t i) {
  const Numbers* known = numbers(i);
  if (!known)
    fail(
        "input {} ('{}') depends on elements of tensors; sizes and axes are taken where the model "
        "or the sizes of its inputs tell them",
        i, node_.inputs[i]);
  return known->items;
}

std::vector<int64_t> Reading::ints(size_t i) {
  std::vector<int64_t> out;
  for (const Count& n : counts(i)) {
    if (!n.is_known())
      fail("input {} ('{}') depends on a size that the model leaves open", i, node_.inputs[i]);
    out.push_back(n.number());
  }
  return out;
}

Count Reading::count(size_t i) {
  const Counts& all = counts(i);
  if (all.size() != 1) fail("input {} has {} elements, and is one number", i, all.size());
  return all[0];
}

int64_t Reading::number(size_t i) {
  count(i);
  return ints(i)[0];
}

DType Reading::dtype(size_t i) {
  Meaning& m = meaning(i);
  if (m.constant.is_defined()) return m.constant.dtype();
  if (m.numbers) return m.numbers->dtype;
  return m.term->dtype();
}

const AttributeText* Reading::find(const std::string& name) const {
  for (const AttributeText& a : node_.attributes)
    if (a.name == name) return &a;
  return nullptr;
}

int64_t Reading::integer(const std::string& name, int64_t otherwise) const {
  const AttributeText* found = find(name);
  return found ? found->integer : otherwise;
}

double Reading::real(const std::string& name, double otherwise) const {
  const AttributeText* found = find(name);
  return found ? static_cast<double>(found->real) : otherwise;
}

std::string Reading::text(const std::string& name, const std::string& otherwise) const {
  const AttributeText* found = find(name);
  return found ? std::string(found->bytes) : otherwise;
}

std::optional<std::vector<int64_t>> Reading::integers(const std::string& name) const {
  const AttributeText* found = find(name);
  return found ? std::optional(found->integers) : std::nullopt;
}

std::optional<Tensor> Reading::tensor_attribute(const std::string& name) const {
  const AttributeText* found = find(name);
  if (!found || !found->tensor) return {};
  return onnx::tensor_of(*found->tensor, label_);
}

void Reading::only(const std::string& name, int64_t value) const {
  const int64_t given = integer(name, value);
  if (given != value) fail("{} = {} is not supported ({} is)", name, given, value);
}

void Reading::only(const std::string& name, const std::string& value) const {
  const std::string given = text(name, value);
  if (given != value) fail("{} = '{}' is not supported ('{}' is)", name, given, value);
}

void Reading::read_graph(const std::string& attribute) {
  const AttributeText* found = find(attribute);
  if (!found || !found->graph) fail("it has no graph '{}'", attribute);
  const GraphText graph = graph_text(*found->graph, label_);
  graphs_(graph);
  for (const ValueText& out : graph.outputs) {
    const auto from = names_.find(out.name);
    if (from == names_.end()) fail("nothing in '{}' is named '{}'", attribute, out.name);
    Meaning given = from->second;
    if (given.numbers) builder_.spend(given.numbers->items.size());
    Meaning& to = result();
    given.name = to.name;
    to = std::move(given);
  }
}

Meaning& Reading::result() {
  const size_t i = given_++;
  if (!wants(i)) return unnamed_ = {};
  const std::string& name = node_.outputs[i];
  const auto [at, fresh] = names_.try_emplace(name);
  if (!fresh) fail("'{}' is computed twice", name);
  at->second.name = name;
  return at->second;
}

void Reading::give(Term term) {
  Meaning& m = result();
  builder_.name(term, m.name);
  m.term = std::move(term);
}

void Reading::give(Numbers numbers) {
  builder_.spend(numbers.items.size());
  result().numbers = std::move(numbers);
}
void Reading::give(Tensor constant) { result().constant = std::move(constant); }

}  // namespace fusillade::onnx
