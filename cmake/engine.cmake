# The engine library and its installable package.
#
# Inside the build the executables link `fusillade_engine` whole (WHOLE_ENGINE); users of the
# installed package link Fusillade::engine, which does the same.
file(GLOB_RECURSE ENGINE_SOURCES CONFIGURE_DEPENDS engine/*.cpp)
file(GLOB LLVM_SOURCES CONFIGURE_DEPENDS engine/kernel/llvm_*.cpp)

# A C++ file of strings from texts (cmake/embed.cmake): of engine/front/nn/*.py, and of the entries
# of operators.
function(embedded_texts out header space type function root)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} "-DTEXTS=${ARGN}" -DOUT=${out} -DHEADER=${header} -DSPACE=${space}
      -DTYPE=${type} -DFUNCTION=${function} "-DROOT=${root}"
      -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake VERBATIM)
endfunction()
file(GLOB NN_TEXTS CONFIGURE_DEPENDS engine/front/nn/*.py)
set(NN_SOURCE ${PROJECT_BINARY_DIR}/nn_texts.cpp)
embedded_texts(${NN_SOURCE} engine/front/nn.h fusillade::front LibraryText library_texts ""
  ${NN_TEXTS})
file(GLOB ENTRY_TEXTS CONFIGURE_DEPENDS engine/aten/*/*ops.py)
set(ENTRY_SOURCE ${PROJECT_BINARY_DIR}/entry_texts.cpp)
embedded_texts(${ENTRY_SOURCE} engine/ops/entry.h fusillade EntryText entry_texts
  ${PROJECT_SOURCE_DIR} ${ENTRY_TEXTS})
# The functions that archives bring along.
set(PORTABLE_SOURCES "")
foreach(name Portable PortableGeneric)
  string(REGEX REPLACE "([a-z])([A-Z])" "\\1_\\2" file ${name})
  string(TOLOWER ${file} file)
  set(text engine/run/archive/${file}.py)
  set(source ${PROJECT_BINARY_DIR}/${file}_text.cpp)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DTEXT=${PROJECT_SOURCE_DIR}/${text} -DOUT=${source}
      -DHEADER=engine/run/archive/portable_text.h -DSPACE=fusillade::archive -DNAME=k${name}Text
      -P ${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake
    DEPENDS ${text} cmake/embed_text.cmake VERBATIM)
  list(APPEND PORTABLE_SOURCES ${source})
endforeach()
# What exported programs call and the table of operators lacks.
set(TARGETS_TEXT engine/run/exported/targets.py)
set(TARGETS_SOURCE ${PROJECT_BINARY_DIR}/exported_targets_text.cpp)
add_custom_command(OUTPUT ${TARGETS_SOURCE}
  COMMAND ${CMAKE_COMMAND} -DTEXT=${PROJECT_SOURCE_DIR}/${TARGETS_TEXT} -DOUT=${TARGETS_SOURCE}
    -DHEADER=engine/run/exported/targets.h -DSPACE=fusillade::exported -DNAME=kTargetsText
    -P ${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake
  DEPENDS ${TARGETS_TEXT} cmake/embed_text.cmake VERBATIM)
# What stands before CUDA text.
set(CUDA_SOURCES "")
foreach(name Prelude Shim)
  string(TOLOWER cuda_${name} file)
  set(text engine/kernel/${file}.cuh)
  set(source ${PROJECT_BINARY_DIR}/${file}_text.cpp)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DTEXT=${PROJECT_SOURCE_DIR}/${text} -DOUT=${source}
      -DHEADER=engine/kernel/cuda.h -DSPACE=fusillade::kernel -DNAME=kCuda${name}
      -P ${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake
    DEPENDS ${text} cmake/embed_text.cmake VERBATIM)
  list(APPEND CUDA_SOURCES ${source})
endforeach()
unite(ENGINE_SOURCES)
unite(LLVM_SOURCES)
add_library(fusillade_engine STATIC ${ENGINE_SOURCES} ${NN_SOURCE} ${ENTRY_SOURCE}
  ${PORTABLE_SOURCES} ${TARGETS_SOURCE} ${CUDA_SOURCES})
set_target_properties(fusillade_engine PROPERTIES EXPORT_NAME engine_archive)
target_include_directories(fusillade_engine PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include/fusillade>)
target_compile_features(fusillade_engine PUBLIC cxx_std_20)
target_precompile_headers(fusillade_engine PRIVATE ${ENGINE_HEADERS})
if(FUSILLADE_MARCH)
  target_compile_options(fusillade_engine PRIVATE -march=${FUSILLADE_MARCH})
endif()
foreach(source ${LLVM_SOURCES})
  set_source_files_properties(${source} PROPERTIES
    INCLUDE_DIRECTORIES "${LLVM_INCLUDE_DIRS}" SKIP_PRECOMPILE_HEADERS ON
    COMPILE_OPTIONS "-Wno-unused-parameter;-fno-rtti")
endforeach()

# OpenBLAS without threads of its own: docs/inside/ground.md says why. The engine threads over outer
# loops itself.
if(FUSILLADE_PORTABLE)
  include(cmake/portable.cmake)
else()
  find_library(LLVM_LIBRARIES NAMES LLVM-19 LLVM PATHS ${LLVM_LIBRARY_DIRS}
    NO_DEFAULT_PATH REQUIRED)
  find_library(BLAS_LIBRARY NAMES openblas
    PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial NO_DEFAULT_PATH)
  find_library(BLAS_LIBRARY NAMES openblas REQUIRED)
  find_library(ZLIB_LIBRARY NAMES z REQUIRED)
  set(SQLITE SQLite::SQLite3)
  set(FMT fmt::fmt)
endif()
target_link_libraries(fusillade_engine PUBLIC ${FMT} Threads::Threads
  PRIVATE ${LLVM_LIBRARIES} ${BLAS_LIBRARY} ${ZLIB_LIBRARY} ${CMAKE_DL_LIBS})

# The portable build is for its one executable: its archives' dependencies are not exported.
if(FUSILLADE_PORTABLE)
  return()
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Fusillade)
install(TARGETS fusillade_engine EXPORT FusilladeTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY engine/ DESTINATION include/fusillade/engine FILES_MATCHING PATTERN "*.h")
install(EXPORT FusilladeTargets NAMESPACE Fusillade:: DESTINATION ${PACKAGE_DIR})
configure_package_config_file(cmake/FusilladeConfig.cmake.in
  ${PROJECT_BINARY_DIR}/FusilladeConfig.cmake INSTALL_DESTINATION ${PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/FusilladeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/FusilladeConfig.cmake
  ${PROJECT_BINARY_DIR}/FusilladeConfigVersion.cmake LICENSE DESTINATION ${PACKAGE_DIR})
