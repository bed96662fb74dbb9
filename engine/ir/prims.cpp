// The prims that passes and executors name, looked up once.
#include "engine/ir/prims.h"

namespace fusillade::prim {

const Row& constant() {
  static const Row& r = row("prim::Constant");
  return r;
}

const Row& if_() {
  static const Row& r = row("prim::If");
  return r;
}

const Row& loop() {
  static const Row& r = row("prim::Loop");
  return r;
}

const Row& list_construct() {
  static const Row& r = row("prim::ListConstruct");
  return r;
}

const Row& list_unpack() {
  static const Row& r = row("prim::ListUnpack");
  return r;
}

const Row& tuple_construct() {
  static const Row& r = row("prim::TupleConstruct");
  return r;
}

const Row& tuple_unpack() {
  static const Row& r = row("prim::TupleUnpack");
  return r;
}

const Row& call_function() {
  static const Row& r = row("prim::CallFunction");
  return r;
}

const Row& fusion_group() {
  static const Row& r = row("prim::TensorExprGroup");
  return r;
}

const Row& raise() {
  static const Row& r = row("prim::RaiseException");
  return r;
}

const Row& create_object() {
  static const Row& r = row("prim::CreateObject");
  return r;
}

const Row& get_attr() {
  static const Row& r = row("prim::GetAttr");
  return r;
}

const Row& set_attr() {
  static const Row& r = row("prim::SetAttr");
  return r;
}

const Row& dict_construct() {
  static const Row& r = row("prim::DictConstruct");
  return r;
}

const Row& named_tuple() {
  static const Row& r = row("prim::NamedTupleConstruct");
  return r;
}

const Row& param() {
  static const Row& r = row("prim::Param");
  return r;
}

const Row& return_() {
  static const Row& r = row("prim::Return");
  return r;
}

}  // namespace fusillade::prim
