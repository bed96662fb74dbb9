// Optimisation, code generation and loading.
//
// The passes are picked by hand: what a loop nest over arrays needs to vectorise and no more, since
// a kernel must compile in milliseconds. IR becomes an object file on the thread that asks, with a
// target machine of its own; one LLJIT for the process links objects and frees them one by one.
// Objects that are kept on disk (disk_cache.h) are of the same names in every process, so each gets
// a library of its own.
// Emitted code sees only the functions of llvm_math.cpp and the memory functions that code
// generation itself calls. Where this is built with AddressSanitizer it asks before each access, as
// all other code does.
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Instrumentation/AddressSanitizer.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/InferAlignment.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <exception>
#include <system_error>

#include "engine/base/event.h"
#include "engine/base/lack.h"
#include "engine/base/probe.h"
#include "engine/base/sanitized.h"
#include "engine/kernel/disk_cache.h"
#include "engine/kernel/llvm_emit.h"
#include "engine/kernel/llvm_text.h"

namespace fusillade::kernel::jit {
namespace {

namespace orc = llvm::orc;

Probe probe_compiled("kernel/compiled");

std::string text(llvm::Error error) { return llvm::toString(std::move(error)); }

template <class T>
T& take(llvm::Expected<T&> value, const char* what) {
  if (!value) FUS_BUG("LLVM: {}: {}", what, text(value.takeError()));
  return *value;
}

template <class T>
T take(llvm::Expected<T> value, const char* what) {
  if (!value) FUS_BUG("LLVM: {}: {}", what, text(value.takeError()));
  return std::move(*value);
}

orc::JITTargetMachineBuilder host() {
  static const bool ready =
      !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter();
  FUS_CHECK(ready, "LLVM has no code generator for this host");
  static const orc::JITTargetMachineBuilder kept = [] {
    auto b = take(orc::JITTargetMachineBuilder::detectHost(), "the host");
    b.setRelocationModel(llvm::Reloc::PIC_);
    b.setCodeModel(llvm::CodeModel::Small);  // far calls go through stubs of the linker
    b.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
    b.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
    return b;
  }();
  return kept;
}

// Target machines are not for sharing between threads.
llvm::TargetMachine& machine() {
  static thread_local std::unique_ptr<llvm::TargetMachine> kept =
      take(host().createTargetMachine(), "a target machine");
  return *kept;
}

struct WriteOut : llvm::PassInfoMixin<WriteOut> {
  static llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager&) {
    write_out(f);
    return llvm::PreservedAnalyses::none();
  }
};

// Which stores are aligned is asked where results are streamed.
llvm::FunctionPassManager passes(bool streams) {
  llvm::FunctionPassManager f;
  f.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  f.addPass(llvm::EarlyCSEPass(true));
  f.addPass(llvm::InstCombinePass());
  f.addPass(llvm::SimplifyCFGPass());
  llvm::LoopPassManager loops;
  loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
  loops.addPass(llvm::IndVarSimplifyPass());
  f.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops), true));
  f.addPass(llvm::LoopVectorizePass());
  f.addPass(WriteOut());
  f.addPass(llvm::InstCombinePass());
  f.addPass(llvm::SimplifyCFGPass());
  f.addPass(llvm::EarlyCSEPass(true));
  llvm::LoopPassManager after;
  after.addPass(llvm::LICMPass(llvm::LICMOptions()));
  f.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(after), true));
  f.addPass(llvm::ADCEPass());
  if (streams) f.addPass(llvm::InferAlignmentPass());
  return f;
}

void optimise(llvm::Module& module, bool streams) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::FunctionPassManager pipeline = passes(streams);
  for (llvm::Function& f : module) {
    if (f.isDeclaration()) continue;
    pipeline.run(f, functions);
    choose_halves_by_bits(f);
    take_extremes(f);
    stagger(f);
    if (FUS_SANITIZED) f.addFnAttr(llvm::Attribute::SanitizeAddress);
  }
  if (FUS_SANITIZED) {
    const llvm::AddressSanitizerOptions options;
    llvm::AddressSanitizerPass(options, false, false, llvm::AsanDtorKind::None,
                               llvm::AsanCtorKind::None)
        .run(module, modules);
  }
}

// LLVM would print a remark for each loop asked to be in lanes that it leaves as it is.
struct NoRemarks : llvm::DiagnosticHandler {
  bool handleDiagnostics(const llvm::DiagnosticInfo& d) override {
    return d.getSeverity() == llvm::DS_Remark;
  }
};

