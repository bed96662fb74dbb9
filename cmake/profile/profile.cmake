# Where campaigns go in the code, for the compiler: `campaign.profdata` counts branches and calls,
# and `sources.txt` names the files in which campaigns spend their time. Only those are compiled by
# it, to code that is laid out for what is taken and whose hot calls are inlined. What a file
# computes stays; functions that have changed since are compiled as if there were no counts. Code
# that no campaign reaches is not made smaller and slower for it (-pgso=false), and files of loops
# over elements are not named: benchmarks measure those.
#
# `cmake/profile/take.sh` takes the counts anew.
set(FUSILLADE_PROFILE "use" CACHE STRING
  "counts of a campaign's code: use them, write them, or off")
set_property(CACHE FUSILLADE_PROFILE PROPERTY STRINGS use write off)

set(PROFILE ${PROJECT_SOURCE_DIR}/cmake/profile/campaign.profdata)
if(FUSILLADE_PROFILE STREQUAL "write")
  set(PROFILE_OPTIONS -fprofile-generate)
  set_property(SOURCE fuzz/process/spawn.cpp APPEND PROPERTY
    COMPILE_DEFINITIONS FUSILLADE_WRITES_PROFILE)
  target_link_options(fusillade PRIVATE -fprofile-generate)
elseif(FUSILLADE_PROFILE STREQUAL "use")
  # Older compilers cannot read it. Sanitizers add branches, which no count fits.
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19
     OR FUSILLADE_SANITIZE OR FUSILLADE_LIBFUZZER)
    return()
  endif()
  set(PROFILE_OPTIONS -fprofile-use=${PROFILE} -Wno-backend-plugin -mllvm -pgso=false)
elseif(FUSILLADE_PROFILE STREQUAL "off")
  return()
else()
  message(FATAL_ERROR "FUSILLADE_PROFILE is '${FUSILLADE_PROFILE}'; legal: use, write, off")
endif()

file(STRINGS cmake/profile/sources.txt PROFILED)
foreach(source ${PROFILED})
  if(NOT EXISTS ${PROJECT_SOURCE_DIR}/${source})
    message(FATAL_ERROR "cmake/profile/sources.txt names ${source}, which is not there: "
      "take the line out, or name the file as it is called")
  endif()
  set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS ${PROFILE_OPTIONS})
  if(FUSILLADE_PROFILE STREQUAL "use")
    set_property(SOURCE ${source} APPEND PROPERTY OBJECT_DEPENDS ${PROFILE})
  endif()
endforeach()
