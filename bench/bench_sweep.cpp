// lode-bench-sweep: one thread over a grid of texts and sets, to find cliffs: points much slower than their neighbours.
//
// Texts are random letters of an alphabet of 2, 4 … 256; sets are 1, 2, 4 … patterns of 1, 2, 4 … 256 letters, every other
// one a piece of the text; to some a pattern of one or two bytes is added that the text has not. Density comes with them:
// short patterns of few letters match at every other byte. Counts are compared with another algorithm's first.
// Exit 2 where they differ, and on errors.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <set>

#include "arguments.hpp"
#include "generators.hpp"
#include "lode/lode.hpp"
#include "measure.hpp"

namespace lode::bench {
namespace {

using nlohmann::json;

constexpr std::uint32_t most_letters = 256;
constexpr std::uint32_t most_length = 256;
constexpr std::uint64_t most_pattern_bytes = std::uint64_t{64} << 20;
constexpr std::size_t checked_bytes = std::size_t{1} << 18;
constexpr double seconds_per_repetition = 0.03;
constexpr double cliff = 2;                 // times slower than a neighbour
constexpr double tolerance = 0.9;           // of the best named algorithm that `auto` should reach
constexpr double hopeless = 10;             // a named algorithm that takes so many times as long as `auto` is left out
constexpr std::uint64_t few_patterns = 64;  // short patterns are added to every set of so few,
constexpr std::uint32_t few_counts = 4;     // and to every so many'th set of a row

struct Settings {
  std::string json_path;
  std::string commit;
  std::uint64_t text_bytes = std::uint64_t{8} << 20;
  std::uint64_t most_patterns = std::uint64_t{1} << 20;
  std::uint32_t factor = 2;
  std::vector<std::uint32_t> letters;  // empty: all of the grid
  std::vector<std::uint32_t> lengths;  // the same
  std::vector<std::string> joined_paths;
  bool again = false;
  int repetitions = 3;
  bool named_algorithms = false;
};

// Coordinates: letters, length, patterns, and bytes of the short pattern that is added (0: none).
using Point = std::array<std::uint64_t, 4>;
constexpr std::array<const char*, 4> axis_names = {"letters", "length", "patterns", "short pattern"};
constexpr std::size_t grid_axes = 3;

struct Rates {
  double matches_per_byte = 0;
  std::string algorithm;               // that `auto` took
  std::map<std::string, double> gb_s;  // by algorithm, "auto" among them
};

std::string make_letters(std::mt19937_64& random, std::uint64_t bytes, std::uint32_t letters) {
  std::string text(bytes, '\0');
  // Letters that are neighbours in ASCII, so that small alphabets are letters, and 256 all bytes.
  for (char& byte : text) byte = static_cast<char>((draw(random, letters) + (letters < 64 ? 'A' : 0)) & 0xff);
  return text;
}

// Empty where so many do not exist.
std::vector<std::string> make_patterns(std::mt19937_64& random, std::string_view text, std::uint32_t letters,
                                       std::uint64_t length, std::uint64_t count) {
  const double possible = std::pow(static_cast<double>(letters), static_cast<double>(length));
  if (possible < 2 * static_cast<double>(count) || count * length > most_pattern_bytes) return {};
  std::set<std::string> drawn;
  while (drawn.size() < count) {
    if (drawn.size() % 2 == 0)
      drawn.emplace(text.substr(draw(random, text.size() - length), length));
    else
      drawn.insert(make_letters(random, length, letters));
  }
  return {drawn.begin(), drawn.end()};
}

Searcher make_searcher(const std::vector<std::string>& patterns, std::string_view text, const std::string& algorithm) {
  PatternSet set;
  for (const std::string& pattern : patterns) set.add(pattern);
  PlanOptions plan_options;
  plan_options.text_sample = text.substr(0, std::size_t{1} << 20);
  SearcherOptions options;
  options.algorithm = algorithm;
  options.threads = 1;
  return Searcher(Plan::build(std::move(set), plan_options), options);
}

double seconds_of(const Searcher& searcher, std::string_view text, std::uint64_t& found) {
  const auto begin = std::chrono::steady_clock::now();
  found = searcher.count(text);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Rates measure_point(const Point& point, const std::vector<std::string>& patterns, std::string_view text,
                    const Settings& settings) {
  PatternSet set;
  for (const std::string& pattern : patterns) set.add(pattern);
  std::vector<std::pair<std::string, Searcher>> searchers;
  searchers.emplace_back("auto", make_searcher(patterns, text, "auto"));
  Rates rates;
  rates.algorithm = searchers.front().second.algorithm();
  std::uint64_t matches = 0;
  const double seconds = seconds_of(searchers.front().second, text, matches);
  rates.matches_per_byte = static_cast<double>(matches) / static_cast<double>(text.size());
  for (const AlgorithmInfo& algorithm : list_algorithms()) {
    const std::string name(algorithm.name);
    const bool is_check = name == (rates.algorithm == "filter" ? "rabin-karp" : "filter");
    if ((!settings.named_algorithms && !is_check) || !refusal(name, set).empty()) continue;
    Searcher named = make_searcher(patterns, text, name);
    const std::string_view piece = text.substr(0, checked_bytes);
    std::uint64_t found = 0;
    const double piece_seconds = seconds_of(named, piece, found);
    if (const std::uint64_t expected = searchers.front().second.count(piece); found != expected) {
      throw std::runtime_error(fmt::format("{} letters, length {}, {} patterns: {} counts {}, auto {}", point[0],
                                           point[1], point[2], name, found, expected));
    }
    const double share = static_cast<double>(piece.size()) / static_cast<double>(text.size());
    if (settings.named_algorithms && piece_seconds < hopeless * seconds * share)
      searchers.emplace_back(name, std::move(named));
  }
  std::vector<Job> jobs;
  for (const auto& [name, searcher] : searchers) {
    const auto iterations = static_cast<std::uint64_t>(std::clamp(seconds_per_repetition / seconds, 1.0, 1e4));
    jobs.push_back(
        {name, [&searcher = searcher, text] { benchmark::DoNotOptimize(searcher.count(text)); }, iterations});
  }
  const std::vector<std::vector<double>> measured = measure(jobs, settings.repetitions);
  for (std::size_t job = 0; job < jobs.size(); ++job)
    rates.gb_s[jobs[job].name] = static_cast<double>(text.size()) / median(measured[job]) / 1e9;
  return rates;
}

using Points = std::map<Point, Rates>;

json to_json(const Points& points) {
  json rows = json::array();
  for (const auto& [point, rates] : points) {
    json row = {{"matches_per_byte", rates.matches_per_byte}, {"algorithm", rates.algorithm}, {"gb_s", rates.gb_s}};
    for (std::size_t axis = 0; axis < point.size(); ++axis) row[axis_names[axis]] = point[axis];
    rows.push_back(std::move(row));
  }
  return rows;
}

// Keeps the better of the two rates of each algorithm.
void merge(const Rates& again, Rates& rates) {
  for (const auto& [name, rate] : again.gb_s) rates.gb_s[name] = std::max(rates.gb_s[name], rate);
}

void add(const Point& point, const Rates& measured, Points& points) {
  const auto [known, is_new] = points.try_emplace(point, measured);
  if (!is_new) merge(measured, known->second);
}

// Adds the points of results that were measured before.
void join(const std::string& path, Points& points) {
  std::ifstream file(path);
  const json results = json::parse(file);
  for (const json& row : results.at("points")) {
    Point point;
    for (std::size_t axis = 0; axis < point.size(); ++axis) point[axis] = row.at(axis_names[axis]);
    add(point, {row.at("matches_per_byte"), row.at("algorithm"), row.at("gb_s").get<std::map<std::string, double>>()},
        points);
  }
}

std::string describe(const Point& point) {
  std::string text = fmt::format("{} letters, length {}, {} patterns", point[0], point[1], point[2]);
  if (point[3] != 0) text += fmt::format(" and one of {}", point[3]);
  return text;
}

struct Finding {
  double times;
  std::string what;
  std::vector<Point> points;  // that were compared
};

struct Findings {
  std::vector<Finding> dips;    // slower than both neighbours, or than without the short pattern
  std::vector<Finding> steps;   // slower than one neighbour
  std::vector<Finding> behind;  // `auto` slower than another algorithm
};

// The rate of `auto`. It was measured twice where the algorithm that it took was measured, too.
double rate_of(const Rates& rates) {
  const auto named = rates.gb_s.find(rates.algorithm);
  return std::max(rates.gb_s.at("auto"), named == rates.gb_s.end() ? 0 : named->second);
}

// Sums up what the grid shows.
Findings look_through(const Points& points, std::uint32_t factor) {
  Findings found;
  const auto rate_at = [&](const Point& point) {
    const auto known = points.find(point);
    return known == points.end() ? 0.0 : rate_of(known->second);
  };
  for (const auto& [point, rates] : points) {
    const double rate = rate_of(rates);
    for (std::size_t axis = 0; axis < grid_axes; ++axis) {
      Point below = point;
      Point above = point;
      below[axis] /= factor;
      above[axis] *= factor;
      for (const Point& neighbour : {below, above})
        if (const double other = rate_at(neighbour); other > cliff * rate)
          found.steps.push_back(
              {other / rate,
               fmt::format("{}: {:.2f} GB/s, {}: {:.2f}", describe(point), rate, describe(neighbour), other),
               {point, neighbour}});
      const double least = std::min(rate_at(below), rate_at(above));
      if (least > cliff * rate)
        found.dips.push_back({least / rate,
                              fmt::format("{}: {:.2f} GB/s, {} before and behind at least {:.2f}", describe(point),
                                          rate, axis_names[axis], least),
                              {point, below, above}});
    }
    Point plain = point;
    plain[3] = 0;
    if (const double without = rate_at(plain); without > cliff * rate)
      found.dips.push_back({without / rate,
                            fmt::format("{}: {:.2f} GB/s, without it {:.2f}", describe(point), rate, without),
                            {point, plain}});
    for (const auto& [name, named] : rates.gb_s) {
      if (rate < tolerance * named)
        found.behind.push_back(
            {named / rate,
             fmt::format("{}: auto ({}) {:.2f} GB/s, {} {:.2f}", describe(point), rates.algorithm, rate, name, named),
             {point}});
    }
  }
  return found;
}

void tell(const Points& points, std::uint32_t factor) {
  Findings found = look_through(points, factor);
  const auto print = [](const char* title, std::vector<Finding>& list) {
    std::sort(list.begin(), list.end(), [](const Finding& a, const Finding& b) { return a.times > b.times; });
    std::cout << title << ": " << list.size() << "\n";
    for (const Finding& one : list) std::cout << fmt::format("  {:.1f} ×  {}\n", one.times, one.what);
  };
  std::cout << points.size() << " points\n";
  print("More than 2 times slower than both neighbours along an axis", found.dips);
  print("More than 2 times slower than one neighbour", found.steps);
  print("auto below 90 % of another algorithm", found.behind);
}

// Those that may be cliffs, or may have been measured while something else ran, and what they were compared with.
std::set<Point> doubtful_points(const Points& points, std::uint32_t factor) {
  const Findings found = look_through(points, factor);
  std::set<Point> doubtful;
  for (const auto* list : {&found.dips, &found.behind})
    for (const Finding& one : *list) doubtful.insert(one.points.begin(), one.points.end());
  return doubtful;
}

// Measures points of the grid: all that are asked for, or `wanted` ones. `take` is told of each row of them.
template <class Take>
void measure_grid(const Settings& settings, const std::optional<std::set<Point>>& wanted, Points& points, Take take) {
  const auto is_asked_for = [](const auto& asked, std::uint64_t value) {
    return asked.empty() || std::find(asked.begin(), asked.end(), value) != asked.end();
  };
  const auto is_row_wanted = [&](std::uint32_t letters, std::uint64_t length) {
    return !wanted || std::any_of(wanted->begin(), wanted->end(), [&](const Point& point) {
      return point[0] == letters && (length == 0 || point[1] == length);
    });
  };
  for (std::uint32_t letters = 2; letters <= most_letters; letters *= settings.factor) {
    if (!is_asked_for(settings.letters, letters) || !is_row_wanted(letters, 0)) continue;
    std::mt19937_64 random(letters);
    const std::string text = make_letters(random, settings.text_bytes, letters);
    for (std::uint64_t length = 1; length <= most_length; length *= settings.factor) {
      if (!is_asked_for(settings.lengths, length) || !is_row_wanted(letters, length)) continue;
      random.seed(letters * most_length * 2 + length);  // the same patterns, whichever lengths are asked for
      std::uint32_t number = 0;
      for (std::uint64_t count = 1; count <= settings.most_patterns; count *= settings.factor) {
        std::vector<std::string> patterns = make_patterns(random, text, letters, length, count);
        if (patterns.empty()) break;
        for (std::uint64_t extra = 0; extra <= 2; ++extra) {
          // Bytes that no text of fewer letters has.
          if (extra != 0 && (letters == most_letters || length <= extra)) continue;
          if (extra != 0 && count > few_patterns && number % few_counts != 0) continue;
          if (extra != 0) patterns.push_back(extra == 1 ? "\xfe" : "\xfe\xff");
          const Point point = {letters, length, count, extra};
          if (!wanted || wanted->contains(point)) add(point, measure_point(point, patterns, text, settings), points);
          if (extra != 0) patterns.pop_back();
        }
        ++number;
      }
      std::cerr << fmt::format("lode-bench-sweep: {} letters, length {}: {} points\n", letters, length, points.size());
      take();
    }
  }
}

void sweep(const Settings& settings, const std::string& command_line) {
  Points points;
  for (const std::string& path : settings.joined_paths) {
    if (!std::filesystem::is_regular_file(path)) throw std::runtime_error(path + " is not a file");
    join(path, points);
  }
  const auto write = [&] {
    write_json(settings.json_path, {{"program", "lode-bench-sweep"},
                                    {"command_line", command_line},
                                    {"commit", settings.commit},
                                    {"machine", describe_machine()},
                                    {"text_bytes", settings.text_bytes},
                                    {"points", to_json(points)}});
  };
  if (settings.joined_paths.empty()) measure_grid(settings, std::nullopt, points, write);
  // A point that turns out to be faster than before may make its neighbours seem to be cliffs.
  std::set<Point> known;
  while (settings.again) {
    std::set<Point> doubtful = doubtful_points(points, settings.factor);
    std::erase_if(doubtful, [&](const Point& point) { return known.contains(point); });
    if (doubtful.empty()) break;
    measure_grid(settings, doubtful, points, write);
    known.merge(doubtful);
  }
  write();
  tell(points, settings.factor);
}

}  // namespace
}  // namespace lode::bench

int main(int argument_count, char** words) {
  lode::bench::Arguments arguments(
      "lode-bench-sweep",
      "Measures one thread over a grid of texts and sets, and tells where it is much slower than beside.");
  lode::bench::Settings settings;
  arguments.add("--json", settings.json_path, "where results go");
  arguments.add("--commit", settings.commit, "of the sources, for the results");
  arguments.add_bytes("--text-bytes", settings.text_bytes, "of every text");
  arguments.add("--most-patterns", settings.most_patterns, "of a set");
  arguments.add("--factor", settings.factor, "between neighbours of the grid", {2, 4, 16});
  const std::vector<std::uint32_t> in_grid = {1, 2, 4, 8, 16, 32, 64, 128, 256};
  arguments.add("--letters", settings.letters, "of the grid's, only these", in_grid);
  arguments.add("--lengths", settings.lengths, "of the grid's, only these", in_grid);
  arguments.add("--join", settings.joined_paths,
                "tells of these results together, of points in several with the better rates; measures none");
  arguments.add(
      "--again", settings.again,
      "with --join: measures those again that seem to be cliffs, with what is beside them, and takes the better rates");
  arguments.add("--repetitions", settings.repetitions, "of each point");
  arguments.add("--algorithms", settings.named_algorithms, "measure the named algorithms, too");
  return arguments.run(argument_count, words, [&](const std::string& command_line) {
    if (settings.again && settings.joined_paths.empty()) throw std::runtime_error("--again needs --join");
    lode::bench::sweep(settings, command_line);
    return 0;
  });
}
