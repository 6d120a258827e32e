# The libraries that Lode stands on; found here, at the root, so that every room sees the same targets.
find_package(Threads REQUIRED)
find_package(TBB REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwy REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
# Only the headers: the libraries are opened at run time, where compressed input is read.
pkg_check_modules(zlib REQUIRED zlib)
pkg_check_modules(lz4 REQUIRED liblz4)
pkg_check_modules(xz REQUIRED liblzma)
pkg_check_modules(zstd REQUIRED libzstd)
find_path(bzip2_INCLUDE_DIRS bzlib.h REQUIRED)
mark_as_advanced(bzip2_INCLUDE_DIRS)
# Only the headers: the loader of OpenCL is opened at run time.
find_path(opencl_INCLUDE_DIR CL/cl.h REQUIRED)
mark_as_advanced(opencl_INCLUDE_DIR)
