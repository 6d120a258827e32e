#include <cmath>
#include <cstdio>

#include "cli/input/text_encoding.hpp"
#include "cli/output/formats.hpp"
#include "cli/output/statistics.hpp"

namespace lode::command {

void JsonFormat::begin_file(const std::string& name, bool) {
  name_ = name;
  begun_ = false;
  matches_ = 0;
}

void JsonFormat::line(const Line& line) {
  if (!begun_) {
    begun_ = true;
    written_before_ = writer_->total_bytes();
    writer_->append("{\"type\":\"begin\",\"data\":{\"path\":");
    append_json_bytes(*writer_, name_);
    writer_->append("}}\n");
  }
  if (line.part.first) begin_line(line);
  for (const Match& match : line.matches) {
    const std::uint64_t start = match.offset - line.offset;
    if (match.offset < line.offset || start >= line.bytes.size()) continue;
    if (any_submatch_) writer_->append(',');
    any_submatch_ = true;
    submatch(match, start, line.bytes.substr(start, match.length));
  }
  matches_ += line.matches.size();
  if (line.part.last) writer_->append("]}}\n");
}

void JsonFormat::begin_line(const Line& line) {
  writer_->append(line.selected ? "{\"type\":\"match\",\"data\":{\"path\":"
                                : "{\"type\":\"context\",\"data\":{\"path\":");
  append_json_bytes(*writer_, name_);
  writer_->append(",\"lines\":");
  append_json_bytes(*writer_, line.bytes);
  writer_->append(",\"line_number\":");
  writer_->append_number(line.number);
  writer_->append(",\"absolute_offset\":");
  writer_->append_number(line.offset);
  writer_->append(",\"submatches\":[");
  any_submatch_ = false;
}

void JsonFormat::submatch(const Match& match, std::uint64_t start, std::string_view bytes) {
  writer_->append("{\"match\":");
  append_json_bytes(*writer_, bytes);
  writer_->append(",\"start\":");
  writer_->append_number(start);
  writer_->append(",\"end\":");
  writer_->append_number(start + match.length);
  writer_->append(",\"pattern_id\":");
  writer_->append_number(match.pattern_id);
  if (const std::string_view label = patterns_->label(match.pattern_id); !label.empty()) {
    writer_->append(",\"label\":");
    append_json_name(*writer_, label);
  }
  if (tells_form_) {
    writer_->append(",\"form\":\"");
    writer_->append(form_name(match.form));
    writer_->append('"');
  }
  writer_->append('}');
}

void JsonFormat::elapsed(double seconds) {
  const double whole = std::floor(seconds);
  char human[32];
  std::snprintf(human, sizeof human, "%.6fs", seconds);
  writer_->append("{\"secs\":");
  writer_->append_number(static_cast<std::uint64_t>(whole));
  writer_->append(",\"nanos\":");
  writer_->append_number(static_cast<std::uint64_t>((seconds - whole) * 1e9));
  writer_->append(",\"human\":\"");
  writer_->append(std::string_view(human));
  writer_->append("\"}");
}

void JsonFormat::stats(const Totals& totals) {
  const auto field = [&](std::string_view name, std::uint64_t value) {
    writer_->append(name);
    writer_->append_number(value);
  };
  writer_->append("{\"elapsed\":");
  elapsed(totals.seconds);
  field(",\"searches\":", totals.searches);
  field(",\"searches_with_match\":", totals.searches_with_match);
  field(",\"bytes_searched\":", totals.bytes_searched);
  field(",\"bytes_printed\":", totals.bytes_printed);
  field(",\"matched_lines\":", totals.matched_lines);
  field(",\"matches\":", totals.matches);
  writer_->append('}');
}

void JsonFormat::end_file(std::uint64_t bytes_searched, std::uint64_t matched_lines, double seconds) {
  Totals file;
  file.searches = 1;
  file.searches_with_match = matched_lines > 0 ? 1 : 0;
  file.bytes_searched = bytes_searched;
  file.bytes_printed = begun_ ? writer_->total_bytes() - written_before_ : 0;
  file.matched_lines = matched_lines;
  file.matches = matches_;
  file.seconds = seconds;
  add_totals(file);
  if (!begun_) return;
  writer_->append("{\"type\":\"end\",\"data\":{\"path\":");
  append_json_bytes(*writer_, name_);
  writer_->append(",\"binary_offset\":null,\"stats\":");
  stats(file);
  writer_->append("}}\n");
  writer_->end_line();
}

void JsonFormat::add_totals(const Totals& totals) {
  totals_.searches += totals.searches;
  totals_.searches_with_match += totals.searches_with_match;
  totals_.bytes_searched += totals.bytes_searched;
  totals_.bytes_printed += totals.bytes_printed;
  totals_.matched_lines += totals.matched_lines;
  totals_.matches += totals.matches;
  totals_.seconds += totals.seconds;
}

void JsonFormat::summary(double seconds, const Statistics* statistics) {
  writer_->append("{\"type\":\"summary\",\"data\":{\"elapsed_total\":");
  elapsed(seconds);
  writer_->append(",\"stats\":");
  stats(totals_);
  if (statistics != nullptr) statistics->append_choice(*writer_, ",\"auto\":");
  writer_->append("}}\n");
  writer_->end_line();
}

}  // namespace lode::command
