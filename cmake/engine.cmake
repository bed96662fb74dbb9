# The engine library and its installable package.
file(GLOB_RECURSE ENGINE_SOURCES CONFIGURE_DEPENDS engine/*.cpp)
file(GLOB LLVM_SOURCES CONFIGURE_DEPENDS engine/kernel/llvm*.cpp)
add_library(fusillade_engine STATIC ${ENGINE_SOURCES})
add_library(Fusillade::engine ALIAS fusillade_engine)
set_target_properties(fusillade_engine PROPERTIES EXPORT_NAME engine)
target_include_directories(fusillade_engine PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include/fusillade>)
if(FUSILLADE_MARCH)
  target_compile_options(fusillade_engine PRIVATE -march=${FUSILLADE_MARCH})
endif()
foreach(source ${LLVM_SOURCES})
  set_source_files_properties(${source} PROPERTIES
    INCLUDE_DIRECTORIES "${LLVM_INCLUDE_DIRS}" COMPILE_OPTIONS "-Wno-unused-parameter;-fno-rtti")
endforeach()

if(FUSILLADE_PORTABLE)
  llvm_map_components_to_libnames(LLVM_LIBRARIES orcjit x86codegen x86asmparser x86desc x86info passes)
  find_library(BLAS_LIBRARY NAMES libopenblas.a PATH_SUFFIXES openblas-serial openblas-pthread REQUIRED)
else()
  set(LLVM_LIBRARIES LLVM)
  link_directories(${LLVM_LIBRARY_DIRS})
  target_link_directories(fusillade_engine PUBLIC ${LLVM_LIBRARY_DIRS})
  find_library(BLAS_LIBRARY NAMES openblas REQUIRED)
endif()
target_link_libraries(fusillade_engine PUBLIC fmt::fmt Threads::Threads
  PRIVATE ${LLVM_LIBRARIES} ${BLAS_LIBRARY} ${CMAKE_DL_LIBS})

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
install(TARGETS fusillade_engine EXPORT FusilladeTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY engine/ DESTINATION include/fusillade/engine FILES_MATCHING PATTERN "*.h")
install(EXPORT FusilladeTargets NAMESPACE Fusillade:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Fusillade)
configure_package_config_file(cmake/FusilladeConfig.cmake.in ${PROJECT_BINARY_DIR}/FusilladeConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Fusillade)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/FusilladeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/FusilladeConfig.cmake ${PROJECT_BINARY_DIR}/FusilladeConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Fusillade)
