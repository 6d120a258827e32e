# A toolchain to compile, not to link, for aarch64 with the headers of this machine's libraries (./dev test neon).
# build/aarch64/headers holds links to just these: the rest of /usr/include belongs to this machine's processor.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CXX_FLAGS_INIT "-isystem ${CMAKE_CURRENT_LIST_DIR}/../build/aarch64/headers")
# What is listed here is never named to the compiler.
set(CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES /usr/include)
foreach(package TBB fmt nlohmann_json)
  file(GLOB ${package}_DIR /usr/lib/*/cmake/${package} /usr/share/cmake/${package} /usr/lib/cmake/${package})
endforeach()
