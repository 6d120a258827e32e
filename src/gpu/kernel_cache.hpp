// KernelCache: compiled kernels on disk, so that a process need not compile what another has compiled.
//
// The folder is LODE_CACHE_DIR, else $XDG_CACHE_HOME/lode, else ~/.cache/lode. It is made with mode 0700. A folder that
// exists is used only if this user owns it and nobody else has any access to it: entries run on the device, and facts
// tell what was searched. Any other folder is left alone, and nothing is cached.
//
// An entry is a file named by a 128-bit hash of everything that makes kernels differ: source, constants,
// Limits::version, format version. It holds a magic, that hash, the binary's length and checksum, and the binary. It is
// read only if this user owns it and nobody else may write to it. It is written to a temporary name and renamed. An
// entry that does not read back intact, or does not load, is compiled again and replaced. Above the size limit the
// entries that were unused for longest go. A failure of the cache never fails a search, it only makes it slower. Safe
// between threads and processes.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gpu/seam.hpp"

namespace lode::gpu {

/// The folder in use, made if need be; empty if there is none.
std::filesystem::path cache_folder();

/// Loads the kernel from the cache, or compiles and stores it.
std::unique_ptr<Kernel> make_kernel(Runtime& runtime, const KernelSource& source);

/// Work-items in a group of a helper kernel, one that belongs to no algorithm.
std::uint32_t helper_group_items(const Runtime& runtime);
/// Groups of a helper kernel for each compute unit.
constexpr std::uint32_t helper_groups_per_unit = 16;
/// Local memory in which a group adds up its counts at its end: LODE_FINISH_BYTES of kernels/common.h.
constexpr std::uint32_t finish_bytes_per_item = 16;
/// Makes a helper kernel of src/kernels/FILE.cl, by way of the cache.
std::unique_ptr<Kernel> make_helper_kernel(Runtime& runtime, const char* file, const char* entry, std::int64_t mode,
                                           std::vector<std::pair<std::string, std::int64_t>> constants = {});

/// Small facts about a device that took time to find out (calibration, a passed self-test), kept beside the kernels.
std::optional<std::string> read_cached_fact(std::string_view key);
void store_cached_fact(std::string_view key, std::string_view value);

}  // namespace lode::gpu
