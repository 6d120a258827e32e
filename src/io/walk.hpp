// Walking directories: every regular file below a path, in byte order of names, hidden ones included.
//
// Symbolic links met on the way are followed only where that is asked for, and then never into a directory that the walk
// is in already; devices, pipes and sockets are passed over. What cannot be read is told, and the walk goes on. Directories may lie as deep as they like.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lode::io {

/// Which files are searched, by shell patterns, as grep decides it: the last pattern that matches a file wins; where
/// none matches, the file is searched unless the first pattern is an --include. A pattern without a slash is compared
/// with the base name, one with a slash with the path or any part of it that follows a slash. A pattern that ends in
/// a slash is for directories: an excluded one is not entered, an included one admits all files below it. Braces stand for
/// several patterns: `*.{js,ts}` is `*.js` and `*.ts`.
class FileFilter {
 public:
  void include(const std::string& pattern) { add(pattern, true); }
  void exclude(const std::string& pattern) { add(pattern, false); }
  /// As `exclude` with a slash at the end.
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

/// The patterns that braces stand for, as shells expand them; a backslash takes the meaning from what follows it. Braces
/// that have no comma, or no end, are taken as they are.
std::vector<std::string> expand_braces(const std::string& pattern);

struct WalkOptions {
  bool follow_links = false;
  bool gitignore = false;  // what .gitignore files leave out is left out
};

/// A file to be searched, or what cannot be read.
struct FoundPath {
  std::string path;
  std::string failure;  // why it cannot be read; empty for a file
};

class DirectoryWalk {
 public:
  /// An empty path is the working directory; what is found there has its name alone. `filter` must live as long.
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
