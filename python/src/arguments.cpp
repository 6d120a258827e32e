// Converts arguments to numbers, words and truths. nanobind's own conversion would report a wrong argument in terms of
// C++, and call -1 a wrong type.
#include <string>

#include "bind.hpp"
#include "lode/error.hpp"
#include "text.hpp"

namespace lode::python {

namespace nb = nanobind;

namespace {

// A number as text for a message. Python refuses to write a number of thousands of digits, so a long one is described.
std::string tell(const nb::object& number) {
  constexpr int most_bits = 256;
  const nb::object bits = number.attr("bit_length")();
  if (nb::cast<std::uint64_t>(bits) > most_bits) return std::string("an int of ") + nb::str(bits).c_str() + " bits";
  return nb::str(number).c_str();
}

}  // namespace

std::uint64_t whole_number(nb::handle given, const char* name, std::uint64_t most) {
  if (PyIndex_Check(given.ptr()) == 0)
    throw nb::type_error((std::string(name) + " must be an int, not " + name_of_type(given)).c_str());
  PyObject* const made = PyNumber_Index(given.ptr());
  if (made == nullptr) nb::raise_python_error();
  const nb::object number = nb::steal(made);
  const unsigned long long value = PyLong_AsUnsignedLongLong(number.ptr());
  const bool is_outside = PyErr_Occurred() != nullptr;
  if (is_outside) PyErr_Clear();
  if (is_outside || value > most)
    throw Error(ErrorKind::invalid_argument,
                std::string(name) + " must be from 0 to " + std::to_string(most) + ", not " + tell(number));
  return value;
}

std::string word_of(nb::handle given, const char* name) {
  if (PyUnicode_Check(given.ptr()) == 0)
    throw nb::type_error((std::string(name) + " must be a str, not " + name_of_type(given)).c_str());
  return std::string(HeldBytes(given, name).view());
}

bool truth_of(nb::handle given, const char* name) {
  if (PyBool_Check(given.ptr()) == 0 && !name_of_type(given).starts_with("numpy.bool"))
    throw nb::type_error((std::string(name) + " must be True or False, not " + name_of_type(given)).c_str());
  return PyObject_IsTrue(given.ptr()) == 1;
}

unsigned threads_of(nb::handle given) {
  return static_cast<unsigned>(whole_number(given, "threads", std::numeric_limits<unsigned>::max()));
}

std::int64_t index_of(nb::handle given) {
  const Py_ssize_t index = PyNumber_AsSsize_t(given.ptr(), PyExc_IndexError);
  if (index == -1 && PyErr_Occurred() != nullptr) nb::raise_python_error();
  return index;
}

}  // namespace lode::python
