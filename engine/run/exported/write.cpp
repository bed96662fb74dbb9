// See write.h.
#include "engine/run/exported/write.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/ir/unit.h"
#include "engine/ops/annotation_text.h"
#include "engine/ops/class_type.h"
#include "engine/run/archive/zip.h"
#include "engine/run/exported/attribute_names.h"
#include "engine/run/exported/json_text.h"
#include "engine/run/exported/recorder.h"
#include "engine/run/exported/tree_text.h"
#include "engine/run/exported/write_payload.h"
#include "engine/run/frame.h"

namespace fusillade::exported {
namespace {

constexpr const char* kRoot = "archive/";

// Of a copy that ran: tensors in it may have other elements, which each run of the archive gives
// them too.
bool is_unchanged(const IValue& before, const IValue& now) {
  using Tag = IValue::Tag;
  if (before.tag() != now.tag()) return false;
  const auto all = [](const std::vector<IValue>& a, const std::vector<IValue>& b) {
    return std::ranges::equal(a, b, is_unchanged);
  };
  switch (before.tag()) {
    case Tag::Tensor:
      return true;
    case Tag::List:
    case Tag::Tuple:
      return all(before.items(), now.items());
    case Tag::Object:
      return all(before.as_object().slots, now.as_object().slots);
    case Tag::Dict:
      return std::ranges::equal(
          before.as_dict().items(), now.as_dict().items(), [](const auto& a, const auto& b) {
            return is_unchanged(a.first, b.first) && is_unchanged(a.second, b.second);
          });
    default:
      return equal_values(before, now);
  }
}

bool is_module(const IValue& value) {
  return value.tag() == IValue::Tag::Object &&
         value.as_object().cls->kind == ClassType::Kind::Module;
}

class ProgramWriter {
 public:
  explicit ProgramWriter(const Graph& graph) : graph_(graph) {}

  std::string write(const std::vector<IValue>& inputs) {
    check_inputs(graph_, inputs);
    const bool of_module = !inputs.empty() && is_module(inputs[0]);
    std::vector<IValue> given;
    for (const IValue& v : inputs) given.push_back(deepcopy(v));
    if (of_module) add_attributes(inputs[0], given[0], "");
    for (size_t i = of_module; i < inputs.size(); ++i) {
      const Value* input = graph_.inputs()[static_cast<int>(i)];
      add_input(given[i], input->name(), input->type());
    }
    const std::vector<Recorded> results = recorder_.results(graph_, given);
    write_back();
    add_output(results);
    return archive({inputs.begin() + of_module, inputs.end()});
  }

 private:
  struct Attribute {
    std::string name;
    Field::Kind kind;
    bool persistent;
    Tensor tensor;            // of the module, as it is before the run
    const ObjectBox* holder;  // of the copy that runs
    size_t slot;
    Tensor before;         // what the copy had
    std::string own = {};  // its name in the graph
  };

  // An attribute that is no tensor: the program must leave it as it is.
  struct Other {
    std::string name;
    IValue before;
    const ObjectBox* holder;
    size_t slot;
  };

  // Tensors of modules within modules, by the parts of their names.
  void add_attributes(const IValue& object, const IValue& copy, const std::string& path) {
    const ObjectBox &box = object.as_object(), &other = copy.as_object();
    const std::vector<std::string> names = attribute_names(*box.cls);
    for (size_t i = 0; i < box.slots.size(); ++i) {
      const Field& field = box.cls->fields[i];
      const std::string name = path + names[i];
      const IValue& value = box.slots[i];
      if (value.is_tensor() && value.as_tensor().is_defined()) {
        add_attribute({name, field.kind, field.persistent, value.as_tensor(), &other, i,
                       other.slots[i].as_tensor()});
      } else if (is_module(value)) {
        add_attributes(value, other.slots[i], name + ".");
      } else {
        others_.push_back({path + field.name, value, &other, i});
      }
    }
  }

