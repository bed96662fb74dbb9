# Writes the file TEXT as the C string constant NAME (declared in HEADER, of the namespace SPACE)
# into OUT.
file(READ ${TEXT} text)
file(WRITE ${OUT} "#include \"${HEADER}\"

namespace ${SPACE} {

const char* const ${NAME} = R\"text(${text})text\";

}  // namespace ${SPACE}
")
