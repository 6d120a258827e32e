#!/bin/bash
# Makes what others install, for a processor, into build/packages: the command as an archive and as a .deb, and the wheels
# of the Python package. All of it needs glibc 2.28 (Debian 10, RHEL 8, Ubuntu 20.04, or later) and nothing else.
# ./dev release installs what this needs, and gives the stub of the Python module, which is the same for all.
# release.sh x86_64|aarch64 JOBS STUB
set -euo pipefail
cd "$(dirname "$0")/../.."
. cmake/portable/common.sh
stub=$(readlink -f "$3")
version=$(sed -nE 's/^#define LODE_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' include/lode/version.hpp | paste -sd.)
# What is made tells the time of the commit, so that two builds of it can be compared.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)
export SOURCE_DATE_EPOCH
packages=build/packages
mkdir -p $packages

# Of all that is linked in.
collect_licences() {
  local name nanobind
  rm -rf "$room/licences"
  mkdir -p "$room/licences"
  for name in highway onetbb fmtlib xxhash simdjson; do cp "$sources/$name/debian/copyright" "$room/licences/$name"; done
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
  (cd "$stage/share/doc/lode/licences" && rm nanobind robin-map simdjson) # of the wheel alone
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
  for setting in "CMAKE_TOOLCHAIN_FILE=$PWD/cmake/portable/toolchain.cmake" "LODE_PORTABLE_ROOM=$room" \
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

build_libraries
# Python's headers: those of 3.11, of Debian 12, and of 3.13, of Debian 13, whose stable interface begins with 3.12.
fetch_packages "$room/headers" libpython3.11-dev libpython3.13-dev
collect_licences
write_wheels
stage_command
write_archive
write_deb
"$python" cmake/portable/sbom.py $packages "$version" "$sources"
