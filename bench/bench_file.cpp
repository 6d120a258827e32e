// lode-bench-file: a file in the page cache, counted through pread and through a mapping, and what reading alone costs.
// All counts are compared before anything is timed. Exit 1 where they differ, 2 on errors.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iostream>
#include <regex>

#include "arguments.hpp"
#include "base/threads.hpp"
#include "cli/input/mapping.hpp"
#include "contest.hpp"
#include "lode/lode.hpp"
#include "measure.hpp"
#include "read_loops.hpp"
#include "row.hpp"

namespace lode::bench {
namespace {

using command::Mapping;

constexpr std::size_t piece_bytes = std::size_t{1} << 20;
constexpr std::size_t small_piece_bytes = std::size_t{1} << 17;
constexpr std::size_t page_bytes = 4096;

struct Settings {
  std::string only = "one-rare|english-1000";
  std::string folder = ".";
  std::string json_path;
  std::string commit;
  std::string rows = LODE_BENCH_ROWS;
  std::string sample = LODE_BENCH_SAMPLE;
  std::uint64_t text_bytes = 0;  // 0: as the row says
  std::vector<unsigned> threads = {1, 2, 0};
  int repetitions = 7;
};

/// The text as a file, which is in the page cache because it was just written; removed at the end.
class ScratchFile {
 public:
  ScratchFile(const std::filesystem::path& folder, std::string_view content)
      : path_(folder / "lode-bench-file.XXXXXX") {
    std::string name = path_.string();
    const int created = ::mkstemp(name.data());
    if (created < 0) throw std::runtime_error(name + ": cannot be created");
    ::close(created);
    path_ = name;
    std::ofstream file(path_, std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    if (!file.flush()) {
      std::filesystem::remove(path_);
      throw std::runtime_error(name + ": cannot be written");
    }
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class Descriptor {
 public:
  explicit Descriptor(const std::filesystem::path& path) : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (number_ < 0) throw std::runtime_error(path.string() + ": cannot be opened");
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { ::close(number_); }
  int number() const { return number_; }

 private:
  int number_;
};

std::string_view bytes_of(const Mapping& mapping) {
  if (mapping.bytes().empty()) throw std::runtime_error("the file cannot be mapped");
  return mapping.bytes();
}

/// A sum, so that no page is left out.
std::uint64_t touch(std::string_view bytes, unsigned threads) {
  std::atomic<std::uint64_t> sum{0};
  run_ranges(threads, bytes.size(), piece_bytes, [&](std::uint64_t begin, std::uint64_t end) {
    std::uint64_t part = 0;
    for (std::uint64_t at = begin; at < end; at += page_bytes) part += static_cast<unsigned char>(bytes[at]);
    sum += part;
  });
  return sum;
}

std::uint64_t read_pieces(const FileText& file, unsigned threads) {
  std::atomic<std::uint64_t> sum{0};
  run_ranges(threads, file.size(), piece_bytes, [&](std::uint64_t begin, std::uint64_t end) {
    thread_local std::vector<char> buffer(piece_bytes);
    file.read(begin, std::span(buffer).first(end - begin));
    std::uint64_t part = 0;
    for (std::uint64_t at = 0; at < end - begin; at += page_bytes) part += static_cast<unsigned char>(buffer[at]);
    sum += part;
  });
  return sum;
}

/// A mapping made with flags of its own, of a file that nobody changes meanwhile.
class FlaggedMapping {
 public:
  FlaggedMapping(int descriptor, std::size_t bytes, int flags)
      : bytes_(bytes), data_(::mmap(nullptr, bytes, PROT_READ, MAP_SHARED | flags, descriptor, 0)) {
    if (data_ == MAP_FAILED) throw std::runtime_error("the file cannot be mapped");
  }
  FlaggedMapping(const FlaggedMapping&) = delete;
  FlaggedMapping& operator=(const FlaggedMapping&) = delete;
  ~FlaggedMapping() { ::munmap(data_, bytes_); }
  std::string_view bytes() const { return {static_cast<const char*>(data_), bytes_}; }

 private:
  std::size_t bytes_;
  void* data_;
};

/// Asks for the pages of [begin, end), whose ends are those of pages.
void advise(std::string_view bytes, std::uint64_t begin, std::uint64_t end, int advice) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): the pages are read only, whatever the advice
  if (::madvise(const_cast<char*>(bytes.data()) + begin, end - begin, advice) != 0)
    throw std::runtime_error("the kernel does not take this advice on a mapping");
}

/// Counted by one searcher of one thread from all threads, each of which asks for the pages of its piece first.
std::uint64_t count_populating(const Searcher& alone, std::string_view bytes, unsigned threads) {
  std::atomic<std::uint64_t> count{0};
  run_ranges(threads, bytes.size(), piece_bytes, [&](std::uint64_t begin, std::uint64_t end) {
    advise(bytes, begin, end, MADV_POPULATE_READ);
    RunOptions range;
    range.begin = begin;
    range.end = end;
    count += alone.count(bytes, range);
  });
  return count;
}

std::uint64_t compute_with(std::string_view bytes, unsigned threads) {
  std::atomic<std::uint64_t> sum{0};
  run_ranges(threads, bytes.size(), piece_bytes,
             [&](std::uint64_t begin, std::uint64_t end) { sum += compute(bytes.data() + begin, end - begin); });
  return sum;
}

enum class Gives { count, sum_of_pages, nothing_of_the_text };

/// One way of reading with one number of threads.
struct Way {
  std::string name;
  unsigned threads = 1;
  std::function<std::uint64_t()> run;
  Gives gives = Gives::count;  // what all ways of its kind give
};

nlohmann::json measure_row(const Row& row, std::string_view text, const std::vector<std::string>& patterns,
                           const Settings& settings, const std::vector<unsigned>& threads) {
  const ScratchFile scratch(settings.folder, text);
  const FileText file(scratch.path());
  const Descriptor descriptor(scratch.path());
  const Mapping kept(descriptor.number(), text.size());
  touch(bytes_of(kept), 1);

  PatternSet set;
  for (const std::string& pattern : patterns) set.add(pattern, row.ignore_case);
  PlanOptions plan_options;
  plan_options.view = View(row.view);
  plan_options.text_sample = text.substr(0, std::size_t{1} << 20);
  const Plan plan = Plan::build(std::move(set), plan_options);

  std::vector<std::unique_ptr<Searcher>> searchers;
  const auto searcher_of = [&searchers, &plan](unsigned count, std::uint64_t chunk_bytes) {
    SearcherOptions options;
    options.threads = count;
    options.chunk_bytes = chunk_bytes;
    searchers.push_back(std::make_unique<Searcher>(plan, options));
    return searchers.back().get();
  };
  const Searcher* const alone = searcher_of(1, 0);
  std::vector<Way> ways;
  for (const unsigned count : threads) {
    const Searcher* const searcher = searcher_of(count, 0);
    const Searcher* const in_small_pieces = searcher_of(count, small_piece_bytes);
    const auto map = [&descriptor, &text, count] {
      return std::make_unique<Mapping>(descriptor.number(), text.size(), count);
    };
    ways.push_back({"pread", count, [searcher, &file] { return searcher->count(Text(file)); }});
    ways.push_back({"pread 128 KiB", count, [in_small_pieces, &file] { return in_small_pieces->count(Text(file)); }});
    ways.push_back({"mapping", count, [searcher, map] { return searcher->count(bytes_of(*map())); }});
    ways.push_back({"mapping, pages of each MiB", count,
                    [alone, map, count] { return count_populating(*alone, bytes_of(*map()), count); }});
    ways.push_back({"mapping, all pages", count, [searcher, &descriptor, &text] {
                      return searcher->count(FlaggedMapping(descriptor.number(), text.size(), MAP_POPULATE).bytes());
                    }});
    ways.push_back({"mapping, huge pages", count, [searcher, map] {
                      const auto mapping = map();
                      advise(bytes_of(*mapping), 0, mapping->bytes().size(), MADV_HUGEPAGE);
                      return searcher->count(mapping->bytes());
                    }});
    ways.push_back({"mapping kept", count, [searcher, &kept] { return searcher->count(kept.bytes()); }});
    ways.push_back({"memory", count, [searcher, &text] { return searcher->count(text); }});
    ways.push_back({"pread alone", count, [&file, count] { return read_pieces(file, count); }, Gives::sum_of_pages});
    ways.push_back(
        {"mapping alone", count, [map, count] { return touch(bytes_of(*map()), count); }, Gives::sum_of_pages});
    ways.push_back(
        {"arithmetic", count, [&text, count] { return compute_with(text, count); }, Gives::nothing_of_the_text});
  }

  const std::uint64_t count = alone->count(text);
  const std::uint64_t sum = touch(text, 1);
  if (row.expected && *row.expected != count) {
    throw Mismatch(fmt::format("{}: {} matches instead of {}", row.name, count, *row.expected));
  }
  std::vector<Job> jobs;
  for (const Way& way : ways) {
    const std::uint64_t got = way.run();
    const std::uint64_t expected = way.gives == Gives::count ? count : sum;
    if (way.gives != Gives::nothing_of_the_text && got != expected) {
      throw Mismatch(
          fmt::format("{}: {} with {} threads gives {} instead of {}", row.name, way.name, way.threads, got, expected));
    }
    jobs.push_back({fmt::format("{}/{}", way.name, way.threads), [&way] { way.run(); }});
  }
  const std::vector<std::vector<double>> seconds = measure(jobs, settings.repetitions);

  fmt::print("{}: {} patterns, {} matches in {:.0f} MiB; GB/s (least, most), of pread with as many threads\n", row.name,
             patterns.size(), count, static_cast<double>(text.size()) / (1 << 20));
  nlohmann::json results = nlohmann::json::array();
  std::size_t pread_at = 0;
  for (std::size_t at = 0; at < ways.size(); ++at) {
    const Way& way = ways[at];
    if (way.name == "pread") pread_at = at;
    const auto rate = [&](double pass) { return static_cast<double>(text.size()) / pass / 1e9; };
    const auto [fastest, slowest] = std::minmax_element(seconds[at].begin(), seconds[at].end());
    const double of_pread = median_ratio(seconds[pread_at], seconds[at]);
    fmt::print("  {:2} threads  {:26} {:7.2f} ({:.2f}, {:.2f})  {:.2f}\n", way.threads, way.name,
               rate(median(seconds[at])), rate(*slowest), rate(*fastest), of_pread);
    results.push_back({{"way", way.name},
                       {"threads", way.threads},
                       {"gigabytes_per_second", rate(median(seconds[at]))},
                       {"of_pread", of_pread},
                       {"seconds", seconds[at]}});
  }
  return {{"row", row.name},
          {"text_bytes", text.size()},
          {"patterns", patterns.size()},
          {"matches", count},
          {"results", results}};
}

int run(const Settings& settings, const std::string& command_line) {
  std::vector<unsigned> threads;
  for (const unsigned wanted : settings.threads) {
    const unsigned count = wanted == 0 ? available_threads() : wanted;
    const unsigned cores = available_threads();
    if (count > cores) std::cerr << "lode-bench-file: " << count << " threads: there are " << cores << " cores\n";
    if (count <= cores && std::find(threads.begin(), threads.end(), count) == threads.end()) threads.push_back(count);
  }
  if (threads.empty()) throw std::runtime_error("no number of threads is left");
  nlohmann::json report = {{"program", "lode-bench-file"}, {"lode_version", version()},
                           {"commit", settings.commit},    {"machine", describe_machine()},
                           {"command_line", command_line}, {"repetitions", settings.repetitions},
                           {"cores", available_threads()}, {"rows", nlohmann::json::array()}};
  const std::regex filter(settings.only);
  Workshop workshop(settings.sample);
  for (Row& row : read_rows(settings.rows, false)) {
    if (row.model != Model::count || !std::regex_match(row.name, filter)) continue;
    if (settings.text_bytes != 0) resize_text(row, settings.text_bytes);
    if (settings.sample != LODE_BENCH_SAMPLE) row.expected.reset();  // prose of another chain
    const std::vector<std::string> patterns = workshop.patterns_of(row);
    report["rows"].push_back(measure_row(row, workshop.text_of(row), patterns, settings, threads));
    write_json(settings.json_path, report);
  }
  if (report["rows"].empty()) throw std::runtime_error("no row that counts has a name that matches " + settings.only);
  return 0;
}

}  // namespace
}  // namespace lode::bench

int main(int argument_count, char** words) {
  lode::bench::Arguments arguments(
      "lode-bench-file", "Counts a file in the page cache through pread and through a mapping, counts verified first.");
  lode::bench::Settings settings;
  arguments.add("--rows", settings.rows, "definitions of the rows");
  arguments.add("--only", settings.only, "rows of rows.json that count, by a regular expression for the whole name");
  arguments.add_bytes("--text-bytes", settings.text_bytes, "size of the file, instead of the rows' own");
  arguments.add("--folder", settings.folder, "where the file is written; it is removed at the end");
  arguments.add("--threads", settings.threads, "numbers of threads; 0: all");
  arguments.add("--repetitions", settings.repetitions, "of each measurement");
  arguments.add("--sample", settings.sample, "text that English prose is learnt from");
  arguments.add("--json", settings.json_path, "where results go");
  arguments.add("--commit", settings.commit, "of the program, for the results");
  return arguments.run(argument_count, words, [&](const std::string& command_line) {
    try {
      return lode::bench::run(settings, command_line);
    } catch (const lode::bench::Mismatch& difference) {
      std::cerr << "lode-bench-file: " << difference.what() << "; nothing of it is reported\n";
      return 1;
    }
  });
}
