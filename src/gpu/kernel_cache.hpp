// KernelCache: compiled kernels on disk, so that a process need not compile what another has compiled.
//
// Where: the folder LODE_CACHE_DIR, else $XDG_CACHE_HOME/lode, else ~/.cache/lode. It is made with mode 0700. One that is
// there already is used if this user owns it and neither its group nor others may write to it: entries are no secrets,
// so 0755 will do, but they run on the device. Any other folder is left alone and nothing is cached. An entry, which is
// held to the same rule, is a file named by a 128-bit hash of everything that makes
// kernels differ (source, constants, Limits::version, format version); it holds a magic, the full key's hash, the
// binary's length and checksum, and the binary. It is written to a temporary name and renamed. What does not read back
// intact, or does not load, is compiled again and replaced. Above the size limit the entries unused for longest go. No
// failure of the cache fails a search; it is only slower. Safe between threads and processes.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gpu/seam.hpp"

namespace lode::gpu {

/// The folder in use, made if need be; empty where there is none.
std::filesystem::path cache_folder();

/// Loads the kernel from the cache, or compiles and stores it.
std::unique_ptr<Kernel> make_kernel(Runtime& runtime, const KernelSource& source);

/// Work-items of a group of kernels that are no algorithm's, and how many groups each compute unit gets.
std::uint32_t helper_group_items(const Runtime& runtime);
constexpr std::uint32_t helper_groups_per_unit = 16;
/// Local memory in which a group adds up its counts at its end: LODE_FINISH_BYTES of kernels/common.h.
constexpr std::uint32_t finish_bytes_per_item = 16;
/// Such a kernel of src/kernels/FILE.cl, from the cache as well.
std::unique_ptr<Kernel> make_helper_kernel(Runtime& runtime, const char* file, const char* entry, std::int64_t mode,
                                           std::vector<std::pair<std::string, std::int64_t>> constants = {});

/// Small facts about a device that took time to find out (calibration, a passed self-test), kept beside the kernels.
std::optional<std::string> read_cached_fact(std::string_view key);
void store_cached_fact(std::string_view key, std::string_view value);

}  // namespace lode::gpu
