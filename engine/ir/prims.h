// The prims that passes and executors name (rows of engine/ops/prims.cpp), looked up once at first
// use.
#pragma once

#include "engine/ops/row.h"

namespace fusillade::prim {
const Row& constant();
const Row& if_();   // (bool) -> results; two blocks
const Row& loop();  // (int trip, bool condition, carried...) -> carried; block (int, carried...) ->
                    // (bool, carried...)
const Row& list_construct();
const Row& list_unpack();
const Row& tuple_construct();
const Row& tuple_unpack();
const Row& call_function();  // attributes "name", "Subgraph": the callee
const Row& fusion_group();   // prim::TensorExprGroup; attributes "Subgraph", "fuser", "backend"
const Row& raise();          // prim::RaiseException
const Row& create_object();
const Row& get_attr();        // attribute "name"
const Row& set_attr();        // attribute "name"
const Row& dict_construct();  // key, value, key, value, ...
const Row& named_tuple();     // prim::NamedTupleConstruct
const Row& param();
const Row& return_();

}  // namespace fusillade::prim
