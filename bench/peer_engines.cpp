#include "peer_engines.hpp"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#if LODE_BENCH_HYPERSCAN
#include <hs.h>
#endif

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>

namespace lode::bench {
namespace {

// Searchers of one pattern run once per pattern; beyond this many they would only waste the time of the run.
constexpr std::size_t one_by_one_limit = 64;

void require_few_exact(const Task& task) {
  if (task.ignore_case) throw NotServed("does not ignore case");
  if (task.patterns.size() > one_by_one_limit) {
    throw NotServed(fmt::format("searches pattern by pattern; run for at most {}", one_by_one_limit));
  }
}

class MemmemEngine final : public Engine {
 public:
  explicit MemmemEngine(const Task& task) : patterns_(task.patterns) { require_few_exact(task); }

  std::uint64_t count(std::string_view text) override {
    std::uint64_t found = 0;
    for (const std::string& pattern : patterns_) {
      const char* at = text.data();
      const char* const end = at + text.size();
      while (const void* hit = ::memmem(at, static_cast<std::size_t>(end - at), pattern.data(), pattern.size())) {
        ++found;
        at = static_cast<const char*>(hit) + 1;
      }
    }
    return found;
  }
  std::string detail() const override { return std::string("glibc ") + gnu_get_libc_version(); }

 private:
  std::vector<std::string> patterns_;
};

class StandardBoyerMooreEngine final : public Engine {
 public:
  explicit StandardBoyerMooreEngine(const Task& task) : patterns_(task.patterns) {
    require_few_exact(task);
    for (const std::string& pattern : patterns_) searchers_.emplace_back(pattern.begin(), pattern.end());
  }

  std::uint64_t count(std::string_view text) override {
    std::uint64_t found = 0;
    for (const Searcher& searcher : searchers_) {
      for (auto at = std::search(text.begin(), text.end(), searcher); at != text.end();
           at = std::search(at + 1, text.end(), searcher)) {
        ++found;
      }
    }
    return found;
  }
  std::string detail() const override { return "std::boyer_moore_searcher"; }

 private:
  using Searcher = std::boyer_moore_searcher<std::string::const_iterator>;
  std::vector<std::string> patterns_;
  std::vector<Searcher> searchers_;
};

#if LODE_BENCH_HYPERSCAN
// Block mode, no flags but case: each pattern is reported at every end of an occurrence, so the counts are
// ours.
class HyperscanEngine final : public Engine {
 public:
  explicit HyperscanEngine(const Task& task) {
    std::vector<const char*> patterns;
    std::vector<std::size_t> lengths;
    std::vector<unsigned> ids;
    for (const std::string& pattern : task.patterns) {
      patterns.push_back(pattern.data());
      lengths.push_back(pattern.size());
      ids.push_back(static_cast<unsigned>(ids.size()));
    }
    const std::vector<unsigned> flags(patterns.size(), task.ignore_case ? HS_FLAG_CASELESS : 0);
    hs_platform_info_t platform;
    hs_compile_error_t* error = nullptr;
    if (hs_populate_platform(&platform) != HS_SUCCESS ||
        hs_compile_lit_multi(patterns.data(), flags.data(), ids.data(), lengths.data(),
                             static_cast<unsigned>(patterns.size()), HS_MODE_BLOCK, &platform, &database_,
                             &error) != HS_SUCCESS) {
      const std::string message = error ? error->message : "the platform is not supported";
      hs_free_compile_error(error);
      throw NotServed(message);
    }
    if (hs_alloc_scratch(database_, &scratch_) != HS_SUCCESS) {
      hs_free_database(database_);
      throw NotServed("no scratch space");
    }
  }
  HyperscanEngine(const HyperscanEngine&) = delete;
  HyperscanEngine& operator=(const HyperscanEngine&) = delete;
  ~HyperscanEngine() override {
    hs_free_scratch(scratch_);
    hs_free_database(database_);
  }

  std::uint64_t count(std::string_view text) override {
    if (text.size() > std::numeric_limits<unsigned>::max()) throw NotServed("scans at most 4 GiB at a time");
    std::uint64_t found = 0;
    const auto on_match = [](unsigned, unsigned long long, unsigned long long, unsigned, void* context) {
      ++*static_cast<std::uint64_t*>(context);
      return 0;
    };
    if (hs_scan(database_, text.data(), static_cast<unsigned>(text.size()), 0, scratch_, on_match, &found) !=
        HS_SUCCESS) {
      throw std::runtime_error("hs_scan failed");
    }
    return found;
  }
  std::string detail() const override { return std::string("Hyperscan ") + hs_version(); }
  std::uint64_t memory_bytes() const override {
    std::size_t bytes = 0;
    return hs_database_size(database_, &bytes) == HS_SUCCESS ? bytes : 0;
  }

 private:
  hs_database_t* database_ = nullptr;
  hs_scratch_t* scratch_ = nullptr;
};
#endif

}  // namespace

std::vector<std::string> peer_names() { return {"hyperscan", "memmem", "std::boyer_moore_searcher"}; }

std::unique_ptr<Engine> make_peer_engine(const Task& task, const std::string& name) {
  if (name == "memmem") return std::make_unique<MemmemEngine>(task);
  if (name == "std::boyer_moore_searcher") return std::make_unique<StandardBoyerMooreEngine>(task);
#if LODE_BENCH_HYPERSCAN
  return std::make_unique<HyperscanEngine>(task);
#else
  throw NotServed("libhyperscan was not there when the benches were built");
#endif
}

}  // namespace lode::bench
