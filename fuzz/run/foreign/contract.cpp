// See contract.h.
#include "fuzz/run/foreign/contract.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/ops/operator.h"
#include "fuzz/run/foreign/python_source.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

constexpr double kMostSeconds = 3600;
constexpr size_t kMostPacked = 64;  // what a campaign looks ahead

const std::map<std::string, bool Contract::*>& promises() {
  static const std::map<std::string, bool Contract::*> all = {
      {"error_classes", &Contract::error_classes},
      {"half_steps_rounded", &Contract::half_steps_rounded},
      {"strides", &Contract::strides},
      {"aliases", &Contract::aliases},
      {"gradients", &Contract::gradients},
      {"subgradients", &Contract::subgradients},
      {"recompiles", &Contract::recompiles}};
  return all;
}

const std::vector<std::string>& keys() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> out = {"adds_into_products",
                                    "approximate",
                                    "declines",
                                    "flushes_subnormals",
                                    "packs",
                                    "seconds",
                                    "ulp"};
    for (const auto& [key, member] : promises()) out.push_back(key);
    std::sort(out.begin(), out.end());
    return out;
  }();
  return all;
}

const std::vector<std::string>& functions() {
#define FUS_NAME(f, op) #f,
  static const std::vector<std::string> all = {
    "div",
    FUS_SCALAR_UNARY(FUS_NAME) FUS_SCALAR_BINARY(FUS_NAME)
  };
#undef FUS_NAME
  return all;
}

const std::vector<std::string>& ops() {
  static const std::vector<std::string> all = [] {
    std::set<std::string> out;
    for (const Operator& op : OperatorTable::instance()) out.insert(python_op(op));
    return std::vector<std::string>(out.begin(), out.end());
  }();
  return all;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// What one key says, and how an error about it begins.
struct Said {
  std::string where;
  const json& value;

  void require(bool good, const char* legal) const {
    if (!good) fail("{} is {}; legal is {}", where, value.dump(), legal);
  }
  bool truth() const {
    require(value.is_boolean(), "true or false");
    return value.get<bool>();
  }
  size_t packs() const {
    static const std::string legal = fmt::format("a whole number from 1 to {}", kMostPacked);
    const uint64_t said = value.is_number_unsigned() ? value.get<uint64_t>() : 0;
    require(said > 0 && said <= kMostPacked, legal.c_str());
    return said;
  }
  double seconds() const {
    require(value.is_number() && value.get<double>() >= 1 && value.get<double>() <= kMostSeconds,
            "a number from 1 to 3600");
    return value.get<double>();
  }
  std::set<std::string> ops() const {
    require(value.is_array(), "a list of ops' names");
    std::set<std::string> out;
    for (const json& op : value) out.insert(op_of(where + " names the op", op));
    return out;
  }
  std::map<std::string, double> ulps() const {
    require(value.is_object(), "an object of functions, each with a number");
    std::map<std::string, double> out;
    for (const auto& [function, ulp] : value.items()) {
      if (!has(functions(), function))
        fail("{} names the function '{}'{} (legal: {})", where, function,
             near_misses(function, functions()), join(functions(), ", "));
      require(ulp.is_number() && ulp.get<double>() >= 0,
              "an object of functions, each with a number");
      out[function] = ulp.get<double>();
    }
    return out;
  }
};

}  // namespace

std::string op_of(const std::string& where, const json& said) {
  if (!said.is_string()) fail("{} {}; legal are names, as \"aten.add.Tensor\"", where, said.dump());
  std::string op = said.get<std::string>();
  if (!has(ops(), op))
    fail(
        "{} '{}', which is unknown{} (legal are the ops of `fusillade list ops`, as "
        "\"aten.add.Tensor\", \"aten.neg.default\" and \"scalar.add\")",
        where, op, near_misses(op, ops()));
  return op;
}

Contract contract_of(const std::string& engine, const json& said) {
  Contract out;
  if (!said.is_object())
    fail("the contract of '{}' is {}; legal is an object", engine, said.dump());
  for (const auto& [key, value] : said.items()) {
    Said one{fmt::format("the contract of '{}': '{}'", engine, key), value};
    auto promise = promises().find(key);
    if (promise != promises().end()) out.*promise->second = one.truth();
    else if (key == "packs") out.packs = one.packs();
    else if (key == "seconds") out.seconds = one.seconds();
    else if (key == "approximate") out.approximate = one.ops();
    else if (key == "declines") out.declines = one.ops();
    else if (key == "adds_into_products") out.allowed.adds_into_products = one.truth();
    else if (key == "flushes_subnormals") out.allowed.flushes_subnormals = one.truth();
    else if (key == "ulp") out.allowed.ulp = one.ulps();
    else
      fail("the contract of '{}' has the key '{}', which is unknown{} (legal: {})", engine, key,
           near_misses(key, keys()), join(keys(), ", "));
  }
  return out;
}

}  // namespace fusillade::fuzz
