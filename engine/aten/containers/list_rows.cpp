// Lists: Python's operators, methods and functions on them, under ATen's schemas.
//
// Items are compared as Python compares them (numbers by value, sequences item by item); ATen has
// overloads of ==, count, index, remove and sort for lists of int, float, bool and str, and
// operators named "any" take the others. Tensors are equal where their `==` is one element, and
// true; of more elements it raises, as in TorchScript. `in`, which TorchScript lacks, finds a
// tensor itself first, as in Python. A sort is stable, also when reversed; NaN may leave a list in
// any order. Sizes are bounded by kMaxItems.
#include <algorithm>
#include <cmath>

#include "engine/ops/device_mode.h"
#include "engine/ops/scalar_operator.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;
using Args = std::span<const ArgInfo>;
using Items = std::vector<IValue>;

constexpr const char* kScalars[] = {"int", "float", "bool", "str"};

void infer_item(const Operator& op, Args args, std::vector<Type>& results) {
  if (!args[0].type.is(TypeKind::List)) fail("{} of a {}", op.schema.name, args[0].type.text());
  int64_t count = static_cast<int64_t>(args[0].items.size());
  bool known = args[1].known && count > 0;
  int64_t at = known ? args[1].value.as_int() : 0;
  if (!known || at < -count || at >= count)
    return results.push_back(args[0].type.element());  // out of range: raises when run
  results.push_back(args[0].items[static_cast<size_t>(at < 0 ? at + count : at)].without_shapes());
}

void infer_same(const Operator&, Args args, std::vector<Type>& results) {
  results.push_back(args[0].type);
}

ScalarOptions plain() {
  ScalarOptions o;
  o.generate = false;
  return o;
}

// Items are handed on, never read.
ScalarOptions handing() {
  ScalarOptions o = plain();
  o.metadata = true;
  return o;
}

ScalarOptions same() {
  ScalarOptions o = handing();
  o.infer = &infer_same;
  return o;
}

Items& items_of(const IValue& list) { return list.seq()->items; }

// The items, which may take `more`.
Items& growing(const IValue& list, size_t more) {
  Items& items = items_of(list);
  check_size(static_cast<double>(items.size()) + static_cast<double>(more));
  return items;
}

void extend(const IValue& list, const IValue& by) {
  Items other = by.items();
  Items& items = growing(list, other.size());
  items.insert(items.end(), other.begin(), other.end());
}

IValue like(const IValue& list, Items items) {
  return IValue::list(std::move(items), list.seq()->element);
}

bool less(const IValue& a, const IValue& b) {
  if (a.is_number() && b.is_number()) {
    bool real = a.is_float() || b.is_float();
    return real ? a.as_double() < b.as_double() : a.as_int() < b.as_int();
  }
  if (a.tag() == IValue::Tag::Str && b.tag() == IValue::Tag::Str) return a.as_str() < b.as_str();
  if (!a.is_sequence() || a.tag() != b.tag())
    fail("TypeError: {} and {} have no order", describe(a), describe(b));
  const Items& x = a.items();
  const Items& y = b.items();
  for (size_t i = 0; i < std::min(x.size(), y.size()); ++i)
    if (!equal_values(x[i], y[i])) return less(x[i], y[i]);
  return x.size() < y.size();
}

// A merge sort that stays within its bounds whatever `less` answers.
void sort_range(Items& items, size_t from, size_t to, Items& room) {
  if (to - from < 2) return;
  size_t middle = from + (to - from) / 2;
  sort_range(items, from, middle, room);
  sort_range(items, middle, to, room);
  room.clear();
  size_t a = from, b = middle;
  while (a < middle || b < to) {
    bool second = a == middle || (b < to && less(items[b], items[a]));
    room.push_back(std::move(items[second ? b++ : a++]));
  }
  std::move(room.begin(), room.end(), items.begin() + static_cast<long>(from));
}

void sort_items(Items& items, bool reverse) {
  Items sorted = items, room;
  if (reverse) std::reverse(sorted.begin(), sorted.end());
  sort_range(sorted, 0, sorted.size(), room);
  if (reverse) std::reverse(sorted.begin(), sorted.end());
  items = std::move(sorted);
}

