// The Engine of the library itself.
#pragma once

#include "engine.hpp"

namespace lode::bench {

/// Where the kind finds, every match goes through a sink, else they are only counted. Throws NotServed where the algorithm
/// refuses.
std::unique_ptr<Engine> make_lode_engine(const Task& task, const EngineKind& kind);

}  // namespace lode::bench
