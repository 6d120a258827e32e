# install_licence(LIBRARY FOLDER): copies the licence of the Debian package that a library is of into a folder, under the
# package's name. For scripts that run at install time.
function(install_licence library folder)
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
    DESTINATION ${folder}
    RENAME ${package})
endfunction()
