// Holds bytes or a text of Python while it is searched.
//
// Making and destroying these needs the GIL; in between the bytes may be read without it. A buffer stays exported, so
// that a bytearray cannot be resized and a mapping cannot be closed; a str keeps its UTF-8 form, and a file stays open.
// The caller must see to it that nobody changes the contents meanwhile.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lode/resident_text.hpp"
#include "lode/searcher.hpp"
#include "lode/stream.hpp"

namespace lode::python {

namespace nb = nanobind;

/// A text on a device, and the object that owns its memory if that was adopted.
struct ResidentHolder {
  ResidentText text;
  nb::object owner;
};

/// Holds bytes, str (as UTF-8) or any contiguous buffer. Throws TypeError for anything else, and
/// Error(invalid_argument) for a str without UTF-8 form and for a buffer that is closed or not contiguous. `what` names
/// the argument in messages: "a pattern".
class HeldBytes {
 public:
  HeldBytes(nb::handle source, const char* what);
  HeldBytes(const HeldBytes&) = delete;
  HeldBytes& operator=(const HeldBytes&) = delete;
  ~HeldBytes();

  std::string_view view() const noexcept { return view_; }

 private:
  nb::object owner_;  // the bytes or str that view_ points into
  Py_buffer buffer_ = {};
  bool has_buffer_ = false;
  std::string_view view_;
};

/// Holds bytes as HeldBytes does, a path (os.PathLike), whose file it opens, or a ResidentText.
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

/// The name of a thing's type, for messages: "int", "numpy.ndarray".
std::string name_of_type(nb::handle thing);
/// Whether the source is an os.PathLike, which is a path but not a str.
bool is_path(nb::handle source);
/// The bytes of a path that is a str, bytes or os.PathLike. Throws Error(invalid_argument) if no file can have such a
/// path.
std::string path_bytes(nb::handle path);

}  // namespace lode::python
