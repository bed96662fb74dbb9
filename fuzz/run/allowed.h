// What an external engine may do beyond ours, as its contract says (foreign/contract.h).
#pragma once

#include "engine/scalar/bounded.h"

namespace fusillade::fuzz {

struct EngineDeviation : AllowedDeviation {
  bool adds_into_products = false;  // what is added to a product is a term of its sum (open_sum.h)
};

}  // namespace fusillade::fuzz
