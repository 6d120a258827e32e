#include "cli/input/mapping.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <exception>

#include "base/threads.hpp"

namespace lode::command {
namespace {

// A mapping as the signal handler sees it. The handler can only reach static storage, and only lock-free atomics are
// safe in it.
struct MappedRange {
  std::atomic<std::uintptr_t> begin{0};  // 0: the slot is free
  std::atomic<std::uintptr_t> end{0};
  std::atomic<bool> damaged{false};
};
constexpr std::size_t slot_count = 4;
constexpr std::uint64_t drop_bytes = std::uint64_t{16} << 20;
MappedRange ranges[slot_count];
struct sigaction previous_action;
std::atomic<bool> handler_installed{false};

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (MappedRange& range : ranges) {
    const std::uintptr_t begin = range.begin.load();
    const std::uintptr_t end = range.end.load();
    if (begin == 0 || address < begin || address >= end) continue;
    const auto page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const std::uintptr_t from = address / page_bytes * page_bytes;
    range.damaged.store(true);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): atomics hold addresses as integers
    if (::mmap(reinterpret_cast<void*>(from), end - from, PROT_READ, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
        MAP_FAILED) {
      return;
    }
  }
  if ((previous_action.sa_flags & SA_SIGINFO) != 0) {
    previous_action.sa_sigaction(signal, info, context);
  } else if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN) {
    previous_action.sa_handler(signal);
  } else {
    std::signal(signal, SIG_DFL);  // the instruction is tried again and ends the process
  }
}

void install_handler() {
  if (handler_installed.exchange(true)) return;
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, &previous_action);
}

}  // namespace

Mapping::Mapping(int descriptor, std::size_t size_bytes, unsigned threads)
    : descriptor_(descriptor), threads_(threads) {
  while (slot_ < slot_count && ranges[slot_].begin.load() != 0) ++slot_;
  if (slot_ == slot_count) return;
  install_handler();
  void* const data = ::mmap(nullptr, size_bytes, PROT_READ, MAP_SHARED, descriptor, 0);
  if (data == MAP_FAILED) return;
  data_ = static_cast<char*>(data);
  size_bytes_ = size_bytes;
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  ranges[slot_].damaged.store(false);
  ranges[slot_].end.store(begin + size_bytes);
  ranges[slot_].begin.store(begin);
}

Mapping::~Mapping() {
  if (data_ == nullptr) return;
  ranges[slot_].begin.store(0);
  try {
    // All threads release pages, so that munmap has little left to do.
    run_ranges(threads_, threads_ > 1 ? size_bytes_ : 0, drop_bytes, [this](std::uint64_t begin, std::uint64_t end) {
      ::madvise(data_ + begin, end - begin, MADV_DONTNEED);
    });
  } catch (const std::exception&) {
    // munmap releases the pages alone.
  }
  ::munmap(data_, size_bytes_);
}

bool Mapping::damaged() const noexcept { return data_ != nullptr && ranges[slot_].damaged.load(); }

void Mapping::check() const {
  struct stat status {};
  if (damaged() || ::fstat(descriptor_, &status) != 0 || static_cast<std::uint64_t>(status.st_size) < size_bytes_) {
    throw DamagedText();
  }
}

void Mapping::check(std::string_view part) const {
  // If the file shrank, the rest of its last page can still be read, as zero bytes: then the part ends in a NUL. Pages
  // behind that raise a signal, which reading the last byte of the part raises if any of its pages does.
  if (!part.empty() && part.back() == '\0') return check();
  if (damaged()) throw DamagedText();
}

}  // namespace lode::command
