// See outcome.h.
#include "fuzz/run/outcome.h"

#include <cctype>
#include <new>
#include <stdexcept>
#include <unordered_map>

#include "engine/base/text.h"
#include "engine/ir/visit.h"
#include "engine/ops/class_type.h"
#include "engine/ops/extent.h"
#include "engine/tensor/device_access.h"
#include "engine/tensor/random.h"
#include "fuzz/process/heartbeat.h"
#include "fuzz/process/stage.h"
#include "fuzz/run/foreign/foreign_worker.h"
#include "fuzz/run/guarded.h"

namespace fusillade::fuzz {
namespace {

uint64_t elements_of(const IValue& v) {
  if (v.is_tensor()) return static_cast<uint64_t>(v.as_tensor().numel());
  if (v.tag() != IValue::Tag::List && v.tag() != IValue::Tag::Tuple) return 1;
  uint64_t n = 0;
  for (const IValue& item : v.items()) n += elements_of(item);
  return n;
}

std::string first_difference(const Tensor& a, const Tensor& b) {
  for (int64_t i = 0; i < a.numel(); ++i) {
    bool same = is_float(a.dtype()) ? element_as_double(a, i) == element_as_double(b, i)
                                    : element_as_int(a, i) == element_as_int(b, i);
    if (same) continue;
    if (is_float(a.dtype())) {
      return fmt::format("element {} is {}, expected {}", i,
                         hexadecimal_float_text(element_as_double(b, i)),
                         hexadecimal_float_text(element_as_double(a, i)));
    }
    return fmt::format("element {} is {}, expected {}", i, element_as_int(b, i),
                       element_as_int(a, i));
  }
  return "elements differ in their bits";
}

IValue items_of(const DictBox& dict) {
  std::vector<IValue> out;
  for (const auto& [key, value] : dict.items()) out.push_back(IValue::tuple({key, value}));
  return IValue::tuple(std::move(out));
}

}  // namespace

bool same_member(const IValue& a, const IValue& b) {
  if (a.tag() != IValue::Tag::Enum || b.tag() != IValue::Tag::Enum) return false;
  return a.as_enum().name() == b.as_enum().name() &&
         a.as_enum().cls->name == b.as_enum().cls->name &&
         equal_values(a.as_enum().value(), b.as_enum().value());
}

namespace {

// An empty string when equal; `reason` says of what kind the difference is.
std::string difference(const IValue& a, const IValue& b, std::string* reason) {
  if (a.tag() != b.tag()) {
    *reason = "type";
    return fmt::format("got {}, expected {}", describe(b), describe(a));
  }
  if (a.is_tensor()) {
    Tensor x = a.as_tensor();
    Tensor y = b.as_tensor();
    bool same_dtype = x.dtype() == y.dtype();
    if (!same_dtype || !(x.sizes() == y.sizes())) {
      *reason = same_dtype ? "shape" : "dtype";
      return fmt::format("got {}, expected {}", describe(y), describe(x));
    }
    if (bitwise_equal(x, y)) return "";
    *reason = "value";
    return first_difference(x, y);
  }
  if (a.tag() == IValue::Tag::List || a.tag() == IValue::Tag::Tuple) {
    if (a.items().size() != b.items().size()) {
      *reason = "length";
      return fmt::format("got {} items, expected {}", b.items().size(), a.items().size());
    }
    for (size_t i = 0; i < a.items().size(); ++i) {
      std::string d = difference(a.items()[i], b.items()[i], reason);
      if (!d.empty()) return fmt::format("item {}: {}", i, d);
    }
    return "";
  }
  if (a.tag() == IValue::Tag::Dict)
    return difference(items_of(a.as_dict()), items_of(b.as_dict()), reason);
  if (a.tag() == IValue::Tag::Object && a.as_object().cls == b.as_object().cls) {
    return difference(IValue::tuple(a.as_object().slots), IValue::tuple(b.as_object().slots),
                      reason);
  }
  bool both_nan = a.is_float() && a.as_double() != a.as_double() && b.as_double() != b.as_double();
  if (both_nan || a.identical(b) || same_member(a, b) ||
      (a.tag() == IValue::Tag::Str && a.as_str() == b.as_str()))
    return "";
  *reason = "value";
  return fmt::format("got {}, expected {}", describe(b), describe(a));
}

}  // namespace

Outcome run_guarded(const std::function<void(Outcome&)>& f) {
  Outcome o;
  try {
    f(o);
  } catch (const Error& e) {
    o.kind = Outcome::Kind::Error;
    o.message = e.what();
    o.by_operator = dynamic_cast<const OperatorError*>(&e) != nullptr;
  } catch (const Unsupported& e) {
    o.kind = Outcome::Kind::Declined;
    o.message = e.what();
  } catch (const WorkerLost& e) {
    o.kind = e.how == Lost::How::Late     ? Outcome::Kind::Hang
             : e.how == Lost::How::Memory ? Outcome::Kind::Memory
                                          : Outcome::Kind::Crash;
    o.message = e.what();
  } catch (const std::bad_alloc&) {
    o.kind = Outcome::Kind::Memory;
    o.message = "out of memory";
  } catch (const std::length_error&) {
    o.kind = Outcome::Kind::Memory;
    o.message = "out of memory: more elements in a row than any machine holds";
  } catch (const std::exception& e) {
    o.kind = Outcome::Kind::Bug;
    o.message = e.what();
  }
  return o;
}

namespace {

bool reports_where(const Block* block) {
  return any_node<Within::Callees>(block, [](const Node* n) { return n->op().reads_device; });
}

// A program that reads its tensors' device reads another one under a plan on a device.
void check_means_the_same(const ProgramView& program, const Plan& plan) {
  if (find_device_access(plan.device.type) && reports_where(program.graph.block()))
    decline("the program tells where its tensors are");
}

// Whoever judges walks through all that was given.
void check_extent(const std::vector<IValue>& values) {
  if (!extent(values).fits())
    decline("the results, written out, are more than {} values, or nested more than {} deep",
            kMostValues, kMostNested);
}

}  // namespace

Prepared::Prepared(const ProgramView& program, const Plan& plan) : plan_(plan) {
  heartbeat();
  const StageScope stage(Stage::Compile);
  failure_ = run_guarded([&](Outcome&) {
    check_means_the_same(program, plan);
    executable_ = prepare(program, plan);
  });
}

Outcome Prepared::run(const Call& call) const {
  if (!executable_) return failure_;
  heartbeat();
  const StageScope stage(stage_under(plan_));
  const Call copy = copy_call(call);
  const NumbersScope numbers;
  Outcome out = run_guarded([&](Outcome& o) {
    std::vector<IValue> outputs = executable_->run(copy.inputs);
    check_extent(outputs);
    check_extent(copy.inputs);
    o.outputs = std::move(outputs);
  });
  out.inputs = copy.inputs;
  return out;
}

std::string stable_phrase(const std::string& message) {
  std::string line = message.substr(0, message.find('\n'));
  size_t path = line.find(".cpp:");
  size_t from = 0;
  if (path != std::string::npos) from = line.find(' ', path);
  std::string out;
  for (size_t i = from == std::string::npos ? 0 : from; i < line.size() && out.size() < 60; ++i) {
    char c = line[i];
    bool digit = std::isdigit(static_cast<unsigned char>(c));
    if (digit && !out.empty() && out.back() == '#') continue;
    out += digit ? '#' : c;
  }
  size_t first = out.find_first_not_of(" :");
  return first == std::string::npos ? "" : out.substr(first);
}

bool classify(const Outcome& reference, const Outcome& observed, Verdict& verdict) {
  using Kind = Outcome::Kind;
  auto decide = [&](VerdictKind kind, const std::string& reason) {
    verdict.kind = kind;
    verdict.reason = reason;
    verdict.detail = observed.message;
    return true;
  };
  if (observed.kind == Kind::Bug) return decide(VerdictKind::Bug, stable_phrase(observed.message));
  if (observed.kind == Kind::Crash || observed.kind == Kind::Hang) {
    bool crash = observed.kind == Kind::Crash;
    return decide(crash ? VerdictKind::Crash : VerdictKind::Hang,
                  observed.message.substr(0, observed.message.find('\n')));
  }
  if (observed.kind == Kind::Declined) {
    return decide(VerdictKind::Skip, "declined: " + stable_phrase(observed.message));
  }
  if (observed.kind == Kind::Memory) {
    if (reference.kind == Kind::Memory) return decide(VerdictKind::Skip, "memory");
    return decide(VerdictKind::Memory, "memory");
  }
  bool fails = observed.kind == Kind::Error;
  bool should = reference.kind == Kind::Error;
  // Which errors may be missing, and what must be alike of two, is another question: see
  // judge_error.h.
  if (should) {
    verdict.raises = true;
    return decide(VerdictKind::Skip, "the program raises an error");
  }
  return fails && decide(VerdictKind::Mismatch, "error: " + stable_phrase(observed.message));
}

namespace {

bool same_values(const std::vector<IValue>& a, const std::vector<IValue>& b, const char* what,
                 Verdict& verdict) {
  if (a.size() != b.size()) {
    verdict.reason = "count";
    verdict.detail = fmt::format("{} {}s, expected {}", b.size(), what, a.size());
    return false;
  }
  for (size_t i = 0; i < a.size(); ++i) {
    std::string d = difference(a[i], b[i], &verdict.reason);
    if (!d.empty()) {
      verdict.detail = fmt::format("{} {}: {}", what, i, d);
      return false;
    }
    verdict.elements.compared += elements_of(a[i]);
    verdict.elements.tight += elements_of(a[i]);
  }
  return true;
}

}  // namespace

bool bitwise_equal(const Outcome& reference, const Outcome& observed, Verdict& verdict) {
  bool same = same_values(reference.outputs, observed.outputs, "output", verdict);
  if (!same) verdict.kind = VerdictKind::Mismatch;
  return same && inputs_equal(reference, observed, verdict);
}

bool inputs_equal(const Outcome& reference, const Outcome& observed, Verdict& verdict) {
  bool same = same_values(reference.inputs, observed.inputs, "input", verdict);
  if (!same) verdict.kind = VerdictKind::Mismatch;
  return same;
}

}  // namespace fusillade::fuzz
