# How everything is compiled and linked: standard, warnings, sanitizers, ccache and a fast linker
# where they are found.
include(CheckLinkerFlag)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
# Debug keeps line numbers for stack traces and sanitizers; variables, for gdb, would make the build
# half as long again.
set(RAILYARD_SYMBOLS 1 CACHE STRING "Symbols of Debug builds: 0 none, 1 lines, 2 variables too")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g${RAILYARD_SYMBOLS} -D_GLIBCXX_ASSERTIONS")
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O3 -g -DNDEBUG")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

if(RAILYARD_STRICT)
  add_compile_options(-Wall -Wextra -Wconversion -Wshadow -Werror)
endif()
if(RAILYARD_SANITIZE)
  add_compile_options(-fsanitize=${RAILYARD_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${RAILYARD_SANITIZE})
endif()

find_program(RAILYARD_CCACHE ccache)
mark_as_advanced(RAILYARD_CCACHE)
if(RAILYARD_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The sloppiness is what ccache asks for to cache files that use precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros "${RAILYARD_CCACHE}")
endif()

foreach(linker IN ITEMS mold lld)
  check_linker_flag(CXX "-fuse-ld=${linker}" RAILYARD_HAS_${linker})
  if(RAILYARD_HAS_${linker})
    add_link_options("-fuse-ld=${linker}")
    break()
  endif()
endforeach()
