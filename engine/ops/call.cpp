// See call.h.
#include "engine/ops/call.h"

#include "engine/ops/native.h"

namespace fusillade {
namespace {

RunFn& body_call() {
  static RunFn fn = nullptr;
  return fn;
}

}  // namespace

constinit thread_local ModeScope* modes_in_force = nullptr;
constinit uint64_t* operator_runs = nullptr;

ModeScope::ModeScope(ModeKind kind, Mode& mode) : kind_(kind), mode_(mode), link_(&modes_in_force) {
  while (*link_ && (*link_)->kind_ < kind) link_ = &(*link_)->next_;
  next_ = *link_;
  *link_ = this;
}

LiftModes::LiftModes(ModeKind up_to) : saved_(modes_in_force) {
  while (modes_in_force && modes_in_force->kind_ <= up_to) modes_in_force = modes_in_force->next_;
}

Mode* first_mode(ModeKind kind) {
  return modes_in_force && modes_in_force->kind_ == kind ? &modes_in_force->mode_ : nullptr;
}

void call_modes(const Operator& op, const Site& site, std::span<const IValue> args,
                std::vector<IValue>& results) {
  struct Next {
    ModeScope* first = modes_in_force;
    Next() { modes_in_force = first->next_; }
    ~Next() { modes_in_force = first; }
  } next;
  next.first->mode_.call(op, site, args, results);
}

void provide_body_call(RunFn fn) { body_call() = fn; }

void call_body(const Operator& op, std::span<const IValue> args, std::vector<IValue>& results) {
  if (op.body.empty()) fail("{} cannot be called by itself", op.name);
  const NativeBody* native = native_of(op);
  if (native && current_domain() == Domain::Real && native->run(args, results)) return;
  FUS_CHECK(body_call(), "nothing runs the body of {}", op.name);
  body_call()(op, args, results);
}

}  // namespace fusillade
