// See parts.h. Tensors lie as the bytes of their storages; tensors that share one share it again.
#include "engine/run/exported/parts.h"

#include <cstring>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/run/exported/meta.h"
#include "engine/run/exported/torch_save.h"

namespace fusillade::exported {
namespace {

using archive::ZipEntry;
using archive::ZipReader;

constexpr uint64_t kLongestNote = 32;  // bytes of the entries that hold a word
const std::string kFormerProgram = "serialized_exported_program.json";

// The folder that holds everything, with its slash; empty where there is none.
std::string root_of(const ZipReader& zip) {
  if (zip.entries().empty()) return "";
  const std::string& first = zip.entries()[0].name;
  return first.substr(0, first.find('/') + 1);
}

std::string note(const ZipReader& zip, const std::string& name) {
  const ZipEntry* entry = zip.find(name);
  if (!entry || entry->size > kLongestNote) return "";
  return std::string(trim(zip.read(name)));
}

// Reads one configuration: which tensor lies in which entry, and how.
class Payload {
 public:
  Payload(const ZipReader& zip, std::string folder, const std::string& config,
          std::set<const void*>& complex)
      : zip_(zip), folder_(std::move(folder)), name_(folder_ + config), complex_(complex) {}

  Tensors tensors() {
    Tensors out;
    if (!zip_.find(name_)) return out;
    const JsonDocument doc(zip_.read(name_), zip_.label() + ":" + name_);
    for (const auto& [name, payload] : doc.need(doc.root(), "config", Json::Kind::Object).items) {
      if (doc.need(*payload, "use_pickle", Json::Kind::Bool).integer)
        doc.wrong(*payload, fmt::format("'{}' is a pickle, which is not read: tensors are read as "
                                        "bytes",
                                        name));
      out.emplace(name, tensor(doc, *payload));
    }
    return out;
  }

 private:
  Tensor tensor(const JsonDocument& doc, const Json& payload) {
    const Json& meta = doc.need(payload, "tensor_meta", Json::Kind::Object);
    const Extent extent = extent_of(doc, meta);
    const Tensor base = storage(doc, payload, extent.dtype);
    try {
      const Tensor out = Tensor::view_of(base, extent.offset, extent.sizes, extent.strides);
      if (extent.complex) complex_.insert(out.impl());
      return out;
    } catch (const Error& e) {
      doc.wrong(meta, e.what());
    }
  }

  Tensor storage(const JsonDocument& doc, const Json& payload, DType dtype) {
    const std::string path = doc.text(payload, "path_name");
    if (const auto known = storages_.find(path); known != storages_.end()) {
      if (known->second.dtype() == dtype) return known->second;
      doc.wrong(payload, fmt::format("the entry '{}' is used as {} and as {}", path,
                                     name_of(known->second.dtype()), name_of(dtype)));
    }
    const ZipEntry* entry = zip_.find(folder_ + path);
    if (!entry) doc.wrong(payload, fmt::format("the archive has no entry '{}'", folder_ + path));
    const std::string bytes = zip_.read(folder_ + path);
    const size_t size = size_of(dtype);
    if (bytes.size() % size)
      doc.wrong(payload, fmt::format("the entry '{}' has {} bytes, which are no whole number of {}",
                                     path, bytes.size(), name_of(dtype)));
    Tensor out = Tensor::empty({static_cast<int64_t>(bytes.size() / size)}, dtype);
    if (!bytes.empty()) std::memcpy(out.raw(), bytes.data(), bytes.size());
    if (dtype == DType::Bool)
      for (size_t i = 0; i < bytes.size(); ++i) out.raw()[i] = out.raw()[i] != 0;
    return storages_.emplace(path, out).first->second;
  }

  const ZipReader& zip_;
  std::string folder_, name_;
  std::set<const void*>& complex_;
  Tensors storages_;
};

// The names in "models/NAME.json".
std::vector<std::string> model_names(const ZipReader& zip, const std::string& root) {
  const std::string folder = root + "models/";
  constexpr std::string_view kEnd = ".json";
  std::vector<std::string> out;
  for (const ZipEntry& e : zip.entries())
    if (e.name.starts_with(folder) && e.name.ends_with(kEnd))
      out.push_back(e.name.substr(folder.size(), e.name.size() - folder.size() - kEnd.size()));
  return out;
}

// Inputs that are more than tensors and numbers are not known.
std::vector<IValue> examples_in(const ZipReader& zip, const std::string& name) {
  if (!zip.find(name)) return {};
  try {
    return leaves_of(zip.read(name), zip.label() + ":" + name);
  } catch (const Error&) {
    return {};
  }
}

Tensors saved_tensors(const ZipReader& zip, const std::string& name, Parts& parts) {
  return tensors_of(zip.read(name), zip.label() + ":" + name, parts.complex);
}

// As PyTorch 2.6 and 2.7 wrote them.
Parts former_parts(const ZipReader& zip) {
  Parts out;
  out.program = kFormerProgram;
  out.state = saved_tensors(zip, "serialized_state_dict.pt", out);
  out.constants = saved_tensors(zip, "serialized_constants.pt", out);
  out.examples = examples_in(zip, "serialized_example_inputs.pt");
  return out;
}

}  // namespace

bool holds_program(const ZipReader& zip) {
  return zip.find(kFormerProgram) || note(zip, root_of(zip) + "archive_format") == "pt2";
}

Parts read_parts(const ZipReader& zip) {
  if (zip.find(kFormerProgram)) return former_parts(zip);
  const std::string root = root_of(zip);
  if (const std::string order = note(zip, root + "byteorder"); !order.empty() && order != "little")
    fail("'{}': tensors in byte order '{}' (legal: little)", zip.label(), order);
  const std::vector<std::string> names = model_names(zip, root);
  if (names.size() != 1)
    fail("'{}': an archive of {} programs ({}); one is read", zip.label(), names.size(),
         join(names, ", "));
  const std::string& name = names[0];
  Parts out;
  out.program = root + "models/" + name + ".json";
  out.state =
      Payload(zip, root + "data/weights/", name + "_weights_config.json", out.complex).tensors();
  out.constants =
      Payload(zip, root + "data/constants/", name + "_constants_config.json", out.complex)
          .tensors();
  out.examples = examples_in(zip, root + "data/sample_inputs/" + name + ".pt");
  return out;
}

}  // namespace fusillade::exported
