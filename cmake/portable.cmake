# What the portable preset links: LLVM, libstdc++, BLAS, Fortran's library, fmt, SQLite, zlib and
# zstd as archives, so that the command needs the C library alone (glibc of the build machine or
# newer).
#
# Debian's LLVM archives name the shared libz3, zstd and zlib as what they need. No code of ours
# reaches the solver; the others have archives.
find_library(ZLIB_ARCHIVE NAMES libz.a REQUIRED)
set(ZLIB_LIBRARY ${ZLIB_ARCHIVE})
find_library(ZSTD_ARCHIVE NAMES libzstd.a REQUIRED)
set_target_properties(LLVMSupport PROPERTIES
  INTERFACE_LINK_LIBRARIES "rt;dl;m;${ZLIB_ARCHIVE};${ZSTD_ARCHIVE};LLVMDemangle")
llvm_map_components_to_libnames(LLVM_LIBRARIES orcjit x86codegen x86desc x86info passes)

find_library(BLAS_LIBRARY NAMES libopenblas.a
  PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial NO_DEFAULT_PATH)
find_library(BLAS_LIBRARY NAMES libopenblas.a REQUIRED)
# OpenBLAS's LAPACK is Fortran, whose strings its library joins.
file(GLOB GFORTRAN_FOLDERS /usr/lib/gcc/${CMAKE_LIBRARY_ARCHITECTURE}/*)
find_library(GFORTRAN_ARCHIVE NAMES libgfortran.a PATHS ${GFORTRAN_FOLDERS} REQUIRED)
list(APPEND BLAS_LIBRARY ${GFORTRAN_ARCHIVE})
find_library(SQLITE_ARCHIVE NAMES libsqlite3.a REQUIRED)
set(SQLITE ${SQLITE_ARCHIVE})
set(FMT fmt::fmt-header-only)
add_link_options(-static-libgcc -static-libstdc++ -Wl,--gc-sections -no-pie)
if(NOT FUSILLADE_LIBFUZZER)  # whose reports name functions
  add_link_options(-s)
endif()

# OpenBLAS carries kernels for 19 processors, 25 MB. Old ones take those of one that can do no more
# than they can, which saves what each of them has of its own: eight without AVX that of SSE3, four
# of AMD's with AVX that of the first with it.
foreach(core CORE2 PENRYN DUNNINGTON NANO ATOM OPTERON_SSE3 BARCELONA BOBCAT)
  add_link_options(-Wl,--defsym=gotoblas_${core}=gotoblas_PRESCOTT)
endforeach()
foreach(core BULLDOZER PILEDRIVER STEAMROLLER EXCAVATOR)
  add_link_options(-Wl,--defsym=gotoblas_${core}=gotoblas_SANDYBRIDGE)
endforeach()
