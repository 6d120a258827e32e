// Rates: how fast kinds of searches ran on this machine, in bytes a second.
//
// Learnt from searches of this process and kept in the cache folder for others. A rate that falls, as where a text came
// from a slow disk, is believed slowly; one that rises at once. Safe between threads and processes: the worst that a race
// does is to lose one observation.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace lode {

class Rates {
 public:
  /// What is known of the kind of search; none where nothing is.
  std::optional<double> find(const std::string& kind);
  /// Takes in a search of this kind that ran at this rate.
  void learn(const std::string& kind, double bytes_per_second);

 private:
  std::optional<double> find_locked(const std::string& kind);

  std::mutex mutex_;
  std::map<std::string, std::optional<double>> known_;  // as in the cache folder, or newer
};

}  // namespace lode
