#include "io/walk.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "io/open_path.hpp"

namespace lode::io {
namespace {

bool matches_path(const std::string& pattern, const std::string& path) {
  if (pattern.find('/') == std::string::npos) {
    const std::size_t slash = path.find_last_of('/');
    return ::fnmatch(pattern.c_str(), path.c_str() + (slash == std::string::npos ? 0 : slash + 1), 0) == 0;
  }
  for (std::size_t begin = 0;;) {
    if (::fnmatch(pattern.c_str(), path.c_str() + begin, 0) == 0) return true;
    const std::size_t slash = path.find('/', begin);
    if (slash == std::string::npos) return false;
    begin = slash + 1;
  }
}

// Whether a directory that the file lies in, however far up, matches.
bool lies_below(const std::string& pattern, const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
    if (matches_path(pattern, path.substr(0, slash))) return true;
  return false;
}

enum class EntryKind { file, directory, other };

EntryKind kind_of(const dirent& entry, const std::string& path) {
  if (entry.d_type == DT_REG) return EntryKind::file;
  if (entry.d_type == DT_DIR) return EntryKind::directory;
  if (entry.d_type != DT_UNKNOWN) return EntryKind::other;
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return EntryKind::file;  // opening it will tell what is wrong
  if (S_ISREG(status.st_mode)) return EntryKind::file;
  return S_ISDIR(status.st_mode) ? EntryKind::directory : EntryKind::other;
}

}  // namespace

std::vector<std::string> expand_braces(const std::string& pattern) {
  // The first group that has a comma at its own depth, and where its alternatives begin.
  for (std::size_t open = 0; open < pattern.size(); ++open) {
    if (pattern[open] == '\\') ++open;
    if (open >= pattern.size() || pattern[open] != '{' || (open > 0 && pattern[open - 1] == '\\')) continue;
    std::vector<std::size_t> cuts = {open};
    std::size_t at = open + 1;
    for (std::size_t depth = 1; at < pattern.size(); ++at) {
      if (pattern[at] == '\\') {
        ++at;
      } else if (pattern[at] == '{') {
        ++depth;
      } else if (pattern[at] == '}' && --depth == 0) {
        break;
      } else if (pattern[at] == ',' && depth == 1) {
        cuts.push_back(at);
      }
    }
    if (at >= pattern.size() || cuts.size() == 1) continue;
    cuts.push_back(at);
    std::vector<std::string> expanded;
    for (std::size_t cut = 0; cut + 1 < cuts.size(); ++cut) {
      const std::string one = pattern.substr(cuts[cut] + 1, cuts[cut + 1] - cuts[cut] - 1);
      for (std::string& rest : expand_braces(pattern.substr(0, open) + one + pattern.substr(at + 1)))
        expanded.push_back(std::move(rest));
    }
    return expanded;
  }
  return {pattern};
}

void FileFilter::add(const std::string& pattern, bool included) {
  for (std::string& one : expand_braces(pattern)) rules_.push_back({std::move(one), included});
}

bool FileFilter::admits_file(const std::string& path) const {
  bool admitted = true, first = true;
  for (const Rule& rule : rules_) {
    const bool is_folder = rule.pattern.ends_with('/');
    if (is_folder && !rule.included) continue;
    if (first) admitted = !rule.included;
    first = false;
    if (is_folder ? lies_below(rule.pattern.substr(0, rule.pattern.size() - 1), path)
                  : matches_path(rule.pattern, path))
      admitted = rule.included;
  }
  return admitted;
}

bool FileFilter::admits_directory(const std::string& path) const {
  for (const Rule& rule : rules_) {
    if (rule.included || !rule.pattern.ends_with('/')) continue;
    if (matches_path(rule.pattern.substr(0, rule.pattern.size() - 1), path)) return false;
  }
  return true;
}

namespace {

struct Entry {
  std::string name;
  EntryKind kind;
};

std::vector<Entry> list_directory(const std::string& path, const std::string& prefix, const WalkCallbacks& callbacks) {
  std::vector<Entry> entries;
  const int descriptor = open_path(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
  DIR* const directory = descriptor < 0 ? nullptr : ::fdopendir(descriptor);
  if (directory == nullptr) {
    callbacks.failed(path, std::generic_category().message(errno));
    if (descriptor >= 0) ::close(descriptor);
    return entries;
  }
  errno = 0;
  while (const dirent* entry = ::readdir(directory)) {  // NOLINT(concurrency-mt-unsafe): our own stream
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") entries.push_back({std::string(name), kind_of(*entry, prefix + entry->d_name)});
    errno = 0;
  }
  if (errno != 0) callbacks.failed(path, std::generic_category().message(errno));
  ::closedir(directory);
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return entries;
}

}  // namespace

bool walk_directory(const std::string& path, const FileFilter& filter, const WalkCallbacks& callbacks) {
  // Not by recursion: a tree may be deeper than the stack.
  struct Level {
    std::vector<Entry> entries;
    std::size_t next;
    std::size_t prefix_size;  // of `prefix` below, with the slash at its end
  };
  std::string prefix = path.ends_with('/') ? path : path + '/';
  std::vector<Level> levels;
  levels.push_back({list_directory(path, prefix, callbacks), 0, prefix.size()});
  while (!levels.empty()) {
    Level& level = levels.back();
    prefix.resize(level.prefix_size);
    if (level.next == level.entries.size()) {
      levels.pop_back();
      continue;
    }
    const Entry& entry = level.entries[level.next++];
    const std::string child = prefix + entry.name;
    if (entry.kind == EntryKind::directory) {
      if (!filter.admits_directory(child)) continue;
      prefix = child + '/';
      levels.push_back({list_directory(child, prefix, callbacks), 0, prefix.size()});
    } else if (entry.kind == EntryKind::file && filter.admits_file(child)) {
      if (!callbacks.found(child)) return false;
    }
  }
  return true;
}

}  // namespace lode::io
