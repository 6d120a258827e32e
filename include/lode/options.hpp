// What every part of the library may know of a search: how it is to be done, and the facts of a device.
#pragma once

#include <cstdint>
#include <string>

#include "lode/match.hpp"

namespace lode {

/// How the chunks of a text are given to threads: one contiguous share each, or fetched one by one.
enum class Schedule { dynamic_chunks, static_chunks };

struct SearcherOptions {
  std::string algorithm = "auto";  // a name of list_algorithms(), or "auto"
  MatchKind match_kind = MatchKind::overlapping;
  Condition condition = Condition::none;
  char line_terminator = '\n';  // for conditions of lines and one_per_line
  bool one_per_line = false;    // report of each line that has matches at least one of those that start in it, and
                                // leave out most others: enough to tell which lines match, and faster. Has no
                                // effect where a pattern contains the line terminator, nor on GPUs. Only with
                                // `overlapping`.
  unsigned threads = 0;         // 0: all cores; 4096 at most, which may be more than cores
  Schedule schedule = Schedule::dynamic_chunks;
  std::uint64_t chunk_bytes = 0;  // bytes of text a thread takes at a time; 0: chosen
  // For buffers of matches and text of a search, beyond the tables of the patterns; 0: 64 MiB, on GPUs chosen. With
  // GPUs as much of the host and as much of all devices together, at least 2 MiB each.
  std::uint64_t memory_limit_bytes = 0;
  // How kernels are laid out on a GPU. None of these changes results; 0: chosen.
  unsigned gpu_cascade = 0;          // boyer-moore: blocks of 24 bytes that a work-item takes as one, 1 … 64
  unsigned gpu_group_items = 0;      // work-items of a work-group; rounded and bounded as the device needs
  unsigned gpu_groups_per_unit = 0;  // work-groups started for each compute unit
  std::string instruction_set;  // a name of cpu_instruction_sets(); empty: LODE_TARGET of the environment, or the best
};

/// What is known of a device without opening it.
struct DeviceInfo {
  std::string name;         // as open_device takes it: "cpu", "cuda:0"
  std::string description;  // for people: model, cores, instruction sets
  bool available = false;
  std::string reason;   // why it is not available; empty where it is
  bool is_gpu = false;  // what `auto` may choose beside the CPU
};

}  // namespace lode
