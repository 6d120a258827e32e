// The peers that run in process. None of them knows of threads or of counting per text: they scan on one
// thread.
#pragma once

#include "engine.hpp"

namespace lode::bench {

std::vector<std::string> peer_names();

/// Throws NotServed where the peer does not serve the task or was not there when this program was built.
std::unique_ptr<Engine> make_peer_engine(const Task& task, const std::string& name);

}  // namespace lode::bench
