// `trace` for users: record a function (front/trace.h), then check that the graph does what the
// function does.
//
//   Traced t = trace([](Tensor x, Tensor y) { return relu(x + y); }, {x, y});
//
// The checks, each on fresh copies of the inputs (memory layout and sharing kept, so what is
// written in place is written once): the function traced again gives the same graph, as canonical
// text; the graph, run by the eager engine, gives the function's outputs and leaves its inputs with
// the same bits. With `check_inputs` the latter is repeated on other inputs, which finds control
// flow that the trace flattened. A graph that holds nondeterministic nodes is reported, and only
// dtypes and shapes are compared.
#pragma once

#include "engine/front/trace.h"

namespace fusillade {

// The trace does not represent the function; the message names the first difference.
class TraceCheckError : public Error {
  using Error::Error;
};

struct TraceOptions {
  std::string name = "traced";
  bool training = false;  // what eager::training() says within
  bool check = true;
  std::vector<std::vector<IValue>> check_inputs = {};  // more inputs to compare on
};

// The inputs are never written. Throws what record() throws, and TraceCheckError.
Traced trace_function(const TraceFunction& fn, const std::vector<IValue>& inputs,
                      const TraceOptions& options = {});

template <class F>
Traced trace(F fn, const std::vector<IValue>& inputs, const TraceOptions& options = {}) {
  return trace_function(eager::as_trace_function(std::move(fn)), inputs, options);
}

// Deep copies with the same sizes, strides and offsets; tensors of one storage and dtype share one
// again.
std::vector<IValue> fresh_copies(const std::vector<IValue>& values);

}  // namespace fusillade
