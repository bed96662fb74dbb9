// See wire.h.
#include "fuzz/run/foreign/wire.h"

#include <cmath>
#include <cstring>

#include "engine/base/error.h"
#include "fuzz/run/foreign/python_source.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

constexpr int kMostNesting = 64;

json numbers(const Dims& dims) {
  json out = json::array();
  for (int64_t n : dims) out.push_back(n);
  return out;
}

Dims dims_of(const json& list) {
  if (!list.is_array()) throw Babble{"sizes"};
  if (list.size() > static_cast<size_t>(kMaxRank)) decline("a result of rank {}", list.size());
  Dims out;
  for (const json& n : list) {
    if (!n.is_number_integer() || n.get<int64_t>() < 0) throw Babble{"a size or stride"};
    out.push_back(n.get<int64_t>());
  }
  return out;
}

size_t whole(const json& head, const char* key) {
  auto it = head.find(key);
  if (it == head.end() || !it->is_number_unsigned()) throw Babble{key};
  return it->get<size_t>();
}

// What no worker takes, without its value: it is the reason why programs are not compared.
const char* kind_of(IValue::Tag tag) {
  return tag == IValue::Tag::Dict ? "a dict" : tag == IValue::Tag::Enum ? "an enum" : "an object";
}

bool is_utf8(const std::string& text) {
  try {
    return !json(text).dump().empty();
  } catch (const json::exception&) {
    return false;
  }
}

// The storage's bytes as a tensor of one dimension.
Tensor all_of(const Tensor& t) {
  int64_t count = static_cast<int64_t>(t.storage()->bytes() / size_of(t.dtype()));
  return Tensor::view_of(t, 0, {count}, {1});
}

}  // namespace

json WireWriter::tensor(const Tensor& t) {
  size_t k = 0;
  while (k < storages_.size() && !storages_[k].shares_storage(t)) ++k;
  if (k == storages_.size()) storages_.push_back(t);
  if (storages_[k].dtype() != t.dtype()) decline("tensors of two dtypes share a storage");
  tensors_.push_back({{"dtype", python_name(t.dtype())},
                      {"sizes", numbers(t.sizes())},
                      {"strides", numbers(t.strides())},
                      {"offset", t.offset()},
                      {"storage", k}});
  return {{"tensor", tensors_.size() - 1}};
}

json WireWriter::value(const IValue& v) {
  switch (v.tag()) {
    case IValue::Tag::None:
      return nullptr;
    case IValue::Tag::Int:
      return v.as_int();
    case IValue::Tag::Bool:
      return v.as_bool();
    case IValue::Tag::Float:
      if (std::isfinite(v.as_double())) return v.as_double();
      return {{"float", std::isnan(v.as_double()) ? "nan" : v.as_double() > 0 ? "inf" : "-inf"}};
    case IValue::Tag::Str:
      if (!is_utf8(v.as_str())) decline("a string that is not UTF-8");
      return v.as_str();
    case IValue::Tag::Device:
      return {{"device", to_string(v.as_device())}};
    case IValue::Tag::Tensor:
      return tensor(v.as_tensor());
    case IValue::Tag::List:
    case IValue::Tag::Tuple: {
      json items = json::array();
      for (const IValue& item : v.items()) items.push_back(value(item));
      return {{v.tag() == IValue::Tag::List ? "list" : "tuple", items}};
    }
    case IValue::Tag::Dict:
      if (dicts_) {
        json items = json::array();
        for (const auto& [key, item] : v.as_dict().items())
          items.push_back(json::array({value(key), value(item)}));
        return {{"dict", items}};
      }
      [[fallthrough]];
    default:
      decline("{} as a value\n{}", kind_of(v.tag()), describe(v));
  }
}

std::string WireWriter::body(json head) const {
  json sizes = json::array();
  for (const Tensor& t : storages_) sizes.push_back(t.storage()->bytes());
  head["tensors"] = tensors_;
  head["storages"] = sizes;
  std::string out = head.dump() + "\n";
  for (const Tensor& t : storages_)
    out.append(reinterpret_cast<const char*>(t.storage()->data()), t.storage()->bytes());
  return out;
}

