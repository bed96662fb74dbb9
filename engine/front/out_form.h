// `out=` forms of ops, for scripts and for archives alike: torch.cumsum(x, 1, out=y) computes what
// the operator without `out` gives, and puts it into y.
//
// Operators have no such forms of their own: they are derived here. A call is one when it has
// arguments by keyword that no overload knows. The rest of its arguments choose the overload, and
// each result goes into its tensor by prim::into, which casts, refuses dtypes and resizes as
// PyTorch's forms do. The line `out` of an operator's entry says that its one result is never cast
// ("exact"), or what its results are called there. Where an operator takes a dtype and none is
// given, it computes in that of `out`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/front/match.h"

namespace fusillade::front {

struct OutForm {
  std::vector<Argument> rest;  // without the tensors that results go into
  std::vector<Argument> outs;  // those, as they are written
  bool exact = false;          // no result is cast: the dtypes must be the same
  bool takes_dtype = false;    // some overload takes a dtype, and none is given
};

// Nothing where the call is no such form.
std::optional<OutForm> out_form(const std::string& base, const std::vector<Argument>& args);

// The overloads that such a call may mean: those without a tensor of their own to write into.
std::vector<const Operator*> without_out(const std::string& base);

// `outs` in the order of the `count` results; nothing, and why, where their names or their number
// are others.
std::optional<std::vector<Value*>> in_order_of_results(const std::string& base, const OutForm& form,
                                                       size_t count, std::string* why);

}  // namespace fusillade::front
