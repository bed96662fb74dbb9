// TensorProto to tensors: elements lie as raw bytes, or as numbers of a field by dtype.
#include <cstring>
#include <map>

#include "engine/base/error.h"
#include "engine/base/file_within.h"
#include "engine/base/text.h"
#include "engine/run/onnx/model.h"
#include "engine/tensor/shape.h"

namespace fusillade::onnx {
namespace {

struct Code {
  const char* name;
  std::optional<DType> dtype;
};
// By TensorProto.DataType.
constexpr Code kCodes[] = {{"undefined", {}},
                           {"float32", DType::F32},
                           {"uint8", DType::U8},
                           {"int8", DType::I8},
                           {"uint16", {}},
                           {"int16", DType::I16},
                           {"int32", DType::I32},
                           {"int64", DType::I64},
                           {"string", {}},
                           {"bool", DType::Bool},
                           {"float16", DType::F16},
                           {"float64", DType::F64},
                           {"uint32", {}},
                           {"uint64", {}},
                           {"complex64", {}},
                           {"complex128", {}},
                           {"bfloat16", DType::BF16},
                           {"float8e4m3fn", {}},
                           {"float8e4m3fnuz", {}},
                           {"float8e5m2", {}},
                           {"float8e5m2fnuz", {}},
                           {"uint4", {}},
                           {"int4", {}},
                           {"float4e2m1", {}},
                           {"float8e8m0", {}},
                           {"uint2", {}},
                           {"int2", {}}};

struct Fields {
  std::string name;
  std::map<std::string, std::string> external;  // where the elements lie, where they do elsewhere
  int64_t data_type = 0;
  std::vector<int64_t> dims, integers;
  std::vector<float> reals;
  std::vector<double> doubles;
  std::optional<std::string_view> raw;
  bool is_external = false;
};

void add_pair(Wire wire, std::map<std::string, std::string>& out) {
  std::string key, value;
  while (wire.next()) {
    if (wire.field() == 1) key = wire.text();
    else if (wire.field() == 2) value = wire.text();
  }
  out[key] = value;
}

Fields fields_of(Wire wire) {
  Fields out;
  while (wire.next()) {
    switch (wire.field()) {
      case 1:
        wire.add_to(out.dims);
        break;
      case 2:
        out.data_type = wire.integer();
        break;
      case 4:
        wire.add_to(out.reals);
        break;
      case 5:
      case 7:
        wire.add_to(out.integers);
        break;
      case 8:
        out.name = wire.text();
        break;
      case 9:
        out.raw = wire.bytes();
        break;
      case 10:
        wire.add_to(out.doubles);
        break;
      case 13:
        out.is_external = true;
        add_pair(wire.message(), out.external);
        break;
      case 14:
        out.is_external = out.is_external || wire.integer() == 1;
        break;
      default:
        break;
    }
  }
  return out;
}

Dims sizes_of(const std::vector<int64_t>& dims) {
  Dims out;
  for (const int64_t size : dims) {
    if (size < 0) fail("a size of {}", size);
    out.push_back(size);
  }
  return out;
}

template <class T>
void fill(const Tensor& out, const std::vector<T>& values) {
  if (static_cast<int64_t>(values.size()) != out.numel())
    fail("{} elements, and {} are given", out.numel(), values.size());
  for (int64_t i = 0; i < out.numel(); ++i) {
    const T value = values[static_cast<size_t>(i)];
    if constexpr (std::is_integral_v<T>) set_element_int(out, i, value);
    else set_element(out, i, value);
  }
}

// 16-bit floats stand as their bits.
void fill_bits(const Tensor& out, const std::vector<int64_t>& values) {
  if (static_cast<int64_t>(values.size()) != out.numel())
    fail("{} elements, and {} are given", out.numel(), values.size());
  for (size_t i = 0; i < values.size(); ++i)
    out.data<uint16_t>()[i] = static_cast<uint16_t>(values[i]);
}

size_t bytes_of(const Tensor& t) { return static_cast<size_t>(t.numel()) * size_of(t.dtype()); }

// Any byte but 0 is true.
void clean_bools(const Tensor& t) {
  if (t.dtype() != DType::Bool) return;
  for (size_t i = 0; i < bytes_of(t); ++i) t.raw()[i] = t.raw()[i] != 0;
}

void copy_raw(const Tensor& out, std::string_view raw) {
  const size_t bytes = bytes_of(out);
  if (raw.size() != bytes) fail("{} bytes, and {} are given", bytes, raw.size());
  if (bytes) std::memcpy(out.raw(), raw.data(), bytes);
  clean_bools(out);
}

// A number of `external_data`.
uint64_t number_of(const Fields& f, const std::string& key, uint64_t otherwise) {
  const auto found = f.external.find(key);
  if (found == f.external.end()) return otherwise;
  int64_t number = 0;
  if (!parse_int(found->second, &number) || number < 0)
    fail("{} = '{}' of its elements in another file is no number of bytes", key, found->second);
  return static_cast<uint64_t>(number);
}

// The file is looked at before memory is taken for what it is said to hold.
Tensor read_beside(const Fields& f, const Dims& sizes, DType dtype, Beside* beside) {
  const auto location = f.external.find("location");
  if (!beside || location == f.external.end())
    fail("its elements lie in another file{}; onnx.load and onnx.save make one file of both",
         beside ? ", which is not named" : "");
  const FileWithin file(beside->folder, location->second);
  const uint64_t offset = number_of(f, "offset", 0);
  const auto bytes = static_cast<uint64_t>(numel_of(sizes)) * size_of(dtype);
  const uint64_t length = number_of(f, "length", bytes);
  if (length != bytes)
    fail("sizes {} take {} bytes, and {} are given", to_string(sizes), bytes, length);
  file.require(offset, bytes);
  if (bytes > beside->left)
    fail("other files than the model's hold more than {} MiB, the most that is read",
         kMaxFileBytes >> 20);
  beside->left -= bytes;
  Tensor out = Tensor::empty(sizes, dtype);
  file.read(offset, reinterpret_cast<char*>(out.raw()), bytes);
  clean_bools(out);
  return out;
}

// How many elements the file holds: what a tensor of other sizes than these claims is not made.
size_t given_elements(const Fields& f, DType dtype) {
  if (f.raw) return f.raw->size() / size_of(dtype);
  return dtype == DType::F32   ? f.reals.size()
         : dtype == DType::F64 ? f.doubles.size()
                               : f.integers.size();
}

Tensor made_of(const Fields& f, Beside* beside) {
  const DType dtype = dtype_of(f.data_type);
  const Dims sizes = sizes_of(f.dims);
  if (f.is_external) return read_beside(f, sizes, dtype, beside);
  const int64_t count = numel_of(sizes);
  if (static_cast<uint64_t>(count) != given_elements(f, dtype))
    fail("sizes {} are of {} elements, and {} are given", to_string(sizes), count,
         given_elements(f, dtype));
  Tensor out = Tensor::empty(sizes, dtype);
  if (f.raw) copy_raw(out, *f.raw);
  else if (dtype == DType::F32) fill(out, f.reals);
  else if (dtype == DType::F64) fill(out, f.doubles);
  else if (is_float(dtype)) fill_bits(out, f.integers);
  else fill(out, f.integers);
  return out;
}

}  // namespace

DType dtype_of(int64_t data_type) {
  if (data_type < 0 || data_type >= std::ssize(kCodes)) fail("{} is no dtype", data_type);
  const Code& code = kCodes[data_type];
  if (!code.dtype) fail("tensors of {} are not supported", code.name);
  return *code.dtype;
}

Tensor tensor_of(std::string_view message, const std::string& label, Beside* beside) {
  const Fields fields = fields_of(Wire(message, label));
  try {
    return made_of(fields, beside);
  } catch (const Error& e) {
    fail("tensor '{}': {}", fields.name, e.what());
  }
}

}  // namespace fusillade::onnx
