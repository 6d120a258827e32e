#!/bin/bash
# Tests for another processor what a release is made of: builds the tests of the library and of the command as a release is
# built, and runs them in QEMU; and runs Python's tests there, on the wheel of that release.
# ./dev test aarch64 installs what this needs.
# test.sh PROCESSOR JOBS build
# test.sh PROCESSOR JOBS run
# test.sh PROCESSOR JOBS python PACKAGE…: with packages of PyPI that Python's tests need
set -euo pipefail
cd "$(dirname "$0")/../.."
. cmake/portable/common.sh
system=$room/system
emulator=("qemu-$processor" -L "$system")

build() {
  build_libraries
  fetch_sources utf8proc
  build_library utf8proc "$sources/utf8proc"
  build_library googletest /usr/src/googletest -DBUILD_GMOCK=OFF
  # A C library, the codecs, which are opened at run time, and Python, with what its modules need.
  fetch_packages "$system" libc6 libgcc-s1 libstdc++6 zlib1g liblz4-1 liblzma5 libzstd1 libbz2-1.0 \
    python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libpython3.11 libexpat1 libffi8 libssl3 libcrypt1 libuuid1 \
    libsqlite3-0 libreadline8 libncursesw6 libtinfo6
  glibc=2.36 make_compilers # of Debian 12: tests start programs in ways that 2.28 does not know
  portable_cmake . "$room/tests" -DLODE_BUILD_TESTS=ON "-DCMAKE_CROSSCOMPILING_EMULATOR=$(IFS=';' && echo "${emulator[*]}")"
  cmake --build "$room/tests" -j "$jobs" --target lode_tests lode_command_tests replay_fuzz_search \
    replay_fuzz_plan replay_fuzz_pattern_file replay_fuzz_view c_api_test c_api_records_test
}

# Left out is what asks how much memory a process takes, which is the emulator's there; the largest amounts; and GPUs,
# whose code is the same on all processors.
run() {
  LODE_TEST_EFFORT=0 \
    LODE_TEST_LEFT_OUT='*HugeFile*:*HugeText*:*Memory*:*OpenCl*:*Gpu*' \
    ctest --test-dir "$room/tests" -j $((jobs + 1)) --output-on-failure --no-tests=error \
    -E '^lode_(gpu|generator)_tests_NOT_BUILT|^Gpu|^bench|^package|^readme|^guide|^example|^text'
}

# Python there is a script, which is what the tests start, too. Left out are tests of commands and pages, which load Arrow
# anew again and again, for ten seconds each time; and a fork of a process with threads, which ends QEMU 7.2.
run_python() { # PACKAGE…
  local packages=$room/packages start=$room/bin/python3 wheels=(build/packages/lode_search-*-cp311-cp311-*"$processor".whl)
  local into=("$python" -m pip install --quiet --disable-pip-version-check --only-binary :all: --python-version 3.11
    --target "$packages" --platform "manylinux_2_28_$processor" --platform "manylinux_2_17_$processor"
    --platform "manylinux2014_$processor")
  printf '#!/bin/sh\nexec %s -E PYTHONPATH=%s -E PYTHONHOME=%s/usr %s/usr/bin/python3.11 "$@"\n' "${emulator[*]}" "$packages" \
    "$system" "$system" >"$start"
  chmod +x "$start"
  if [[ ! -e $packages/complete ]]; then
    "${into[@]}" "$@"
    printf 'import sys\n\nsys.executable = "%s"\n' "$start" >"$packages/sitecustomize.py"
    touch "$packages/complete"
  fi
  "${into[@]}" --no-deps --upgrade "${wheels[@]}"
  LODE_TEST_EFFORT=0 PYTHONDONTWRITEBYTECODE=1 "$start" -m pytest --quiet --numprocesses $((jobs + 1)) --dist worksteal \
    python/tests --ignore python/tests/scale_out --ignore python/tests/test_package.py --ignore python/tests/test_memory.py \
    --ignore-glob '*/test_table_command*' --ignore-glob '*/test_decontamination*' \
    --deselect python/tests/test_threads.py::test_forks
}

case $3 in
build | run) "$3" ;;
python) run_python "${@:4}" ;;
*) fail "unknown action '$3'" ;;
esac
