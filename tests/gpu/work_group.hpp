// Runs work-groups on the host. The work-items of a group take turns on one thread, from barrier to barrier. The thread
// sanitizer takes each for a thread, so it sees accesses that no barrier orders.
//
// Groups run one after the other, and so do launches, whoever asks for them. Items must reach the same barrier (the
// same line), or end. If an item waits where others do not come, this is reported on stderr and the program ends. If
// items come to one barrier from different lines, run_groups throws.
#pragma once

#include <cstdint>
#include <functional>

namespace lode::gpu::host {

class WorkGroup;

/// The state of a work-item.
struct Item {
  std::uint32_t index = 0;
  std::uint32_t group_items = 1;
  std::uint32_t group = 0;
  std::uint32_t group_count = 1;
  int team_exchanges = 0;
  std::uint32_t* local = nullptr;  // the group's local memory
  WorkGroup* work_group = nullptr;
  std::uint32_t exchanges = 0;  // how many exchanges this item has taken part in
};

/// The work-item that runs on this thread; null outside of kernels.
extern thread_local constinit Item* this_item;

void sync_group(int line);
void sync_team(int line);
/// 1 if any item of the team gives a value other than 0. Always 1 if teams do not exchange.
std::uint32_t any_of_team(std::uint32_t condition, int line);
/// Has a bit for each item of the team, of at most 32, which is 1 if the item gives a value other than 0. It is 0 if
/// teams do not exchange.
std::uint32_t ballot_of_team(std::uint32_t condition, int line);
/// The value of the team's next item; the last item gets that of the first. If teams do not exchange, it is the item's
/// own value.
std::uint32_t rotate_in_team(std::uint32_t value, int line);

struct GroupLaunch {
  std::uint32_t groups = 1;
  std::uint32_t group_items = 1;
  std::uint32_t team_items = 1;  // must divide group_items
  bool team_exchanges = false;
  std::uint32_t local_bytes = 0;
};

/// Runs `item` once for each item of each group, and returns when all are done. Local memory is filled with poison_byte
/// before each group. Throws std::logic_error if items came to one barrier from different lines.
void run_groups(const GroupLaunch& launch, const std::function<void()>& item);

inline constexpr std::uint8_t poison_byte = 0xA5;

}  // namespace lode::gpu::host
