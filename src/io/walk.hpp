// Walking directories: every regular file below a path, in byte order of names, hidden ones included.
//
// Symbolic links met on the way are not followed, so there are no loops; devices, pipes and sockets are passed over.
// What cannot be read is told to `failed` and the walk goes on. Directories may lie as deep as they like.
#pragma once

#include <functional>
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

struct WalkCallbacks {
  std::function<bool(const std::string& path)> found;  // returns false to end the walk
  std::function<void(const std::string& path, const std::string& reason)> failed;
};

/// Returns false where `found` ended the walk.
bool walk_directory(const std::string& path, const FileFilter& filter, const WalkCallbacks& callbacks);

}  // namespace lode::io
