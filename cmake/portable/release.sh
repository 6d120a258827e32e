#!/bin/bash
# Makes what others install, for a processor, into build/packages: the command as an archive and as a .deb, and the wheels
# of the Python package. All of it needs glibc 2.28 (Debian 10, RHEL 8, Ubuntu 20.04, or later) and nothing else.
# ./dev release installs what this needs, and gives the stub of the Python module, which is the same for all.
# portable.sh x86_64|aarch64 JOBS STUB
set -euo pipefail
cd "$(dirname "$0")/.."
processor=$1
jobs=$2
stub=$(readlink -f "$3")
glibc=2.28
room=$PWD/build/portable/$processor
python=$PWD/build/python/bin/python3
debian=$([[ $processor == x86_64 ]] && echo amd64 || echo arm64)
version=$(sed -nE 's/^#define LODE_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' include/lode/version.hpp | paste -sd.)
# What is made tells the time of the commit, so that two builds of it can be compared.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)
export SOURCE_DATE_EPOCH
sources=$PWD/build/portable/sources
prefix_pkgconfig=$room/prefix/lib/pkgconfig:$room/prefix/share/pkgconfig
packages=build/packages
mkdir -p "$room/bin" "$room/prefix/include" "$room/prefix/lib/pkgconfig" "$sources" $packages

# apt with lists of its own, from where this machine has its packages.
use_apt() { # LISTS word…
  local lists=$1
  shift
  mkdir -p "$lists/partial"
  apt-get -qq -o "Dir::Etc::SourceList=$lists.list" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$lists" \
    -o APT::Architectures::=amd64 -o APT::Architectures::=arm64 "$@"
}

# The sources of the libraries that are linked, as Debian has them.
fetch_sources() {
  [[ ! -e $sources/complete ]] || return 0
  local lists=$sources/lists name
  mkdir -p "$lists"
  apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' \
    'Origin: Debian' | sort -u >"$lists.list"
  use_apt "$lists" update
  (cd "$sources" && use_apt "$lists" source --download-only highway onetbb fmtlib xxhash)
  for name in highway onetbb fmtlib xxhash; do
    rm -rf "${sources:?}/$name"
    (cd "$sources" && dpkg-source --no-check -x "$name"_*.dsc "$name")
  done
  touch "$sources/complete"
}

