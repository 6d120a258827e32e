// Turns a lode::Error into the exception of lode._errors for its kind.
#include <exception>

#include "bind.hpp"
#include "lode/error.hpp"

namespace lode::python {
namespace {

namespace nb = nanobind;

void raise_in_python(const Error& error) {
  const nb::object made = nb::module_::import_("lode._errors").attr("make_error")(name_of(error.kind()), error.what());
  PyErr_SetObject(made.type().ptr(), made.ptr());
}

}  // namespace

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      try {
        raise_in_python(error);
      } catch (nb::python_error& failure) {
        failure.restore();
      }
    }
  });
}

}  // namespace lode::python