  void add_attribute(Attribute a) {
    const bool parameter = a.kind == Field::Kind::Parameter;
    const char* prefix = parameter ? "p_" : a.kind == Field::Kind::Buffer ? "b_" : "c_";
    const std::string name = recorder_.fresh_name(prefix + a.name);
    recorder_.bind(a.before, name, sized_type(a.before, a.before.sizes()),
                   parameter && is_float(a.tensor.dtype()));
    inputs_.push_back(only("as_tensor", name_text(name)));
    const std::string arg = fmt::format("\"arg\": {}", name_text(name));
    std::string spec;
    if (parameter) {
      spec = fmt::format(R"({{{}, "parameter_name": {}}})", arg, quote(a.name));
    } else if (a.kind == Field::Kind::Buffer) {
      spec = fmt::format(R"({{{}, "buffer_name": {}, "persistent": {}}})", arg, quote(a.name),
                         flag_text(a.persistent));
    } else {
      spec = constant_spec(name, a.name);
    }
    input_specs_.push_back(only(parameter                       ? "parameter"
                                : a.kind == Field::Kind::Buffer ? "buffer"
                                                                : "tensor_constant",
                                spec));
    a.own = name;
    attributes_.push_back(std::move(a));
  }

  static std::string constant_spec(const std::string& name, const std::string& fqn) {
    return fmt::format(R"({{"arg": {}, "tensor_constant_name": {}}})", name_text(name), quote(fqn));
  }

  // A size that the program declares as a symbol may be any.
  Type type_of(const Tensor& tensor, const Type& declared) {
    Dims sizes = tensor.sizes();
    const bool told = declared.is_tensor() && declared.info().rank_known;
    for (int d = 0; told && d < sizes.rank(); ++d) {
      if (declared.info().sizes[d] >= -1) continue;
      recorder_.declare(declared.info().sizes[d], sizes[d]);
      sizes[d] = declared.info().sizes[d];
    }
    return sized_type(tensor, sizes);
  }

  void add_input(const IValue& value, const std::string& name, const Type& declared) {
    const std::string argument = recorder_.fresh_name(name);
    input_names_.push_back(quote(argument));
    const bool whole = !value.is_sequence() && value.tag() != IValue::Tag::Dict;
    input_trees_.push_back(tree_text(value));
    each_leaf(value, [&](const IValue& leaf) {
      const std::string own = whole ? argument : recorder_.fresh_name(name);
      if (leaf.is_tensor()) {
        recorder_.bind(leaf.as_tensor(), own, type_of(leaf.as_tensor(), declared));
        const std::string text = only("as_tensor", name_text(own));
        user_inputs_.push_back(text);
        user_specs_.push_back(only("user_input", only("arg", text)));
        return;
      }
      const std::string text = recorder_.result_text({leaf, {}});
      user_inputs_.push_back(text);
      user_specs_.push_back(
          only("constant_input", fmt::format(R"({{"name": {}, "value": {}}})", quote(own), text)));
    });
  }

  // Attributes that the program set are written where they lie.
  void write_back() {
    for (const Other& o : others_)
      if (const IValue& now = o.holder->slots[o.slot]; !is_unchanged(o.before, now))
        fail("attribute '{}' is {} and becomes {}: torch.export has no form for that", o.name,
             describe(o.before), describe(now));
    for (const Attribute& a : attributes_) {
      const IValue& now = a.holder->slots[a.slot];
      if (!now.is_tensor()) fail("attribute '{}' becomes a {}", a.name, now.type());
      const Tensor tensor = now.as_tensor();
      if (tensor.same(a.before)) continue;
      if (tensor.dtype() != a.before.dtype() || !(tensor.sizes() == a.before.sizes()))
        fail("attribute '{}' is {} and becomes {}: torch.export has no form for that", a.name,
             describe(a.before), describe(tensor));
      recorder_.add_copy(a.before, tensor);
    }
  }

