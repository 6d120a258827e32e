#include "row.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

namespace lode::bench {
namespace {

using nlohmann::json;

struct NamedModel {
  std::string_view name;
  Model model;
};
constexpr std::array models = {NamedModel{"count", Model::count}, NamedModel{"find", Model::find},
                               NamedModel{"stream", Model::stream}, NamedModel{"records", Model::records},
                               NamedModel{"build", Model::build}};

Model model_of(std::string_view name) {
  for (const NamedModel& one : models)
    if (one.name == name) return one.model;
  throw std::runtime_error("unknown model '" + std::string(name) + "'");
}

void allow_only(const json& object, std::initializer_list<std::string_view> known) {
  for (const auto& item : object.items()) {
    if (std::find(known.begin(), known.end(), item.key()) == known.end()) {
      throw std::runtime_error("unknown word '" + item.key() + "' in a row");
    }
  }
}

Ways ways_of(const json& object) {
  allow_only(object, {"algorithms", "threads", "schedules", "chunks"});
  Ways ways;
  ways.algorithms = object.at("algorithms");
  if (const json threads = object.value("threads", json(ways.threads)); threads == "doubling") {
    for (unsigned count = 2; count < std::thread::hardware_concurrency(); count *= 2) ways.threads.push_back(count);
    ways.threads.push_back(0);
  } else {
    ways.threads = threads.get<std::vector<unsigned>>();
  }
  ways.schedules = object.value("schedules", ways.schedules);
  ways.chunks = object.value("chunks", ways.chunks);
  for (const std::string& schedule : ways.schedules)
    if (schedule != "static" && schedule != "dynamic") throw std::runtime_error("unknown schedule '" + schedule + "'");
  return ways;
}

// Gives each of the rows that a definition stands for what is said of it under `key`: in a list the counts of all rows
// in their order, null where none is expected; in an object those of some by their names.
void share_out_counts(const json& definition, const char* key, std::vector<json>& rows) {
  if (!definition.contains(key)) return;
  const json& counts = definition[key];
  const std::string of_key =
      "each row of '" + definition.at("name").get<std::string>() + "' has its own count: '" + key;
  if (!counts.is_array() && !counts.is_object())
    throw std::runtime_error(of_key + "' is a list of them or an object by the names of rows");
  if (counts.is_array() && counts.size() != rows.size())
    throw std::runtime_error(of_key + "' has " + std::to_string(counts.size()) + " for " + std::to_string(rows.size()) +
                             " rows");
  std::size_t named = 0;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    json& row = rows[at];
    row.erase(key);
    const std::string name = row.at("name");
    if (counts.is_object() && !counts.contains(name)) continue;
    ++named;
    const json& count = counts.is_array() ? counts[at] : counts[name];
    if (!count.is_null()) row[key] = count;
  }
  if (counts.is_object() && named != counts.size())
    throw std::runtime_error(of_key + "' names a row that is none of them");
}

// The definitions that one with "each" stands for.
std::vector<json> expanded(const json& object) {
  std::vector<json> made{object};
  if (!object.contains("each")) return made;
  const json each = object["each"];
  allow_only(each, {"length", "count", "text", "kibibytes"});
  made[0].erase("each");
  for (const auto& axis : each.items()) {
    std::vector<json> more;
    for (const json& one : made) {
      for (const json& value : axis.value()) {
        json next = one;
        next["name"] = one.at("name").get<std::string>() + "-" +
                       (value.is_string() ? value.get<std::string>() : std::to_string(value.get<std::uint64_t>()));
        if (axis.key() == "length")
          next["patterns"]["shortest"] = next["patterns"]["longest"] = value;
        else if (axis.key() == "count")
          next["patterns"]["count"] = value;
        else
          next[axis.key()] = value;
        more.push_back(std::move(next));
      }
    }
    made = std::move(more);
  }
  for (const char* const key : {"expected", "quick_expected"}) share_out_counts(object, key, made);
  return made;
}

Row row_of(const json& object, const json& texts, bool quick) {
  allow_only(object, {"name", "model", "text", "pattern", "patterns", "ignore_case", "all_threads", "quick",
                      "more_patterns", "algorithms", "find", "usual", "peers", "ways", "kibibytes", "writing", "view",
                      "expected", "quick_expected"});
  Row row;
  row.name = object.at("name");
  row.model = model_of(object.value("model", "count"));
  row.text_name = object.at("text");
  row.text_kind = text_kind_of(row.text_name);
  row.text_bytes = texts.at(row.text_name).at(quick ? "quick_mebibytes" : "mebibytes").get<std::uint64_t>() << 20;
  if (object.contains("kibibytes")) row.text_bytes = object["kibibytes"].get<std::uint64_t>() << 10;
  row.writing = writing_of(object.value("writing", "plain"));
  row.view = object.value("view", "");
  row.pattern = object.value("pattern", "");
  row.ignore_case = object.value("ignore_case", false);
  row.all_threads = object.value("all_threads", false);
  row.more_patterns = object.value("more_patterns", std::vector<std::string>{});
  row.algorithms = object.value("algorithms", std::vector<std::string>{});
  row.find = object.value("find", false);
  row.usual = object.value("usual", true);
  row.peers = object.value("peers", true);
  if (object.contains("ways")) row.ways = ways_of(object["ways"]);
  for (const char* const key : {"expected", "quick_expected"}) {
    if (!object.contains(key)) continue;
    if (row.model == Model::build) throw std::runtime_error("a row of the model 'build' counts nothing");
    const std::uint64_t count = object[key].get<std::uint64_t>();
    if (quick == (std::string_view(key) == "quick_expected")) row.expected = count;
  }
  if (row.pattern.empty()) {
    const json& patterns = object.at("patterns");
    allow_only(patterns, {"kind", "count", "shortest", "longest", "present", "seed"});
    row.patterns.kind = pattern_kind_of(patterns.at("kind").get<std::string>());
    row.patterns.count = patterns.at("count");
    row.patterns.min_length = patterns.value("shortest", 5);
    row.patterns.max_length = patterns.value("longest", 20);
    row.patterns.share_present = patterns.value("present", 0.5);
    row.patterns.seed = patterns.value("seed", 2);
  }
  return row;
}

}  // namespace

