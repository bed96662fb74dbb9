// The words for kinds of operators, in `fusillade list ops` and in the buckets of findings.
#pragma once

#include "engine/ops/operator.h"

namespace fusillade {

const char* name_of(OpKind kind);  // "pointwise", "reduce", ...

}  // namespace fusillade
