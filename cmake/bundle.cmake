# Runs at install time with LODE_BUNDLE: copies every shared library that the command and the library need, but for
# glibc's own, to the library folder, makes each look for the others beside itself, and adds their licences.
# In: bundle_executables, bundle_libraries (files of the build), bundle_folder, bundle_documents (installed folders).
include(${CMAKE_CURRENT_LIST_DIR}/install_licence.cmake)
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

  install_licence(${library} ${bundle_documents}/licences)
endforeach()
