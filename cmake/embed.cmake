# Writes the texts of TEXTS into the C++ file OUT, as the function FUNCTION of the namespace SPACE
# that HEADER declares: a vector of TYPE{name, text}. A name is the file's without folder and
# ending, or with ROOT its path from there.
set(rows "")
foreach(path ${TEXTS})
  if(ROOT)
    file(RELATIVE_PATH name ${ROOT} ${path})
  else()
    get_filename_component(name ${path} NAME_WE)
  endif()
  file(READ ${path} text)
  string(APPEND rows "      {\"${name}\", R\"nn(${text})nn\"},\n")
endforeach()
file(WRITE ${OUT} "#include \"${HEADER}\"

namespace ${SPACE} {

const std::vector<${TYPE}>& ${FUNCTION}() {
  static const std::vector<${TYPE}> texts{
${rows}  };
  return texts;
}

}  // namespace ${SPACE}
")
