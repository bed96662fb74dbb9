// The libFuzzer entry point of the parsers, compiled once per format (FUSILLADE_TARGET_PARSER): any bytes
// give a value or an Error; what parses must print and parse back to the same text.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/front/script.h"
#include "engine/tensor/npy.h"
#include "fuzz/case/case.h"

namespace {

using namespace fusillade;

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void parse_ir_text(const std::string& text) {
  std::string once = print(*parse_graph(text));
  require(print(*parse_graph(once)) == once, "IR: print is not a fixpoint");
}

void parse_case_text(const std::string& text) {
  std::string once = fuzz::print(fuzz::parse_case(text, "<fuzz>"));
  require(fuzz::print(fuzz::parse_case(once, "<fuzz>")) == once, "case: print is not a fixpoint");
}

void parse_npy_bytes(const std::string& bytes) {
  static const std::string path = "/tmp/fusillade_npy_target." + std::to_string(getpid());
  FILE* f = std::fopen(path.c_str(), "wb");
  require(f != nullptr, "cannot write the input to a file");
  std::fwrite(bytes.data(), 1, bytes.size(), f);
  std::fclose(f);
  load_npy(path);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  constexpr std::string_view kind = FUSILLADE_TARGET_PARSER;
  Storage::set_budget(256u << 20);
  try {
    if (kind == "ir") parse_ir_text(text);
    if (kind == "case") parse_case_text(text);
    if (kind == "script") compile_script(text, "<fuzz>");
    if (kind == "npy") parse_npy_bytes(text);
  } catch (const Error&) {
  } catch (const Unsupported&) {
  }
  return 0;
}
