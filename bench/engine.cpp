#include "engine.hpp"

#include "lode_engine.hpp"
#include "peer_engines.hpp"

namespace lode::bench {
namespace {

constexpr std::string_view lode_prefix = "lode ";

}  // namespace

std::vector<EngineKind> engine_kinds(bool all_threads) {
  std::vector<EngineKind> kinds{{.name = "lode"}, {.name = "lode find"}};
  if (all_threads) kinds.push_back({.name = "lode", .threads = 0});
  for (const AlgorithmInfo& algorithm : list_algorithms()) {
    kinds.push_back({.name = std::string(lode_prefix) + algorithm.name});
  }
  for (const std::string& peer : peer_names()) kinds.push_back({.name = peer, .is_peer = true});
  return kinds;
}

std::unique_ptr<Engine> make_engine(const EngineKind& kind, const Task& task) {
  if (kind.is_peer) return make_peer_engine(task, kind.name);
  if (kind.name == "lode") return make_lode_engine(task, "auto", false, kind.threads);
  if (kind.name == "lode find") return make_lode_engine(task, "auto", true, kind.threads);
  return make_lode_engine(task, kind.name.substr(lode_prefix.size()), false, kind.threads);
}

}  // namespace lode::bench