Items repeat_items(const Items& items, int64_t count) {
  check_size(static_cast<double>(items.size()) * static_cast<double>(std::max<int64_t>(count, 0)));
  Items out;
  for (int64_t i = 0; i < count && !items.empty(); ++i)
    out.insert(out.end(), items.begin(), items.end());
  return out;
}

bool same_item(const IValue& a, const IValue& b) {
  if (a.is_tensor() && b.is_tensor()) {
    const DeviceScope devices(false);  // they may lie anywhere
    const std::vector<IValue> both{a, b};
    return call(operator_named("aten::Bool.Tensor"),
                call(operator_named("aten::eq.Tensor"), both))[0]
        .as_bool();
  }
  if (!a.is_sequence() || a.tag() != b.tag()) return equal_values(a, b);
  return a.items().size() == b.items().size() &&
         std::equal(a.items().begin(), a.items().end(), b.items().begin(), &same_item);
}

size_t position_of(const Items& items, const IValue& item, const char* method) {
  for (size_t i = 0; i < items.size(); ++i)
    if (same_item(items[i], item)) return i;
  fail("ValueError: list.{}(x): {} is not in the list", method, describe(item));
}

bool contains(const Items& items, const IValue& item) {
  return std::any_of(items.begin(), items.end(),
                     [&](const IValue& v) { return v.identical(item) || same_item(v, item); });
}

void reading() {
  add_scalar(
      "aten::len.t(t[] a) -> int",
      [](Values v) { return IValue(static_cast<int64_t>(v[0].items().size())); }, handing());
  ScalarOptions get = handing();
  get.infer = &infer_item;
  add_scalar(
      "aten::__getitem__.t(t[](a) list, int idx) -> t(*)",
      [](Values v) {
        return v[0].items()[item_position(v[1].as_int(), v[0].items().size(), "list")];
      },
      get);
  add_scalar(
      "aten::slice.t(t[] l, int? start=None, int? end=None, int step=1) -> t[]",
      [](Values v) {
        Items out;
        for (size_t i : slice_positions(v[1], v[2], v[3].as_int(), v[0].items().size()))
          out.push_back(v[0].items()[i]);
        return like(v[0], std::move(out));
      },
      handing());
  auto copy = [](Values v) { return like(v[0], v[0].items()); };
  add_scalar("aten::copy.t(t[](a) self) -> t[]", copy, handing());
  add_scalar("aten::list.t(t[] l) -> t[]", copy, handing());
  add_scalar(
      "aten::add.t(t[] a, t[] b) -> t[]",
      [](Values v) {
        IValue sum = like(v[0], v[0].items());
        extend(sum, v[1]);
        return sum;
      },
      handing());
  add_scalar(
      "aten::mul.left_t(t[] l, int n) -> t[]",
      [](Values v) { return like(v[0], repeat_items(v[0].items(), v[1].as_int())); }, handing());
  add_scalar(
      "aten::mul.right_(int n, t[] l) -> t[]",
      [](Values v) { return like(v[1], repeat_items(v[1].items(), v[0].as_int())); }, handing());
}

