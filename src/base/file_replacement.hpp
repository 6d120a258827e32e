// FileReplacement: new content for a file, which takes its place as a whole or not at all.
//
// The content is written into a file without a name, if the file system has such: whatever ends the process before
// commit(), nothing is left behind. Otherwise it is written into a file beside the target, which is removed unless it
// was committed. A symbolic link stays one, and what it leads to is replaced, or made. The new file gets the
// permissions of the one that it replaces, and its owner where that is allowed. A device or a pipe is written into: a
// file in its place would put it out of the way.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace lode {

class FileReplacement {
 public:
  /// Throws Error(input_output) with the path where the file cannot be made, or the target is a directory.
  explicit FileReplacement(std::filesystem::path path);
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;
  ~FileReplacement();

  /// Throws Error(input_output).
  void write(std::string_view bytes);
  /// Puts the new file into its place. Nothing may be written afterwards. Throws Error(input_output).
  void commit();

 private:
  void open_beside(unsigned permissions);
  bool link_to(const std::string& name) const;
  [[noreturn]] void fail() const;

  std::filesystem::path path_;    // as it was given
  std::filesystem::path target_;  // the file that its links lead to
  std::string temporary_;         // the name of the new file until it is in its place; empty where it has none
  int descriptor_ = -1;
  bool is_in_place_ = false;  // whether what is written is the target itself
};

}  // namespace lode