std::string_view name_of(Model model) {
  return std::find_if(models.begin(), models.end(), [&](const NamedModel& one) { return one.model == model; })->name;
}

void resize_text(Row& row, std::uint64_t bytes) {
  if (bytes != row.text_bytes) row.expected.reset();
  row.text_bytes = bytes;
}

std::vector<Row> read_rows(const std::filesystem::path& path, bool quick) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path.string() + ": cannot be read");
  try {
    const json all = json::parse(file);
    std::vector<Row> rows;
    for (const json& definition : all.at("rows")) {
      for (const json& object : expanded(definition)) {
        Row row = row_of(object, all.at("texts"), quick);
        const std::uint64_t quick_bytes = all.at("texts").at(row.text_name).at("quick_mebibytes").get<std::uint64_t>()
                                          << 20;
        if (!quick || (object.value("quick", true) && row.text_bytes <= quick_bytes)) rows.push_back(std::move(row));
      }
    }
    return rows;
  } catch (const std::exception& error) {
    throw std::runtime_error(path.string() + ": " + error.what());
  }
}

TextMemory::TextMemory(std::uint64_t bytes) : size_(bytes) {
  void* const memory = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<char*>(memory);
  // A wish; where it is not granted, everything reads small pages.
  (void)::madvise(memory, size_, MADV_HUGEPAGE);
}

TextMemory::~TextMemory() { ::munmap(data_, size_); }

const TextGenerator& Workshop::generator(TextKind kind) {
  if (!chain_) chain_ = WordChain::train(sample_);
  generator_.emplace(kind, text_seed, chain_);
  return *generator_;
}

std::string_view Workshop::text_of(const Row& row) {
  if (!memory_ || in_memory_ != row.text()) {
    memory_.reset();
    memory_ = std::make_unique<TextMemory>(row.text_bytes);
    in_memory_ = row.text();
    generator(row.text_kind).fill(0, memory_->bytes());
    if (row.writing != Writing::plain) {
      const std::string written = written_text({memory_->bytes().data(), memory_->bytes().size()}, row.writing);
      memory_ = std::make_unique<TextMemory>(written.size());
      std::copy(written.begin(), written.end(), memory_->bytes().begin());
    }
  }
  return {memory_->bytes().data(), memory_->bytes().size()};
}

std::vector<std::string> Workshop::patterns_of(const Row& row) {
  std::vector<std::string> patterns{row.pattern};
  if (row.pattern.empty()) patterns = make_patterns(row.patterns, generator(row.text_kind), row.text_bytes);
  patterns.insert(patterns.end(), row.more_patterns.begin(), row.more_patterns.end());
  for (std::string& pattern : patterns) pattern = written_pattern(pattern, row.writing);
  return patterns;
}

}  // namespace lode::bench
