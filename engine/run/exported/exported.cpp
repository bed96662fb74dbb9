// See exported.h. A module is made for each part of the names of tensors ("layers.0.weight"), so
// that the tensors have the names of state_dict.
#include "engine/run/exported/exported.h"

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/run/exported/attributes.h"
#include "engine/run/exported/graph_reader.h"
#include "engine/run/exported/meta.h"
#include "engine/run/exported/parts.h"

namespace fusillade::exported {
namespace {

using Kind = Json::Kind;

constexpr int64_t kMajor = 8;  // of the versions of the schema that are read
constexpr std::string_view kClass = "__torch__.Exported";

// One program of an archive, while it is read.
class ProgramReader {
 public:
  ProgramReader(const JsonDocument& doc, const std::string& label, Parts& parts)
      : doc_(doc),
        parts_(parts),
        forward_(std::make_shared<Graph>()),
        reader_(doc, label, *forward_) {}

  Module run() {
    check_version();
    const Json& body = doc_.need(doc_.root(), "graph_module");
    const Json& graph = doc_.need(body, "graph");
    const Json& signature = doc_.need(body, "signature");
    inputs(graph, doc_.need(signature, "input_specs", Kind::Array));
    ranges();
    reader_.nodes(graph);
    outputs(doc_.need(signature, "output_specs", Kind::Array));
    reader_.finish();
    return module();
  }

 private:
  void check_version() {
    const Json& version = doc_.need(doc_.root(), "schema_version");
    const int64_t major = doc_.integer(version, "major");
    if (major != kMajor)
      doc_.wrong(version, fmt::format("version {} of the schema of exported programs (legal: {}): "
                                      "export it again, by PyTorch 2.6 or newer",
                                      major, kMajor));
  }

  // Inputs that are tensors of the archive become attributes.
  void inputs(const Json& graph, const Json& specs) {
    const Json& metas = doc_.need(graph, "tensor_values", Kind::Object);
    for (const auto& [name, meta] : metas.items) metas_.emplace(name, meta);
    for (const auto& [none, spec] : specs.items) add_attribute(*spec);
    attributes_.finish(std::string(kClass));
    forward_->name = "forward";
    Value* self = forward_->add_input(Type::of(attributes_.root()));
    self->set_name("self");
    parameter("self", self->type());
    for (const auto& [none, spec] : specs.items) input(*spec, self);
  }

  // Checks of sizes, as the program declares them. PyTorch takes sizes below 3 for any.
  void ranges() {
    constexpr int64_t kLeastChecked = 3;
    const Json* all = doc_.find(doc_.root(), "range_constraints");
    if (!all) return;
    for (const auto& [name, range] : doc_.as(*all, Kind::Object).items) {
      const auto symbol = symbols_.all().find(name);
      if (symbol == symbols_.all().end()) continue;
      const auto bound = [&, &of = *range](const char* key, int64_t otherwise) {
        const Json* value = doc_.find(of, key);
        return value && value->is(Kind::Int) ? value->integer : otherwise;
      };
      const int64_t least = bound("min_val", 0), most = bound("max_val", INT64_MAX);
      if (least < kLeastChecked && most == INT64_MAX) continue;
      const auto& [tensor, dim] = places_.at(symbol->second);
      reader_.require_size(tensor, dim, least < kLeastChecked ? 0 : least, most);
    }
  }

  struct Stored {
    const char* key;
    const char* name_key;
    Field::Kind kind;
  };
  static constexpr Stored kStored[] = {
      {"parameter", "parameter_name", Field::Kind::Parameter},
      {"buffer", "buffer_name", Field::Kind::Buffer},
      {"tensor_constant", "tensor_constant_name", Field::Kind::Attribute}};

  void add_attribute(const Json& spec) {
    for (const Stored& stored : kStored) {
      const Json* given = doc_.find(spec, stored.key);
      if (!given) continue;
      const std::string name = doc_.text(*given, stored.name_key);
      const Json* persistent = doc_.find(*given, "persistent");
      const bool kept = !persistent || doc_.as(*persistent, Kind::Bool).integer;
      try {
        attributes_.add(name, tensor(name), stored.kind, kept);
      } catch (const Error& e) {
        doc_.wrong(*given, e.what());
      }
    }
  }

  Tensor tensor(const std::string& name) const {
    for (const Tensors* part : {&parts_.state, &parts_.constants})
      if (const auto found = part->find(name); found != part->end()) return found->second;
    fail("the archive holds no tensor '{}'", name);
  }

  void input(const Json& spec, Value* self) {
    for (const Stored& stored : kStored) {
      const Json* given = doc_.find(spec, stored.key);
      if (!given) continue;
      Value* value = attributes_.read(doc_.text(*given, stored.name_key), self, reader_);
      return reader_.bind(*given, doc_.text(doc_.need(*given, "arg"), "name"), value);
    }
    if (const Json* given = doc_.find(spec, "user_input")) {
      user_input(*given);
      ++leaves_;
      return;
    }
    if (doc_.find(spec, "constant_input")) {  // its value is within the graph
      ++leaves_;
      return;
    }
    if (const Json* token = doc_.find(spec, "token"))
      return reader_.bind(*token, doc_.text(doc_.need(*token, "arg"), "name"),
                          reader_.constant(IValue()));
    for (const auto& [key, value] : doc_.as(spec, Kind::Object).items)
      doc_.wrong(spec, fmt::format("an input '{}' is not supported", key));
    doc_.wrong(spec, "an input is an object of one key");
  }