  // Several are a tuple.
  void add_output(const std::vector<Recorded>& results) {
    std::vector<IValue> values;
    for (const Recorded& r : results) values.push_back(r.value);
    const Recorded all{IValue::tuple(values), {}, std::make_shared<std::vector<Recorded>>(results)};
    const Recorded& result = results.size() == 1 ? results[0] : all;
    output_tree_ = tree_text(result.value);
    each_leaf(result, [&](const Recorded& leaf) {
      const std::string text = recorder_.result_text(leaf);
      outputs_.push_back(text);
      output_specs_.push_back(only("user_output", only("arg", text)));
    });
  }

  std::string archive(const std::vector<IValue>& inputs) {
    archive::ZipWriter zip;
    zip.add(std::string(kRoot) + "archive_format", "pt2");
    PayloadWriter weights(zip, std::string(kRoot) + "data/weights/", "weight_");
    PayloadWriter constants(zip, std::string(kRoot) + "data/constants/", "tensor_");
    for (const Attribute& a : attributes_) {
      const bool state = a.kind != Field::Kind::Attribute && a.persistent;
      (state ? weights : constants)
          .add(a.name, a.tensor, a.kind == Field::Kind::Parameter, recorder_.has_gradient(a.own));
    }
    for (const Lifted& l : recorder_.lifted_tensors()) {
      const std::string fqn = l.name.substr(2);
      constants.add(fqn, l.tensor, false, false);
      inputs_.push_back(only("as_tensor", name_text(l.name)));
      input_specs_.push_back(only("tensor_constant", constant_spec(l.name, fqn)));
    }
    weights.finish("model_weights_config.json");
    constants.finish("model_constants_config.json");
    zip.add(std::string(kRoot) + "models/model.json", program_text());
    zip.add(std::string(kRoot) + "data/sample_inputs/model.pt", examples_file(inputs));
    zip.add(std::string(kRoot) + "archive_version", "0");
    zip.add(std::string(kRoot) + "byteorder", "little");
    zip.add(std::string(kRoot) + ".data/version", "6\n");
    return zip.finish();
  }

  std::string program_text() {
    inputs_.insert(inputs_.end(), user_inputs_.begin(), user_inputs_.end());
    input_specs_.insert(input_specs_.end(), user_specs_.begin(), user_specs_.end());
    const std::string call =
        fmt::format(R"({{"inputs": [], "outputs": [], "in_spec": {}, "out_spec": {}, )"
                    R"("forward_arg_names": {}}})",
                    quote(whole_tree(arguments_tree(input_trees_))),
                    quote(whole_tree(output_tree_)), array_text(input_names_));
    return fmt::format(
        R"({{"graph_module": {{"graph": {}, )"
        R"("signature": {{"input_specs": {}, "output_specs": {}}}, )"
        R"("module_call_graph": [{{"fqn": "", "signature": {}}}], "metadata": {{}}, )"
        R"("treespec_namedtuple_fields": {{}}}}, "opset_version": {{"aten": 10}}, )"
        R"("range_constraints": {}, "schema_version": {{"major": 8, "minor": 20}}, )"
        R"("verifiers": ["TRAINING"], "torch_version": "2.13.0", "guards_code": []}})",
        recorder_.text().finish(inputs_, outputs_), array_text(input_specs_),
        array_text(output_specs_), call, recorder_.symbols().ranges_text());
  }

  const Graph& graph_;
  Recorder recorder_;
  std::vector<Attribute> attributes_;
  std::vector<Other> others_;
  std::vector<std::string> inputs_, user_inputs_, outputs_;
  std::vector<std::string> input_specs_, user_specs_, output_specs_;
  std::vector<std::string> input_names_, input_trees_;
  std::string output_tree_;
};

}  // namespace

std::string write_program(const Graph& graph, const std::vector<IValue>& inputs) {
  return ProgramWriter(graph).write(inputs);
}

}  // namespace fusillade::exported
