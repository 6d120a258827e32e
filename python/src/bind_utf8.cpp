// Turns offsets of bytes in UTF-8 into offsets of code points, which is how Python counts in a str.
#include <nanobind/ndarray.h>

#include <cstdint>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "bind.hpp"
#include "lode/error.hpp"
#include "text.hpp"

namespace lode::python {
namespace {

using Offsets = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

bool begins_code_point(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U; }

// Precondition: offsets never decrease. So one pass over the text suffices.
nb::object code_points_at(nb::handle text, const Offsets& offsets) {
  const HeldBytes held(text, "a text");
  const std::string_view bytes = held.view();
  std::vector<std::uint64_t> places(offsets.size());
  {
    const nb::gil_scoped_release release;
    std::uint64_t at = 0;
    std::uint64_t begun = 0;  // code points that begin before `at`
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::uint64_t offset = offsets.data()[i];
      if (offset > bytes.size())
        throw Error(ErrorKind::invalid_argument, "the offset " + std::to_string(offset) + " lies behind the text of " +
                                                     std::to_string(bytes.size()) + " bytes");
      for (; at < offset; ++at) begun += begins_code_point(bytes[at]) ? 1 : 0;
      const bool within = offset < bytes.size() && !begins_code_point(bytes[offset]);
      places[i] = within && begun > 0 ? begun - 1 : begun;
    }
  }
  return numpy_array(std::move(places));
}

}  // namespace

void bind_utf8(nb::module_& module) {
  module.def("code_points_at", &code_points_at, nb::arg("text").none(), nb::arg("offsets"),
             nb::sig("def code_points_at(text: object, offsets: numpy.typing.NDArray[numpy.uint64]) -> "
                     "numpy.typing.NDArray[numpy.uint64]"),
             "The indexes of the code points that hold the bytes at these offsets, which must not decrease.");
}

}  // namespace lode::python
