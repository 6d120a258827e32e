// PairCounts: how often each pair of neighbouring bytes stands in texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "plan/filter.hpp"

namespace lode {

class PairCounts {
 public:
  static constexpr std::uint32_t pairs = 1u << 16;

  /// With `folded`, bytes that loose_fold_mask joins are counted as one.
  explicit PairCounts(bool folded) : fold_(folded ? loose_fold_mask & 0xffff : 0) {}

  /// The counts of a sample of a text; none where it is too short to tell much.
  static PairCounts of_sample(std::string_view sample, bool folded) {
    constexpr std::size_t least_bytes = std::size_t{1} << 14;
    PairCounts counts(folded);
    if (sample.size() >= least_bytes) counts.add({reinterpret_cast<const std::uint8_t*>(sample.data()), sample.size()});
    return counts;
  }

  void add(std::span<const std::uint8_t> text) {
    counts_.resize(pairs);
    for (std::size_t at = 0; at + 1 < text.size(); ++at) ++counts_[index(text.data() + at)];
    total_ += text.empty() ? 0 : text.size() - 1;
  }

  /// The number of the pair that stands there: its little-endian value, folded.
  std::uint32_t index(const std::uint8_t* pair) const { return load_partial_u32(pair, 2) | fold_; }
  /// Precondition: !is_empty().
  std::uint32_t operator[](std::uint32_t index) const { return counts_[index]; }
  std::uint64_t total() const { return total_; }
  bool is_empty() const { return total_ == 0; }

 private:
  std::uint32_t fold_;
  std::vector<std::uint32_t> counts_;
  std::uint64_t total_ = 0;
};

}  // namespace lode
