// scan: the host loop. Cuts a text into pieces, keeps several on their way through each device, delivers in order.
//
// A text of the host is copied through slots of pinned memory, filled by several threads while devices copy and search
// what was filled before. A resident text is searched where it lies. Several engines (of different devices, with one
// plan) take pieces in turn.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "gpu/engine/engine.hpp"
#include "gpu/engine/resident.hpp"

namespace lode::gpu {

struct ScanText {
  std::uint64_t size = 0;
  ReadText read;                             // set unless `resident` is
  const Resident* resident = nullptr;        // lies on the engines' devices, in their order
  const RecordArguments* records = nullptr;  // the records of a resident text on one device; null: the text has none
};

struct ScanRequest {
  std::uint64_t begin = 0;  // occurrences that start in [begin, end) are wanted; end <= size of the text
  std::uint64_t end = 0;
  Mode mode = Mode::count;
  std::uint64_t piece_bytes = 0;   // 0: chosen
  std::uint64_t memory_bytes = 0;  // for pieces of text on each device; 0: chosen
  bool ends_early = false;         // the caller may want little: small pieces first
  unsigned threads = 1;            // threads that read the text
  std::stop_token stop;
  std::function<void(Queue&)> prepare;  // only with one device: queues work that all pieces come behind; may be empty
  std::vector<std::uint64_t>* per_distinct = nullptr;  // Mode::per_distinct adds its counts here
};

/// Throws Error(cancelled) if the stop token is set. `take` is called in order of the text and returns false to end the
/// scan.
void scan(std::span<Engine* const> engines, const ScanText& text, const ScanRequest& request,
          const std::function<bool(const PieceResult&)>& take);

}  // namespace lode::gpu
