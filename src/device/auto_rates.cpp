#include "device/auto_rates.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "gpu/kernel_cache.hpp"

namespace lode {
namespace {

constexpr double weight_of_slower = 0.25;  // how far a slower search moves the rate
constexpr double worth_storing = 0.05;     // smaller relative changes are not stored

std::optional<double> parse(const std::optional<std::string>& fact) {
  double value = 0;
  if (!fact) return {};
  const auto [end, error] = std::from_chars(fact->data(), fact->data() + fact->size(), value);
  if (error != std::errc() || end != fact->data() + fact->size() || !std::isfinite(value) || value <= 0) return {};
  return value;
}

}  // namespace

std::optional<double> Rates::find_locked(const std::string& kind) {
  const auto [place, fresh] = known_.try_emplace(kind);
  if (fresh) place->second = parse(gpu::read_cached_fact(kind));
  return place->second;
}

std::optional<double> Rates::find(const std::string& kind) {
  const std::lock_guard lock(mutex_);
  return find_locked(kind);
}

void Rates::learn(const std::string& kind, double bytes_per_second) {
  if (!std::isfinite(bytes_per_second) || bytes_per_second <= 0) return;
  const std::lock_guard lock(mutex_);
  const std::optional<double> before = find_locked(kind);
  double rate = bytes_per_second;
  if (before && rate < *before) rate = *before + (rate - *before) * weight_of_slower;
  if (before && std::abs(rate - *before) <= worth_storing * *before) return;
  known_[kind] = rate;
  gpu::store_cached_fact(kind, fmt::format("{:.0f}", rate));
}

}  // namespace lode
