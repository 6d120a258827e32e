# Runs at install time with LODE_BUNDLE: copies every shared library that the command and the library need, but for
# glibc's own, to the library folder, makes each look for the others beside itself, and adds their licences.
# In: bundle_executables, bundle_libraries (files of the build), bundle_folder, bundle_documents (installed folders).
find_program(patchelf patchelf REQUIRED)

# glibc's parts belong to the system that the archive runs on.
set(of_glibc "^(ld-linux.*|libc|libm|libdl|libpthread|librt|libresolv|libmvec|libutil)\\.so.*")
file(
  GET_RUNTIME_DEPENDENCIES
  EXECUTABLES ${bundle_executables}
  LIBRARIES ${bundle_libraries} ${bundle_opened}
  RESOLVED_DEPENDENCIES_VAR needed
  UNRESOLVED_DEPENDENCIES_VAR missing
  PRE_EXCLUDE_REGEXES ${of_glibc} "^linux-vdso.*" "^liblode\\.so.*")
if(missing)
  message(FATAL_ERROR "These libraries are needed and cannot be found: ${missing}")
endif()

foreach(library IN LISTS needed bundle_opened)
  file(INSTALL ${library} DESTINATION ${bundle_folder} FOLLOW_SYMLINK_CHAIN)
  file(REAL_PATH ${library} file)
  get_filename_component(name ${file} NAME)
  execute_process(COMMAND ${patchelf} --set-rpath "$ORIGIN" ${bundle_folder}/${name} COMMAND_ERROR_IS_FATAL ANY)

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
    DESTINATION ${bundle_documents}/licences
    RENAME ${package})
endforeach()
