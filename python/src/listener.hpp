// Listener: reports statistics and progress to the caller of a search.
//
// The thread that works reports progress, with the GIL, one call at a time. If the caller's function raises, the search
// stops, and the exception is passed on to the caller.
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
  /// Needs the GIL, and the destructor needs it, too.
  explicit Listener(const Asked& asked);

  /// Runs the work as run_without_gil does. Calls `work` with the stop token and the progress function for the search.
  void run(bool may_take_long, const std::function<void(std::stop_token, const Progress&)>& work);
  /// Fills the dict. Warns (RuntimeWarning) if device `auto` gave up a GPU.
  void report(const SearchStats& stats) const;

 private:
  void tell(std::uint64_t done, std::uint64_t total);

  nb::object stats_;
  nb::object progress_;
  std::stop_source stop_;
  std::exception_ptr raised_;
};

/// A progress function for one part of a call's work. It adds `before`, the work of the parts before.
Progress part_of(const Progress& progress, std::uint64_t before, std::uint64_t total);

}  // namespace lode::python
