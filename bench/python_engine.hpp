// The peers that are Python packages: each counts in a process of its own, python_peers.py, which gets the same bytes of
// the text and takes the time itself. The process waits while others are measured.
#pragma once

#include "engine.hpp"

namespace lode::bench {

std::vector<std::string> python_peer_names();

/// Throws NotServed where the package is not installed for task.python, or does not serve the task.
std::unique_ptr<Engine> make_python_engine(const Task& task, const std::string& name);

}  // namespace lode::bench
