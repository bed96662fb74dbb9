// Names that classes give a meaning: Python's own, dataclasses', and modules'.
#pragma once

namespace fusillade::front {

inline constexpr const char* kInit = "__init__";
// What a dataclass runs once its fields are set.
inline constexpr const char* kPostInit = "__post_init__";
inline constexpr const char* kForward = "forward";
// Of the body of a module's class: attributes that are constants, and types of others.
inline constexpr const char* kConstants = "__constants__";
inline constexpr const char* kAnnotations = "__annotations__";

}  // namespace fusillade::front
