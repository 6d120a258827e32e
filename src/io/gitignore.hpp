// GitIgnore: the rules of one .gitignore file, as git's manual gives them (gitignore(5)).
//
// The last rule that matches a path decides. A rule with a slash, apart from one at its end, is compared with the whole
// path below the file's folder, part by part; `**` stands for any number of parts. A rule without a slash is compared
// with the last part alone. A slash at the end makes a rule for directories only. An exclamation mark at the begin
// makes a rule that keeps what was ignored.
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

  /// Judges a path, which is relative to the file's folder. Paths in an ignored directory must not be asked for.
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

/// The .gitignore files that decide about paths below a directory: those of its repository, from the root down, and
/// those of the directories that a walk has entered.
class GitIgnoreStack {
 public:
  /// `folder` is where a walk begins. A .gitignore file that cannot be read counts as missing.
  explicit GitIgnoreStack(const std::string& folder);

  /// `path` lies below the folder and is relative to it.
  bool ignores(const std::string& path, bool is_directory) const;
  /// Enters the directory `path`; "" is the folder itself. All paths asked for until leave() lie below it.
  void enter(const std::string& path);
  void leave();

 private:
  struct File {
    std::size_t folder_bytes;  // length of its folder's absolute path, with a slash at the end
    GitIgnore rules;
  };
  void add_file(const std::string& folder, const std::string& file);

  std::string folder_;  // the absolute path, with a slash at the end
  std::vector<File> files_;
  std::vector<std::size_t> levels_;  // for each directory entered: the size of files_ before
};

}  // namespace lode::io
