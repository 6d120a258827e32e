#include "io/walk.hpp"

#include <dirent.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

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

bool FileFilter::admits_file(const std::string& path) const {
  bool admitted = true, first = true;
  for (const Rule& rule : rules_) {
    if (rule.pattern.ends_with('/')) continue;
    if (first) admitted = !rule.included;
    first = false;
    if (matches_path(rule.pattern, path)) admitted = rule.included;
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

bool walk_directory(const std::string& path, const FileFilter& filter, const WalkCallbacks& callbacks) {
  struct Entry {
    std::string name;
    EntryKind kind;
  };
  std::vector<Entry> entries;
  const std::string prefix = path.ends_with('/') ? path : path + '/';
  {
    DIR* directory = ::opendir(path.c_str());
    if (directory == nullptr) {
      callbacks.failed(path, std::generic_category().message(errno));
      return true;
    }
    errno = 0;
    while (const dirent* entry = ::readdir(directory)) {  // NOLINT(concurrency-mt-unsafe): our own stream
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") {
        entries.push_back({std::string(name), kind_of(*entry, prefix + entry->d_name)});
      }
      errno = 0;
    }
    if (errno != 0) callbacks.failed(path, std::generic_category().message(errno));
    ::closedir(directory);
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  for (const Entry& entry : entries) {
    const std::string child = prefix + entry.name;
    if (entry.kind == EntryKind::directory) {
      if (filter.admits_directory(child) && !walk_directory(child, filter, callbacks)) return false;
    } else if (entry.kind == EntryKind::file && filter.admits_file(child)) {
      if (!callbacks.found(child)) return false;
    }
  }
  return true;
}

}  // namespace lode::io
