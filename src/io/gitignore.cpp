#include "io/gitignore.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace lode::io {
namespace {

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    parts.emplace_back(path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return parts;
}

bool matches_part(const std::string& rule, const std::string& part) {
  return ::fnmatch(rule.c_str(), part.c_str(), 0) == 0;
}

/// Removes blanks at the end, except those that have a backslash before them.
std::string_view without_blanks_at_end(std::string_view line) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '\\' && at + 1 < line.size()) {
      end = ++at + 1;
    } else if (line[at] != ' ') {
      end = at + 1;
    }
  }
  return line.substr(0, end);
}

}  // namespace

GitIgnore::GitIgnore(std::string_view rules) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (rules.starts_with(byte_order_mark)) rules.remove_prefix(byte_order_mark.size());
  while (!rules.empty()) {
    const std::size_t end = std::min(rules.find('\n'), rules.size());
    add(rules.substr(0, end));
    rules.remove_prefix(std::min(end + 1, rules.size()));
  }
}

void GitIgnore::add(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  line = without_blanks_at_end(line);
  if (line.empty() || line.front() == '#') return;
  Rule rule;
  if (line.front() == '!') {
    rule.verdict = Verdict::kept;
    line.remove_prefix(1);
  }
  if (line.ends_with('/')) {
    rule.for_directories = true;
    line.remove_suffix(1);
  }
  rule.is_anchored = line.find('/') != std::string_view::npos;
  if (line.starts_with('/')) line.remove_prefix(1);
  if (line.empty()) return;
  rule.parts = split(line);
  rules_.push_back(std::move(rule));
}

bool GitIgnore::matches(const Rule& rule, const std::vector<std::string>& parts) {
  if (!rule.is_anchored) return matches_part(rule.parts.front(), parts.back());
  // If parts do not match, the last `**` takes one part more. Earlier ones never need to take more.
  constexpr auto nowhere = static_cast<std::size_t>(-1);
  std::size_t at = 0, part = 0, stars = nowhere, stars_end = 0;
  while (part < parts.size()) {
    if (at < rule.parts.size() && rule.parts[at] == "**") {
      stars = at++;
      stars_end = part;
    } else if (at < rule.parts.size() && matches_part(rule.parts[at], parts[part])) {
      ++at;
      ++part;
    } else if (stars != nowhere) {
      at = stars + 1;
      part = ++stars_end;
    } else {
      return false;
    }
  }
  return at == rule.parts.size();
}

GitIgnore::Verdict GitIgnore::judge(std::string_view path, bool is_directory) const {
  const std::vector<std::string> parts = split(path);
  const auto decides = [&](const Rule& rule) {
    return (is_directory || !rule.for_directories) && matches(rule, parts);
  };
  const auto last = std::find_if(rules_.rbegin(), rules_.rend(), decides);
  return last == rules_.rend() ? Verdict::none : last->verdict;
}

GitIgnoreStack::GitIgnoreStack(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path absolute = fs::canonical(folder, error);
  if (error) return;  // the walk will say that it cannot be read
  folder_ = absolute.string();
  if (!folder_.ends_with('/')) folder_ += '/';
  std::vector<std::string> above;
  for (fs::path at = absolute;; at = at.parent_path()) {
    std::string name = at.string();
    if (!name.ends_with('/')) name += '/';
    const bool is_root = fs::exists(name + ".git", error);
    if (name != folder_) above.push_back(name);
    if (is_root) {
      add_file(name, name + ".git/info/exclude");
      break;
    }
    if (at == at.root_path()) return;  // no repository: files in the walk's own directories decide
  }
  for (auto name = above.rbegin(); name != above.rend(); ++name) add_file(*name, *name + ".gitignore");
}

void GitIgnoreStack::add_file(const std::string& folder, const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return;
  const std::string rules((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  File added{folder.size(), GitIgnore(rules)};
  if (!added.rules.empty()) files_.push_back(std::move(added));
}

bool GitIgnoreStack::ignores(const std::string& path, bool is_directory) const {
  if (path == ".git" || path.ends_with("/.git")) return true;
  const std::string absolute = folder_ + path;
  for (auto file = files_.rbegin(); file != files_.rend(); ++file) {
    const auto verdict = file->rules.judge(std::string_view(absolute).substr(file->folder_bytes), is_directory);
    if (verdict != GitIgnore::Verdict::none) return verdict == GitIgnore::Verdict::ignored;
  }
  return false;
}

void GitIgnoreStack::enter(const std::string& path) {
  levels_.push_back(files_.size());
  const std::string folder = path.empty() ? folder_ : folder_ + path + "/";
  add_file(folder, folder + ".gitignore");
}

void GitIgnoreStack::leave() {
  files_.erase(files_.begin() + static_cast<std::ptrdiff_t>(levels_.back()), files_.end());
  levels_.pop_back();
}

}  // namespace lode::io
