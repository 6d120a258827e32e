#!/bin/sh
# Builds and runs the scratch programs with what pkg-config says: pkg_config.sh LIBRARY-FOLDER CC CXX SOURCES
set -eu
library_folder=$1
c_compiler=$2
cxx_compiler=$3
sources=$4
PKG_CONFIG_PATH=$library_folder/pkgconfig
LD_LIBRARY_PATH=$library_folder
export PKG_CONFIG_PATH LD_LIBRARY_PATH
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# These are lists of options, so they are not quoted.
flags=$(pkg-config --cflags --libs lode)
$c_compiler -std=c11 -Wall -Wextra -Werror "$sources/use.c" -o "$folder/use_c" $flags
$cxx_compiler -std=c++20 -Wall -Wextra -Werror "$sources/use.cpp" -o "$folder/use_cpp" $flags
version=$(pkg-config --modversion lode)
"$folder/use_c" "$version"
"$folder/use_cpp" "$version"
