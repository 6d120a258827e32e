// GitIgnore: the rules of one .gitignore file, as git's manual gives them (gitignore(5)).
//
// The last rule that matches a path decides. A rule with a slash, but for one at its end, is compared with the path from the
// file's folder on, part by part, where `**` stands for any number of parts; a rule without one with the last part
// alone. A slash at the end makes it a rule for directories, an exclamation mark one that keeps what was ignored.
//
//   *.log        build/log.txt: no     a.log, sub/b.log: ignored
//   !keep.log    keep.log: kept
//   /build/      build: ignored, if it is a directory; sub/build: no
//   doc/**/*.o   doc/a.o, doc/x/y/b.o: ignored
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lode::io {

class GitIgnore {
 public:
  enum class Verdict { none, ignored, kept };

  explicit GitIgnore(std::string_view rules);

  /// `path` is relative to the file's folder. What lies in an ignored directory is not asked for.
  Verdict judge(std::string_view path, bool is_directory) const;
  bool empty() const noexcept { return rules_.empty(); }

 private:
  struct Rule {
    std::vector<std::string> parts;
    bool is_anchored = false;
    bool for_directories = false;
    Verdict verdict = Verdict::ignored;
  };
  static bool matches(const Rule& rule, const std::vector<std::string>& parts);
  void add(std::string_view line);

  std::vector<Rule> rules_;
};

/// The files that decide over the paths below a directory: those of the directory's repository, from its root down, and
/// of the directories entered since.
class GitIgnoreStack {
 public:
  /// `folder` is where a walk begins. Files that cannot be read are none.
  explicit GitIgnoreStack(const std::string& folder);

  /// `path` lies below the folder and is relative to it.
  bool ignores(const std::string& path, bool is_directory) const;
  /// Of the directory `path`, "" for the folder itself, which every path asked for until leave() lies below.
  void enter(const std::string& path);
  void leave();

 private:
  struct File {
    std::size_t folder_bytes;  // of the absolute path of its folder, with the slash behind it
    GitIgnore rules;
  };
  void add_file(const std::string& folder, const std::string& file);

  std::string folder_;  // absolute, with a slash behind it
  std::vector<File> files_;
  std::vector<std::size_t> levels_;  // files there were before each directory was entered
};

}  // namespace lode::io
