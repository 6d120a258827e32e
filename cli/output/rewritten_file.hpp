// RewrittenFile: the new content of a file that is rewritten in its place.
//
// The file is replaced as a whole, once all of its content is there (FileReplacement). Nothing is written for a file in
// which nothing is replaced. An interrupt ends the command between two writes, and leaves nothing behind. With -z a file
// that was packed is packed again, in the format that it had and that its name tells.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/file_replacement.hpp"
#include "cli/arguments/settings.hpp"
#include "cli/interrupt.hpp"
#include "io/compressor.hpp"
#include "io/input.hpp"

namespace lode::command {

class RewrittenFile {
 public:
  RewrittenFile(const io::Input& input, const Settings& settings);

  /// From now on the content differs from the file's. Throws Error(invalid_argument) if name and content tell different
  /// formats, so that it is not clear what to write.
  void differ();
  void append(std::string_view bytes);
  /// Puts the new content in the file's place, if it differs, and keeps the old one if there is a suffix for it. Throws
  /// Error(input_output) if the file is no longer as it was when it was opened: what was added to it would be lost.
  void commit();

 private:
  void refuse_unclear_format() const;
  void refuse_changed_file() const;
  void begin();
  void copy_unchanged();
  void write(std::string_view bytes);

  const Settings& settings_;
  std::string path_;
  struct stat status_ {};                       // when it was opened
  std::optional<io::CompressedFormat> format_;  // that of the content; nothing if it is taken as it is
  std::uint64_t unchanged_bytes_ = 0;           // the content so far, if it does not differ
  std::optional<InterruptsHeld> held_;
  std::optional<FileReplacement> replacement_;
  std::unique_ptr<io::Compressor> compressor_;
};

}  // namespace lode::command
