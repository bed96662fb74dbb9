// Values in archives: what a pickle says of an object, and the storages that its tensors lie in.
//
// Tensors that share a storage share it again after reading, views keep their offset and strides;
// an object, list or dict that is referenced twice is referenced twice again. Cycles of values are
// refused. Values are read under the type that their class declares, and must be of it.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <unordered_map>

#include "engine/run/archive/pickle.h"
#include "engine/run/archive/type_text.h"

namespace fusillade::archive {

inline constexpr int kMaxNesting = 32;  // containers and objects within each other

class ValueWriter {
 public:
  // Lists and dicts with their types, as TorchScript keeps them; or as Python's own.
  enum class Containers : uint8_t { Typed, Plain };
  explicit ValueWriter(Containers containers = Containers::Typed) : containers_(containers) {}
  // A whole pickle. Throws Error for what cannot be saved: cycles, deep nesting.
  std::string pickle(const IValue& value, const Type& declared);
  // Storages met so far, each as one flat tensor; the i-th belongs into the entry "i".
  const std::vector<Tensor>& storages() const { return storages_; }

 private:
  void scan(const IValue& value, int depth);
  void push(const IValue& value, const Type& declared);
  void push_container(const IValue& value, const Type& declared);
  void push_list(const IValue& value, const Type& declared);
  void push_dict(const IValue& value, const Type& declared);
  void push_tuple(const IValue& value, const Type& declared);
  void push_object(const IValue& value);
  void push_tensor(const Tensor& tensor);
  void push_storage(const Tensor& tensor);
  void push_class(const std::string& qualified);
  const Containers containers_;
  PickleWriter out_;
  std::vector<Tensor> storages_;
  std::map<const void*, int> holders_;  // how often a list, dict, tuple or object is referenced
  std::set<const void*> in_progress_;   // being scanned
  std::set<const void*> parameters_;    // tensors that a module's parameter holds
  std::map<const void*, uint32_t> memo_;
  std::map<const void*, uint32_t> storage_memo_;
};

// Where a pickle's storages come from: the bytes of the entry of a key. Throws Error when there is
// none.
using StorageSource = std::function<std::string_view(const std::string& key)>;

class ValueReader {
 public:
  ValueReader(const Pickle& pickle, StorageSource storages, ClassResolver& classes)
      : pickle_(pickle), source_(std::move(storages)), classes_(classes) {}
  // The root. Throws Error where a value is not of the type its place declares.
  IValue read(const Type& declared) { return value(pickle_.root(), declared); }
  // Another node of the pickle.
  IValue read(const Pickled& node, const Type& declared) { return value(node, declared); }
  // Of the tensors read, those of complex numbers: each became pairs of real ones, a last dim of 2.
  const std::set<const void*>& complex() const { return complex_; }

 private:
  IValue value(const Pickled& node, const Type& declared);
  IValue fresh(const Pickled& node, const Type& declared);
  IValue plain(const Pickled& node, const Type& declared);
  IValue tuple(const Pickled& node, const Type& declared);
  IValue list(const Pickled& node, const Type& declared);
  IValue dict(const Pickled& node, const Type& declared);
  IValue call(const Pickled& node, const Type& declared);
  IValue object(const Pickled& node);
  IValue enum_member(const Pickled& node, const ClassPtr& cls);
  IValue tensor(const Pickled& node);
  Tensor storage(const Pickled& node);
  Dims dims(const Pickled& node);
  ClassPtr class_of(const Pickled& global);
  const Pickled& item(const Pickled& node, size_t i, Pickled::Kind kind);
  const Pickle& pickle_;
  StorageSource source_;
  ClassResolver& classes_;
  std::unordered_map<const Pickled*, IValue> seen_;
  std::map<std::string, Tensor> storages_;
  std::set<const void*> complex_;
};

}  // namespace fusillade::archive
