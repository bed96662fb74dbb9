// A feature: something that a program reached when it was judged, as one word. A corpus has a case
// for each.
//
//   production:branch                    of the generator, that it used
//   operator:aten::cumsum                that ran
//   rule:peephole/mul-one                of rewriting, that fired
//   guard:guard/cat-one                  that refused
//   event:fuse/fallback                  of what else the engine counts
//   fused:tile/aten::sum.dim             by which fuser an operator was put into a kernel
//   kernel:tile/llvm/s2d3a1/f32+int      how a kernel is built (kernel_shape.h)
//   decline:loopnest/op_is_large         why a fuser built no kernel
//   verdict:differential/skip/declined   what an oracle could not compare, and why
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace fusillade::fuzz {

enum class FeatureKind : uint8_t {
  Production,
  Operator,
  Rule,
  Guard,
  Event,
  Fused,
  Kernel,
  Decline,
  Verdict
};
inline constexpr int kNumFeatureKinds = 9;
const char* name_of(FeatureKind kind);

using Features = std::set<std::string>;

// Characters that are illegal in a word become '_', and a long text is truncated.
std::string feature(FeatureKind kind, std::string_view what);
// None: it is no feature.
std::optional<FeatureKind> kind_of(std::string_view word);

// As a note of a case has them: "features: rule:a guard:b". Reading leaves out what is no feature,
// and all beyond kMostFeatures.
inline constexpr size_t kMostFeatures = 4096;  // of one case
inline constexpr std::string_view kFeatureNote = "features: ";
std::string note_of(const Features& features);
Features features_in(std::string_view note);

}  // namespace fusillade::fuzz
