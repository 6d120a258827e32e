#!/bin/bash
# Makes the archive of the command for a processor into build/packages: one program that needs glibc 2.28 (Debian 10,
# RHEL 8, Ubuntu 20.04, or later) and nothing else. ./dev release installs what this needs.
# portable.sh x86_64|aarch64 JOBS
set -euo pipefail
cd "$(dirname "$0")/.."
processor=$1
jobs=$2
glibc=2.28
room=$PWD/build/portable/$processor
sources=$PWD/build/portable/sources
packages=build/packages
mkdir -p "$room/bin" "$room/prefix/include" "$room/prefix/lib/pkgconfig" "$sources" $packages

# The sources of the libraries that are linked, as Debian has them.
fetch_sources() {
  [[ ! -e $sources/complete ]] || return 0
  local lists=$sources/lists
  mkdir -p "$lists"
  # From where this machine has its packages.
  apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' \
    'Origin: Debian' | sort -u >"$sources/sources.list"
  local apt=(apt-get -qq -o "Dir::Etc::SourceList=$sources/sources.list" -o Dir::Etc::SourceParts=-
    -o "Dir::State::Lists=$lists")
  "${apt[@]}" update
  (cd "$sources" && "${apt[@]}" source --download-only highway onetbb fmtlib xxhash)
  local name
  for name in highway onetbb fmtlib xxhash; do
    rm -rf "${sources:?}/$name"
    (cd "$sources" && dpkg-source --no-check -x "$name"_*.dsc "$name")
  done
  touch "$sources/complete"
}

