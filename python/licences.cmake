# Runs at install time with LODE_BUNDLE: adds the licences of the libraries that the wheel will carry (auditwheel copies
# them in; the parts of glibc and of GCC's run time stay the system's). In: module (the file), licences (a folder).
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
  file(REAL_PATH ${library} file)
  # Debian knows files by their paths with or without /usr.
  string(REGEX REPLACE "^/usr" "" short_file ${file})
  execute_process(
    COMMAND dpkg-query -S ${file} ${short_file}
    OUTPUT_VARIABLE owner
    ERROR_QUIET)
  string(REGEX MATCH "^[^:]+" package "${owner}")
  if(NOT EXISTS /usr/share/doc/${package}/copyright)
    message(FATAL_ERROR "No licence is known for ${file}")
  endif()
  file(
    INSTALL /usr/share/doc/${package}/copyright
    DESTINATION ${licences}
    RENAME ${package})
endforeach()
