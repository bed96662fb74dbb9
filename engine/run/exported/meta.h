// What the text of a program says of a tensor, in the numbers of torch/_export/serde/schema.py.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "engine/base/json.h"
#include "engine/ops/ivalue.h"

namespace fusillade::exported {

inline constexpr int kStrided = 7;  // the only layout there is here

int64_t code_of(DType dtype);
int64_t code_of_memory_format(int64_t format);  // of c10's number
std::optional<DType> find_dtype(int64_t code);  // none: it is complex, or Fusillade lacks it
// Throw Error for what is no such number, or what Fusillade lacks.
DType dtype_of(const JsonDocument& doc, const Json& code);
int64_t dtype_number_of(const JsonDocument& doc, const Json& code);  // ATen's, also of complex ones
int64_t layout_of(const JsonDocument& doc, const Json& code);        // c10's number
int64_t memory_format_of(const JsonDocument& doc, const Json& code);  // c10's number
Device device_of(const JsonDocument& doc, const Json& device);

// Sizes and strides of a tensor that lies in an archive.
struct Extent {
  DType dtype;
  bool complex = false;  // pairs of that dtype: a last dimension of 2
  Dims sizes, strides;
  int64_t offset = 0;
};
Extent extent_of(const JsonDocument& doc, const Json& meta);

// Symbols of a program's sizes as those of types: equal where the program says so.
class Symbols {
 public:
  // The type of a tensor that the user gives: dtype and sizes.
  Type type_of(const JsonDocument& doc, const Json& meta);
  const std::map<std::string, int64_t, std::less<>>& all() const { return known_; }

 private:
  int64_t size_of(const JsonDocument& doc, const Json& size);
  std::map<std::string, int64_t, std::less<>> known_;
};

}  // namespace fusillade::exported
