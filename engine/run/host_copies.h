// A call whose tensors the host does not reach, made by the host: copies of their storages stand in
// for them, so that views, overlaps and in-place writes are what they are; what was written goes
// back, and results that lie in a stand-in's memory are what it stands for.
#pragma once

#include <vector>

#include "engine/ops/operator.h"

namespace fusillade {

class HostCopies {
 public:
  // Fresh results go to `device`.
  explicit HostCopies(Device device) : device_(device) {}
  // What stands in for a value; tensors in lists and tuples are looked for. Containers are copies.
  IValue of(const IValue& v);
  Tensor of(const Tensor& t);
  // After the call: `written` says whether it may have written what it was given.
  void put_back(bool written);
  IValue back(const IValue& v);
  Tensor back(const Tensor& t);

 private:
  struct Pair {
    Tensor there, here;
  };
  struct Stored {
    Ref<Storage> there, here;
  };
  Ref<Storage> here_for(const Ref<Storage>& there);
  Ref<Storage> there_for(const Ref<Storage>& here);

  Device device_;
  std::vector<Pair> tensors_;
  std::vector<Stored> storages_;
  std::vector<Tensor> given_;  // that the host reaches: they stand for themselves
};

}  // namespace fusillade
