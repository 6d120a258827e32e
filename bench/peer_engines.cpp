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

#include "lode/records.hpp"
#include "run_apart.hpp"

namespace lode::bench {
namespace {

// What an engine found: counted, or listed where the model asks for a list.
class Found {
 public:
  explicit Found(const Task& task) : lists_(task.model == Model::find) {}
  void clear() {
    count_ = 0;
    list_.clear();
  }
  void add(std::uint64_t offset, std::uint32_t pattern_id) {
    if (lists_) list_.push_back({offset, pattern_id, 0});
    ++count_;
  }
  std::uint64_t count() const { return count_; }

 private:
  bool lists_;
  std::uint64_t count_ = 0;
  std::vector<Match> list_;
};

// The lines of pieces of one text, which every engine finds before it is timed.
class Lines {
 public:
  const Records& of(std::string_view text) {
    if (text.size() != bytes_) records_ = Records::of_lines(text);
    bytes_ = text.size();
    return records_;
  }

 private:
  std::uint64_t bytes_ = 0;
  Records records_;
};

void require_few_exact(const Task& task) {
  if (task.ignore_case) throw NotServed("does not ignore case");
  require_few_patterns(task);
}

class MemmemEngine final : public Engine {
 public:
  explicit MemmemEngine(const Task& task) : patterns_(task.patterns), model_(task.model), found_(task) {
    require_few_exact(task);
    if (model_ == Model::stream) throw NotServed("has no streams");
  }

  std::uint64_t count(std::string_view text) override {
    found_.clear();
    if (model_ == Model::records) return count_records(lines_.of(text));
    for (std::uint32_t id = 0; id < patterns_.size(); ++id) {
      const char* at = text.data();
      const char* const end = at + text.size();
      while (const void* hit =
                 ::memmem(at, static_cast<std::size_t>(end - at), patterns_[id].data(), patterns_[id].size())) {
        at = static_cast<const char*>(hit) + 1;
        found_.add(static_cast<std::uint64_t>(at - 1 - text.data()), id);
      }
    }
    return found_.count();
  }
  std::string detail() const override { return std::string("glibc ") + gnu_get_libc_version(); }

 private:
  std::uint64_t count_records(const Records& records) {
    for (std::uint64_t record = 0; record < records.size(); ++record) {
      const std::string_view text = records[record];
      for (std::uint32_t id = 0; id < patterns_.size(); ++id)
        if (::memmem(text.data(), text.size(), patterns_[id].data(), patterns_[id].size()) != nullptr)
          found_.add(record, id);
    }
    return found_.count();
  }

  std::vector<std::string> patterns_;
  Model model_;
  Found found_;
  Lines lines_;
};

class StandardBoyerMooreEngine final : public Engine {
 public:
  explicit StandardBoyerMooreEngine(const Task& task) : patterns_(task.patterns), found_(task) {
    require_few_exact(task);
    if (task.model == Model::stream) throw NotServed("has no streams");
    if (task.model == Model::records) throw NotServed("of the searchers for one pattern memmem stands for records");
    for (const std::string& pattern : patterns_) searchers_.emplace_back(pattern.begin(), pattern.end());
  }

  std::uint64_t count(std::string_view text) override {
    found_.clear();
    for (std::uint32_t id = 0; id < searchers_.size(); ++id) {
      for (auto at = std::search(text.begin(), text.end(), searchers_[id]); at != text.end();
           at = std::search(at + 1, text.end(), searchers_[id])) {
        found_.add(static_cast<std::uint64_t>(at - text.begin()), id);
      }
    }
    return found_.count();
  }
  std::string detail() const override { return "std::boyer_moore_searcher"; }

