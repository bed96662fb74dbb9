// The libFuzzer entry point of the parsers, compiled once per format (FUSILLADE_TARGET_PARSER): any
// bytes give a value or an Error; what parses must print and parse back to the same text.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/front/script.h"
#include "engine/run/archive/archive.h"
#include "engine/run/archive/pickle.h"
#include "engine/run/archive/zip.h"
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

#ifdef FUSILLADE_TARGET_READS_CASES  // else the harness is not linked
void parse_case_text(const std::string& text) {
  std::string once = fuzz::print(fuzz::parse_case(text, "<fuzz>"));
  require(fuzz::print(fuzz::parse_case(once, "<fuzz>")) == once, "case: print is not a fixpoint");
}
#else
void parse_case_text(const std::string&) {}
#endif

void read_zip(const std::string& bytes) {
  archive::ZipReader zip(bytes, "<fuzz>");
  for (const archive::ZipEntry& e : zip.entries()) {
    try {
      zip.read(e.name);
    } catch (const Error&) {  // a damaged entry
    }
  }
}

// The input is the code and the pickle of a module, in a sound container: "code", a NUL, "pickle".
std::string in_container(const std::string& bytes) {
  size_t cut = bytes.find('\0');
  if (cut == std::string::npos) return bytes;
  archive::ZipWriter zip;
  zip.add("archive/data.pkl", std::string_view(bytes).substr(cut + 1));
  zip.add("archive/data/0", std::string(64, '\1'));
  zip.add("archive/code/__torch__.py", std::string_view(bytes).substr(0, cut));
  zip.add("archive/version", "10\n");
  return zip.finish();
}

// The input is an archive of torch.export, or the text of its program and, behind a NUL, that of
// its tensors, in a sound container (suites/python/exported_programs/seeds.py makes such texts). It
// has an entry for each number of a dtype.
std::string in_exported(const std::string& bytes) {
  if (bytes.starts_with("PK")) return bytes;
  const size_t cut = std::min(bytes.find('\0'), bytes.size());
  archive::ZipWriter zip;
  zip.add("m/models/model.json", std::string_view(bytes).substr(0, cut));
  if (cut < bytes.size())
    zip.add("m/data/weights/model_weights_config.json", std::string_view(bytes).substr(cut + 1));
  constexpr int kEntries = 14, kBytes = 512;
  for (int i = 0; i < kEntries; ++i)
    zip.add("m/data/weights/weight_" + std::to_string(i), std::string(kBytes, '\1'));
  zip.add("m/archive_format", "pt2");
  return zip.finish();
}

void load_bytes(const std::string& bytes) {
  Module module = load_archive(bytes, "<fuzz>");
  std::string saved = save_archive(module);
  std::string again = save_archive(load_archive(saved, "<saved>"));
  require(again == saved, "archive: what was saved saves otherwise after loading");
}

}  // namespace

// As in fuzz/process/spawn.cpp, and: of the frames that ASan keeps to see uses after return it
// looks at all in each throw, 100 microseconds long, where parsing an input takes 200. It keeps 128
// KB of each size of frame instead of 1 MB.
extern "C" const char* __asan_default_options() {
  return "abort_on_error=1:max_uar_stack_size_log=17";
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  constexpr std::string_view kind = FUSILLADE_TARGET_PARSER;
  Storage::set_budget(256u << 20);
  try {
    if (kind == "ir") parse_ir_text(text);
    if (kind == "case") parse_case_text(text);
    if (kind == "script") compile_script(text, "<fuzz>");
    if (kind == "npy") parse_npy(text, "<fuzz>");
    if (kind == "zip") read_zip(text);
    if (kind == "pickle") archive::Pickle(text, "<fuzz>");
    if (kind == "archive") load_bytes(in_container(text));
    if (kind == "exported") load_bytes(in_exported(text));
    if (kind == "onnx") load_archive(text, "fuzz.onnx");
  } catch (const Error&) {
  } catch (const Unsupported&) {
  }
  return 0;
}