// What changes items of a list.
void changing_items() {
  add_scalar(
      "aten::append.t(t[](a!) self, t(c -> *) el) -> t[](a!)",
      [](Values v) {
        growing(v[0], 1).push_back(v[1]);
        return v[0];
      },
      same());
  add_action(
      "aten::extend.t(t[](a!) self, t[] other) -> ()", [](Values v) { extend(v[0], v[1]); },
      handing());
  add_action(
      "aten::insert.t(t[](a!) self, int idx, t(b -> *) el) -> ()",
      [](Values v) {
        Items& items = growing(v[0], 1);
        int64_t n = static_cast<int64_t>(items.size());
        int64_t at = v[1].as_int();
        if (at < 0) at = at < -n ? 0 : at + n;
        items.insert(items.begin() + std::min(at, n), v[2]);
      },
      handing());
  add_scalar(
      "aten::pop.t(t[](a!) self, int idx=-1) -> t(*)",
      [](Values v) {
        Items& items = items_of(v[0]);
        if (items.empty()) fail("IndexError: pop from empty list");
        size_t at = item_position(v[1].as_int(), items.size(), "pop");
        IValue out = items[at];
        items.erase(items.begin() + static_cast<long>(at));
        return out;
      },
      handing());
  add_action(
      "aten::Delete.t(t[](a!) self, int idx) -> ()",
      [](Values v) {
        Items& items = items_of(v[0]);
        items.erase(items.begin() +
                    static_cast<long>(item_position(v[1].as_int(), items.size(), "list")));
      },
      handing());
  add_scalar(
      "aten::_set_item.t(t[](a!) l, int idx, t(b -> *) el) -> t[](a!)",
      [](Values v) {
        Items& items = items_of(v[0]);
        items[item_position(v[1].as_int(), items.size(), "list assignment")] = v[2];
        return v[0];
      },
      same());
}

// What changes all of a list.
void changing_all() {
  add_action(
      "aten::clear.t(t[](a!) self) -> ()", [](Values v) { items_of(v[0]).clear(); }, handing());
  add_action(
      "aten::reverse.t(t[](a!) self) -> ()",
      [](Values v) { std::reverse(items_of(v[0]).begin(), items_of(v[0]).end()); }, handing());
  add_scalar(
      "aten::add_.t(t[](a!) self, t[] b) -> t[](a!)",
      [](Values v) {
        extend(v[0], v[1]);
        return v[0];
      },
      same());
  add_scalar(
      "aten::mul_.t(t[](a!) l, int n) -> t[](a!)",
      [](Values v) {
        items_of(v[0]) = repeat_items(v[0].items(), v[1].as_int());
        return v[0];
      },
      same());
}

// `element`: "int"; `list` and `item` name overloads: "int_list", "list_int".
void by_value(const std::string& e, const std::string& list, const std::string& item,
              const std::string& one) {
  add_scalar(
      fmt::format("aten::eq.{}({}[] a, {}[] b) -> bool", list, e, e),
      [](Values v) { return IValue(same_item(v[0], v[1])); }, plain());
  add_scalar(
      fmt::format("aten::ne.{}({}[] a, {}[] b) -> bool", list, e, e),
      [](Values v) { return IValue(!same_item(v[0], v[1])); }, plain());
  add_scalar(
      fmt::format("aten::__contains__.{}({}[] l, {} item) -> bool", list, e, e),
      [](Values v) { return IValue(contains(v[0].items(), v[1])); }, plain());
  add_scalar(
      fmt::format("aten::count.{}({}[] self, {} el) -> int", one, e, e),
      [](Values v) {
        return IValue(static_cast<int64_t>(
            std::count_if(v[0].items().begin(), v[0].items().end(),
                          [&](const IValue& i) { return same_item(i, v[1]); })));
      },
      plain());
  add_scalar(
      fmt::format("aten::index.{}({}[] self, {} el) -> int", item, e, e),
      [](Values v) {
        return IValue(static_cast<int64_t>(position_of(v[0].items(), v[1], "index")));
      },
      plain());
  add_action(
      fmt::format("aten::remove.{}({}[](a!) self, {} el) -> ()", one, e, e),
      [](Values v) {
        Items& items = items_of(v[0]);
        items.erase(items.begin() + static_cast<long>(position_of(items, v[1], "remove")));
      },
      plain());
  add_action(
      fmt::format("aten::sort.{}({}[](a!) self, bool reverse=False) -> ()", one, e),
      [](Values v) { sort_items(items_of(v[0]), v[1].as_bool()); }, plain());
  add_scalar(
      fmt::format("aten::sorted.{}({}[](a) {}) -> {}[]", one, e, one == "any" ? "self" : "input",
                  e),
      [](Values v) {
        Items items = v[0].items();
        sort_items(items, false);
        return like(v[0], std::move(items));
      },
      plain());
}

