# Writes OUT, the C++ file with the text of `fusillade --version` (fuzz/cli/version.h), where that
# text is another than it holds. The commit is asked of git each time, for it changes without any
# file of the tree.
#
# VERSION, BUILD: as they are shown. COMMIT: of a tree without git; empty: git is asked. TREE: the
# source folder.
if(NOT COMMIT)
  execute_process(COMMAND git -C ${TREE} rev-parse --short=12 HEAD OUTPUT_VARIABLE COMMIT
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND git -C ${TREE} diff --quiet HEAD -- RESULT_VARIABLE changed
    OUTPUT_QUIET ERROR_QUIET)
  if(NOT COMMIT)
    set(COMMIT "not known")
  elseif(changed)
    string(APPEND COMMIT ", with changes")
  endif()
endif()
file(CONFIGURE OUTPUT ${OUT} @ONLY CONTENT "#include \"fuzz/cli/version.h\"

namespace fusillade::cli {

const char* const kVersionText = R\"text(fusillade @VERSION@
commit @COMMIT@
build @BUILD@)text\";

}  // namespace fusillade::cli
")
