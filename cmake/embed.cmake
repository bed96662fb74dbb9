# Writes the texts of TEXTS as strings into the C++ file OUT (engine/front/nn.h).
set(rows "")
foreach(path ${TEXTS})
  get_filename_component(name ${path} NAME_WE)
  file(READ ${path} text)
  string(APPEND rows "      {\"${name}\", R\"nn(${text})nn\"},\n")
endforeach()
file(WRITE ${OUT} "#include \"engine/front/nn.h\"

namespace fusillade::front {

const std::vector<LibraryText>& library_texts() {
  static const std::vector<LibraryText> texts{
${rows}  };
  return texts;
}

}  // namespace fusillade::front
")
