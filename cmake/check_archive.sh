#!/bin/bash
# Checks that the programs and libraries of an archive need nothing but what lies in it and glibc: every needed library
# must be there, and, where this may chroot, the command runs in a folder that holds glibc and the archive alone,
# compressed input (whose library is opened at run time) included. check_archive.sh ARCHIVE.tar.gz
set -euo pipefail
archive=$1
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir "$root/lode"
tar -xzf "$archive" -C "$root/lode" --strip-components=1

fail() {
  echo "check_archive: $*" >&2
  exit 1
}

glibc='^(ld-linux.*|libc|libm|libdl|libpthread|librt|libresolv)\.so'
binaries=()
while read -r file; do
  [[ $(head -c 4 "$file" | tail -c 3) == ELF ]] || continue
  binaries+=("$file")
  while read -r needed; do
    [[ $needed =~ $glibc || -e $root/lode/lib/$needed ]] || fail "${file#"$root"/} needs $needed, which is not there"
  done < <(patchelf --print-needed "$file")
done < <(find "$root/lode/bin" "$root/lode/lib" -type f)
((${#binaries[@]} > 5)) || fail "only ${#binaries[@]} programs and libraries in $archive"

newest=$(objdump -T "${binaries[@]}" | grep -oE 'GLIBC_2\.[0-9]+' | sort -uV | tail -1)
[[ $(printf '%s\nGLIBC_2.36\n' "$newest" | sort -V | tail -1) == GLIBC_2.36 ]] || fail "something needs $newest"

printf 'she sells\nsea shells\n' >"$root/text"
gzip -k "$root/text"
search=(/lode/bin/lode --offsets -e she -e 'sells' -e 'ells')
expected=$(printf '0\t0\n4\t1\n5\t2\n14\t0\n16\t2')
if ((EUID == 0)) && command -v chroot >/dev/null; then
  mkdir -p "$root/lib64" "$root/lib"
  ldd /bin/true | grep -oE '/[^ ]*ld-linux[^ ]*' | xargs -I{} cp -L {} "$root/lib64/"
  folder=$(dirname "$(ldd /bin/true | grep -oE '/[^ ]*/libc\.so\.6')")
  for name in libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1; do
    cp -L "$folder/$name" "$root/lib/"
  done
  # Without /proc the loader cannot see where the program lies.
  export LD_ORIGIN_PATH=/lode/bin
  [[ $(chroot "$root" "${search[@]}" /text) == "$expected" ]] || fail "the command does not find what it should"
  [[ $(chroot "$root" "${search[@]}" -z /text.gz) == "$expected" ]] || fail "compressed input does not work"
else
  [[ $(cd "$root" && ".${search[0]}" "${search[@]:1}" -z text.gz) == "$expected" ]] ||
    fail "the command does not find what it should"
fi
echo "check_archive: $(basename "$archive"): ${#binaries[@]} programs and libraries, newest symbol $newest: good"
