// Methods of lists and tuples in a constructor.
#include <algorithm>

#include "engine/front/method.h"

namespace fusillade::front {
namespace {

constexpr size_t kMost = 1000000;

std::vector<Py>& items(const MethodCall& c) { return c.self.seq()->items; }

Py nothing(const MethodCall& c) {
  if (items(c).size() > kMost) c.in.wrong(c.e, "a list is too long");
  return Py(IValue());
}

std::optional<Py> index(const MethodCall& c) {
  if (c.count() != 1) return std::nullopt;
  for (size_t i = 0; i < items(c).size(); ++i)
    if (c.in.equal(items(c)[i], c.at(0))) return Py(IValue(static_cast<int64_t>(i)));
  c.in.wrong(c.e, "the list has no such item");
}

std::optional<Py> count(const MethodCall& c) {
  if (c.count() != 1) return std::nullopt;
  auto same = [&](const Py& item) { return c.in.equal(item, c.at(0)); };
  return Py(IValue(static_cast<int64_t>(std::ranges::count_if(items(c), same))));
}

std::optional<Py> append(const MethodCall& c) {
  if (c.count() != 1) return std::nullopt;
  if (c.at(0).seq() == c.self.seq()) c.in.wrong(c.e, "a list cannot hold itself");
  items(c).push_back(c.at(0));
  return nothing(c);
}

std::optional<Py> extend(const MethodCall& c) {
  if (c.count() != 1) return std::nullopt;
  for (Py& item : c.in.iterate(c.at(0), c.e)) items(c).push_back(item);
  return nothing(c);
}

std::optional<Py> insert(const MethodCall& c) {
  if (c.count() != 2) return std::nullopt;
  const int64_t size = static_cast<int64_t>(items(c).size());
  int64_t at = c.in.integer(c.at(0), c.e);
  at = std::clamp<int64_t>(at < 0 ? at + size : at, 0, size);
  items(c).insert(items(c).begin() + at, c.at(1));
  return nothing(c);
}

std::optional<Py> reverse(const MethodCall& c) {
  if (c.count() != 0) return std::nullopt;
  std::ranges::reverse(items(c));
  return nothing(c);
}

std::optional<Py> pop(const MethodCall& c) {
  if (c.count() > 1) return std::nullopt;
  const int64_t size = static_cast<int64_t>(items(c).size());
  int64_t at = c.count() ? c.in.integer(c.at(0), c.e) : -1;
  if (at < 0) at += size;
  if (at < 0 || at >= size) c.in.wrong(c.e, "pop from an empty list, or an index out of range");
  Py out = items(c)[static_cast<size_t>(at)];
  items(c).erase(items(c).begin() + at);
  return out;
}

const bool kTuple = add_methods("tuple", {{"index", &index}, {"count", &count}});
const bool kList = add_methods("list", {{"index", &index},
                                        {"count", &count},
                                        {"append", &append},
                                        {"extend", &extend},
                                        {"insert", &insert},
                                        {"reverse", &reverse},
                                        {"pop", &pop}});

}  // namespace
}  // namespace fusillade::front