// The LLVM IR of a kernel, optimised.
void fill(llvm::Module& module, const Kernel& kernel, const std::vector<Phase>& phases,
          const std::string& prefix) {
  llvm::TargetMachine& target = machine();
  module.getContext().setDiagnosticHandler(std::make_unique<NoRemarks>());
  module.setDataLayout(target.createDataLayout());
  module.setTargetTriple(target.getTargetTriple().str());
  Emitter emitter(kernel, module);
  emitter.run(phases, prefix);
  FUS_CHECK(!llvm::verifyModule(module), "the LLVM IR of a kernel is not well formed");
  const bool streams = std::any_of(phases.begin(), phases.end(), [](auto& p) { return p.streams; });
  optimise(module, streams);
  if (!streams) return;
  for (llvm::Function& f : module)
    if (!f.isDeclaration()) stream_stores(f, emitter.streamed_scopes());
}

// The passes from LLVM IR to a file. Setting them up is an eighth of what a kernel costs, so a
// thread keeps those that write machine code for its next.
class FileWriter {
 public:
  explicit FileWriter(llvm::CodeGenFileType kind) : stream_(out_) {
    bool fails = machine().addPassesToEmitFile(passes_, stream_, nullptr, kind);
    FUS_CHECK(!fails, "LLVM cannot write this kind of file");
  }
  llvm::SmallVector<char, 0> emit(llvm::Module& module) {
    out_.clear();
    passes_.run(module);
    return llvm::SmallVector<char, 0>(out_.begin(), out_.end());
  }

 private:
  llvm::SmallVector<char, 0> out_;
  llvm::raw_svector_ostream stream_;
  llvm::legacy::PassManager passes_;
};

// The machine code, or the assembly text, of a kernel.
llvm::SmallVector<char, 0> translate(const Kernel& kernel, const std::vector<Phase>& phases,
                                     const std::string& prefix, llvm::CodeGenFileType kind) {
  llvm::LLVMContext context;
  context.setDiscardValueNames(true);
  llvm::Module module("kernel", context);
  fill(module, kernel, phases, prefix);
  if (kind != llvm::CodeGenFileType::ObjectFile) return FileWriter(kind).emit(module);
  static thread_local FileWriter kept(kind);
  return kept.emit(module);
}

// Why code could not be loaded: a lookup that waited for it says only that it failed.
void report(llvm::Error error) {
  llvm::handleAllErrors(std::move(error), [](const llvm::ErrorInfoBase& e) {
    const std::error_code code = e.convertToErrorCode();
    const std::error_category& of = code.category();
    const bool of_system = of == std::generic_category() || of == std::system_category();
    if (of_system) note_lack("LLVM cannot load code", code.value());
    std::fprintf(stderr, "LLVM: %s\n", e.message().c_str());
  });
}

class Jit {
 public:
  Jit();
  static Jit& instance() {
    static Jit* const kept = new Jit;  // outlives every program
    return *kept;
  }
  orc::LLJIT& lljit() { return *lljit_; }
  std::string fresh_prefix() { return fmt::format("kernel{}_", next_++); }

 private:
  std::unique_ptr<orc::LLJIT> lljit_;
  std::atomic<uint64_t> next_{0};
};

// LLVM's own blocks come without exceptions.
void report_no_memory(void* /*unused*/, const char* /*reason*/, bool /*diagnostics*/) {
  note_no_memory(0);
  std::terminate();
}

Jit::Jit() {
  llvm::install_bad_alloc_error_handler(&report_no_memory);
  orc::LLJITBuilder builder;
  builder.setJITTargetMachineBuilder(host());
  builder.setLinkProcessSymbolsByDefault(false);
  builder.setPlatformSetUp(orc::setUpInactivePlatform);
  lljit_ = take(builder.create(), "LLJIT");
  lljit_->getExecutionSession().setErrorReporter(&report);
  orc::SymbolMap symbols;
  auto add = [&](const std::string& name, void* address) {
    auto flags = llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable;
    symbols[lljit_->mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(address), flags};
  };
  for (const ScalarFunction* f : all_functions()) {
    add(f->symbol, f->address);
    for (const VectorVariant& v : f->vector) add(v.symbol, v.address);
  }
  for (const ScalarFunction& f : lowered_functions()) add(f.symbol, f.address);
  add("memcpy", reinterpret_cast<void*>(&std::memcpy));
  add("memmove", reinterpret_cast<void*>(&std::memmove));
  add("memset", reinterpret_cast<void*>(&std::memset));
  if (FUS_SANITIZED) {
    auto of_asan = [](const orc::SymbolStringPtr& s) { return (*s).starts_with("__asan_"); };
    lljit_->getMainJITDylib().addGenerator(
        take(orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
                 lljit_->getDataLayout().getGlobalPrefix(), of_asan),
             "the functions of AddressSanitizer"));
  }
  llvm::Error error = lljit_->getMainJITDylib().define(orc::absoluteSymbols(std::move(symbols)));
  FUS_CHECK(!error, "LLVM: absolute symbols: {}", text(std::move(error)));
}

}  // namespace

