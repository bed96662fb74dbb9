// See write_payload.h.
#include "engine/run/exported/write_payload.h"

#include "engine/base/text.h"
#include "engine/run/archive/values.h"
#include "engine/run/exported/graph_text.h"
#include "engine/run/exported/json_text.h"
#include "engine/tensor/transfer.h"

namespace fusillade::exported {
namespace {

void add_storage(archive::ZipWriter& zip, const std::string& name, const Tensor& tensor) {
  const Tensor here = to_host(tensor);
  zip.add(name, {reinterpret_cast<const char*>(here.storage()->data()), here.storage()->bytes()});
}

}  // namespace

void PayloadWriter::add(const std::string& name, const Tensor& tensor, bool parameter,
                        bool requires_grad) {
  auto [file, fresh] =
      files_.try_emplace(tensor.storage(), fmt::format("{}{}", prefix_, files_.size()));
  if (fresh) add_storage(zip_, folder_ + file->second, tensor);
  rows_.push_back(fmt::format(
      R"({}: {{"path_name": {}, "is_param": {}, "use_pickle": false, "tensor_meta": {}}})",
      quote(name), quote(file->second), flag_text(parameter), meta_text(tensor, requires_grad)));
}

void PayloadWriter::finish(const std::string& config) {
  zip_.add(folder_ + config, fmt::format("{{\"config\": {{{}}}}}", join(rows_, ", ")));
}

std::string examples_file(const std::vector<IValue>& inputs) {
  archive::ValueWriter values(archive::ValueWriter::Containers::Plain);
  const IValue all =
      IValue::tuple({IValue::tuple(inputs), IValue::dict(TypeKind::Str, TypeKind::Any)});
  const std::string pickle = values.pickle(all, all.type());
  archive::ZipWriter zip;
  zip.add("archive/data.pkl", pickle);
  zip.add("archive/byteorder", "little");
  for (size_t i = 0; i < values.storages().size(); ++i)
    add_storage(zip, fmt::format("archive/data/{}", i), values.storages()[i]);
  zip.add("archive/version", "3\n");
  return zip.finish();
}

}  // namespace fusillade::exported
