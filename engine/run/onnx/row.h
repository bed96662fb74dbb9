// The table of operators of ONNX that are read: a row each.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "engine/base/table.h"

namespace fusillade::onnx {

class Reading;

// An operator of ONNX.
struct Row {
  std::string name;
  int64_t since;  // the opset since which it means this
  void (*read)(Reading&);
  bool (*fold)(Reading&) = nullptr;  // of inputs that are known as counts; false: read it
};
struct Rows {
  Rows(std::initializer_list<Row> rows) {
    for (const Row& row : rows) Table<Row>::instance().add(row);
  }
};

}  // namespace fusillade::onnx
