// The wire format of protocol buffers, read field by field, without a schema and without copies.
//
//   for (Wire wire(bytes, "m.onnx"); wire.next();)
//     if (wire.field() == 7) graph(wire.message());
//
// Each read checks its bounds and the type on the wire. Fields that nobody asks for are skipped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fusillade::onnx {

class Wire {
 public:
  static constexpr int kMaxDepth = 64;  // of messages within each other

  // `label`: of the file, for messages. Throws Error, as all functions here do.
  Wire(std::string_view bytes, const std::string& label, int depth = 0);

  // Moves to the next field; false at the end.
  bool next();
  uint32_t field() const { return field_; }

  // The value of this field.
  int64_t integer();
  float real();
  std::string_view bytes();
  std::string text() { return std::string(bytes()); }
  Wire message();  // within this one
  // More values of a repeated field: one, or those of a packed run.
  void add_to(std::vector<int64_t>& out);
  void add_to(std::vector<float>& out);
  void add_to(std::vector<double>& out);

 private:
  enum Type : uint32_t { kVarint = 0, kFixed64 = 1, kRun = 2, kFixed32 = 5 };
  [[noreturn]] void wrong(std::string_view what) const;
  void expect(Type type) const;
  uint64_t varint();
  template <class T>
  T read_fixed();
  template <class T>
  void add_fixed(std::vector<T>& out, Type single);
  void skip();

  std::string_view rest_;
  const std::string& label_;
  int depth_;
  uint32_t field_ = 0, type_ = 0;
  bool pending_ = false;  // is the value of this field still ahead?
};

}  // namespace fusillade::onnx