WireReader::WireReader(std::string_view body, const std::vector<Tensor>& asked)
    : asked_(asked.size()) {
  size_t line = body.find('\n');
  if (line == std::string_view::npos) throw Babble{"a head without an end"};
  head_ = json::parse(body.substr(0, line), nullptr, false);
  if (!head_.is_object()) throw Babble{"a head that is no JSON object"};
  for (const char* key : {"tensors", "storages"})
    if (!head_.contains(key) || !head_[key].is_array()) throw Babble{key};
  body.remove_prefix(line + 1);
  for (const json& size : head_["storages"]) {
    if (!size.is_number_unsigned() || size.get<size_t>() > body.size()) throw Babble{"a storage"};
    storages_.push_back({{}, body.substr(0, size.get<size_t>())});
    body.remove_prefix(size.get<size_t>());
  }
  if (!body.empty() || storages_.size() < asked_) throw Babble{"storages"};
  for (size_t k = 0; k < asked_; ++k) {
    if (storages_[k].bytes.size() != asked[k].storage()->bytes())
      throw Babble{"a storage of the question of another size"};
    storages_[k].base = all_of(asked[k]);
  }
}

void WireReader::write_back() {
  for (size_t k = 0; k < asked_; ++k)
    if (!storages_[k].bytes.empty())
      std::memcpy(storages_[k].base.storage()->data(), storages_[k].bytes.data(),
                  storages_[k].bytes.size());
}

std::vector<IValue> WireReader::items(const json& list) {
  if (!list.is_array()) throw Babble{"a list"};
  if (++depth_ > kMostNesting) throw Babble{"lists too deep"};
  std::vector<IValue> out;
  for (const json& item : list) out.push_back(value(item));
  --depth_;
  return out;
}

IValue WireReader::value(const json& v) {
  if (v.is_null()) return {};
  if (v.is_boolean()) return v.get<bool>();
  if (v.is_number_float()) return v.get<double>();
  if (v.is_number_unsigned() && v.get<uint64_t>() > INT64_MAX) throw Babble{"an int"};
  if (v.is_number_integer()) return v.get<int64_t>();
  if (v.is_string()) return IValue::str(v.get<std::string>());
  if (!v.is_object() || v.size() != 1) throw Babble{"a value"};
  const std::string& key = v.begin().key();
  const json& inner = v.begin().value();
  if (key == "float" && inner == "nan") return std::nan("");
  if (key == "float" && (inner == "inf" || inner == "-inf"))
    return inner == "inf" ? INFINITY : -INFINITY;
  if (key == "tensor" && inner.is_number_unsigned()) return tensor(inner.get<size_t>());
  if (key == "tuple") return IValue::tuple(items(inner));
  if (key == "list") {
    std::vector<IValue> all = items(inner);
    Type element = all.empty() ? Type(TypeKind::Any) : all[0].type().without_shapes();
    return IValue::list(std::move(all), element);
  }
  throw Babble{"a value"};
}

IValue WireReader::tensor(size_t index) {
  const json& all = head_["tensors"];
  if (index >= all.size() || !all[index].is_object()) throw Babble{"a tensor"};
  const json& t = all[index];
  for (const char* key : {"dtype", "sizes", "strides", "offset", "storage"})
    if (!t.contains(key)) throw Babble{key};
  if (!t["dtype"].is_string()) throw Babble{"a dtype"};
  std::optional<DType> dtype = dtype_of_python(t["dtype"].get<std::string>());
  if (!dtype) decline("a result of dtype {}", t["dtype"].get<std::string>());
  size_t k = whole(t, "storage");
  if (k >= storages_.size()) throw Babble{"a storage that is not there"};
  Part& part = storages_[k];
  if (!part.base.is_defined()) {
    part.base = Tensor::empty({static_cast<int64_t>(part.bytes.size() / size_of(*dtype))}, *dtype);
    if (!part.bytes.empty())
      std::memcpy(part.base.raw(), part.bytes.data(),
                  part.bytes.size() / size_of(*dtype) * size_of(*dtype));
  }
  if (part.base.dtype() != *dtype) decline("results of two dtypes share a storage");
  const Dims sizes = dims_of(t["sizes"]);
  const Dims strides = dims_of(t["strides"]);
  if (sizes.rank() != strides.rank()) throw Babble{"sizes and strides"};
  try {
    return Tensor::view_of(part.base, static_cast<int64_t>(whole(t, "offset")), sizes, strides);
  } catch (const Error& e) {
    throw Babble{e.what()};
  }
}

}  // namespace fusillade::fuzz