 private:
  using Searcher = std::boyer_moore_searcher<std::string::const_iterator>;
  std::vector<std::string> patterns_;
  std::vector<Searcher> searchers_;
  Found found_;
};

#if LODE_BENCH_HYPERSCAN
// So many patterns take seconds or minutes to compile: in a process of its own, which can be ended and costs little beside.
constexpr std::size_t patterns_compiled_apart = 10000;

// What it compiles for where it is kept to an instruction set. (What it runs is chosen by the processor it finds.)
unsigned long long hyperscan_features(const std::string& instruction_set) {
  if (instruction_set.starts_with("avx512")) return HS_CPU_FEATURES_AVX2 | HS_CPU_FEATURES_AVX512;
  return instruction_set == "avx2" ? HS_CPU_FEATURES_AVX2 : 0;
}

// Each pattern is reported at every end of an occurrence, so the counts are ours. Block mode, or for streams its own;
// of records, which are scanned one by one, only the first occurrence of each pattern is asked for.
class HyperscanEngine final : public Engine {
 public:
  explicit HyperscanEngine(const Task& task) : model_(task.model), found_(task) {
    std::vector<const char*> patterns;
    std::vector<unsigned> ids;
    for (const std::string& pattern : task.patterns) {
      patterns.push_back(pattern.data());
      lengths_.push_back(pattern.size());
      ids.push_back(static_cast<unsigned>(ids.size()));
    }
    const std::vector<unsigned> flags(patterns.size(), (task.ignore_case ? HS_FLAG_CASELESS : 0) |
                                                           (model_ == Model::records ? HS_FLAG_SINGLEMATCH : 0));
    const auto compile = [&] {
      hs_platform_info_t platform;
      hs_compile_error_t* error = nullptr;
      const bool is_known = hs_populate_platform(&platform) == HS_SUCCESS;
      if (!task.instruction_set.empty()) platform.cpu_features = hyperscan_features(task.instruction_set);
      if (!is_known || hs_compile_lit_multi(patterns.data(), flags.data(), ids.data(), lengths_.data(),
                                            static_cast<unsigned>(patterns.size()),
                                            model_ == Model::stream ? HS_MODE_STREAM : HS_MODE_BLOCK, &platform,
                                            &database_, &error) != HS_SUCCESS) {
        const std::string message = error ? error->message : "the platform is not supported";
        hs_free_compile_error(error);
        throw NotServed(message);
      }
    };
    if (patterns.size() < patterns_compiled_apart) {
      compile();
    } else {
      const std::string bytes = run_apart(task.most_seconds, [&] {
        compile();
        char* serialized = nullptr;
        std::size_t size = 0;
        if (hs_serialize_database(database_, &serialized, &size) != HS_SUCCESS)
          throw NotServed("what it compiled cannot be serialized");
        return std::string(serialized, size);
      });
      if (hs_deserialize_database(bytes.data(), bytes.size(), &database_) != HS_SUCCESS)
        throw NotServed("what it compiled cannot be read again");
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
    found_.clear();
    if (model_ == Model::stream) {
      scan_stream(text);
    } else if (model_ == Model::records) {
      const Records& records = lines_.of(text);
      for (std::uint64_t record = 0; record < records.size(); ++record) scan_block(records[record]);
    } else {
      scan_block(text);
    }
    return found_.count();
  }
  std::string detail() const override { return std::string("Hyperscan ") + hs_version(); }
  std::uint64_t memory_bytes() const override {
    std::size_t bytes = 0;
    return hs_database_size(database_, &bytes) == HS_SUCCESS ? bytes : 0;
  }

 private:
  static int on_match(unsigned id, unsigned long long, unsigned long long end, unsigned, void* context) {
    auto& engine = *static_cast<HyperscanEngine*>(context);
    engine.found_.add(end - engine.lengths_[id], id);
    return 0;
  }
  void require(hs_error_t result) {
    if (result != HS_SUCCESS) throw NotServed(fmt::format("fails while it scans, with error {}", result));
  }
  void scan_block(std::string_view text) {
    require(hs_scan(database_, text.data(), static_cast<unsigned>(text.size()), 0, scratch_, on_match, this));
  }
  void scan_stream(std::string_view text) {
    hs_stream_t* stream = nullptr;
    require(hs_open_stream(database_, 0, &stream));
    for (std::size_t at = 0; at < text.size(); at += stream_piece_bytes) {
      const std::string_view piece = text.substr(at, stream_piece_bytes);
      require(hs_scan_stream(stream, piece.data(), static_cast<unsigned>(piece.size()), 0, scratch_, on_match, this));
    }
    require(hs_close_stream(stream, scratch_, on_match, this));
  }

  Model model_;
  Found found_;
  Lines lines_;
  std::vector<std::size_t> lengths_;
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