  void user_input(const Json& given) {
    const Json& arg = doc_.need(given, "arg", Kind::Object);
    if (const Json* tensor = doc_.find(arg, "as_tensor")) {
      const std::string name = doc_.text(*tensor, "name");
      const auto meta = metas_.find(name);
      if (meta == metas_.end()) doc_.wrong(given, fmt::format("nothing is said of '{}'", name));
      return add_input(given, name, symbols_.type_of(doc_, *meta->second));
    }
    for (const auto& [key, kind] :
         {std::pair{"as_sym_int", TypeKind::Int}, std::pair{"as_sym_float", TypeKind::Float},
          std::pair{"as_sym_bool", TypeKind::Bool}})
      if (const Json* number = doc_.find(arg, key))
        return add_input(given, doc_.text(*number, "as_name"), kind);
    // What is no tensor and no number of many is within the graph.
  }

  void add_input(const Json& at, const std::string& name, const Type& type) {
    Value* value = forward_->add_input(type);
    if (leaves_ < parts_.examples.size()) examples_.push_back(parts_.examples[leaves_]);
    reader_.bind(at, name, value);
    for (int64_t dim = 0; type.is_tensor() && dim < std::ssize(type.info().sizes); ++dim)
      places_.try_emplace(type.info().sizes[static_cast<int>(dim)], value, dim);
    parameter(value->name(), type.without_shapes());
  }

  void parameter(const std::string& name, const Type& type) {
    function_.schema.args.emplace_back().name = name;
    function_.schema.args.back().type = type;
  }

  // What the program writes into its tensors stands at its end.
  void outputs(const Json& specs) {
    std::vector<Value*> results;
    for (const auto& [none, spec] : specs.items) {
      if (const Json* given = doc_.find(*spec, "user_output")) {
        results.push_back(reader_.argument(doc_.need(*given, "arg")));
      } else if (!doc_.find(*spec, "token") && !mutation(*spec)) {
        refuse_training(*spec);
        for (const auto& [key, value] : spec->items)
          doc_.wrong(*spec, fmt::format("an output '{}' is not supported", key));
        doc_.wrong(*spec, "an output is an object of one key");
      }
    }
    if (results.empty()) results = {reader_.constant(IValue())};
    if (results.size() > 1) results = {reader_.make(prim::tuple_construct(), results)->output()};
    forward_->add_output(results[0]);
    function_.schema.name = "forward";
    function_.schema.results.emplace_back().type = results[0]->type().without_shapes();
  }

  void refuse_training(const Json& spec) const {
    for (const char* key : {"loss_output", "gradient_to_parameter", "gradient_to_user_input"})
      if (doc_.find(spec, key))
        doc_.wrong(spec, fmt::format("this is a training graph, for it gives a '{}'; only programs "
                                     "without gradients are read: export the module itself",
                                     key));
  }

  bool mutation(const Json& spec) {
    constexpr std::pair<const char*, const char*> kMutations[] = {
        {"buffer_mutation", "buffer_name"},
        {"parameter_mutation", "parameter_name"},
        {"user_input_mutation", "user_input_name"}};
    for (const auto& [key, name_key] : kMutations) {
      const Json* given = doc_.find(spec, key);
      if (!given) continue;
      const std::string name = doc_.text(*given, name_key);
      Value* target = std::string_view(key) == "user_input_mutation"
                          ? reader_.value_of(*given, name)
                          : attributes_.value(name);
      if (!target) doc_.wrong(*given, fmt::format("no attribute is named '{}'", name));
      Value* value = reader_.value_of(*given, doc_.text(doc_.need(*given, "arg"), "name"));
      const Operator& copy = operator_named("aten::copy_");
      reader_.make(copy, {target, value, reader_.constant(false)});
      return true;
    }
    return false;
  }

  Module module() {
    function_.graph = forward_;
    auto unit = std::make_shared<CompilationUnit>();
    attributes_.declare(unit->classes);
    unit->functions[std::string(kClass) + ".forward"] = std::move(function_);
    const bool known = leaves_ == parts_.examples.size();
    return {attributes_.object(), unit, known ? std::move(examples_) : std::vector<IValue>()};
  }

  const JsonDocument& doc_;
  Parts& parts_;
  std::shared_ptr<Graph> forward_;
  GraphReader reader_;
  Function function_;
  Attributes attributes_;
  Symbols symbols_;
  std::map<int64_t, std::pair<Value*, int64_t>> places_;  // where a symbol is a size first
  size_t leaves_ = 0;  // of the tuples that the user gives: inputs, and what is known
  std::vector<IValue> examples_;
  std::map<std::string, const Json*, std::less<>> metas_;
};

}  // namespace

bool is_exported(const archive::ZipReader& zip) { return holds_program(zip); }

Module read_program(const archive::ZipReader& zip, std::set<const void*>& complex) {
  Parts parts = read_parts(zip);
  complex = parts.complex;
  const JsonDocument doc(zip.read(parts.program), zip.label() + ":" + parts.program);
  return ProgramReader(doc, zip.label(), parts).run();
}

}  // namespace fusillade::exported
