// A group as a kernel, in whichever way its fuser maps it: for the sizes of these arguments, or for
// all that match where sizes are dynamic.
#pragma once

#include "engine/fuse/lowering.h"

namespace fusillade::fuse {

struct LoweredBy {
  Lowering::Mapping mapping;
  Lowering::Launches launches;
  const char* wanted;  // what there is none of where it fails: "no one nest of loops"
};

// Throws Unsupported.
Lowered lower_group(const Graph& group, const std::vector<ArgSpec>& args,
                    const DynamicSizes* dynamic, const LoweredBy& by);

}  // namespace fusillade::fuse
