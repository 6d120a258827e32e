// Makes NumPy arrays of vectors. The array takes over the vector's memory, and nothing is copied.
//
// Needs the GIL. Matches become bytes, and the Python side views these with the fields of a match.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "lode/match.hpp"

namespace lode::python {

namespace nb = nanobind;

template <class Element, class Shown = Element>
nb::object numpy_array(std::vector<Element>&& elements) {
  static_assert(sizeof(Element) % sizeof(Shown) == 0);
  elements.reserve(1);  // NumPy needs an address for an empty array, too
  auto owned = std::make_unique<std::vector<Element>>(std::move(elements));
  const std::size_t size = owned->size() * (sizeof(Element) / sizeof(Shown));
  auto* const data = reinterpret_cast<Shown*>(owned->data());
  const nb::capsule owner(owned.get(),
                          [](void* vector) noexcept { delete static_cast<std::vector<Element>*>(vector); });
  owned.release();
  return nb::cast(nb::ndarray<nb::numpy, Shown, nb::ndim<1>>(data, 1, &size, owner));
}

inline nb::object bytes_of_matches(std::vector<Match>&& matches) {
  return numpy_array<Match, std::uint8_t>(std::move(matches));
}

}  // namespace lode::python
