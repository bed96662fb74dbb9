// Claim: what fold_conv folds into a convolution's weights changes nothing where arithmetic is
// exact. The pass wants constants, so those inputs of the program that could be weights become
// constants of its graph, and steps that it folds are put behind each convolution. It rounds
// otherwise than the program, so floats are residues, and bits are compared.
#pragma once

#include "fuzz/oracle/judging.h"

namespace fusillade::fuzz {

// That are judged, one on each call.
std::vector<Plan> folding_plans();

// True when judging must stop: a finding. Programs without a convolution are passed over.
bool judge_folding(const Case& c, Judging& judging);

}  // namespace fusillade::fuzz
