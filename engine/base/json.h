// JSON of strangers, read into a tree that lives as long as its document.
//
// Every claim is checked while reading: nodes and depth are limited, numbers are finite, an object
// has no key twice, nothing follows the value. Python's NaN, Infinity and -Infinity are refused.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fusillade {

struct Json {
  enum class Kind : uint8_t { Null, Bool, Int, Float, String, Array, Object };
  Kind kind = Kind::Null;
  size_t offset = 0;    // in the text, where it begins
  int64_t integer = 0;  // of Int; of Bool 0 or 1
  double real = 0;      // of Float
  std::string_view text{};
  std::vector<std::pair<std::string_view, const Json*>> items{};  // keys are empty in an array
  bool is(Kind k) const { return kind == k; }
};

class JsonDocument {
 public:
  static constexpr size_t kMaxNodes = 4u << 20;
  static constexpr int kMaxDepth = 200;

  // Throws Error: `label`, the line, the column, what is wrong.
  JsonDocument(std::string text, std::string label);
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;
  const Json& root() const { return *root_; }

  // Throws Error at a node.
  [[noreturn]] void wrong(const Json& at, std::string_view what) const;
  // The value of a key, null where it is absent. Throws Error where `of` is no object.
  const Json* find(const Json& of, std::string_view key) const;
  // Throws Error where the key is absent, or its value of another kind.
  const Json& need(const Json& of, std::string_view key, Json::Kind kind) const;
  const Json& need(const Json& of, std::string_view key) const;
  // What must be of this kind. Throws Error.
  const Json& as(const Json& value, Json::Kind kind) const;
  std::string text(const Json& of, std::string_view key) const;
  int64_t integer(const Json& of, std::string_view key) const;

 private:
  friend class JsonReader;
  std::string text_;
  std::string label_;
  std::deque<std::string> decoded_;  // strings with escapes
  std::deque<Json> nodes_;
  const Json* root_ = nullptr;
};

}  // namespace fusillade
