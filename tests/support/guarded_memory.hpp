// GuardedMemory: memory whose neighbours cannot be touched, so that an engine that reads one byte too many dies.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>
#include <string_view>

namespace lode::tests {

/// Readable memory between two pages that cannot be read.
class GuardedMemory {
 public:
  explicit GuardedMemory(std::size_t least_bytes) : page_bytes_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
    readable_bytes_ = (least_bytes / page_bytes_ + 1) * page_bytes_;
    void* const mapped =
        ::mmap(nullptr, readable_bytes_ + 2 * page_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::runtime_error("mmap failed");
    memory_ = static_cast<char*>(mapped);
    if (::mprotect(memory_ + page_bytes_, readable_bytes_, PROT_READ | PROT_WRITE) != 0) {
      throw std::runtime_error("mprotect failed");
    }
  }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory() { ::munmap(memory_, readable_bytes_ + 2 * page_bytes_); }

  std::string_view place_at_end(std::string_view bytes) { return place(bytes, readable_bytes_ - bytes.size()); }
  std::string_view place_at_begin(std::string_view bytes) { return place(bytes, 0); }

 private:
  std::string_view place(std::string_view bytes, std::size_t at) {
    char* const begin = memory_ + page_bytes_ + at;
    if (!bytes.empty()) std::memcpy(begin, bytes.data(), bytes.size());
    return {begin, bytes.size()};
  }

  std::size_t page_bytes_;
  std::size_t readable_bytes_ = 0;
  char* memory_ = nullptr;
};

}  // namespace lode::tests
