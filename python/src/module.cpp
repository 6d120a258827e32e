// lode._lode: the extension module that the Python package uses.
#include "bind.hpp"

NB_MODULE(_lode, module) {
  // nanobind would warn of objects that live when the interpreter ends. The module typing and daemon threads hold some
  // of ours until then, and these are not leaks.
  nanobind::set_leak_warnings(false);
  module.doc() = "The compiled part of lode; use the names of the package lode instead.";
  lode::python::bind_errors(module);
  lode::python::bind_devices(module);
  lode::python::bind_patterns(module);
  lode::python::bind_records(module);
  lode::python::bind_searcher(module);
  lode::python::bind_utf8(module);
  lode::python::bind_json(module);
}
