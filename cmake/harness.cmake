# The fuzzing library, the benchmark library, the command, the tests, the libFuzzer targets.
file(GLOB_RECURSE FUZZ_SOURCES CONFIGURE_DEPENDS fuzz/*.cpp)
file(GLOB CLI_SOURCES CONFIGURE_DEPENDS fuzz/cli/*.cpp)
file(GLOB TARGET_SOURCES CONFIGURE_DEPENDS fuzz/target*.cpp)
list(REMOVE_ITEM FUZZ_SOURCES ${CLI_SOURCES} ${TARGET_SOURCES})
file(GLOB_RECURSE BENCH_SOURCES CONFIGURE_DEPENDS bench/harness/*.cpp)
# How a register is handed to a function hangs on what the file is compiled for.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set_source_files_properties(bench/harness/ulps_avx2.cpp PROPERTIES
    COMPILE_OPTIONS -mavx2 SKIP_PRECOMPILE_HEADERS ON)
  set_source_files_properties(bench/harness/ulps_avx512.cpp PROPERTIES
    COMPILE_OPTIONS -mavx512f SKIP_PRECOMPILE_HEADERS ON)
endif()
file(GLOB MICRO_SOURCES CONFIGURE_DEPENDS bench/micro/*.cpp)
file(GLOB BENCH_VERBS CONFIGURE_DEPENDS bench/harness/*_verb.cpp)
list(APPEND CLI_SOURCES ${BENCH_VERBS})
if(BENCH_VERBS)
  list(REMOVE_ITEM BENCH_SOURCES ${BENCH_VERBS})
endif()
file(GLOB TEST_SOURCES CONFIGURE_DEPENDS suites/unit/*_test.cpp suites/table/*.cpp)

# What runs once a command, or once a program that another process judges for long: half the
# compiler's time without optimisation. A library of these is linked behind the others, because the
# linker takes an inline function from the first that has it.
set(SELDOM_RUN ${FUZZ_SOURCES})
list(FILTER SELDOM_RUN INCLUDE REGEX "/fuzz/(bisect|campaign|corpus|triage)/")
file(STRINGS cmake/profile/sources.txt HOT_SOURCES)
list(TRANSFORM HOT_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/)
list(REMOVE_ITEM SELDOM_RUN ${HOT_SOURCES})
list(REMOVE_ITEM FUZZ_SOURCES ${SELDOM_RUN})

# Only the executables link the engine, whole; the libraries need its headers.
set(WHOLE_LIBRARIES fusillade_engine)
function(harness_library name)
  cmake_parse_arguments(arg "SELDOM_RUN" "" "SOURCES;HEADERS" ${ARGN})
  if(arg_SOURCES)
    unite(arg_SOURCES)
    add_library(${name} STATIC ${arg_SOURCES})
    target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} PUBLIC ${FMT} Threads::Threads ${SQLITE})
    target_precompile_headers(${name} PRIVATE ${HARNESS_HEADERS} ${arg_HEADERS})
    if(arg_SELDOM_RUN AND NOT FUSILLADE_PORTABLE AND NOT FUSILLADE_SANITIZE)
      target_compile_options(${name} PRIVATE -O0)
    endif()
    set(WHOLE_LIBRARIES ${WHOLE_LIBRARIES},${name} PARENT_SCOPE)
  endif()
endfunction()
if(FUSILLADE_LIBFUZZER)
  set_source_files_properties(fuzz/process/heap.cpp PROPERTIES
    COMPILE_DEFINITIONS FUSILLADE_LIBFUZZER)
endif()
# Workers are part of the binary, so that it needs no file beside it.
function(embedded_worker text header name)
  set(out ${PROJECT_BINARY_DIR}/${name}.cpp)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DTEXT=${PROJECT_SOURCE_DIR}/${text} -DOUT=${out} -DHEADER=${header}
      -DSPACE=fusillade::fuzz -DNAME=${name} -P ${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake
    DEPENDS ${text} cmake/embed_text.cmake VERBATIM)
  set(WORKER_SOURCES ${WORKER_SOURCES} ${out} PARENT_SCOPE)
endfunction()
embedded_worker(fuzz/run/python/worker.py fuzz/run/python/worker.h kPythonWorkerText)
embedded_worker(fuzz/workers/fusillade_worker.py fuzz/run/foreign/worker_text.h
  kFusilladeWorkerText)
embedded_worker(fuzz/workers/library_guard.py fuzz/run/foreign/worker_text.h kLibraryGuardText)
embedded_worker(fuzz/workers/program_wall.py fuzz/run/foreign/worker_text.h kProgramWallText)
embedded_worker(fuzz/workers/torch_admission.py fuzz/run/foreign/worker_text.h
  kTorchAdmissionText)
embedded_worker(fuzz/workers/torch_allowed.py fuzz/run/foreign/worker_text.h kTorchAllowedText)
embedded_worker(fuzz/workers/torch_build.py fuzz/run/foreign/worker_text.h kTorchBuildText)
embedded_worker(fuzz/workers/torch_eager.py fuzz/run/foreign/worker_text.h kTorchEagerText)
embedded_worker(fuzz/workers/torch_kernels.py fuzz/run/foreign/worker_text.h kTorchKernelsText)
embedded_worker(fuzz/workers/left_behind.py fuzz/run/foreign/worker_text.h kLeftBehindText)
embedded_worker(fuzz/workers/raised_for_result.py fuzz/run/foreign/worker_text.h
  kRaisedForResultText)
embedded_worker(fuzz/workers/torch_plain.py fuzz/run/foreign/worker_text.h kTorchPlainText)
embedded_worker(fuzz/workers/torch_source.py fuzz/run/foreign/worker_text.h kTorchSourceText)
embedded_worker(fuzz/workers/torch_gradients.py fuzz/run/foreign/worker_text.h
  kTorchGradientsText)
embedded_worker(fuzz/workers/torch_transforms.py fuzz/run/foreign/worker_text.h
  kTorchTransformsText)
embedded_worker(fuzz/workers/torch_worker.py fuzz/run/foreign/worker_text.h kTorchWorkerText)
embedded_worker(fuzz/workers/aten.py fuzz/run/foreign/worker_text.h kAtenText)
embedded_worker(fuzz/workers/aten_arrays.py fuzz/run/foreign/worker_text.h kAtenArraysText)
embedded_worker(fuzz/workers/aten_pointwise.py fuzz/run/foreign/worker_text.h kAtenPointwiseText)
embedded_worker(fuzz/workers/aten_shapes.py fuzz/run/foreign/worker_text.h kAtenShapesText)
embedded_worker(fuzz/workers/aten_tables.py fuzz/run/foreign/worker_text.h kAtenTablesText)
embedded_worker(fuzz/workers/jax_arrays.py fuzz/run/foreign/worker_text.h kJaxArraysText)
embedded_worker(fuzz/workers/jax_pointwise.py fuzz/run/foreign/worker_text.h kJaxPointwiseText)
embedded_worker(fuzz/workers/jax_shapes.py fuzz/run/foreign/worker_text.h kJaxShapesText)
embedded_worker(fuzz/workers/jax_source.py fuzz/run/foreign/worker_text.h kJaxSourceText)
embedded_worker(fuzz/workers/jax_tables.py fuzz/run/foreign/worker_text.h kJaxTablesText)
embedded_worker(fuzz/workers/jax_worker.py fuzz/run/foreign/worker_text.h kJaxWorkerText)
embedded_worker(fuzz/workers/iree_worker.py fuzz/run/foreign/worker_text.h kIreeWorkerText)
embedded_worker(fuzz/workers/mlx_arrays.py fuzz/run/foreign/worker_text.h kMlxArraysText)
embedded_worker(fuzz/workers/mlx_pointwise.py fuzz/run/foreign/worker_text.h kMlxPointwiseText)
embedded_worker(fuzz/workers/mlx_shapes.py fuzz/run/foreign/worker_text.h kMlxShapesText)
embedded_worker(fuzz/workers/mlx_tables.py fuzz/run/foreign/worker_text.h kMlxTablesText)
embedded_worker(fuzz/workers/mlx_worker.py fuzz/run/foreign/worker_text.h kMlxWorkerText)
embedded_worker(fuzz/workers/mnn_worker.py fuzz/run/foreign/worker_text.h kMnnWorkerText)
embedded_worker(fuzz/workers/onnx_graph.py fuzz/run/foreign/worker_text.h kOnnxGraphText)
embedded_worker(fuzz/workers/onnx_layers.py fuzz/run/foreign/worker_text.h kOnnxLayersText)
embedded_worker(fuzz/workers/onnx_pointwise.py fuzz/run/foreign/worker_text.h kOnnxPointwiseText)
embedded_worker(fuzz/workers/onnx_source.py fuzz/run/foreign/worker_text.h kOnnxSourceText)
embedded_worker(fuzz/workers/onnx_tensors.py fuzz/run/foreign/worker_text.h kOnnxTensorsText)
embedded_worker(fuzz/workers/onnx_worker.py fuzz/run/foreign/worker_text.h kOnnxWorkerText)
embedded_worker(fuzz/workers/onnxref_worker.py fuzz/run/foreign/worker_text.h kOnnxrefWorkerText)
embedded_worker(fuzz/workers/openvino_worker.py fuzz/run/foreign/worker_text.h kOpenvinoWorkerText)
embedded_worker(fuzz/workers/ort_worker.py fuzz/run/foreign/worker_text.h kOrtWorkerText)
embedded_worker(fuzz/workers/tf_nodes.py fuzz/run/foreign/worker_text.h kTfNodesText)
embedded_worker(fuzz/workers/tf_worker.py fuzz/run/foreign/worker_text.h kTfWorkerText)
embedded_worker(fuzz/workers/tflite_worker.py fuzz/run/foreign/worker_text.h kTfliteWorkerText)
embedded_worker(fuzz/workers/tinygrad_worker.py fuzz/run/foreign/worker_text.h kTinygradWorkerText)
embedded_worker(fuzz/workers/tvm_worker.py fuzz/run/foreign/worker_text.h kTvmWorkerText)
harness_library(fusillade_fuzz SOURCES ${FUZZ_SOURCES} ${WORKER_SOURCES}
  HEADERS <fuzz/case/case.h> <nlohmann/json.hpp>)
harness_library(fusillade_bench SOURCES ${BENCH_SOURCES} HEADERS <nlohmann/json.hpp>)
if(BENCH_SOURCES)
  target_compile_definitions(fusillade_bench PRIVATE FUSILLADE_VERSION="${PROJECT_VERSION}")
endif()
harness_library(fusillade_supervisor SELDOM_RUN SOURCES ${SELDOM_RUN}
  HEADERS <fuzz/case/case.h> <nlohmann/json.hpp>)
set(WHOLE $<LINK_LIBRARY:WHOLE_ARCHIVE,${WHOLE_LIBRARIES}>)

if(CLI_SOURCES)
  set(VERSION_SOURCE ${PROJECT_BINARY_DIR}/version_text.cpp)
  set(BUILD_TEXT "${CMAKE_BUILD_TYPE}, ${CMAKE_SYSTEM_PROCESSOR}")
  string(APPEND BUILD_TEXT ", ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  string(APPEND BUILD_TEXT ", LLVM ${LLVM_PACKAGE_VERSION}")
  foreach(option PORTABLE MARCH SANITIZE)
    if(FUSILLADE_${option})
      string(TOLOWER ${option} option_name)
      string(APPEND BUILD_TEXT ", ${option_name}=${FUSILLADE_${option}}")
    endif()
  endforeach()
  add_custom_target(version_text BYPRODUCTS ${VERSION_SOURCE}
    COMMAND ${CMAKE_COMMAND} -DOUT=${VERSION_SOURCE} -DVERSION=${PROJECT_VERSION}
      "-DCOMMIT=${FUSILLADE_COMMIT}" "-DBUILD=${BUILD_TEXT}" -DTREE=${PROJECT_SOURCE_DIR}
      -P ${PROJECT_SOURCE_DIR}/cmake/version.cmake
    VERBATIM)
  set(SHELL_TEXTS ${PROJECT_SOURCE_DIR}/docs/reference/shell)
  set(COMPLETION_SOURCE ${PROJECT_BINARY_DIR}/completion_texts.cpp)
  embedded_texts(${COMPLETION_SOURCE} fuzz/cli/completion.h fusillade::cli Completion completions
    ${SHELL_TEXTS} ${SHELL_TEXTS}/fusillade.bash ${SHELL_TEXTS}/_fusillade
    ${SHELL_TEXTS}/fusillade.fish)
  harness_library(fusillade_verbs SELDOM_RUN SOURCES ${CLI_SOURCES}
    HEADERS <CLI/CLI.hpp> <nlohmann/json.hpp>)
  add_executable(fusillade ${VERSION_SOURCE} ${COMPLETION_SOURCE})
  add_dependencies(fusillade version_text)
  target_include_directories(fusillade PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(fusillade PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,${WHOLE_LIBRARIES}>)
  set_target_properties(fusillade PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  include(cmake/install.cmake)
endif()

find_package(benchmark QUIET)
if(benchmark_FOUND AND MICRO_SOURCES)
  add_executable(micro_bench ${MICRO_SOURCES})
  target_link_libraries(micro_bench PRIVATE ${WHOLE} benchmark::benchmark_main)
  target_compile_definitions(micro_bench PRIVATE FUSILLADE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
endif()

# What tests run the back end `cuda` on where there is no GPU: a driver and NVRTC (suites/stand_in).
file(GLOB STAND_IN_SOURCES CONFIGURE_DEPENDS suites/stand_in/*.cpp)
add_library(cuda_stand_in MODULE ${STAND_IN_SOURCES} engine/kernel/fibers.cpp engine/base/error.cpp
  ${PROJECT_BINARY_DIR}/cuda_shim_text.cpp)
set_target_properties(cuda_stand_in PROPERTIES CXX_VISIBILITY_PRESET hidden
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_include_directories(cuda_stand_in PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(cuda_stand_in PRIVATE ${FMT} ${CMAKE_DL_LIBS})

enable_testing()
if(TEST_SOURCES)
  unite(TEST_SOURCES)
  add_executable(unit_tests ${TEST_SOURCES})
  # Half the compiler's time for them.
  target_compile_options(unit_tests PRIVATE -O0)
  target_precompile_headers(unit_tests PRIVATE ${HARNESS_HEADERS}
    <engine/front/script.h> <gtest/gtest.h>)
  target_link_libraries(unit_tests PRIVATE ${WHOLE} GTest::gtest_main)
  target_compile_definitions(unit_tests PRIVATE FUSILLADE_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    FUSILLADE_CUDA_STAND_IN="$<TARGET_FILE:cuda_stand_in>")
  add_dependencies(unit_tests cuda_stand_in)
  add_test(NAME unit_tests COMMAND unit_tests WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endif()

if(FUSILLADE_LIBFUZZER AND TARGET_SOURCES)
  file(GLOB ORACLE_FILES CONFIGURE_DEPENDS fuzz/oracle/*_oracle.cpp)
  foreach(file ${ORACLE_FILES})
    get_filename_component(name ${file} NAME_WE)
    string(REPLACE "_oracle" "" name ${name})
    add_executable(fuzz_${name} fuzz/target.cpp)
    target_compile_definitions(fuzz_${name} PRIVATE FUSILLADE_TARGET_ORACLE="${name}")
  endforeach()
  foreach(name case ir script npy zip pickle archive exported onnx)
    add_executable(fuzz_parse_${name} fuzz/target_parser.cpp)
    target_include_directories(fuzz_parse_${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_definitions(fuzz_parse_${name} PRIVATE FUSILLADE_TARGET_PARSER="${name}")
  endforeach()
  set(ENGINE_OF_TARGETS -fsanitize=fuzzer)
  if(FUSILLADE_FUZZING_ENGINE)
    separate_arguments(ENGINE_OF_TARGETS UNIX_COMMAND "${FUSILLADE_FUZZING_ENGINE}")
  endif()
  # Only cases are read by the harness; a parser of the engine is built in half the time without it.
  target_compile_definitions(fuzz_parse_case PRIVATE FUSILLADE_TARGET_READS_CASES)
  get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    if(target MATCHES "^fuzz_parse_" AND NOT target STREQUAL "fuzz_parse_case")
      target_link_libraries(${target} PRIVATE
        $<LINK_LIBRARY:WHOLE_ARCHIVE,fusillade_engine> ${ENGINE_OF_TARGETS})
    elseif(target MATCHES "^fuzz_")
      target_link_libraries(${target} PRIVATE ${WHOLE} ${ENGINE_OF_TARGETS})
    endif()
  endforeach()
endif()
