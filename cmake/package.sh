#!/bin/bash
# Makes the .deb and the relocatable .tar.gz in build/packages, and checks both: the .deb unpacked, the archive where it is
# hardest, with nothing beside it but glibc. ./dev package installs what this needs. package.sh JOBS
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$1
packages=build/packages
rm -f $packages/liblode-dev*
mkdir -p $packages

make_package() { # GENERATOR [cmake option…]
  local generator=$1
  shift
  cmake --preset release -B build/package -DLODE_BUILD_TESTS=OFF "$@" >build/package.log 2>&1 ||
    { cat build/package.log >&2 && exit 1; }
  cmake --build build/package -j "$jobs"
  cpack -G "$generator" --config build/package/CPackConfig.cmake >build/package.log 2>&1 ||
    { cat build/package.log >&2 && exit 1; }
}

multiarch=$(gcc -print-multiarch)
make_package DEB -DCMAKE_INSTALL_PREFIX=/usr "-DCMAKE_INSTALL_LIBDIR=lib/$multiarch" -DLODE_BUNDLE=OFF
make_package TGZ -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR=lib -DLODE_BUNDLE=ON
rm -rf $packages/_CPack_Packages

cmake/check_deb.sh "$(echo $packages/liblode-dev_*.deb)"
archive=$(echo $packages/liblode-dev-*.tar.gz)
cmake/check_archive.sh "$archive"
ls -l $packages/liblode-dev*
