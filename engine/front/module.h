// Modules from a script: nn.Module and ScriptModule classes are run by the elaborator
// (elaborate.h), given a concrete type, and compiled.
//
//   Script script = compile_script_file("net.py");
//   Module net = instantiate(script, "Net(3, hidden=8)");
//   auto run = prepare(*net.method("forward")->graph, parse_plan("vm/o2"));
//   std::vector<IValue> out = run->run({net.self, x});
//
// The type: fields are parameters, buffers, attributes that have a type, submodules; constants
// (__constants__, Final) are part of the type and of its methods, not of the instance. Instances of
// equal types share one class. Compiled are `forward`, @export methods and all they reach. The
// compilation unit of the script grows with each instance, so make instances from one thread at a
// time.
#pragma once

#include "engine/front/script.h"

namespace fusillade {

// `call` is Python text: the class and the arguments of its constructor. Throws Error with the
// place in the source. `seed` is of the random initial values.
Module instantiate(const Script& script, const std::string& call, uint64_t seed = 0);
Module instantiate(const Script& script, const std::string& name, const std::vector<IValue>& args,
                   const std::vector<std::pair<std::string, IValue>>& kwargs, uint64_t seed = 0);

// A method of a module from `instantiate`, compiled now if it was not. Throws Error when there is
// none.
const Function& method_of(const Script& script, const Module& module, const std::string& name);

// The script's class names that are modules, in source order.
std::vector<std::string> module_names(const Script& script);

}  // namespace fusillade
