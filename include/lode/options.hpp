// Every part of the library may know these options of a search and facts about a device.
#pragma once

#include <cstdint>
#include <string>

#include "lode/match.hpp"

namespace lode {

/// How threads get the chunks of a text: one by one, as they ask for them (dynamic_chunks), or as one contiguous share
/// for each thread (static_chunks).
enum class Schedule { dynamic_chunks, static_chunks };

struct SearcherOptions {
  std::string algorithm = "auto";  // a name of list_algorithms(), or "auto"
  MatchKind match_kind = MatchKind::overlapping;
  Condition condition = Condition::none;
  char line_terminator = '\n';  // what ends a line, for one_per_line, count_lines() and the conditions of whole lines
  bool one_per_line = false;    // For each line in which matches start, at least one of them is reported, and most
                                // others are left out. That is enough to tell which lines match, and faster. It has
                                // no effect if a pattern contains the line terminator, nor on GPUs. It works only with
                                // `overlapping`.
  unsigned threads = 0;         // 0: all cores; at most 4096, which may be more than there are cores
  Schedule schedule = Schedule::dynamic_chunks;
  std::uint64_t chunk_bytes = 0;  // bytes of text that a thread takes at a time; 0: chosen
  // Limit on the memory that a search takes for matches and text, beyond the tables of the patterns. 0: 64 MiB on the
  // CPU, chosen on GPUs. With GPUs it holds once for the host and once for all devices together, with at least 2 MiB
  // for each.
  std::uint64_t memory_limit_bytes = 0;
  // The next three say how kernels are laid out on a GPU. None of them changes results; 0: chosen.
  unsigned gpu_cascade = 0;          // boyer-moore: blocks of 24 bytes that a work-item takes as one, 1 … 64
  unsigned gpu_group_items = 0;      // work-items of a work-group; rounded and bounded as the device needs
  unsigned gpu_groups_per_unit = 0;  // work-groups started for each compute unit
  std::string instruction_set;  // a name of cpu_instruction_sets(); empty: LODE_TARGET of the environment, or the best
};

/// The facts about a device that are known without opening it.
struct DeviceInfo {
  std::string name;         // as open_device takes it: "cpu", "cuda:0"
  std::string description;  // for people: model, cores, instruction sets
  bool available = false;
  std::string reason;   // why it is not available; empty if it is
  bool is_gpu = false;  // a GPU, which `auto` may choose
};

}  // namespace lode
