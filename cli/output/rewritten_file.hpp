// RewrittenFile: the new content of a file that is rewritten in its place.
//
// The file is replaced as a whole, once all of its content is there (FileReplacement). Nothing is written for a file in
// which nothing is replaced. An interrupt ends the command between two writes, and leaves nothing behind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/file_replacement.hpp"
#include "cli/interrupt.hpp"

namespace lode::command {

class RewrittenFile {
 public:
  RewrittenFile(std::string path, std::string backup_suffix)
      : path_(std::move(path)), backup_suffix_(std::move(backup_suffix)) {}

  /// From now on the content differs from the file's.
  void differ();
  void append(std::string_view bytes);
  /// Puts the new content in the file's place, if it differs, and keeps the old one if there is a suffix for it.
  void commit();

 private:
  void write(std::string_view bytes);

  std::string path_, backup_suffix_;
  std::uint64_t unchanged_bytes_ = 0;  // the content so far, if it does not differ
  std::optional<InterruptsHeld> held_;
  std::optional<FileReplacement> replacement_;
};

}  // namespace lode::command
