# The component `program`: all that the installed command reads, as fuzz/process/installed.h finds
# it. Workers, the nn library and the prelude of CUDA text are within the executable. ci/package.sh
# makes the packages of this component.
include(GNUInstallDirs)
set(SHARE share/fusillade)
set(NO_LEFTOVERS PATTERN __pycache__ EXCLUDE PATTERN "*.pyc" EXCLUDE)
install(TARGETS fusillade RUNTIME DESTINATION bin COMPONENT program)
install(DIRECTORY reports/fusillade_reports DESTINATION ${SHARE}/reports COMPONENT program
  ${NO_LEFTOVERS})
install(DIRECTORY bench/programs DESTINATION ${SHARE}/bench COMPONENT program ${NO_LEFTOVERS})
# Not what builds the libFuzzer targets, of the sources.
install(DIRECTORY ci/recipes DESTINATION ${SHARE} COMPONENT program
  PATTERN clusterfuzzlite EXCLUDE PATTERN oss-fuzz EXCLUDE)
# For those who write a worker: what it imports, and the example.
install(FILES fuzz/workers/fusillade_worker.py fuzz/workers/example.py
  DESTINATION ${SHARE}/workers COMPONENT program)
# README's links to docs/ and results/ hold where both lie, in the repository and here.
set(DOC share/doc/fusillade)
install(DIRECTORY docs DESTINATION ${DOC} COMPONENT program PATTERN shell EXCLUDE ${NO_LEFTOVERS})
install(DIRECTORY results DESTINATION ${DOC} COMPONENT program ${NO_LEFTOVERS})
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md DESTINATION ${DOC} COMPONENT program)
# Where man and shells look.
install(FILES ${SHELL_TEXTS}/fusillade.1 DESTINATION share/man/man1 COMPONENT program)
install(FILES ${SHELL_TEXTS}/fusillade.bash DESTINATION share/bash-completion/completions
  RENAME fusillade COMPONENT program)
install(FILES ${SHELL_TEXTS}/_fusillade DESTINATION share/zsh/site-functions COMPONENT program)
install(FILES ${SHELL_TEXTS}/fusillade.fish DESTINATION share/fish/vendor_completions.d
  COMPONENT program)
