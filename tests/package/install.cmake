# Installs into `prefix`, and then moves everything to `moved`, because installed files must not remember where they
# were.
file(REMOVE_RECURSE ${prefix} ${moved})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${build} --prefix ${prefix} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${prefix} ${moved})

file(GLOB_RECURSE texts ${moved}/*.cmake ${moved}/*.pc)
if(NOT texts)
  message(FATAL_ERROR "Neither CMake's nor pkg-config's description was installed")
endif()
foreach(text IN LISTS texts)
  file(READ ${text} content)
  foreach(path ${prefix} ${build})
    string(FIND "${content}" "${path}" place)
    if(NOT place EQUAL -1)
      message(FATAL_ERROR "${text} names ${path}")
    endif()
  endforeach()
endforeach()
