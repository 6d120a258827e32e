// Work-groups on the host: the work-items of a group take turns on one thread, from barrier to barrier. Each is a thread to
// the thread sanitizer, which therefore sees what no barrier orders.
//
// Groups run one after the other, launches too, whoever asks for them. Items must reach the same barrier (the same line)
// or have none left to reach: an item that waits where others do not come is told on stderr and ends the program; items
// of one barrier at different lines make run_groups throw.
#pragma once

#include <cstdint>
#include <functional>

namespace lode::gpu::host {

class WorkGroup;

/// What a work-item knows of itself.
struct Item {
  std::uint32_t index = 0;
  std::uint32_t group_items = 1;
  std::uint32_t group = 0;
  std::uint32_t group_count = 1;
  int team_exchanges = 0;
  std::uint32_t* local = nullptr;  // the group's local memory
  WorkGroup* work_group = nullptr;
  std::uint32_t exchanges = 0;  // that this item has taken part in
};

/// Of the work-item that runs on this thread. Null outside of kernels.
extern thread_local constinit Item* this_item;

void sync_group(int line);
void sync_team(int line);
/// 1 where any item of the team gives other than 0; always 1 where teams do not exchange.
std::uint32_t any_of_team(std::uint32_t condition, int line);
/// A bit for each item of the team, of at most 32, that gives other than 0; 0 where teams do not exchange.
std::uint32_t ballot_of_team(std::uint32_t condition, int line);
/// The value of the team's next item, the first one's for the last; one's own where teams do not exchange.
std::uint32_t rotate_in_team(std::uint32_t value, int line);

struct GroupLaunch {
  std::uint32_t groups = 1;
  std::uint32_t group_items = 1;
  std::uint32_t team_items = 1;  // divides group_items
  bool team_exchanges = false;
  std::uint32_t local_bytes = 0;
};

/// Runs `item` once for each item of each group, and returns when all are done. Local memory is filled with
/// poison_byte before each group. Throws std::logic_error where items of one barrier came from different lines.
void run_groups(const GroupLaunch& launch, const std::function<void()>& item);

inline constexpr std::uint8_t poison_byte = 0xA5;

}  // namespace lode::gpu::host
