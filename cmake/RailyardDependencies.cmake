# railyard_require(<package> APT <apt package>...): finds a package, or ends the configure with the
# command that installs it on Debian.
macro(railyard_require package)
  cmake_parse_arguments(_require "" "" "APT" ${ARGN})
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    list(JOIN _require_APT " " _require_packages)
    message(FATAL_ERROR
      "Railyard needs ${package}, which was not found.\n"
      "On Debian or Ubuntu: apt-get install ${_require_packages}\n"
      "(script/bootstrap installs everything that is missing.)")
  endif()
endmacro()
