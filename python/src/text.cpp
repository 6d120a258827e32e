#include "text.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include "lode/error.hpp"

namespace lode::python {
namespace {

[[noreturn]] void refuse(nb::handle source, const char* what, const char* wanted) {
  PyErr_Format(PyExc_TypeError, "%s must be %s, not %.100s", what, wanted, name_of_type(source).c_str());
  nb::raise_python_error();
}

// Turns Python's exception for a wrong value into Error(invalid_argument): for a str without UTF-8 form, a closed
// mapping or a slice with steps. Any other exception of an object is passed on.
[[noreturn]] void refuse_value(const std::string& what) {
  if (PyErr_ExceptionMatches(PyExc_ValueError) == 0 && PyErr_ExceptionMatches(PyExc_BufferError) == 0)
    nb::raise_python_error();
  const nb::python_error raised;
  throw Error(ErrorKind::invalid_argument, what + " cannot be read: " + nb::str(raised.value()).c_str());
}

}  // namespace

HeldBytes::HeldBytes(nb::handle source, const char* what) {
  if (PyBytes_Check(source.ptr())) {
    owner_ = nb::borrow(source);
    view_ = {PyBytes_AsString(source.ptr()), static_cast<std::size_t>(PyBytes_Size(source.ptr()))};
    return;
  }
  if (PyUnicode_Check(source.ptr())) {
    owner_ = nb::borrow(source);
    Py_ssize_t size = 0;
    const char* const bytes = PyUnicode_AsUTF8AndSize(source.ptr(), &size);
    if (bytes == nullptr) refuse_value(what);
    view_ = {bytes, static_cast<std::size_t>(size)};
    return;
  }
  if (PyObject_CheckBuffer(source.ptr()) == 0) refuse(source, what, "bytes, str or a buffer");
  if (PyObject_GetBuffer(source.ptr(), &buffer_, PyBUF_SIMPLE) != 0) refuse_value(what);
  has_buffer_ = true;
  view_ = {static_cast<const char*>(buffer_.buf), static_cast<std::size_t>(buffer_.len)};
}

HeldBytes::~HeldBytes() {
  if (has_buffer_) PyBuffer_Release(&buffer_);
}

std::string name_of_type(nb::handle thing) {
  const nb::handle type = thing.type();
  const std::string name = nb::cast<std::string>(type.attr("__qualname__"));
  const std::string module = nb::cast<std::string>(nb::str(type.attr("__module__")));
  return module == "builtins" ? name : module + "." + name;
}

bool is_path(nb::handle source) { return nb::hasattr(source, "__fspath__"); }

std::string path_bytes(nb::handle path) {
  PyObject* encoded = nullptr;
  if (PyUnicode_FSConverter(path.ptr(), &encoded) == 0) refuse_value("a path");
  const nb::object owner = nb::steal(encoded);
  return {PyBytes_AsString(encoded), static_cast<std::size_t>(PyBytes_Size(encoded))};
}

HeldText::HeldText(nb::handle source) {
  if (nb::isinstance<ResidentHolder>(source)) {
    resident_ = nb::borrow(source);
    text_.emplace(nb::cast<const ResidentHolder&>(source).text);
  } else if (is_path(source)) {
    file_ = std::make_unique<FileText>(path_bytes(source));
    text_.emplace(*file_);
  } else {
    const bool has_bytes =
        PyBytes_Check(source.ptr()) || PyUnicode_Check(source.ptr()) || PyObject_CheckBuffer(source.ptr()) != 0;
    if (!has_bytes && nb::hasattr(source, "read"))
      refuse(source, "a text", "bytes, str, a buffer or a path (find_iter() takes files)");
    if (!has_bytes) refuse(source, "a text", "bytes, str, a buffer or a path");
    bytes_.emplace(source, "a text");
    text_.emplace(bytes_->view());
  }
}

}  // namespace lode::python
