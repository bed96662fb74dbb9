// Archives to modules; see archive.h.
#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/ir/complex_parts.h"
#include "engine/run/archive/archive.h"
#include "engine/run/archive/import_unit.h"
#include "engine/run/archive/values.h"
#include "engine/run/exported/exported.h"
#include "engine/run/onnx/onnx.h"

namespace fusillade {
namespace {

using namespace archive;

constexpr int64_t kNewestVersion = 10;
constexpr uint64_t kLongestNote = 32;  // bytes of the entries that hold a word

// The folder that holds everything: what precedes the first slash of the first entry.
std::string root_of(const ZipReader& zip) {
  if (zip.entries().empty()) fail("'{}': the archive is empty", zip.label());
  const std::string& first = zip.entries()[0].name;
  size_t slash = first.find('/');
  if (slash == std::string::npos)
    fail("'{}': '{}' lies in no folder; not an archive of TorchScript", zip.label(), first);
  return first.substr(0, slash + 1);
}

std::string note(const ZipReader& zip, const std::string& name) {
  const ZipEntry* entry = zip.find(name);
  if (!entry) return "";
  if (entry->size > kLongestNote) fail("'{}': the entry '{}' is too long", zip.label(), name);
  return std::string(trim(zip.read(name)));
}

int version_of(const ZipReader& zip, const std::string& root) {
  std::string text =
      note(zip, root + (zip.find(root + ".data/version") ? ".data/version" : "version"));
  int64_t version = 0;
  if (!parse_int(text, &version) || version < 1 || version > kNewestVersion)
    fail("'{}': an archive of version '{}' (legal: 1 to {})", zip.label(), text, kNewestVersion);
  return static_cast<int>(version);
}

// PyTorch also writes where each line of code came from; we do not.
bool is_from_pytorch(const ZipReader& zip) {
  const std::vector<ZipEntry>& entries = zip.entries();
  return std::any_of(entries.begin(), entries.end(),
                     [](const ZipEntry& e) { return e.name.ends_with(".debug_pkl"); });
}

StorageSource storages_in(const ZipReader& zip, std::string folder) {
  return [&zip, folder](const std::string& key) { return zip.view(folder + key); };
}

std::vector<IValue> read_constants(const ZipReader& zip, const std::string& root, ImportUnit& unit,
                                   ComplexTensors& complex) {
  std::string name = root + "constants.pkl";
  if (!zip.find(name)) return {};
  Pickle pickle(zip.read(name), zip.label() + ":constants.pkl");
  ValueReader reader(pickle, storages_in(zip, root + "constants/"), unit);
  IValue all = reader.read(TypeKind::Any);
  complex.constants.insert(reader.complex().begin(), reader.complex().end());
  if (all.tag() != IValue::Tag::Tuple)
    pickle.wrong(pickle.root(), "a tuple of constants is expected");
  return all.items();
}

// The attributes that hold complex tensors, of the object and of what it holds.
void find_complex(const IValue& of, const std::set<const void*>& tensors,
                  std::set<const void*>& seen, ComplexTensors& complex) {
  if (of.tag() != IValue::Tag::Object || !seen.insert(&of.as_object()).second) return;
  const ClassType& cls = *of.as_object().cls;
  for (size_t i = 0; i < cls.fields.size(); ++i) {
    const IValue& value = of.as_object().slots[i];
    if (value.is_tensor() && tensors.contains(value.as_tensor().impl()))
      complex.fields.insert({cls.name, cls.fields[i].name});
    find_complex(value, tensors, seen, complex);
  }
}

// `tensors`: those of the object that are pairs for complex numbers.
void take_complex_apart(const IValue& self, const std::set<const void*>& tensors,
                        ComplexTensors& complex, CompilationUnit& unit) {
  std::set<const void*> seen;
  if (!tensors.empty()) find_complex(self, tensors, seen, complex);
  for (auto& [name, function] : unit.functions)
    if (std::shared_ptr<Graph> pairs = complex_as_pairs(*function.graph, complex))
      function.graph = std::move(pairs);
}

Module read_exported(const ZipReader& zip) {
  std::set<const void*> tensors;
  Module out = exported::read_program(zip, tensors);
  auto unit = std::make_shared<CompilationUnit>(*out.unit);
  ComplexTensors complex;
  take_complex_apart(out.self, tensors, complex, *unit);
  out.unit = unit;
  return out;
}

// `folder`: where it lies; null: nowhere.
Module read_archive(std::string bytes, const std::string& label, const std::string* folder) {
  if (label.ends_with(".onnx")) return onnx::read_model(bytes, label, folder);
  ZipReader zip(std::move(bytes), label);
  if (exported::is_exported(zip)) return read_exported(zip);
  std::string root = root_of(zip);
  std::string order = note(zip, root + "byteorder");
  if (!order.empty() && order != "little")
    fail("'{}': tensors in byte order '{}' (legal: little)", label, order);
  CodeIndex code(zip, root);
  ImportUnit unit(code, version_of(zip, root), is_from_pytorch(zip));
  Pickle pickle(zip.read(root + "data.pkl"), label + ":data.pkl");
  unit.set_object_classes(object_classes(pickle));
  ComplexTensors complex;
  unit.set_constants(read_constants(zip, root, unit, complex));
  Module out;
  ValueReader reader(pickle, storages_in(zip, root + "data/"), unit);
  out.self = reader.read(TypeKind::Any);
  bool module = out.self.tag() == IValue::Tag::Object && out.type().kind == ClassType::Kind::Module;
  if (!module) pickle.wrong(pickle.root(), "a module is expected");
  if (unit.is_hooked(out.type().name))
    fail(
        "'{}': hooks around the forward of the module that is loaded are not supported; of its "
        "submodules they are",
        label);
  const std::shared_ptr<CompilationUnit> finished = unit.finish();
  take_complex_apart(out.self, reader.complex(), complex, *finished);
  out.unit = finished;
  return out;
}

Module load(std::string bytes, const std::string& label, const std::string* folder) {
  try {
    return read_archive(std::move(bytes), label, folder);
  } catch (const Error& e) {
    if (std::string_view(e.what()).find(label) != std::string_view::npos) throw;
    fail("'{}': {}", label, e.what());  // what a type or a tensor says of itself
  }
}

}  // namespace

Module load_archive(std::string bytes, const std::string& label) {
  return load(std::move(bytes), label, nullptr);
}

Module load_module(const std::string& path) {
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  return load(read_file(path), path, &folder);
}

bool is_archive_name(std::string_view path) {
  return path.ends_with(".pt") || path.ends_with(".pt2") || path.ends_with(".onnx");
}

}  // namespace fusillade
