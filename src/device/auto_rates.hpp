// Rates: how fast kinds of searches ran on this machine, in bytes a second.
//
// Rates are learnt from searches of this process and kept in the cache folder for others. A rate that rises is believed
// at once. One that falls is believed slowly, because the text may have come from a slow disk. Safe between threads and
// processes: the worst that a race can do is to lose one observation.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace lode {

class Rates {
 public:
  /// The rate of this kind of search; none if it is not known.
  std::optional<double> find(const std::string& kind);
  /// Takes in a search of this kind that ran at this rate.
  void learn(const std::string& kind, double bytes_per_second);

 private:
  std::optional<double> find_locked(const std::string& kind);

  std::mutex mutex_;
  std::map<std::string, std::optional<double>> known_;  // rates as in the cache folder, or newer ones
};

}  // namespace lode
