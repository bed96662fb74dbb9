// raise and assert.
#pragma once

#include "engine/front/emit.h"

namespace fusillade::front {

Flow raise_statement(Emitter& to, const Stmt& s);
// Code after an assertion that the types refute is never reached, and not compiled. After
// `assert False` it is: a function that is not written yet has the result of its return.
Flow assert_statement(Emitter& to, const Stmt& s);

}  // namespace fusillade::front