# Compilers with the names that CMake expects. clang in zig adds checks of its own where nothing is said.
make_compilers() {
  local tool
  zig=$(build/python/bin/python3 -c 'import pathlib, ziglang; print(pathlib.Path(ziglang.__file__).parent / "zig")')
  for tool in cc c++; do
    printf '#!/bin/sh\nexec "%s" %s -target %s-linux-gnu.%s -fno-sanitize=all "$@"\n' "$zig" $tool "$processor" $glibc \
      >"$room/bin/$tool"
  done
  for tool in ar ranlib; do printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$zig" $tool >"$room/bin/$tool"; done
  chmod +x "$room"/bin/*
}

portable_cmake() { # SOURCE BUILD [option…]
  local source=$1 build=$2
  shift 2
  PKG_CONFIG_LIBDIR=$room/prefix/lib/pkgconfig:$room/prefix/share/pkgconfig \
    cmake -S "$source" -B "$build" -G Ninja --toolchain "$PWD/cmake/portable.cmake" "-DLODE_PORTABLE_ROOM=$room" \
    "-DLODE_PORTABLE_PROCESSOR=$processor" -DCMAKE_BUILD_TYPE=Release "$@"
}

build_library() { # NAME FOLDER [option…]
  local name=$1 folder=$2
  shift 2
  [[ ! -e $room/$name.complete ]] || return 0
  portable_cmake "$folder" "$room/$name" "-DCMAKE_INSTALL_PREFIX=$room/prefix" -DCMAKE_INSTALL_LIBDIR=lib \
    -DBUILD_SHARED_LIBS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON "$@"
  cmake --build "$room/$name" -j "$jobs"
  cmake --install "$room/$name"
  touch "$room/$name.complete"
}

# What is only included, and what is opened at run time, comes from this machine: their headers belong to no processor.
link_headers() {
  local name
  for name in nlohmann zlib.h zconf.h lz4.h lz4frame.h lzma.h lzma zstd.h zstd_errors.h bzlib.h CL; do
    ln -sfn "/usr/include/$name" "$room/prefix/include/$name"
  done
  for name in zlib liblz4 liblzma libzstd; do
    printf 'Name: %s\nDescription: headers\nVersion: 0\n' $name >"$room/prefix/lib/pkgconfig/$name.pc"
  done
}

# The same bytes for the same commit.
write_archive() {
  local version name stage library moment
  version=$(sed -nE 's/^#define LODE_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' include/lode/version.hpp | paste -sd.)
  name=lode-$version-linux-$processor
  stage=$room/stage/$name
  rm -rf "$room/stage"
  mkdir -p "$stage"/{bin,share/{man/man1,bash-completion/completions,zsh/site-functions,fish/vendor_completions.d},licences}
  cp "$room/lode/bin/lode" "$stage/bin/"
  # The command of this machine writes them, since what it says is the same on every processor.
  local lode=$PWD/build/release/bin/lode
  "$lode" --generate man >"$stage/share/man/man1/lode.1"
  "$lode" --generate complete-bash >"$stage/share/bash-completion/completions/lode"
  "$lode" --generate complete-zsh >"$stage/share/zsh/site-functions/_lode"
  "$lode" --generate complete-fish >"$stage/share/fish/vendor_completions.d/lode.fish"
  cp LICENSE "$stage/licences/lode"
  for library in highway onetbb fmtlib xxhash; do cp "$sources/$library/debian/copyright" "$stage/licences/$library"; done
  cp /usr/share/doc/nlohmann-json3-dev/copyright "$stage/licences/nlohmann-json3"
  cp "$(dirname "$zig")/lib/libcxx/LICENSE.TXT" "$stage/licences/libcxx"
  moment=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)
  tar -C "$room/stage" --sort=name --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw "--mtime=@$moment" -cf - "$name" |
    gzip -9n >"$packages/$name.tar.gz"
  check_archive "$packages/$name.tar.gz"
}

fail() {
  echo "portable: $*" >&2
  exit 1
}

# The command needs glibc's own libraries alone, of that version, and finds what it should: on another processor in QEMU.
check_archive() { # ARCHIVE
  local folder needed newest runner=() expected found
  folder=$(mktemp -d)
  tar -xzf "$1" -C "$folder" --strip-components=1
  needed=$(patchelf --print-needed "$folder/bin/lode" | grep -vE '^(ld-linux.*|libc|libm|libdl|libpthread|librt)\.so' || true)
  [[ -z $needed ]] || fail "bin/lode needs $needed"
  newest=$(readelf --dyn-syms --wide "$folder/bin/lode" | grep -oE 'GLIBC_2\.[0-9]+' | sort -uV | tail -1)
  [[ $(printf '%s\nGLIBC_%s\n' "$newest" $glibc | sort -V | tail -1) == "GLIBC_$glibc" ]] || fail "bin/lode needs $newest"
  [[ $processor == "$(uname -m)" ]] || runner=("qemu-$processor" -L "/usr/$processor-linux-gnu")
  printf 'she sells\nsea shells\n' | gzip >"$folder/text.gz"
  expected=$(printf '0\t0\n4\t1\n5\t2\n14\t0\n16\t2')
  found=$(gzip -dc "$folder/text.gz" | "${runner[@]}" "$folder/bin/lode" --offsets -e she -e sells -e ells)
  [[ $found == "$expected" ]] || fail "bin/lode finds: $found"
  # A compiler whose run time misjudges the processor makes a command that is right, and slow.
  found=$("${runner[@]}" "$folder/bin/lode" --list-devices | sed -n 's/^instruction sets of the CPU: //p')
  [[ $found != baseline && -n $found ]] || fail "bin/lode uses no SIMD here: '$found'"
  rm -rf "$folder"
  echo "portable: $(basename "$1"): $(stat -c %s "$1") bytes, newest symbol $newest: good"
}

fetch_sources
make_compilers
link_headers
build_library onetbb "$sources/onetbb" -DTBB_TEST=OFF -DTBB_STRICT=OFF -DTBBMALLOC_BUILD=OFF \
  -DTBB_DISABLE_HWLOC_AUTOMATIC_SEARCH=ON
build_library highway "$sources/highway" -DHWY_ENABLE_CONTRIB=OFF -DHWY_ENABLE_EXAMPLES=OFF -DHWY_ENABLE_TESTS=OFF
build_library fmtlib "$sources/fmtlib" -DFMT_TEST=OFF -DFMT_DOC=OFF
build_library xxhash "$sources/xxhash/cmake_unofficial" -DXXHASH_BUILD_XXHSUM=OFF
portable_cmake . "$room/lode" -DLODE_BUILD_TESTS=OFF -Dnlohmann_json_DIR=/usr/share/cmake/nlohmann_json
cmake --build "$room/lode" -j "$jobs" --target lode_command
write_archive
