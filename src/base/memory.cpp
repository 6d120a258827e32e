#include "base/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "base/threads.hpp"

namespace lode {
namespace {

constexpr std::uint64_t least_bytes = std::uint64_t{4} << 20;  // less memory is not worth waking threads
constexpr std::uint64_t grain_bytes = std::uint64_t{2} << 20;

// The whole pages that lie within the memory.
struct Pages {
  Pages(void* memory, std::size_t all_bytes) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(memory) % page) % page;
    begin = static_cast<char*>(memory) + before;
    bytes = (all_bytes - before) / page * page;
  }
  char* begin;
  std::size_t bytes;
};

}  // namespace

void advise_huge_pages(void* memory, std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
  if (bytes < least_bytes) return;
  const Pages pages(memory, bytes);
  ::madvise(pages.begin, pages.bytes, MADV_HUGEPAGE);
#else
  static_cast<void>(memory), static_cast<void>(bytes);
#endif
}

void populate(void* memory, std::size_t bytes, unsigned threads) {
  advise_huge_pages(memory, bytes);
#if defined(MADV_POPULATE_WRITE)
  if (bytes < least_bytes || threads <= 1) return;
  const Pages pages(memory, bytes);
  run_ranges(threads, pages.bytes, grain_bytes, [&](std::uint64_t first, std::uint64_t last) {
    ::madvise(pages.begin + first, last - first, MADV_POPULATE_WRITE);
  });
#else
  static_cast<void>(threads);
#endif
}

}  // namespace lode