# Python's headers: those of 3.11, of Debian 12, and of 3.13, of Debian 13, whose stable interface begins with 3.12.
fetch_python_headers() {
  [[ ! -e $room/headers/complete ]] || return 0
  local lists=$sources/python name site
  mkdir -p "$lists" "$room/headers"
  site=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Codename: bookworm' | head -n 1)
  printf 'deb [arch=amd64,arm64] %s %s main\n' "$site" bookworm "$site" trixie >"$lists.list"
  use_apt "$lists" update
  (cd "$room/headers" && use_apt "$lists" download "libpython3.11-dev:$debian" "libpython3.13-dev:$debian")
  for name in "$room"/headers/*.deb; do dpkg-deb -x "$name" "$room/headers"; done
  touch "$room/headers/complete"
}

# Compilers with the names that CMake expects. clang in zig adds checks of its own where nothing is said.
make_compilers() {
  local tool
  zig=$("$python" -c 'import pathlib, ziglang; print(pathlib.Path(ziglang.__file__).parent / "zig")')
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
  PKG_CONFIG_LIBDIR=$prefix_pkgconfig \
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

# Of all that is linked in.
collect_licences() {
  local name nanobind
  rm -rf "$room/licences"
  mkdir -p "$room/licences"
  for name in highway onetbb fmtlib xxhash; do cp "$sources/$name/debian/copyright" "$room/licences/$name"; done
  for name in nlohmann-json3 libcli11; do cp "/usr/share/doc/$name-dev/copyright" "$room/licences/$name"; done
  cp "$(dirname "$zig")/lib/libcxx/LICENSE.TXT" "$room/licences/libcxx"
  nanobind=$("$python" -c 'import importlib.metadata as m; print(m.distribution("nanobind").locate_file(""))')
  cp "$nanobind"/nanobind-*.dist-info/licenses/LICENSE "$room/licences/nanobind"
  # Its licence is the comment in which its header begins.
  sed "/\*\//q" "$nanobind/nanobind/ext/robin_map/include/tsl/robin_map.h" >"$room/licences/robin-map"
}

# What is installed, below usr/. The command of this machine writes the manual page and the completions, since what it says
# is the same on every processor.
stage_command() {
  local stage=$room/stage/usr lode=$PWD/build/release/bin/lode
  rm -rf "$room/stage"
  mkdir -p "$stage"/{bin,share/{man/man1,bash-completion/completions,zsh/site-functions,fish/vendor_completions.d,doc/lode}}
  cp "$room/lode/bin/lode" "$stage/bin/"
  "$lode" --generate man >"$stage/share/man/man1/lode.1"
  "$lode" --generate complete-bash >"$stage/share/bash-completion/completions/lode"
  "$lode" --generate complete-zsh >"$stage/share/zsh/site-functions/_lode"
  "$lode" --generate complete-fish >"$stage/share/fish/vendor_completions.d/lode.fish"
  cp -r "$room/licences" "$stage/share/doc/lode/"
  rm "$stage/share/doc/lode/licences/nanobind" "$stage/share/doc/lode/licences/robin-map" # of the wheel alone
  cp LICENSE "$stage/share/doc/lode/copyright"
  chmod -R go=rX,u+rw "$room/stage"
}

write_archive() {
  local name=lode-$version-linux-$processor
  tar -C "$room/stage" --sort=name --owner=0 --group=0 --numeric-owner "--mtime=@$SOURCE_DATE_EPOCH" \
    --transform "s,^usr,$name," -cf - usr | gzip -9n >"$packages/$name.tar.gz"
  check_archive "$packages/$name.tar.gz"
}

write_deb() {
  local stage=$room/deb file=$packages/lode_${version}_$debian.deb
  rm -rf "$stage"
  cp -a "$room/stage" "$stage"
  gzip -9n "$stage/usr/share/man/man1/lode.1"
  mkdir "$stage/DEBIAN"
  cat >"$stage/DEBIAN/control" <<CONTROL
Package: lode
Version: $version
Architecture: $debian
Maintainer: The Lode project <maintainers@lode.invalid>
Section: utils
Priority: optional
Installed-Size: $(du -sk --apparent-size "$stage/usr" | cut -f 1)
Depends: libc6 (>= $glibc)
Recommends: zlib1g, liblz4-1, liblzma5, libzstd1, libbz2-1.0
Description: $(sed -nE 's/^ *DESCRIPTION "(.*)"$/\1/p' CMakeLists.txt)
 Lode finds every exact occurrence of one or of a million byte patterns in files and pipes, and says which pattern it was.
 This package holds the command. What it recommends reads compressed files.
CONTROL
  find "$stage" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  dpkg-deb --root-owner-group -Zxz --build "$stage" "$file" >&2
  [[ $(dpkg-deb -f "$file" Architecture) == "$debian" ]] || fail "$file is for another processor"
}

# One wheel for CPython 3.11, and one for all that come later. The library is compiled once for all of them.
write_wheels() {
  write_wheel 3.11 cp311 cp311
  write_wheel 3.13 cp312 abi3
}
write_wheel() { # HEADERS PYTHON-TAG ABI-TAG
  local raw=$room/raw setting settings=() made
  rm -rf "$raw"
  for setting in "CMAKE_TOOLCHAIN_FILE=$PWD/cmake/portable.cmake" "LODE_PORTABLE_ROOM=$room" \
    "LODE_PORTABLE_PROCESSOR=$processor" "LODE_PYTHON_HEADERS=$room/headers/usr/include/python$1" \
    "LODE_PYTHON_STUB=$stub" "LODE_LICENCES=$room/licences" nlohmann_json_DIR=/usr/share/cmake/nlohmann_json; do
    settings+=("--config-settings=cmake.define.$setting")
  done
  PKG_CONFIG_LIBDIR=$prefix_pkgconfig CMAKE_BUILD_PARALLEL_LEVEL=$jobs "$python" -m pip wheel --quiet \
    --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir "$raw" "--config-settings=build-dir=$room/lode" \
    "${settings[@]}" .
  made=$raw/$("$python" -m wheel tags --remove --python-tag "$2" --abi-tag "$3" --platform-tag "linux_$processor" \
    "$raw"/*.whl)
  # auditwheel knows the systems of the processor that it runs on.
  PATH=$(dirname "$python"):$PATH "$python" -c "import platform, sys
platform.machine = lambda: '$processor'
from auditwheel.main import main
sys.exit(main())" repair --plat "manylinux_${glibc/./_}_$processor" \
    --only-plat --wheel-dir "$packages" "$made"
  check_wheel "$packages/lode_search-$version-$2-$3-manylinux_${glibc/./_}_$processor.whl"
}

fail() {
  echo "portable: $*" >&2
  exit 1
}

# A program or module needs glibc's own libraries alone, of that version.
check_needs() { # FILE
  local needed newest
  needed=$(patchelf --print-needed "$1" | grep -vE '^(ld-linux.*|libc|libm|libdl|libpthread|librt)\.so' || true)
  [[ -z $needed ]] || fail "$1 needs $needed"
  newest=$(readelf --dyn-syms --wide "$1" | grep -oE 'GLIBC_2\.[0-9]+' | sort -uV | tail -1)
  [[ $(printf '%s\nGLIBC_%s\n' "$newest" $glibc | sort -V | tail -1) == "GLIBC_$glibc" ]] || fail "$1 needs $newest"
  echo "portable: $(basename "$1") needs $newest"
}

check_wheel() { # WHEEL
  local folder file
  folder=$(mktemp -d)
  "$python" -m zipfile -e "$1" "$folder"
  for file in "$folder"/lode/_lode.*.so "$folder"/lode_search-*.data/scripts/lode; do check_needs "$file"; done
  for file in lode/_lode.pyi lode/py.typed "lode_search-$version.dist-info/licenses/bundled/onetbb"; do
    [[ -e $folder/$file ]] || fail "$(basename "$1") lacks $file"
  done
  rm -rf "$folder"
  echo "portable: $(basename "$1"): $(stat -c %s "$1") bytes: good"
}

# The command finds what it should: on another processor in QEMU.
check_archive() { # ARCHIVE
  local folder runner=() expected found
  folder=$(mktemp -d)
  tar -xzf "$1" -C "$folder" --strip-components=1
  check_needs "$folder/bin/lode"
  [[ $processor == "$(uname -m)" ]] || runner=("qemu-$processor" -L "/usr/$processor-linux-gnu")
  printf 'she sells\nsea shells\n' | gzip >"$folder/text.gz"
  expected=$(printf '0\t0\n4\t1\n5\t2\n14\t0\n16\t2')
  found=$(gzip -dc "$folder/text.gz" | "${runner[@]}" "$folder/bin/lode" --offsets -e she -e sells -e ells)
  [[ $found == "$expected" ]] || fail "bin/lode finds: $found"
  # A compiler whose run time misjudges the processor makes a command that is right, and slow.
  found=$("${runner[@]}" "$folder/bin/lode" --list-devices | sed -n 's/^instruction sets of the CPU: //p')
  [[ $found != baseline && -n $found ]] || fail "bin/lode uses no SIMD here: '$found'"
  rm -rf "$folder"
  echo "portable: $(basename "$1"): $(stat -c %s "$1") bytes: good"
}

fetch_sources
make_compilers
link_headers
build_library onetbb "$sources/onetbb" -DTBB_TEST=OFF -DTBB_STRICT=OFF -DTBBMALLOC_BUILD=OFF \
  -DTBB_DISABLE_HWLOC_AUTOMATIC_SEARCH=ON
build_library highway "$sources/highway" -DHWY_ENABLE_CONTRIB=OFF -DHWY_ENABLE_EXAMPLES=OFF -DHWY_ENABLE_TESTS=OFF
build_library fmtlib "$sources/fmtlib" -DFMT_TEST=OFF -DFMT_DOC=OFF
build_library xxhash "$sources/xxhash/cmake_unofficial" -DXXHASH_BUILD_XXHSUM=OFF
fetch_python_headers
collect_licences
write_wheels
stage_command
write_archive
write_deb
"$python" cmake/sbom.py $packages "$version" "$sources"
