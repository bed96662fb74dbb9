# The component `program`: all that the installed command reads, as fuzz/process/installed.h finds it. Workers, the nn library
# and the prelude of CUDA text are within the executable. ci/package.sh makes the packages of this component.
include(GNUInstallDirs)
set(SHARE share/fusillade)
set(NO_LEFTOVERS PATTERN __pycache__ EXCLUDE PATTERN "*.pyc" EXCLUDE)
install(TARGETS fusillade RUNTIME DESTINATION bin COMPONENT program)
install(DIRECTORY reports/fusillade_reports DESTINATION ${SHARE}/reports COMPONENT program ${NO_LEFTOVERS})
install(DIRECTORY bench/programs DESTINATION ${SHARE}/bench COMPONENT program ${NO_LEFTOVERS})
install(DIRECTORY ci/recipes DESTINATION ${SHARE} COMPONENT program)
# For those who write a worker: what it imports, and the example.
install(FILES fuzz/workers/fusillade_worker.py fuzz/workers/example.py DESTINATION ${SHARE}/workers COMPONENT program)
install(DIRECTORY docs/ DESTINATION share/doc/fusillade COMPONENT program)
install(FILES LICENSE README.md DESTINATION share/doc/fusillade COMPONENT program)
