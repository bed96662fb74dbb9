// Runs a call on the host although the host does not reach its tensors. It uses copies of their
// storages, so that views, overlaps and in-place writes work as before. What was written is copied
// back; results in a copy's memory become tensors in the original memory.
#pragma once

#include <vector>

#include "engine/ops/operator.h"

namespace fusillade {

class HostCopies {
 public:
  // Fresh results go to `device`.
  explicit HostCopies(Device device) : device_(device) {}
  // The copy for a value, including tensors in lists and tuples. Containers are copied.
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
  std::vector<Tensor> given_;  // that the host reaches: used without a copy
};

}  // namespace fusillade
