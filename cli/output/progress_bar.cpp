#include "cli/output/progress_bar.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace lode::command {
namespace {

constexpr std::chrono::milliseconds patience{1000};
constexpr std::chrono::milliseconds interval{100};
constexpr std::size_t width = 30;
constexpr std::size_t longest_name = 40;

void write_to_terminal(const std::string& text) {
  // If the bar cannot be drawn, that is not an error.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

ProgressBar::ProgressBar()
    : enabled_(::isatty(STDERR_FILENO) != 0 && ::isatty(STDOUT_FILENO) == 0), next_(Clock::now() + patience) {}

void ProgressBar::show(const std::string& name, std::uint64_t done, std::uint64_t total) {
  if (!enabled_) return;
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + interval;
  shown_ = true;
  const std::string end_of_name = name.size() <= longest_name ? name : "…" + name.substr(name.size() - longest_name);
  char numbers[64];
  std::string bar;
  if (total > 0) {
    const std::size_t filled = static_cast<std::size_t>(static_cast<double>(done) / static_cast<double>(total) * width);
    bar = "[" + std::string(std::min(filled, width), '#') + std::string(width - std::min(filled, width), ' ') + "] ";
    std::snprintf(numbers, sizeof numbers, "%3.0f %% ", 100.0 * static_cast<double>(done) / static_cast<double>(total));
  } else {
    std::snprintf(numbers, sizeof numbers, "%.1f MB ", static_cast<double>(done) / 1e6);
  }
  write_to_terminal("\r\33[K" + bar + numbers + end_of_name);
}

void ProgressBar::clear() {
  if (!shown_) return;
  shown_ = false;
  write_to_terminal("\r\33[K");
}

}  // namespace lode::command
