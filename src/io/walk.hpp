// Walking directories: a walk finds every regular file below a path, hidden ones included, in byte order of names.
//
// Symbolic links on the way are followed only on request, and then never into a directory that the walk is in already.
// Devices, pipes and sockets are skipped. If something cannot be read, the walk reports it and goes on. Directories may
// be nested to any depth.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lode::io {

/// Decides by shell patterns which files are searched, as grep does. The last pattern that matches a file wins. If none
/// matches, the file is searched unless the first pattern is an --include. A pattern without a slash is compared with
/// the base name; one with a slash is compared with the path and with each of its tails that follow a slash. A pattern
/// that ends in a slash is for directories: an excluded one is not entered, an included one admits all files below it.
/// Braces stand for several patterns: `*.{js,ts}` is `*.js` and `*.ts`.
class FileFilter {
 public:
  void include(const std::string& pattern) { add(pattern, true); }
  void exclude(const std::string& pattern) { add(pattern, false); }
  /// As exclude() with a slash at the end of the pattern.
  void exclude_directory(std::string pattern);

  bool admits_file(const std::string& path) const;
  bool admits_directory(const std::string& path) const;

 private:
  struct Rule {
    std::string pattern;
    bool included;
  };
  void add(const std::string& pattern, bool included);

  std::vector<Rule> rules_;
};

/// Returns the patterns that braces stand for, as shells expand them. A backslash takes the special meaning from the
/// byte that follows. Braces without a comma or without an end are taken as they are.
std::vector<std::string> expand_braces(const std::string& pattern);

struct WalkOptions {
  bool follow_links = false;
  bool gitignore = false;  // whether paths that .gitignore files exclude are left out
};

/// A file to be searched, or a path that cannot be read.
struct FoundPath {
  std::string path;
  std::string failure;  // why it cannot be read; empty for a file
};

class DirectoryWalk {
 public:
  /// An empty path is the working directory; paths found there have no prefix. `filter` must outlive the walk.
  DirectoryWalk(const std::string& path, const FileFilter& filter, const WalkOptions& options);
  DirectoryWalk(DirectoryWalk&&) noexcept;
  DirectoryWalk& operator=(DirectoryWalk&&) noexcept;
  ~DirectoryWalk();

  std::optional<FoundPath> next();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace lode::io
