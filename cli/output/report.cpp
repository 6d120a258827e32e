#include "cli/output/report.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "cli/input/text_encoding.hpp"

namespace lode::command {
namespace {

int open_for_writing(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) throw Error(ErrorKind::input_output, path + ": " + std::generic_category().message(errno));
  return descriptor;
}

}  // namespace

Report::Report(const std::string& path) : descriptor_(open_for_writing(path)), writer_(descriptor_, path) {
  ::fstat(descriptor_, &status_);
}

void Report::clear() {
  if (!is_cleared_ && S_ISREG(status_.st_mode)) static_cast<void>(::ftruncate(descriptor_, 0));
  is_cleared_ = true;
}

void Report::begin_text() {
  writer_.flush();
  text_begin_ = ::lseek(descriptor_, 0, SEEK_CUR);
}

void Report::take_back() {
  writer_.truncate(0);
  if (!is_cleared_ || !S_ISREG(status_.st_mode)) return;
  static_cast<void>(::ftruncate(descriptor_, text_begin_));
  ::lseek(descriptor_, text_begin_, SEEK_SET);
}

void Report::finish() {
  clear();
  writer_.flush();
}

Report::~Report() { ::close(descriptor_); }

void Report::add(const std::string& file, std::uint64_t begin, const Match& match, const PatternSet& patterns,
                 bool tells_form) {
  clear();
  writer_.append("{\"file\":");
  append_json_name(writer_, file);
  writer_.append(",\"offset\":");
  writer_.append_number(begin + match.offset);
  writer_.append(",\"length\":");
  writer_.append_number(match.length);
  writer_.append(",\"id\":");
  writer_.append_number(match.pattern_id);
  if (const std::string_view label = patterns.label(match.pattern_id); !label.empty()) {
    writer_.append(",\"label\":");
    append_json_name(writer_, label);
  }
  if (tells_form) {
    writer_.append(",\"form\":\"");
    writer_.append(form_name(match.form));
    writer_.append("\"");
  }
  writer_.append("}\n");
  writer_.end_line();
}

}  // namespace lode::command
