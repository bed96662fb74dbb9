// The prims that passes and executors name (operators of engine/ops), looked up once at first use.
//
//   if_             (bool) -> results; two blocks
//   loop            (int trip, bool condition, carried...) -> carried; block (int, carried...) ->
//                   (bool, carried...)
//   call_function   attributes "name", "Subgraph": the callee; "task": it may run on another thread
//                   until the tuple that it gives is looked into, where its error is raised
//   fusion_group    attributes "Subgraph", "fuser", "backend"
//   differentiable  attributes "Subgraph", "keeps", and "fuser", "backend" for compiling it
//   type_check      (value) -> it under the type of this result, and whether it is of that type
//   fallback        attributes "Subgraph", "static", "dynamic": how often it may be specialised
//   get_attr        attribute "name"; set_attr too
//   dict_construct  key, value, key, value, ...
#pragma once

#include "engine/ops/operator.h"

namespace fusillade::prim {

#define FUS_PRIM(function, name)                     \
  inline const Operator& function() {                \
    static const Operator& r = operator_named(name); \
    return r;                                        \
  }
FUS_PRIM(constant, "prim::Constant")
FUS_PRIM(if_, "prim::If")
FUS_PRIM(loop, "prim::Loop")
FUS_PRIM(list_construct, "prim::ListConstruct")
FUS_PRIM(list_unpack, "prim::ListUnpack")
FUS_PRIM(tuple_construct, "prim::TupleConstruct")
FUS_PRIM(tuple_unpack, "prim::TupleUnpack")
FUS_PRIM(call_function, "prim::CallFunction")
FUS_PRIM(fusion_group, "prim::TensorExprGroup")
FUS_PRIM(differentiable, "prim::DifferentiableGraph")
FUS_PRIM(type_check, "prim::TypeCheck")
FUS_PRIM(fallback, "prim::FallbackGraph")
FUS_PRIM(raise, "prim::RaiseException")
FUS_PRIM(create_object, "prim::CreateObject")
FUS_PRIM(get_attr, "prim::GetAttr")
FUS_PRIM(set_attr, "prim::SetAttr")
FUS_PRIM(dict_construct, "prim::DictConstruct")
FUS_PRIM(named_tuple, "prim::NamedTupleConstruct")
FUS_PRIM(param, "prim::Param")
FUS_PRIM(return_, "prim::Return")
#undef FUS_PRIM

}  // namespace fusillade::prim
