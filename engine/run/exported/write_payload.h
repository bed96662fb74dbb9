// Tensors as the files of an archive of torch.export: the bytes of each storage, and a text that
// says which view of them each tensor is.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/ops/ivalue.h"
#include "engine/run/archive/zip.h"

namespace fusillade::exported {

class PayloadWriter {
 public:
  // `folder`: "archive/data/weights/"; `prefix`: of the files' names, "weight_".
  PayloadWriter(archive::ZipWriter& zip, std::string folder, std::string prefix)
      : zip_(zip), folder_(std::move(folder)), prefix_(std::move(prefix)) {}
  void add(const std::string& name, const Tensor& tensor, bool parameter, bool requires_grad);
  void finish(const std::string& config);  // the name of the file that lists them

 private:
  archive::ZipWriter& zip_;
  std::string folder_, prefix_;
  std::map<const Storage*, std::string> files_;
  std::vector<std::string> rows_;
};

// A file as torch.save writes it: a tuple of these, and an empty dict of arguments by name.
std::string examples_file(const std::vector<IValue>& inputs);

}  // namespace fusillade::exported
