# Installs the libraries with their headers, the executable, the configs, and the package files that
# find_package(railyard) reads.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/railyard")
set(rooms core topology collectives sim hw placement)
list(TRANSFORM rooms PREPEND railyard_ OUTPUT_VARIABLE room_targets)
install(TARGETS ${room_targets} EXPORT railyard_targets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
foreach(room IN LISTS rooms)
  install(DIRECTORY "${room}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/railyard"
    FILES_MATCHING PATTERN "*.hpp")
endforeach()
install(DIRECTORY "${PROJECT_BINARY_DIR}/generated/" DESTINATION
  "${CMAKE_INSTALL_INCLUDEDIR}/railyard" FILES_MATCHING PATTERN "*.hpp")
if(TARGET railyard)
  install(TARGETS railyard-cluster)
  install(TARGETS railyard)
endif()
if(TARGET nccl-tuner-railyard)
  install(TARGETS nccl-tuner-railyard LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endif()
install(DIRECTORY configs DESTINATION "${CMAKE_INSTALL_DATADIR}/railyard")

install(EXPORT railyard_targets NAMESPACE railyard:: DESTINATION "${package_dir}"
  FILE railyardTargets.cmake)
configure_package_config_file(cmake/railyardConfig.cmake.in railyardConfig.cmake
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(railyardConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/railyardConfig.cmake"
  "${PROJECT_BINARY_DIR}/railyardConfigVersion.cmake" DESTINATION "${package_dir}")
