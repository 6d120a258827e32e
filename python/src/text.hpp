// What Python gives as bytes or as a text, held while it is searched.
//
// Made and destroyed with the GIL; between that the bytes may be read without it. A buffer stays exported (so that a
// bytearray cannot be resized, a mapping not closed), a str keeps its UTF-8 form, a file stays open. Contents that
// others change meanwhile are the caller's affair.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string_view>

#include "lode/resident_text.hpp"
#include "lode/searcher.hpp"
#include "lode/stream.hpp"

namespace lode::python {

namespace nb = nanobind;

/// A text on a device, and whose memory it is in where that is another's.
struct ResidentHolder {
  ResidentText text;
  nb::object owner;
};

/// bytes, str (as UTF-8) or any contiguous buffer. Throws TypeError where it is none, `what` naming it: "a pattern";
/// Error(invalid_argument) for a str without UTF-8 form and for a buffer that is closed or not contiguous.
class HeldBytes {
 public:
  HeldBytes(nb::handle source, const char* what);
  HeldBytes(const HeldBytes&) = delete;
  HeldBytes& operator=(const HeldBytes&) = delete;
  ~HeldBytes();

  std::string_view view() const noexcept { return view_; }

 private:
  nb::object owner_;  // of a view into bytes or str
  Py_buffer buffer_ = {};
  bool has_buffer_ = false;
  std::string_view view_;
};

/// The above, a path (os.PathLike: the file is opened), or a ResidentText.
class HeldText {
 public:
  explicit HeldText(nb::handle source);

  const Text& text() const noexcept { return *text_; }

 private:
  nb::object resident_;
  std::optional<HeldBytes> bytes_;
  std::unique_ptr<FileText> file_;
  std::optional<Text> text_;
};

/// Whether Python takes it for a path that is no str: os.PathLike.
bool is_path(nb::handle source);
/// The bytes of a path: str, bytes or os.PathLike. Throws Error(invalid_argument) where no file can have them.
std::string path_bytes(nb::handle path);

}  // namespace lode::python
