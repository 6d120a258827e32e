#include <algorithm>
#include <utility>

#include "cli/input/text_encoding.hpp"
#include "cli/output/formats.hpp"

namespace lode::command {
namespace {

// These are the default colours of grep.
constexpr char match_color[] = "01;31";
constexpr char name_color[] = "35";
constexpr char number_color[] = "32";
constexpr char mark_color[] = "36";

}  // namespace

void keep_leftmost_longest(std::vector<Match>& matches) {
  std::size_t kept = 0;
  for (const Match& match : matches) {
    if (kept > 0) {
      Match& last = matches[kept - 1];
      if (match.offset == last.offset) {
        if (match.length > last.length) last = match;
        continue;
      }
      if (match.offset < last.offset + last.length) continue;
    }
    matches[kept++] = match;
  }
  matches.resize(kept);
}

void keep_one_of_each_pattern(std::vector<Match>& matches) {
  const auto by_id = [](const Match& a, const Match& b) { return a.pattern_id < b.pattern_id; };
  const auto same_id = [](const Match& a, const Match& b) { return a.pattern_id == b.pattern_id; };
  std::stable_sort(matches.begin(), matches.end(), by_id);
  matches.erase(std::unique(matches.begin(), matches.end(), same_id), matches.end());
}

void TextFormat::begin_file(const std::string& name, bool name_shown) {
  name_ = settings_->output_is_terminal ? escape_controls(name) : name;
  name_shown_ = name_shown;
}

void TextFormat::reduce(std::vector<Match>& matches) const {
  // If a match holds lines together, each line needs its own matches, so all are kept.
  const auto spans = [&](const Match& match) {
    if (match.form != Form::as_given) return spellings_may_span_;
    return (*patterns_)[match.pattern_id].find(settings_->line_terminator) != std::string_view::npos;
  };
  if (std::any_of(matches.begin(), matches.end(), spans)) return;
  std::vector<Match> ids;
  if (settings_->pattern_ids) {
    ids = matches;
    keep_one_of_each_pattern(ids);
  }
  if (settings_->color) {
    keep_leftmost_longest(matches);
    ids.insert(ids.end(), matches.begin(), matches.end());
  }
  const auto key = [](const Match& match) { return std::pair(match.offset, match.pattern_id); };
  std::sort(ids.begin(), ids.end(), [&](const Match& a, const Match& b) { return key(a) < key(b); });
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  matches.swap(ids);
}

std::string TextFormat::colored_text(const char* color, std::string_view bytes) const {
  return "\33[" + std::string(color) + "m\33[K" + std::string(bytes) + "\33[m\33[K";
}

void TextFormat::colored(const char* color, std::string_view bytes) { writer_->append(colored_text(color, bytes)); }

void TextFormat::mark(char byte) {
  if (settings_->color) {
    colored(mark_color, {&byte, 1});
  } else {
    writer_->append(byte);
  }
}

void TextFormat::pattern(std::uint32_t id) {
  writer_->append_number(id);
  if (const std::string_view label = patterns_->label(id); !label.empty()) {
    writer_->append('=');
    append_escaped(*writer_, label);
  }
}

void TextFormat::prefix(std::uint64_t number, std::uint64_t offset, std::span<const Match> matches, char sign) {
  const auto append_number = [&](std::uint64_t value) {
    if (!settings_->color) return writer_->append_number(value);
    colored(number_color, std::to_string(value));
  };
  if (name_shown_) name(sign);
  if (settings_->line_numbers) {
    append_number(number);
    mark(sign);
  }
  if (settings_->byte_offsets) {
    append_number(offset);
    mark(sign);
  }
  if (settings_->pattern_ids && !matches.empty()) {
    for (std::size_t i = 0; i < matches.size(); ++i) {
      if (i > 0) writer_->append(',');
      pattern(matches[i].pattern_id);
    }
    mark(sign);
  }
}

void TextFormat::line(const Line& line) {
  std::string_view bytes = line.bytes;
  if (!bytes.empty() && bytes.back() == settings_->line_terminator) bytes.remove_suffix(1);
  const std::uint64_t end = line.offset + bytes.size();
  const char sign = line.selected ? ':' : '-';
  touching_.clear();
  if (!line.matches.empty()) {
    for (const Match& match : line.matches) {
      if (match.offset < line.offset + line.bytes.size() && match.offset + match.length > line.offset) {
        touching_.push_back(match);
      }
    }
  }
  if (line.part.first) {
    written_ = line.offset;
    std::vector<Match> ids;
    if (settings_->pattern_ids) {
      ids = touching_;
      keep_one_of_each_pattern(ids);
    }
    prefix(line.number, line.offset, ids, sign);
  }
  if (settings_->color) {
    keep_leftmost_longest(touching_);
    for (const Match& match : touching_) {
      const std::uint64_t match_begin = std::max(match.offset, line.offset);
      const std::uint64_t match_end = std::min(match.offset + match.length, end);
      if (match_begin >= match_end || match_begin < written_) continue;
      writer_->append(bytes.substr(written_ - line.offset, match_begin - written_));
      colored(match_color, bytes.substr(match_begin - line.offset, match_end - match_begin));
      written_ = match_end;
    }
  }
  if (!line.part.last) return;
  writer_->append(bytes.substr(written_ - line.offset));
  writer_->append(settings_->line_terminator);
}

std::string TextFormat::separator_bytes() const {
  if (!settings_->group_separator) return "";
  const std::string& text = *settings_->group_separator;
  return (settings_->color ? colored_text(mark_color, text) : text) + '\n';
}

void TextFormat::separator() { writer_->append(separator_bytes()); }

void TextFormat::only_match(std::string_view bytes, const Match& match, std::uint64_t line_number) {
  prefix(line_number, match.offset, {&match, 1}, ':');
  if (settings_->color) {
    colored(match_color, bytes);
  } else {
    writer_->append(bytes);
  }
  writer_->append(settings_->line_terminator);
}

void TextFormat::append_name() {
  if (settings_->color) {
    colored(name_color, name_);
  } else {
    writer_->append(name_);
  }
}

void TextFormat::name(char follow) {
  append_name();
  if (settings_->null_after_names) {
    writer_->append('\0');
  } else if (follow == '\t') {
    writer_->append(follow);
  } else {
    mark(follow);
  }
}

void TextFormat::file_name(std::span<const std::uint32_t> ids) {
  if (ids.empty()) {
    append_name();
    writer_->append(settings_->null_after_names ? '\0' : '\n');
  } else {
    name(':');
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (i > 0) writer_->append(',');
      pattern(ids[i]);
    }
    writer_->append('\n');
  }
  writer_->end_line();
}

void TextFormat::file_count(std::uint64_t count) {
  if (name_shown_) name(':');
  writer_->append_number(count);
  writer_->append('\n');
  writer_->end_line();
}

}  // namespace lode::command
