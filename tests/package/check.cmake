file(REMOVE_RECURSE "${WORK}")

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()

run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/prefix")
run("${CMAKE_COMMAND}" -S "${CONSUMER}" -B "${WORK}/build" "-DCMAKE_CXX_COMPILER=${CXX}"
  "-DCMAKE_CXX_FLAGS=${FLAGS}" "-DCMAKE_PREFIX_PATH=${WORK}/prefix")
run("${CMAKE_COMMAND}" --build "${WORK}/build")
execute_process(COMMAND "${WORK}/build/consumer" COMMAND_ERROR_IS_FATAL ANY
  OUTPUT_VARIABLE output OUTPUT_STRIP_TRAILING_WHITESPACE)
# 1 GiB at 400 Gb/s: 8 · 2^30 / 400e9 s = 21.47483648 ms.
if(NOT output STREQUAL "21.47483648 ms")
  message(FATAL_ERROR "the consumer printed '${output}'")
endif()
file(GLOB configs "${WORK}/prefix/share/railyard/configs/*")
if(NOT configs)
  message(FATAL_ERROR "no configs were installed")
endif()
