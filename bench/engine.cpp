#include "engine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lode_engine.hpp"
#include "peer_engines.hpp"
#include "python_engine.hpp"

namespace lode::bench {
namespace {

void append_ways(std::vector<EngineKind>& kinds, const Ways& ways) {
  for (const std::string& algorithm : ways.algorithms) {
    for (const unsigned threads : ways.threads) {
      for (const std::string& schedule : ways.schedules) {
        for (const std::uint64_t chunks : ways.chunks) {
          EngineKind kind{.name = "lode " + algorithm, .threads = threads, .algorithm = algorithm};
          if (threads != 1) {  // one thread has nothing to share
            kind.schedule = schedule == "static" ? Schedule::static_chunks : Schedule::dynamic_chunks;
            kind.chunks = chunks;
            kind.name += ", " + schedule;
            if (chunks != 0) kind.name += fmt::format(", {} chunks", chunks);
          }
          const bool is_new = std::none_of(kinds.begin(), kinds.end(), [&](const EngineKind& other) {
            return other.name == kind.name && other.threads == kind.threads;
          });
          if (is_new) kinds.push_back(std::move(kind));
        }
      }
    }
  }
}

bool has_letters_beyond_ascii(const Task& task) {
  const auto is_beyond = [](char byte) { return static_cast<unsigned char>(byte) >= 0x80; };
  return std::any_of(task.patterns.begin(), task.patterns.end(), [&](const std::string& pattern) {
    return std::any_of(pattern.begin(), pattern.end(), is_beyond);
  });
}

}  // namespace

std::vector<EngineKind> engine_kinds(const Row& row) {
  std::vector<EngineKind> kinds{{.name = "lode"}};
  if (row.model == Model::count) kinds.push_back({.name = "lode find", .finds = true});
  if (row.all_threads) kinds.push_back({.name = "lode", .threads = 0});
  for (const AlgorithmInfo& algorithm : list_algorithms()) {
    const std::string name(algorithm.name);
    if (row.ways.algorithms.empty() || name == "naive") kinds.push_back({.name = "lode " + name, .algorithm = name});
  }
  append_ways(kinds, row.ways);
  std::vector<std::string> peers = peer_names();
  for (std::string& peer : python_peer_names()) peers.push_back(std::move(peer));
  const std::string not_run = row.peers ? "" : "left out by the definition of the row";
  for (std::string& peer : peers) kinds.push_back({.name = std::move(peer), .is_peer = true, .not_run = not_run});
  return kinds;
}

void require_few_patterns(const Task& task) {
  constexpr std::size_t most = 64;
  if (task.patterns.size() > most)
    throw NotServed(fmt::format("searches pattern by pattern; run for at most {}", most));
}

std::unique_ptr<Engine> make_engine(const EngineKind& kind, const Task& task) {
  if (!kind.is_peer) return make_lode_engine(task, kind);
  if (!task.view.empty()) throw NotServed("has no views");
  if (task.ignore_case && has_letters_beyond_ascii(task)) throw NotServed("ignores the case of ASCII letters alone");
  const std::vector<std::string> in_python = python_peer_names();
  const bool is_python = std::find(in_python.begin(), in_python.end(), kind.name) != in_python.end();
  if (is_python && !task.instruction_set.empty())
    throw NotServed("cannot be kept to the instructions of " + task.instruction_set);
  return is_python ? make_python_engine(task, kind.name) : make_peer_engine(task, kind.name);
}

}  // namespace lode::bench
