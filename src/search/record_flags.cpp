#include "search/record_flags.hpp"

#include <algorithm>

#include "base/threads.hpp"
#include "lode/error.hpp"

namespace lode {
namespace {

constexpr std::uint64_t part_bytes = std::uint64_t{32} << 20;
constexpr std::uint64_t part_records = std::uint64_t{1} << 20;
constexpr std::uint64_t grain_records = 64;

// Behind the last record of the part that begins with `first`: as many as part_bytes and part_records allow, at least one.
std::uint64_t end_of_part(const Records& records, std::uint64_t first) {
  std::uint64_t low = first + 1;
  std::uint64_t high = std::min(records.size(), first + part_records);
  while (low < high) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    if (records.end_of(middle - 1) - records.begin_of(first) <= part_bytes)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

}  // namespace

RecordFlagger::RecordFlagger(const Device&, const PlanData& plan, const SearcherOptions&, unsigned threads)
    : threads_(threads), hashes_(plan) {}

RecordFlagger::~RecordFlagger() = default;

void RecordFlagger::run(const Records& records, const std::stop_token& stop,
                        const std::function<bool(std::uint64_t, std::span<std::uint8_t>)>& use) const {
  std::vector<std::uint8_t> flags;
  for (std::uint64_t first = 0; first < records.size();) {
    const std::uint64_t last = end_of_part(records, first);
    flags.assign(last - first, 0);
    run_ranges(threads_, last - first, grain_records, [&](std::uint64_t begin, std::uint64_t end) {
      if (stop.stop_requested()) throw Error(ErrorKind::cancelled, "the search was cancelled");
      for (std::uint64_t at = begin; at < end; ++at) {
        if (records.is_null(first + at)) continue;
        const std::string_view record = records[first + at];
        flags[at] = hashes_.may_match({reinterpret_cast<const std::uint8_t*>(record.data()), record.size()}) ? 1 : 0;
      }
    });
    if (!use(first, flags)) return;
    first = last;
  }
}

}  // namespace lode
