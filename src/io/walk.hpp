// Walking directories: every regular file below a path, in byte order of names, hidden ones included.
//
// Symbolic links met on the way are not followed, so there are no loops; devices, pipes and sockets are passed over.
// What cannot be read is told to `failed` and the walk goes on.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lode::io {

/// Which files are searched, by shell patterns, as grep decides it: the last pattern that matches a file wins; where
/// none matches, the file is searched unless the first pattern is an --include. A pattern without a slash is compared
/// with the base name, one with a slash with the path or any part of it that follows a slash. A pattern that ends in
/// a slash is for directories, and only an --exclude can be that.
class FileFilter {
 public:
  void include(std::string pattern) { rules_.push_back({std::move(pattern), true}); }
  void exclude(std::string pattern) { rules_.push_back({std::move(pattern), false}); }

  bool admits_file(const std::string& path) const;
  bool admits_directory(const std::string& path) const;

 private:
  struct Rule {
    std::string pattern;
    bool included;
  };
  std::vector<Rule> rules_;
};

struct WalkCallbacks {
  std::function<bool(const std::string& path)> found;  // returns false to end the walk
  std::function<void(const std::string& path, const std::string& reason)> failed;
};

/// Returns false where `found` ended the walk.
bool walk_directory(const std::string& path, const FileFilter& filter, const WalkCallbacks& callbacks);

}  // namespace lode::io