template <bool kMost>
struct Extreme {
  IValue operator()(Values v) const {
    const Items& items = v[0].items();
    if (items.empty()) fail("ValueError: {}() of an empty sequence", kMost ? "max" : "min");
    IValue best = items[0];
    for (const IValue& item : items)
      if (kMost ? less(best, item) : less(item, best)) best = item;
    return best;
  }
};

// The list itself; the first of equal ones.
template <bool kMost>
struct ExtremeOfTwo {
  IValue operator()(Values v) const { return less(v[!kMost], v[kMost]) ? v[1] : v[0]; }
};

// Lists one after the other: the first items that differ decide, or else the lengths.
void ordering() {
  add_scalar(
      "aten::lt.any(t[] a, t[] b) -> bool", [](Values v) { return IValue(less(v[0], v[1])); },
      plain());
  add_scalar(
      "aten::gt.any(t[] a, t[] b) -> bool", [](Values v) { return IValue(less(v[1], v[0])); },
      plain());
  add_scalar(
      "aten::le.any(t[] a, t[] b) -> bool",
      [](Values v) { return IValue(less(v[0], v[1]) || equal_values(v[0], v[1])); }, plain());
  add_scalar(
      "aten::ge.any(t[] a, t[] b) -> bool",
      [](Values v) { return IValue(less(v[1], v[0]) || equal_values(v[0], v[1])); }, plain());
}

bool truth(const IValue& v) {
  return v.tag() == IValue::Tag::Str ? !v.as_str().empty() : v.as_double() != 0;
}

void folding() {
  for (const char* e : {"int", "float", "bool"}) {
    add_scalar(fmt::format("prim::min.self_{}({}[] self) -> {}", e, e, e), Extreme<false>{},
               plain());
    add_scalar(fmt::format("prim::max.self_{}({}[] self) -> {}", e, e, e), Extreme<true>{},
               plain());
    add_scalar(fmt::format("prim::min.{}_list({}[](a) l, {}[](a) r) -> {}[](a)", e, e, e, e),
               ExtremeOfTwo<false>{}, plain());
    add_scalar(fmt::format("prim::max.{}_list({}[](a) l, {}[](a) r) -> {}[](a)", e, e, e, e),
               ExtremeOfTwo<true>{}, plain());
  }
  for (const char* e : {"str", "any"}) {
    std::string type = e == std::string_view("any") ? "t" : e;
    const char* item = type == "t" ? "(*)" : "";  // may be a list itself
    add_scalar(fmt::format("prim::min.self_{}({}[] self) -> {}{}", e, type, type, item),
               Extreme<false>{}, plain());
    add_scalar(fmt::format("prim::max.self_{}({}[] self) -> {}{}", e, type, type, item),
               Extreme<true>{}, plain());
  }
  for (const char* e : kScalars) {
    add_scalar(
        fmt::format("aten::any.{}({}[] self) -> bool", e, e),
        [](Values v) {
          return IValue(std::any_of(v[0].items().begin(), v[0].items().end(), &truth));
        },
        plain());
    add_scalar(
        fmt::format("aten::all.{}({}[] self) -> bool", e, e),
        [](Values v) {
          return IValue(std::all_of(v[0].items().begin(), v[0].items().end(), &truth));
        },
        plain());
  }
  for (const char* e : {"int", "bool"}) {
    add_scalar(
        fmt::format("aten::sum.{}({}[] self) -> int", e, e),
        [](Values v) {
          uint64_t sum = 0;
          for (const IValue& item : v[0].items()) sum += static_cast<uint64_t>(item.as_int());
          return IValue(static_cast<int64_t>(sum));
        },
        plain());
  }
  add_scalar(
      "aten::sum.float(float[] self) -> float",
      [](Values v) {
        double sum = 0;
        for (const IValue& item : v[0].items()) sum += item.as_double();
        return IValue(sum);
      },
      plain());
}

[[maybe_unused]] const bool kRegistered = [] {
  reading();
  changing_items();
  changing_all();
  for (const char* e : kScalars)
    by_value(e, fmt::format("{}_list", e), fmt::format("list_{}", e), e);
  by_value("t", "any", "list_any", "any");
  folding();
  ordering();
  return true;
}();

}  // namespace
}  // namespace fusillade
