# Runs at install time with LODE_BUNDLE, and adds the licences of the libraries that auditwheel will copy into the
# wheel. The libraries of glibc and of GCC's run time are not copied. The inputs are module (the file) and licences (a
# folder).
include(${CMAKE_CURRENT_LIST_DIR}/../cmake/install_licence.cmake)
file(
  GET_RUNTIME_DEPENDENCIES
  MODULES ${module}
  RESOLVED_DEPENDENCIES_VAR needed
  UNRESOLVED_DEPENDENCIES_VAR missing
  PRE_EXCLUDE_REGEXES
    "^(ld-linux.*|libc|libm|libdl|libpthread|librt|libresolv|libmvec|libutil|libstdc\\+\\+|libgcc_s)\\.so.*"
    "^linux-vdso.*")
if(missing)
  message(FATAL_ERROR "These libraries are needed and cannot be found: ${missing}")
endif()
foreach(library IN LISTS needed)
  install_licence(${library} ${licences})
endforeach()
