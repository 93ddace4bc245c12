# How everything is compiled and linked: standard, warnings, sanitizers, ccache and a fast linker
# where they are found.
include(CheckLinkerFlag)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g -D_GLIBCXX_ASSERTIONS")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O3 -g -DNDEBUG")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
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
  set(CMAKE_CXX_COMPILER_LAUNCHER "${RAILYARD_CCACHE}")
endif()

foreach(linker IN ITEMS mold lld)
  check_linker_flag(CXX "-fuse-ld=${linker}" RAILYARD_HAS_${linker})
  if(RAILYARD_HAS_${linker})
    add_link_options("-fuse-ld=${linker}")
    break()
  endif()
endforeach()
