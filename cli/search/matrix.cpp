#include "cli/search/matrix.hpp"

#include <algorithm>

#include "base/threads.hpp"
#include "cli/search/verifier.hpp"

namespace lode::command {
namespace {

constexpr std::uint64_t part_per_thread_bytes = std::uint64_t{4} << 20;
constexpr std::uint64_t smallest_part_bytes = std::uint64_t{8} << 20;
constexpr std::uint64_t largest_part_bytes = std::uint64_t{32} << 20;
constexpr std::uint64_t smallest_limited_bytes = std::uint64_t{1} << 16;
constexpr std::uint64_t parts_in_limit = 16;  // an empty line has one byte and needs an offset of eight

std::uint64_t choose_part_bytes(const RecordSearcher& searcher, const SearcherOptions& options) {
  std::uint64_t part = thread_count(options.threads) * part_per_thread_bytes;
  part = std::clamp(part, smallest_part_bytes, largest_part_bytes);
  if (searcher.device().gpus() != nullptr) part = largest_part_bytes;
  if (options.memory_limit_bytes == 0) return part;
  return std::min(part, std::max(options.memory_limit_bytes / parts_in_limit, smallest_limited_bytes));
}

}  // namespace

Matrix::Matrix(const Settings& settings, const Plan& plan, const SearcherOptions& options, const Device& device,
               Writer& writer)
    : searcher(plan, options, device),
      printer(settings.matrix_form, plan.patterns().size(), writer),
      part_bytes(choose_part_bytes(searcher, options)) {
  if (settings.verify)
    verifier.emplace(searcher, Searcher(plan, reference_options(searcher.algorithm(), plan, options)));
}

}  // namespace lode::command
