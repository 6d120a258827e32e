#include "lode/pattern_set.hpp"

#include <algorithm>
#include <cstring>

#include "lode/error.hpp"
#include "plan/replacement_parts.hpp"

namespace lode {

PatternSet::PatternSet(std::span<const std::string_view> patterns, bool ignore_case) {
  for (const std::string_view pattern : patterns) add(pattern, ignore_case);
}

PatternSet::PatternSet(std::initializer_list<std::string_view> patterns, bool ignore_case)
    : PatternSet(std::span(patterns.begin(), patterns.size()), ignore_case) {}

std::uint32_t PatternSet::add(std::string_view pattern, bool ignore_case, std::string_view label) {
  if (pattern.empty())
    throw Error(ErrorKind::invalid_pattern, "a pattern is empty: an empty pattern would match everywhere");
  if (pattern.size() > max_pattern_length)
    throw Error(ErrorKind::limit, "a pattern has " + std::to_string(pattern.size()) + " bytes: the limit is " +
                                      std::to_string(max_pattern_length));
  if (ends_.size() >= max_pattern_count)
    throw Error(ErrorKind::limit, "more than " + std::to_string(max_pattern_count) + " patterns: split the set");
  if (bytes_.size() + pattern.size() > max_pattern_bytes)
    throw Error(ErrorKind::limit,
                "more than " + std::to_string(max_pattern_bytes) + " bytes of patterns: split the set");

  const std::size_t id = ends_.size();
  bytes_.insert(bytes_.end(), pattern.begin(), pattern.end());
  ends_.push_back(bytes_.size());
  if (ignore_case && ignore_case_.empty()) ignore_case_.resize(id, 0);
  if (ignore_case || !ignore_case_.empty()) ignore_case_.push_back(ignore_case ? 1 : 0);
  if (!label.empty() && label_ends_.empty()) label_ends_.resize(id, 0);
  if (!label.empty() || !label_ends_.empty()) {
    label_bytes_.insert(label_bytes_.end(), label.begin(), label.end());
    label_ends_.push_back(label_bytes_.size());
  }
  const auto length = static_cast<std::uint32_t>(pattern.size());
  min_length_ = id == 0 ? length : std::min(min_length_, length);
  max_length_ = std::max(max_length_, length);
  return static_cast<std::uint32_t>(id);
}

void PatternSet::keep_case(std::uint32_t id) {
  if (keeps_case_.size() <= id) keeps_case_.resize(id + 1);
  keeps_case_[id] = true;
}

void PatternSet::set_forms(std::uint32_t id, Forms forms) {
  if (forms_.size() <= id) forms_.resize(id + 1);
  forms_[id] = forms;
}

bool PatternSet::any_forms() const noexcept {
  return std::any_of(forms_.begin(), forms_.end(), [](Forms forms) { return !forms.empty(); });
}

void PatternSet::set_replacement(std::uint32_t id, std::string_view replacement) {
  check_replacement(replacement);
  if (replacement_ends_.size() <= id) replacement_ends_.resize(id + 1, replacement_bytes_.size());
  const std::uint64_t begin = id == 0 ? 0 : replacement_ends_[id - 1];
  const auto at = replacement_bytes_.begin() + static_cast<std::ptrdiff_t>(begin);
  const std::uint64_t old_bytes = replacement_ends_[id] - begin, bytes = replacement.size() + 1;
  const auto place = replacement_bytes_.erase(at, at + static_cast<std::ptrdiff_t>(old_bytes));
  const auto behind = replacement_bytes_.insert(place, bytes, '\0');
  std::copy(replacement.begin(), replacement.end(), behind);
  for (std::size_t next = id; next < replacement_ends_.size(); ++next) replacement_ends_[next] += bytes - old_bytes;
}

std::optional<std::string_view> PatternSet::replacement(std::uint32_t id) const noexcept {
  if (!has_replacement(id)) return std::nullopt;
  const std::uint64_t begin = id == 0 ? 0 : replacement_ends_[id - 1];
  return std::string_view(replacement_bytes_.data() + begin, replacement_ends_[id] - begin - 1);
}

void PatternSet::reserve(std::uint64_t pattern_count, std::uint64_t pattern_bytes) {
  ends_.reserve(std::min(pattern_count, max_pattern_count));
  bytes_.reserve(std::min(pattern_bytes, max_pattern_bytes));
}

std::string_view PatternSet::label(std::uint32_t id) const noexcept {
  if (label_ends_.empty()) return {};
  const std::uint64_t begin = id == 0 ? 0 : label_ends_[id - 1];
  return {label_bytes_.data() + begin, static_cast<std::size_t>(label_ends_[id] - begin)};
}

bool PatternSet::any_contains(char byte) const noexcept {
  return !bytes_.empty() && std::memchr(bytes_.data(), byte, bytes_.size()) != nullptr;
}

}  // namespace lode
