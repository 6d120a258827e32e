#include "cli/output/statistics.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>

#include "cli/input/text_encoding.hpp"

namespace lode::command {
namespace {

std::string format_number(double value, const char* format) {
  char digits[64];
  std::snprintf(digits, sizeof digits, format, value);
  return digits;
}

const char* name_of(DeviceRate::Source source) {
  switch (source) {
    case DeviceRate::Source::assumed: break;
    case DeviceRate::Source::copies: return "copies";
    case DeviceRate::Source::searches: return "searches";
  }
  return "assumed";
}

const char* explain(DeviceRate::Source source) {
  switch (source) {
    case DeviceRate::Source::assumed: break;
    case DeviceRate::Source::copies: return "of copies to it";
    case DeviceRate::Source::searches: return "of earlier searches";
  }
  return "assumed";
}

void append_line(std::string& report, const char* name, const std::string& value) {
  report += std::string(name) + ": " + value + "\n";
}

}  // namespace

void Statistics::begin_repetition() {
  if (!repetition_ended_) return;
  bytes_ = candidates_ = matches_ = records_ = flagged_records_ = false_positives_ = 0;
  rewrites_.reset();
  flag_seconds_ = verify_seconds_ = 0;
  repetition_ended_ = false;
}

void Statistics::add(const Statistics& others) {
  begin_repetition();
  if (others.most_bytes_ >= most_bytes_) {
    most_bytes_ = others.most_bytes_;
    device_ = others.device_;
    choice_ = others.choice_;
    rates_ = others.rates_;
  }
  bytes_ += others.bytes_;
  candidates_ += others.candidates_;
  matches_ += others.matches_;
  if (others.rewrites_) add(*others.rewrites_);
}

void Statistics::add(const SearchStats& call) {
  begin_repetition();
  if (call.bytes >= most_bytes_) {
    most_bytes_ = call.bytes;
    device_ = call.device;
    choice_ = call.choice;
    rates_ = call.rates;
  }
  bytes_ += call.bytes;
  candidates_ += call.candidates;
  matches_ += call.matches;
}

void Statistics::add(const RecordStats& call) {
  add(call.search);
  records_ += call.records;
  flagged_records_ += call.flagged_records;
  false_positives_ += call.false_positives;
  flag_seconds_ += call.flag_seconds;
  verify_seconds_ += call.verify_seconds;
}

void Statistics::add(const RewriteCounts& text) {
  begin_repetition();
  if (!rewrites_) rewrites_.emplace();
  rewrites_->bytes_read += text.bytes_read;
  rewrites_->bytes_written += text.bytes_written;
  for (const auto& [id, count] : text.replaced) rewrites_->replaced[id] += count;
}

void Statistics::end_repetition(double seconds) {
  seconds_.push_back(seconds);
  repetition_ended_ = true;
}

void Statistics::set_plan(const Plan& plan, const StageSeconds& seconds) {
  patterns_ = plan.patterns().size();
  plan_bytes_ = plan.memory_bytes();
  stage_seconds_ = seconds;
}

void Statistics::set_reference(const std::string& algorithm, bool equal) {
  reference_ = algorithm;
  reference_equal_ = equal;
}

std::string Statistics::report(const Searcher& searcher, unsigned threads) const {
  return report(
      {searcher.algorithm(), searcher.device().name(), searcher.instruction_set(), searcher.strategy(), false},
      threads);
}

std::string Statistics::report(const RecordSearcher& searcher, unsigned threads) const {
  return report({searcher.algorithm(), searcher.device().name(), searcher.instruction_set(), searcher.strategy(), true},
                threads);
}

void Statistics::append_choice(Writer& writer, const char* before) const {
  if (choice_.empty()) return;
  writer.append(std::string_view(before));
  writer.append("{\"device\":");
  append_json_string(writer, device_);
  writer.append(",\"choice\":");
  append_json_string(writer, choice_);
  writer.append(",\"rates\":[");
  bool any = false;
  for (const DeviceRate& rate : rates_) {
    writer.append(any ? ",{\"device\":" : "{\"device\":");
    append_json_string(writer, rate.device);
    writer.append(",\"bytes_per_second\":");
    writer.append_number(static_cast<std::uint64_t>(rate.bytes_per_second));
    writer.append(",\"source\":\"");
    writer.append(std::string_view(name_of(rate.source)));
    writer.append("\"}");
    any = true;
  }
  writer.append("]}");
}

std::string Statistics::plan_report() const {
  std::string report;
  append_line(report, "patterns", std::to_string(patterns_));
  append_line(report, "plan bytes", std::to_string(plan_bytes_));
  const auto stage = [&](const char* name, const std::optional<double>& seconds) {
    if (seconds) append_line(report, name, format_number(*seconds, "%.6f"));
  };
  stage("pattern read seconds", stage_seconds_.pattern_read);
  stage("plan build seconds", stage_seconds_.plan_build);
  stage("plan load seconds", stage_seconds_.plan_load);
  stage("plan save seconds", stage_seconds_.plan_save);
  stage("prepare seconds", stage_seconds_.prepare);
  return report;
}

std::string Statistics::rewrite_report() const {
  std::string report;
  const auto line = [&](const std::string& name, std::uint64_t value) {
    append_line(report, name.c_str(), std::to_string(value));
  };
  std::vector<std::pair<std::uint32_t, std::uint64_t>> replaced(rewrites_->replaced.begin(), rewrites_->replaced.end());
  std::sort(replaced.begin(), replaced.end());
  std::uint64_t sum = 0;
  for (const auto& [id, count] : replaced) sum += count;
  line("replaced", sum);
  line("bytes read", rewrites_->bytes_read);
  line("bytes written", rewrites_->bytes_written);
  for (const auto& [id, count] : replaced) line("replaced of pattern " + std::to_string(id), count);
  return report;
}

std::string Statistics::report(const Ran& ran, unsigned threads) const {
  std::string report;
  const auto line = [&](const char* name, const std::string& value) { append_line(report, name, value); };
  line("algorithm", ran.algorithm);
  const std::string& device = device_.empty() ? ran.device : device_;
  line("device", device);
  if (!choice_.empty()) line("choice", choice_);
  for (const DeviceRate& rate : rates_)
    line(("rate of " + rate.device).c_str(),
         format_number(rate.bytes_per_second / 1e9, "%.3f GB/s, ") + explain(rate.source));
  if (device == "cpu") line("instruction set", ran.instruction_set);
  if (device == "cpu" && !ran.strategy.empty()) line("strategy", ran.strategy);
  line("threads", std::to_string(threads));
  report += plan_report();
  line("bytes", std::to_string(bytes_));
  line("candidates", std::to_string(candidates_));
  if (ran.searches_records) {
    line("records", std::to_string(records_));
    line("hits", std::to_string(matches_));
    if (ran.algorithm == "rabin-karp") {
      line("flagged records", std::to_string(flagged_records_));
      line("false positives", std::to_string(false_positives_));
      line("flag seconds", format_number(flag_seconds_, "%.6f"));
      line("verify seconds", format_number(verify_seconds_, "%.6f"));
    }
  } else {
    line("matches", std::to_string(matches_));
  }
  if (rewrites_) report += rewrite_report();
  if (any_failed_) line("failed", "yes, and what that search had found is not counted");
  if (seconds_.empty()) return report;
  std::vector<double> sorted = seconds_;
  std::sort(sorted.begin(), sorted.end());
  const double median = sorted[sorted.size() / 2];
  line("seconds", format_number(median, "%.6f"));
  if (sorted.size() > 1) {
    line("iterations", std::to_string(sorted.size()));
    line("fastest seconds", format_number(sorted.front(), "%.6f"));
    line("slowest seconds", format_number(sorted.back(), "%.6f"));
  }
  line("GB/s", format_number(median > 0 ? static_cast<double>(bytes_) / median / 1e9 : 0, "%.3f"));
  if (!reference_.empty()) line("verified", std::string(reference_equal_ ? "equal to " : "differs from ") + reference_);
  return report;
}

}  // namespace lode::command
