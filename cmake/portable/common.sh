# What release.sh and test.sh share: compilers for a processor and glibc 2.28, which every Linux of the last years has, and
# the libraries that Lode stands on, made with them. Source it from the project's root. It expects PROCESSOR (x86_64 or
# aarch64) and JOBS as the first arguments, and gives the variables below.
processor=$1
jobs=$2
glibc=2.28
room=$PWD/build/portable/$processor
python=$PWD/build/python/bin/python3
debian=$([[ $processor == x86_64 ]] && echo amd64 || echo arm64)
sources=$PWD/build/portable/sources
prefix_pkgconfig=$room/prefix/lib/pkgconfig:$room/prefix/share/pkgconfig
mkdir -p "$room/bin" "$room/prefix/include" "$room/prefix/lib/pkgconfig" "$sources"

fail() {
  echo "portable: $*" >&2
  exit 1
}

# apt with lists of its own, from where this machine has its packages.
use_apt() { # LISTS word…
  local lists=$1
  shift
  mkdir -p "$lists/partial"
  apt-get -qq -o "Dir::Etc::SourceList=$lists.list" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$lists" \
    -o APT::Architectures::=amd64 -o APT::Architectures::=arm64 "$@"
}

# Unpacks sources, as Debian has them, into folders of their names.
fetch_sources() { # NAME…
  local lists=$sources/lists name missing=()
  for name in "$@"; do [[ -e $sources/$name.complete ]] || missing+=("$name"); done
  ((${#missing[@]})) || return 0
  mkdir -p "$lists"
  apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' \
    'Origin: Debian' | sort -u >"$lists.list"
  use_apt "$lists" update
  (cd "$sources" && use_apt "$lists" source --download-only "${missing[@]}")
  for name in "${missing[@]}"; do
    rm -rf "${sources:?}/$name"
    (cd "$sources" && dpkg-source --no-check -x "$name"_*.dsc "$name")
    touch "$sources/$name.complete"
  done
}

# Unpacks packages of Debian 12, or of 13, for the processor, into a folder, without installing them.
fetch_packages() { # FOLDER PACKAGE…
  local folder=$1 lists=$sources/packages site name
  shift
  [[ ! -e $folder/complete ]] || return 0
  mkdir -p "$lists" "$folder"
  site=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Codename: bookworm' | head -n 1)
  printf 'deb [arch=amd64,arm64] %s %s main\n' "$site" bookworm "$site" trixie >"$lists.list"
  use_apt "$lists" update
  (cd "$folder" && use_apt "$lists" -o APT::Default-Release=bookworm download "${@/%/:$debian}")
  for name in "$folder"/*.deb; do dpkg-deb -x "$name" "$folder"; done
  touch "$folder/complete"
}

# Compilers with the names that CMake expects. Where nothing is said, clang in zig adds checks of its own, and keeps frame
# pointers, which loops with many variables have no register for.
make_compilers() {
  local tool
  zig=$("$python" -c 'import pathlib, ziglang; print(pathlib.Path(ziglang.__file__).parent / "zig")')
  for tool in cc c++; do
    printf '#!/bin/sh\nexec "%s" %s -target %s-linux-gnu.%s -fno-sanitize=all -fomit-frame-pointer "$@"\n' \
      "$zig" $tool "$processor" $glibc >"$room/bin/$tool"
  done
  for tool in ar ranlib; do printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$zig" $tool >"$room/bin/$tool"; done
  chmod +x "$room"/bin/*
}

portable_cmake() { # SOURCE BUILD [option…]
  local source=$1 build=$2
  shift 2
  PKG_CONFIG_LIBDIR=$prefix_pkgconfig \
    cmake -S "$source" -B "$build" -G Ninja --toolchain "$PWD/cmake/portable/toolchain.cmake" "-DLODE_PORTABLE_ROOM=$room" \
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

build_libraries() {
  fetch_sources highway onetbb fmtlib xxhash simdjson
  make_compilers
  link_headers
  build_library onetbb "$sources/onetbb" -DTBB_TEST=OFF -DTBB_STRICT=OFF -DTBBMALLOC_BUILD=OFF \
    -DTBB_DISABLE_HWLOC_AUTOMATIC_SEARCH=ON
  build_library highway "$sources/highway" -DHWY_ENABLE_CONTRIB=OFF -DHWY_ENABLE_EXAMPLES=OFF -DHWY_ENABLE_TESTS=OFF
  build_library fmtlib "$sources/fmtlib" -DFMT_TEST=OFF -DFMT_DOC=OFF
  build_library xxhash "$sources/xxhash/cmake_unofficial" -DXXHASH_BUILD_XXHSUM=OFF
  build_library simdjson "$sources/simdjson" -DSIMDJSON_DEVELOPER_MODE=OFF -DSIMDJSON_ENABLE_THREADS=OFF
}
