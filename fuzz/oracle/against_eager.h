// One call of a program by an external engine, against its family's eager mode: what the oracles
// `compiled` and `whole_python` share.
#pragma once

#include <optional>

#include "fuzz/oracle/reference.h"
#include "fuzz/run/foreign/contract.h"

namespace fusillade::fuzz {

// A verdict of nothing compared.
Verdict skip(const std::string& reason, const std::string& detail = "");

// What two ends other than values say; nothing is decided where both gave values. `removable`: may
// an error that eager mode raises be missing, as that of an operator whose result nobody uses?
std::optional<Verdict> by_endings(bool removable, const Contract& contract, const Outcome& eager,
                                  const Outcome& observed);
// The contract for a call that ended so in eager mode: which operator raises first, and so the
// class of its error, is nobody's promise.
Contract without_operators(Contract contract, const Outcome& eager);
// May the error of this call be missing? It depends on the operators that raise it.
bool has_removable_error(const Case& c, const Call& call, const Outcome& eager);

// What eager mode refuses where compilers need not, for lack of a kernel or by stricter checks than
// those of ours, is declined, and the worker says by which error. Where values were observed, and
// ours raises an error that is needed, too, that error counts.
Outcome with_refusal(const Case& c, const Call& call, const Outcome& eager,
                     const Outcome& observed);

// Two outcomes of values. `reference` has run the program here; what it could not follow must be
// equal, and where it is not nothing is known.
Verdict compare_with_eager(const Contract& contract, Reference& reference, const Outcome& eager,
                           const Outcome& observed);
// And where strides and shared memory are promised, those.
Verdict compare_layouts(const Contract& contract, const Outcome& eager, const Outcome& observed);

// Is this a plan of an external engine that is not its family's eager mode?
bool is_compiled_outside(const Plan& plan);
Contract contract_of(const std::string& engine);

}  // namespace fusillade::fuzz
