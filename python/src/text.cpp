#include "text.hpp"

#include <string>

#include "lode/error.hpp"

namespace lode::python {
namespace {

[[noreturn]] void refuse(nb::handle source, const char* what, const char* wanted) {
  PyErr_Format(PyExc_TypeError, "%s must be %s, not %.100s", what, wanted, Py_TYPE(source.ptr())->tp_name);
  nb::raise_python_error();
}

// Turns Python's exception for a wrong value into Error(invalid_argument): for a str without UTF-8 form, a closed
// mapping or a slice with steps. Any other exception of an object is passed on.
[[noreturn]] void refuse_value(const std::string& what) {
  if (PyErr_ExceptionMatches(PyExc_ValueError) == 0 && PyErr_ExceptionMatches(PyExc_BufferError) == 0)
    nb::raise_python_error();
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  const nb::object owned[] = {nb::steal(type), nb::steal(value), nb::steal(trace)};
  throw Error(ErrorKind::invalid_argument, what + " cannot be read: " + nb::str(owned[1]).c_str());
}

}  // namespace

HeldBytes::HeldBytes(nb::handle source, const char* what) {
  if (PyBytes_Check(source.ptr())) {
    owner_ = nb::borrow(source);
    view_ = {PyBytes_AS_STRING(source.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(source.ptr()))};
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

bool is_path(nb::handle source) { return nb::hasattr(source, "__fspath__"); }

std::string path_bytes(nb::handle path) {
  PyObject* encoded = nullptr;
  if (PyUnicode_FSConverter(path.ptr(), &encoded) == 0) refuse_value("a path");
  const nb::object owner = nb::steal(encoded);
  return {PyBytes_AS_STRING(encoded), static_cast<std::size_t>(PyBytes_GET_SIZE(encoded))};
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
