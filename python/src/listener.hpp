// Listener: what the caller of a search wants to be told: its statistics, and how far it is.
//
// Progress is told with the GIL from whatever thread works, one call at a time. What the caller's function raises stops
// the search and goes on to the caller.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <functional>
#include <stop_token>

#include "lode/searcher.hpp"

namespace lode::python {

namespace nb = nanobind;

/// (a dict to fill or None, a function of (done, total) or None).
using Asked = nb::typed<nb::tuple, nb::object, nb::object>;

class Listener {
 public:
  /// Needs the GIL, also to be destroyed.
  explicit Listener(const Asked& asked);

  /// As run_without_gil; `work` is called with the stop token and the progress that the search is to have.
  void run(bool may_take_long, const std::function<void(std::stop_token, const Progress&)>& work);
  /// Fills the dict. Warns (RuntimeWarning) where device `auto` gave a GPU up.
  void report(const SearchStats& stats) const;

 private:
  void tell(std::uint64_t done, std::uint64_t total);

  nb::object stats_;
  nb::object progress_;
  std::stop_source stop_;
  std::exception_ptr raised_;
};

/// The progress of one part of a call's work.
Progress part_of(const Progress& progress, std::uint64_t before, std::uint64_t total);

}  // namespace lode::python
