# How everything is compiled. No flag here ties the result to the machine that builds it: code for newer instruction
# sets is chosen at run time.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  get_property(several_configurations GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(NOT CMAKE_BUILD_TYPE AND NOT several_configurations)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, RelWithDebInfo …" FORCE)
  endif()
  find_program(CCACHE_PROGRAM ccache)
  mark_as_advanced(CCACHE_PROGRAM)
  if(CCACHE_PROGRAM)
    set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  endif()
endif()

add_compile_options(-Wall -Wextra)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 sees overlaps that cannot be wherever std::string is concatenated (GCC bug 105651).
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(LODE_WERROR)
  add_compile_options(-Werror)
endif()
# Libraries that are linked but not used need not be there at run time.
add_link_options(-Wl,--as-needed)

if(LODE_BUNDLE)
  set(CMAKE_INSTALL_RPATH $ORIGIN/../${CMAKE_INSTALL_LIBDIR})
endif()

if(LODE_SANITIZE)
  # For what differs under a sanitizer. Tests are told, because they are not all sanitized themselves.
  add_compile_definitions(LODE_SANITIZED)
  foreach(sanitizer ADDRESS THREAD)
    string(TOLOWER ${sanitizer} name)
    if(LODE_SANITIZE MATCHES ${name})
      add_compile_definitions(LODE_${sanitizer}_SANITIZED)
    endif()
  endforeach()
  add_compile_options(-fsanitize=${LODE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${LODE_SANITIZE})
  if(LODE_SANITIZE MATCHES undefined)
    # What a wrapped pointer or one beyond its object reads, the address sanitizer sees; to check each sum of a pointer
    # takes two fifths of what vector loops cost to compile.
    add_compile_options(-fno-sanitize=pointer-overflow,object-size)
  endif()
endif()
if(LODE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "LODE_FUZZ needs clang: configure with -DCMAKE_CXX_COMPILER=clang++")
  endif()
  # The fuzz targets themselves link with -fsanitize=fuzzer.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Headers of the standard library take much of the time of a sanitized build. Release builds do without: ccache keeps no
# files with precompiled headers, and g++ 12 would report warnings in the headers of the system.
function(precompile_headers target) # further headers…
  if(LODE_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
    target_precompile_headers(${target} PRIVATE <algorithm> <filesystem> <functional> <map> <memory> <mutex> <optional> <span>
                              <string> <string_view> <thread> <vector> ${ARGN})
  endif()
endfunction()
