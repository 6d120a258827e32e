# Runs at install time with LODE_BUNDLE: adds the licences of the libraries that the wheel will carry (auditwheel copies
# them in; the parts of glibc and of GCC's run time stay the system's). In: module (the file), licences (a folder).
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
