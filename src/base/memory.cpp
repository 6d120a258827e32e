#include "base/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "base/threads.hpp"

namespace lode {
namespace {

constexpr std::uint64_t least_bytes = std::uint64_t{4} << 20;  // fewer are not worth waking threads
constexpr std::uint64_t grain_bytes = std::uint64_t{2} << 20;

}  // namespace

void populate(void* memory, std::size_t bytes, unsigned threads) {
#if defined(MADV_POPULATE_WRITE)
  if (bytes < least_bytes || threads <= 1) return;
  // Whole pages that lie within the memory.
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(memory) % page) % page;
  char* const begin = static_cast<char*>(memory) + before;
#if defined(MADV_HUGEPAGE)
  ::madvise(begin, (bytes - before) / page * page, MADV_HUGEPAGE);
#endif
  run_ranges(threads, (bytes - before) / page * page, grain_bytes, [&](std::uint64_t first, std::uint64_t last) {
    ::madvise(begin + first, last - first, MADV_POPULATE_WRITE);
  });
#else
  static_cast<void>(memory), static_cast<void>(bytes), static_cast<void>(threads);
#endif
}

}  // namespace lode
