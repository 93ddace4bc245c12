# railyard_sources(<out>): the .cpp files below the current folder, less those of subfolders that have
# a CMakeLists.txt of their own and less the files that hold a main().
function(railyard_sources out)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  file(GLOB_RECURSE own CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt")
  foreach(list_file IN LISTS own)
    cmake_path(GET list_file PARENT_PATH folder)
    list(FILTER sources EXCLUDE REGEX "^${folder}/")
  endforeach()
  list(FILTER sources EXCLUDE REGEX "/([^/]*_)?main\\.cpp$")
  set(${out} "${sources}" PARENT_SCOPE)
endfunction()

# railyard_room(<name> [LINKS <public target>...] [PRIVATE_LINKS <target>...]): the static library
# railyard_<name> with the alias railyard::<name>, of every .cpp file in the current folder; a room
# without any is a header-only library. PRECOMPILE: headers that it precompiles beside the standard
# library's; without it, the room shares those of core. SEPARATE: no unity build of it.
function(railyard_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "SEPARATE" "" "LINKS;PRIVATE_LINKS;SOURCES;PRECOMPILE")
  railyard_sources(sources)
  list(APPEND sources ${room_SOURCES})
  set(target railyard_${name})
  if(sources)
    add_library(${target} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE ${room_PRIVATE_LINKS})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(railyard::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} ${scope} cxx_std_20)
  target_include_directories(${target} ${scope}
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/railyard>")
  target_link_libraries(${target} ${scope} ${room_LINKS})
  if(NOT room_SEPARATE)
    railyard_unity(${target} ${sources})
  endif()
  if(sources AND (name STREQUAL "core" OR room_PRECOMPILE))
    railyard_precompile(${target} HEADERS ${room_PRECOMPILE})
  elseif(sources)
    railyard_precompile(${target} REUSE railyard_core)
  endif()
endfunction()
