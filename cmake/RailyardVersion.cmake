# Run at each build: writes core/version.cpp, and touches it only when it changes, so that a commit
# recompiles this one file.
execute_process(COMMAND git describe --always --exclude=* --abbrev=12 --dirty=+
  WORKING_DIRECTORY "${SOURCE_DIR}" OUTPUT_VARIABLE RAILYARD_COMMIT
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(RAILYARD_COMMIT "")
endif()
configure_file("${SOURCE_DIR}/core/version.cpp.in" "${OUTPUT}" @ONLY)
