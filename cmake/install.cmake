# What `cmake --install` puts where. Components: runtime (the command and the shared library), development.
include(CMakePackageConfigHelpers)
set(lode_cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/lode)

install(
  TARGETS lode
  EXPORT lode_shared
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
install(
  TARGETS lode_static
  EXPORT lode_static
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(
  DIRECTORY ${PROJECT_SOURCE_DIR}/include/lode
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT development)
foreach(kind shared static)
  install(
    EXPORT lode_${kind}
    NAMESPACE lode::
    FILE lode_${kind}.cmake
    DESTINATION ${lode_cmake_folder}
    COMPONENT development)
endforeach()

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/lodeConfig.cmake.in ${PROJECT_BINARY_DIR}/lodeConfig.cmake
  INSTALL_DESTINATION ${lode_cmake_folder}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/lodeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(
  FILES ${PROJECT_BINARY_DIR}/lodeConfig.cmake ${PROJECT_BINARY_DIR}/lodeConfigVersion.cmake
  DESTINATION ${lode_cmake_folder}
  COMPONENT development)

# Relative to the file itself, so that an unpacked archive works wherever it lies.
file(RELATIVE_PATH lode_prefix_from_pkgconfig /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/lode.pc.in ${PROJECT_BINARY_DIR}/lode.pc @ONLY)
install(
  FILES ${PROJECT_BINARY_DIR}/lode.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT development)
install(
  FILES ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR}
  COMPONENT runtime)

if(LODE_BUNDLE)
  pkg_get_variable(compression_folder zlib libdir)
  set(lode_opened libz.so.1 liblz4.so.1 liblzma.so.5 libzstd.so.1 libbz2.so.1.0)
  list(TRANSFORM lode_opened PREPEND ${compression_folder}/)
  install(
    CODE "set(bundle_executables $<$<TARGET_EXISTS:lode_command>:$<TARGET_FILE:lode_command>>)
          set(bundle_libraries $<TARGET_FILE:lode>)
          set(bundle_opened ${lode_opened})
          set(bundle_folder \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR})
          set(bundle_documents \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR})
          include(${PROJECT_SOURCE_DIR}/cmake/bundle.cmake)"
    COMPONENT runtime)
endif()
