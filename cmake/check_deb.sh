#!/bin/bash
# Checks a .deb: what it says of itself, and that what lies in it works where it is unpacked, though nothing of it is
# installed: the command, its manual page and completions, and programs that find the library through CMake and through
# pkg-config. It must be made for this machine. check_deb.sh PACKAGE.deb [CC [CXX]]
set -euo pipefail
package=$(readlink -f "$1")
c_compiler=$(command -v "${2:-cc}")
cxx_compiler=$(command -v "${3:-c++}")
tests=$(readlink -f "$(dirname "$0")/../tests/package")
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

fail() {
  echo "check_deb: $*" >&2
  exit 1
}

field() { dpkg-deb -f "$package" "$1"; }
version=$(field Version)
[[ $(field Package) == liblode-dev ]] || fail "the package is called $(field Package)"
[[ $(field Architecture) == "$(dpkg --print-architecture)" ]] || fail "it is made for $(field Architecture)"
# By shlibdeps, and what is opened at run time.
for needed in libc6 libstdc++6 libtbb libfmt zlib1g liblz4-1 liblzma5 libzstd1 libbz2-1.0; do
  [[ " $(field Depends)" == *" $needed"* ]] || fail "it does not depend on $needed, only on $(field Depends)"
done

dpkg-deb -x "$package" "$root/unpacked"
[[ $(find "$root/unpacked" -mindepth 1 -maxdepth 1) == "$root/unpacked/usr" ]] || fail "it has files outside of /usr"
prefix=$root/unpacked/usr
for file in bin/lode share/man/man1/lode.1 share/bash-completion/completions/lode share/zsh/site-functions/_lode \
  share/fish/vendor_completions.d/lode.fish include/lode/lode.h include/lode/lode.hpp share/doc/lode/LICENSE; do
  [[ -s $prefix/$file || -s $prefix/$file.gz ]] || fail "$file is not in it"
done

lode=$prefix/bin/lode
[[ $("$lode" --version | head -n 1) == "lode $version" ]] || fail "the command says it is $("$lode" --version), not $version"
printf 'she sells\nsea shells\n' >"$root/text"
gzip -k "$root/text"
expected=$(printf '0\t0\n4\t1\n5\t2\n14\t0\n16\t2')
for text in "$root/text" "$root/text.gz"; do
  [[ $("$lode" --offsets -z -e she -e sells -e ells "$text") == "$expected" ]] ||
    fail "the command does not find what it should in $(basename "$text")"
done
[[ $(file -b "$lode") != *"not stripped"* ]] || fail "the command is not stripped"

library_folder=$(dirname "$(dirname "$(find "$prefix" -name lode.pc)")")
[[ -e $library_folder/liblode.so ]] || fail "the library is not in $library_folder"
"$tests/pkg_config.sh" "$library_folder" "$c_compiler" "$cxx_compiler" "$tests/scratch" ||
  fail "a program that asks pkg-config does not work"
{
  cmake -S "$tests/scratch" -B "$root/scratch" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$c_compiler" \
    -DCMAKE_CXX_COMPILER="$cxx_compiler" -DCMAKE_BUILD_TYPE=Release &&
    grep -q "^lode_DIR:PATH=$prefix/" "$root/scratch/CMakeCache.txt" &&
    cmake --build "$root/scratch" &&
    ctest --test-dir "$root/scratch" --output-on-failure --no-tests=error
} >"$root/log" 2>&1 || { cat "$root/log" >&2 && fail "a program that asks CMake does not work"; }
echo "check_deb: $(basename "$package"): command, library, pkg-config and CMake: good"
