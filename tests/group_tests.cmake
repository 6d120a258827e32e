# Makes tests of ctest out of those of a GoogleTest program. To start a process for each test would cost more than most
# tests do, above all under sanitizers and where kernels are loaded anew. So tests of one suite share a process. Suites
# whose instantiation is named in BY_PARAMETER share it with the other suites of the same parameter, because these load
# the same kernels. Names are listed when ctest runs, not when the program is linked, because devices and instruction
# sets depend on the machine.
#
# group_tests(PROGRAM [PREFIX text] [LEFT_OUT pattern:…] [BY_PARAMETER instantiation…] [PROPERTIES name value…])
#
# LODE_TEST_LEFT_OUT in ctest's environment leaves out more patterns.
cmake_minimum_required(VERSION 3.25)

set(most_tests_of_process 50)

function(group_tests program)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX;LEFT_OUT" "BY_PARAMETER;PROPERTIES")
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${program}_groups.cmake)
  file(
    GENERATE
    OUTPUT ${script}
    CONTENT "include([==[${CMAKE_CURRENT_FUNCTION_LIST_FILE}]==])\n\
set(emulator [==[${CMAKE_CROSSCOMPILING_EMULATOR}]==])\n\
list_groups([==[$<TARGET_FILE:${program}>]==] [==[${arg_PREFIX}]==] [==[${arg_LEFT_OUT}]==] [==[${arg_BY_PARAMETER}]==]\n\
  [==[${arg_PROPERTIES}]==])\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
endfunction()

# Called by ctest. `emulator` is the command that runs programs for another processor, or empty.
function(list_groups program prefix left_out by_parameter properties)
  if(NOT EXISTS ${program})
    get_filename_component(name ${program} NAME)
    add_test(${name}_NOT_BUILT ${name}_NOT_BUILT)
    return()
  endif()
  execute_process(
    COMMAND ${emulator} ${program} --gtest_list_tests "--gtest_filter=-${left_out}:$ENV{LODE_TEST_LEFT_OUT}"
    OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  # Comments tell parameters, which may hold what CMake takes for a list.
  string(REGEX REPLACE "  # [^\n]*" "" output "${output}")
  string(REPLACE "\n" ";" lines "${output}")
  set(groups "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^  (.+)")
      set(test ${suite}${CMAKE_MATCH_1})
      string(REGEX REPLACE "\\.$" "" group "${suite}")
      if(test MATCHES "^([^/]+)/.*/([^/]+)$" AND CMAKE_MATCH_1 IN_LIST by_parameter)
        set(group "${CMAKE_MATCH_1}/${CMAKE_MATCH_2}")
      endif()
      list(APPEND groups "${group}")
      list(APPEND tests_${group} "${test}")
    elseif(line MATCHES "\\.$")
      set(suite "${line}")
    endif()
  endforeach()
  if(NOT groups)
    message(FATAL_ERROR "${program} has no tests")
  endif()
  list(REMOVE_DUPLICATES groups)
  foreach(group IN LISTS groups)
    set(tests ${tests_${group}})
    list(LENGTH tests count)
    foreach(first RANGE 0 ${count} ${most_tests_of_process})
      list(SUBLIST tests ${first} ${most_tests_of_process} members)
      list(LENGTH members size)
      if(size GREATER 0)
        list(JOIN members : members)
        set(name "${prefix}${group}")
        if(first GREATER 0)
          string(APPEND name "+${first}")
        endif()
        add_test("${name}" ${emulator} "${program}" "--gtest_filter=${members}")
        # Those with most tests begin first, so that none of them runs alone at the end.
        set_tests_properties("${name}" PROPERTIES COST ${size} ${properties})
      endif()
    endforeach()
  endforeach()
endfunction()