struct Code::Loaded {
  orc::ResourceTrackerSP tracker;
  orc::JITDylib* own = nullptr;  // null: in the one of all
  ~Loaded() {
    if (tracker) llvm::consumeError(tracker->remove());
    tracker = nullptr;
    if (own) llvm::consumeError(Jit::instance().lljit().getExecutionSession().removeJITDylib(*own));
  }
};

namespace {

constexpr char kKeptPrefix[] = "kept_";

// All that the code depends on.
std::string key_of(const Kernel& kernel, const std::vector<Phase>& phases) {
  const llvm::TargetMachine& target = machine();
  std::string key = fmt::format("{}\n{} {} {}\n{} bits\n", this_build(),
                                target.getTargetTriple().str(), std::string(target.getTargetCPU()),
                                std::string(target.getTargetFeatureString()), vector_bits());
  for (const Phase& p : phases)
    key += fmt::format("{}-{}{}{} ", p.first, p.last, p.parallel ? " parallel" : "",
                       p.streams ? " streams" : "");
  return key + "\n" + print(kernel);
}

llvm::SmallVector<char, 0> kept_object(const Kernel& kernel, const std::vector<Phase>& phases) {
  const std::string key = key_of(kernel, phases);
  if (const std::optional<std::string> kept = find_on_disk(key)) {
    report_event("kernel from disk", "llvm");
    return llvm::SmallVector<char, 0>(kept->begin(), kept->end());
  }
  probe_compiled.hit();
  auto object = translate(kernel, phases, kKeptPrefix, llvm::CodeGenFileType::ObjectFile);
  keep_on_disk(key, std::string(object.begin(), object.end()));
  return object;
}

}  // namespace

Code::Code(const Kernel& kernel, const std::vector<Phase>& phases) {
  Jit& jit = Jit::instance();
  const std::string name = jit.fresh_prefix();
  std::string prefix = name;
  llvm::SmallVector<char, 0> object;
  orc::JITDylib* library = &jit.lljit().getMainJITDylib();
  loaded_.reset(new Loaded);
  if (keeps_on_disk()) {
    prefix = kKeptPrefix;
    object = kept_object(kernel, phases);
    loaded_->own = &take(jit.lljit().getExecutionSession().createJITDylib(name), "a library");
    loaded_->own->addToLinkOrder(*library);
    library = loaded_->own;
  } else {
    probe_compiled.hit();
    object = translate(kernel, phases, prefix, llvm::CodeGenFileType::ObjectFile);
  }
  const TimedEvent linking("kernel linked", "llvm");
  loaded_->tracker = library->createResourceTracker();
  auto buffer = std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(object), name, false);
  llvm::Error error = jit.lljit().addObjectFile(loaded_->tracker, std::move(buffer));
  FUS_CHECK(!error, "LLVM: loading: {}", text(std::move(error)));
  for (size_t i = 0; i < phases.size(); ++i) {
    auto address = take(jit.lljit().lookup(*library, prefix + std::to_string(i)), "lookup");
    entry_.push_back(address.toPtr<PhaseFunction>());
  }
}

Code::~Code() = default;

std::string assembly(const Kernel& kernel, const std::vector<Phase>& phases) {
  auto out = translate(kernel, phases, "phase", llvm::CodeGenFileType::AssemblyFile);
  return std::string(out.begin(), out.end());
}

std::string ir_text(const Kernel& kernel, const std::vector<Phase>& phases) {
  llvm::LLVMContext context;
  context.setDiscardValueNames(true);
  llvm::Module module("kernel", context);
  fill(module, kernel, phases, "phase");
  std::string out;
  llvm::raw_string_ostream stream(out);
  module.print(stream, nullptr);
  return out;
}

}  // namespace fusillade::kernel::jit

namespace fusillade::kernel {

std::string llvm_version() { return LLVM_VERSION_STRING; }

}  // namespace fusillade::kernel
