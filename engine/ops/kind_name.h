// The words for kinds of operators: what `fusillade list ops` prints and buckets of findings are
// made of.
#pragma once

#include "engine/ops/operator.h"

namespace fusillade {

const char* name_of(OpKind kind);  // "pointwise", "reduce", ...

}  // namespace fusillade
