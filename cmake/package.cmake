# CPack: a .deb for Debian, and a relocatable .tar.gz (configure with LODE_BUNDLE for the libraries it needs beside it).
set(CPACK_PACKAGE_NAME lode)
set(CPACK_PACKAGE_VENDOR Lode)
set(CPACK_PACKAGE_CONTACT "The Lode authors <lode@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR TGZ DEB)
include(CPack)
