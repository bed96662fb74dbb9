// Values as workers of tensors write and read them (docs/reference/workers.md): a JSON head that
// ends with a newline, then the bytes of its storages, one behind the other.
//
//   {"args": [{"tensor": 0}, 2, {"list": [{"float": "nan"}]}],
//    "tensors": [{"dtype": "float32", "sizes": [2, 3], "strides": [3, 1], "offset": 0,
//                 "storage": 0}],
//    "storages": [24], ...}
//
// Tensors that share memory name one storage. What comes from a worker is believed in nothing:
// anything that is not as it should be throws Babble.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ops/ivalue.h"

namespace fusillade::fuzz {

struct Babble {
  std::string what;
};

// Collects values into a head and bytes.
class WireWriter {
 public:
  // `dicts`: they are sent, too (of the form `source`).
  explicit WireWriter(bool dicts = false) : dicts_(dicts) {}
  // Throws Unsupported for a value that has no such form (objects, enums, text that is not UTF-8,
  // a storage read in two dtypes).
  nlohmann::json value(const IValue& v);
  // `head` with the tensors and storages met so far, and their bytes.
  std::string body(nlohmann::json head) const;
  const std::vector<Tensor>& storages() const { return storages_; }  // one tensor of each

 private:
  nlohmann::json tensor(const Tensor& t);
  const bool dicts_;
  nlohmann::json tensors_ = nlohmann::json::array();
  std::vector<Tensor> storages_;
};

// Parses an answer. Its first storages are those of the question, which receive their new bytes;
// the others are allocated.
class WireReader {
 public:
  WireReader(std::string_view body, const std::vector<Tensor>& asked);
  const nlohmann::json& head() const { return head_; }
  void write_back();  // into the storages of the question
  IValue value(const nlohmann::json& v);

 private:
  IValue tensor(size_t index);
  std::vector<IValue> items(const nlohmann::json& list);
  struct Part {
    Tensor base;  // one dimension, once allocated
    std::string_view bytes;
  };
  nlohmann::json head_;
  std::vector<Part> storages_;
  size_t asked_ = 0;
  int depth_ = 0;
};

}  // namespace fusillade::fuzz
