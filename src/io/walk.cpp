#include "io/walk.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>

#include "io/gitignore.hpp"
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

// Whether the pattern matches any of the directories that the file lies in.
bool lies_below(const std::string& pattern, const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
    if (matches_path(pattern, path.substr(0, slash))) return true;
  return false;
}

enum class EntryKind { file, directory, link, other };

EntryKind kind_of(mode_t mode) {
  return S_ISREG(mode) ? EntryKind::file : S_ISDIR(mode) ? EntryKind::directory : EntryKind::other;
}

EntryKind kind_of(const dirent& entry, int folder) {
  if (entry.d_type == DT_REG) return EntryKind::file;
  if (entry.d_type == DT_DIR) return EntryKind::directory;
  if (entry.d_type == DT_LNK) return EntryKind::link;
  if (entry.d_type != DT_UNKNOWN) return EntryKind::other;
  struct stat status {};
  if (::fstatat(folder, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
    return EntryKind::file;  // opening it will fail
  return S_ISLNK(status.st_mode) ? EntryKind::link : kind_of(status.st_mode);
}

}  // namespace

std::vector<std::string> expand_braces(const std::string& pattern) {
  // Finds the first group that has a comma at its own depth, and cuts it there.
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

void FileFilter::exclude_directory(std::string pattern) {
  while (pattern.size() > 1 && pattern.ends_with('/')) pattern.pop_back();
  exclude(pattern + '/');
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

// A directory that the walk is in.
struct Level {
  std::vector<Entry> entries;
  std::size_t next = 0;
  std::size_t prefix_size = 0;  // length of the path, with the slash at its end
  dev_t device = 0;             // device and node identify the directory, whatever paths lead to it
  ino_t node = 0;
};

}  // namespace

class DirectoryWalk::State {
 public:
  State(const std::string& path, const FileFilter& filter, const WalkOptions& options)
      : filter_(filter), options_(options) {
    const std::string directory = path.empty() ? "." : path;
    if (options.gitignore) ignored_.emplace(directory);
    prefix_ = path.empty() || path.ends_with('/') ? path : path + '/';
    start_size_ = prefix_.size();
    enter(directory);
  }

  // The walk keeps its own levels instead of recursing, because a tree may be deeper than the stack.
  std::optional<FoundPath> next() {
    while (failures_.empty() && !levels_.empty()) {
      Level& level = levels_.back();
      prefix_.resize(level.prefix_size);
      if (level.next == level.entries.size()) {
        levels_.pop_back();
        if (ignored_) ignored_->leave();
      } else if (std::optional<FoundPath> found = take(level.entries[level.next++])) {
        return found;
      }
    }
    if (failures_.empty()) return std::nullopt;
    FoundPath failure = std::move(failures_.front());
    failures_.erase(failures_.begin());
    return failure;
  }

 private:
  void fail(const std::string& path) { failures_.push_back({path, std::generic_category().message(errno)}); }

  std::optional<FoundPath> take(const Entry& entry) {
    std::string child = prefix_ + entry.name;
    EntryKind kind = entry.kind;
    if (kind == EntryKind::link) {
      struct stat status {};
      if (!options_.follow_links) return std::nullopt;
      if (::stat(child.c_str(), &status) != 0) {
        fail(child);
        return std::nullopt;
      }
      kind = kind_of(status.st_mode);
    }
    const bool is_directory = kind == EntryKind::directory;
    if (!is_directory && kind != EntryKind::file) return std::nullopt;
    if (ignored_ && ignored_->ignores(child.substr(start_size_), is_directory)) return std::nullopt;
    if (!is_directory) {
      if (!filter_.admits_file(child)) return std::nullopt;
      return FoundPath{std::move(child), ""};
    }
    if (filter_.admits_directory(child)) {
      prefix_ = child + '/';
      enter(child);
    }
    return std::nullopt;
  }

  void enter(const std::string& path) {
    const int descriptor = open_path(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
    DIR* const directory = descriptor < 0 ? nullptr : ::fdopendir(descriptor);
    if (directory == nullptr) {
      fail(path);
      if (descriptor >= 0) ::close(descriptor);
      return;
    }
    Level level;
    level.prefix_size = prefix_.size();
    if (!options_.follow_links || identify(descriptor, path, level)) {
      list(directory, descriptor, path, level);
      levels_.push_back(std::move(level));
      if (ignored_) ignored_->enter(prefix_.size() == start_size_ ? "" : path.substr(start_size_));
    }
    ::closedir(directory);
  }

  // Notes which directory this is. Returns false if the walk is in it already, because a link has led upward.
  bool identify(int descriptor, const std::string& path, Level& level) {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) {
      fail(path);
      return false;
    }
    level.device = status.st_dev;
    level.node = status.st_ino;
    return std::none_of(levels_.begin(), levels_.end(),
                        [&](const Level& other) { return other.device == level.device && other.node == level.node; });
  }

  void list(DIR* directory, int descriptor, const std::string& path, Level& level) {
    errno = 0;
    while (const dirent* entry = ::readdir(directory)) {  // NOLINT(concurrency-mt-unsafe): our own stream
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") level.entries.push_back({std::string(name), kind_of(*entry, descriptor)});
      errno = 0;
    }
    if (errno != 0) fail(path);
    std::sort(level.entries.begin(), level.entries.end(),
              [](const Entry& a, const Entry& b) { return a.name < b.name; });
  }

  const FileFilter& filter_;
  WalkOptions options_;
  std::optional<GitIgnoreStack> ignored_;
  std::vector<Level> levels_;
  std::vector<FoundPath> failures_;  // failures that next() has yet to return
  std::string prefix_;               // path of the directory that the walk is in, with a slash at its end
  std::size_t start_size_ = 0;       // length of the path that the walk began with, with a slash at its end
};

DirectoryWalk::DirectoryWalk(const std::string& path, const FileFilter& filter, const WalkOptions& options)
    : state_(std::make_unique<State>(path, filter, options)) {}
DirectoryWalk::DirectoryWalk(DirectoryWalk&&) noexcept = default;
DirectoryWalk& DirectoryWalk::operator=(DirectoryWalk&&) noexcept = default;
DirectoryWalk::~DirectoryWalk() = default;

std::optional<FoundPath> DirectoryWalk::next() { return state_->next(); }

}  // namespace lode::io
