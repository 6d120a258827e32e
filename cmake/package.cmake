# CPack: the library, with the command, as a .deb for Debian, and as a relocatable .tar.gz, which LODE_BUNDLE fills with
# the libraries that it needs (cmake/bundle.cmake). cmake/package.sh makes and checks both. The package lode, which has the
# command alone, is that of cmake/portable/release.sh.
set(CPACK_PACKAGE_NAME lode)
set(CPACK_PACKAGE_VENDOR "The Lode project")
set(CPACK_PACKAGE_CONTACT "The Lode project <maintainers@lode.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "Lode finds every exact occurrence of one or of a million byte patterns in files, \
pipes and memory, and says which pattern it was. This package holds the command, the library, and its headers for C++ \
and C.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_SOURCE_DIR}/build/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_THREADS 0)
set(CPACK_GENERATOR TGZ)
string(TOLOWER "liblode-dev-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}"
               CPACK_PACKAGE_FILE_NAME)

set(CPACK_DEBIAN_PACKAGE_NAME liblode-dev)
set(CPACK_DEBIAN_PACKAGE_CONFLICTS lode)
set(CPACK_DEBIAN_PACKAGE_REPLACES lode)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Opened at run time, so that shlibdeps does not see them.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "zlib1g, liblz4-1, liblzma5, libzstd1, libbz2-1.0")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)

include(CPack)
