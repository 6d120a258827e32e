// lode._lode: the library as Python's package sees it.
#include "bind.hpp"

NB_MODULE(_lode, module) {
  // At the interpreter's end typing still holds what it was told of, and daemon threads what they use: these are no
  // leaks of ours.
  nanobind::set_leak_warnings(false);
  module.doc() = "The compiled part of lode; use the names of the package lode instead.";
  lode::python::bind_errors(module);
  lode::python::bind_devices(module);
  lode::python::bind_patterns(module);
  lode::python::bind_records(module);
  lode::python::bind_searcher(module);
  lode::python::bind_utf8(module);
}
