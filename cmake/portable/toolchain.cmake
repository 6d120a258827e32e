# A toolchain for programs and libraries that run on every Linux with glibc 2.28 or later (cmake/portable/common.sh): clang,
# libc++ and glibc's interfaces of that version, as the package ziglang of PyPI brings them, for x86-64 and aarch64.
# LODE_PORTABLE_ROOM is an absolute folder with the compilers in bin/, and with the libraries that Lode stands on in
# prefix/, made from Debian's sources. They are linked statically: nothing but glibc must be there.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES LODE_PORTABLE_ROOM LODE_PORTABLE_PROCESSOR)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${LODE_PORTABLE_PROCESSOR})
set(CMAKE_CROSSCOMPILING ON)
set(CMAKE_C_COMPILER ${LODE_PORTABLE_ROOM}/bin/cc)
set(CMAKE_CXX_COMPILER ${LODE_PORTABLE_ROOM}/bin/c++)
foreach(tool AR RANLIB)
  string(TOLOWER ${tool} program)
  foreach(language "" C_COMPILER_ CXX_COMPILER_)
    set(CMAKE_${language}${tool} ${LODE_PORTABLE_ROOM}/bin/${program})
  endforeach()
endforeach()
set(CMAKE_PREFIX_PATH ${LODE_PORTABLE_ROOM}/prefix)
set(CMAKE_CXX_FLAGS_INIT "-isystem ${LODE_PORTABLE_ROOM}/prefix/include")
set(CMAKE_C_FLAGS_INIT "-isystem ${LODE_PORTABLE_ROOM}/prefix/include")
# What is listed here is never named to the compiler.
set(CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES /usr/include)
set(CMAKE_C_IMPLICIT_INCLUDE_DIRECTORIES /usr/include)
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-Wl,-s")
endforeach()
