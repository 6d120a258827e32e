#include "plan/plan_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <type_traits>
#include <utility>

#include "base/file_replacement.hpp"
#include "lode/error.hpp"
#include "plan/plan_data.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace lode {
namespace {

constexpr std::array<char, 8> magic{'L', 'O', 'D', 'E', 'P', 'L', 'A', 'N'};
constexpr std::uint32_t format_version = 1;
constexpr std::uint64_t step_bytes = std::uint64_t{1} << 20;  // read at least at a time

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t class_count;
  std::uint64_t checksum;  // of everything behind this field
  std::uint64_t pattern_bytes;
  std::uint64_t pattern_count;
  std::uint64_t ignore_case_count;  // 0 or pattern_count
  std::uint64_t label_bytes;
  std::uint64_t label_count;  // 0 or pattern_count
  std::uint64_t representative_count;
  std::uint64_t group_start_count;
  std::uint64_t group_id_count;
  std::uint64_t bucket_start_count;
  std::uint64_t entry_count;
};
static_assert(std::is_trivially_copyable_v<Header> && sizeof(Header) == 104);
static_assert(std::is_trivially_copyable_v<LengthClass> && sizeof(LengthClass) == 56);
static_assert(std::is_trivially_copyable_v<WindowEntry> && sizeof(WindowEntry) == 8);

constexpr std::size_t checksum_begin = offsetof(Header, pattern_bytes);

std::uint64_t padded(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

template <class T>
void append_section(std::string& out, const std::vector<T>& section) {
  out.append(reinterpret_cast<const char*>(section.data()), section.size() * sizeof(T));
  out.resize(padded(out.size()), '\0');
}

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw Error(ErrorKind::damaged_plan, name + ": " + why + ": build the plan again");
}

// Of the bytes that a plan begins with.
Header read_header(std::string_view bytes, const std::string& name) {
  Header header;
  if (bytes.size() < sizeof header || std::memcmp(bytes.data(), magic.data(), magic.size()) != 0)
    refuse(name, "this is not a Lode plan");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version != format_version)
    refuse(name, "the plan has format version " + std::to_string(header.version) + ", this program reads version " +
                     std::to_string(format_version));
  return header;
}

// Of the header and all that it counts; UINT64_MAX where that is more than any plan has.
std::uint64_t plan_bytes(const Header& header) {
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  std::uint64_t total = sizeof header;
  const auto add = [&](std::uint64_t count, std::uint64_t value_bytes) {
    total = count > most || total == UINT64_MAX ? UINT64_MAX : total + padded(count * value_bytes);
  };
  for (const std::uint64_t count : {header.pattern_bytes, header.ignore_case_count, header.label_bytes}) add(count, 1);
  for (const std::uint64_t count : {header.pattern_count, header.label_count}) add(count, sizeof(std::uint64_t));
  for (const std::uint64_t count :
       {header.representative_count, header.group_start_count, header.group_id_count, header.bucket_start_count})
    add(count, sizeof(std::uint32_t));
  add(header.class_count, sizeof(LengthClass));
  add(header.entry_count, sizeof(WindowEntry));
  return total;
}

class SectionReader {
 public:
  SectionReader(std::string_view bytes, const std::string& name) : rest_(bytes), name_(name) {}

  template <class T>
  void read(std::vector<T>& section, std::uint64_t count) {
    if (count > rest_.size() / sizeof(T)) refuse(name_, "the plan is truncated");
    const std::uint64_t bytes = count * sizeof(T);
    if (padded(bytes) > rest_.size()) refuse(name_, "the plan is truncated");
    section.resize(count);
    if (bytes != 0) std::memcpy(static_cast<void*>(section.data()), rest_.data(), bytes);
    rest_.remove_prefix(padded(bytes));
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  const std::string& name_;
};

bool increasing(const std::vector<std::uint64_t>& ends, std::uint64_t total, std::uint64_t least_step,
                std::uint64_t most_step) {
  std::uint64_t last = 0;
  for (const std::uint64_t end : ends) {
    if (end > total || end < last || end - last < least_step || end - last > most_step) return false;
    last = end;
  }
  return last == total;
}

// Every group lists ids below count in increasing order, each id once, its first being the representative.
bool groups_are_sound(const PlanData& plan) {
  const std::size_t groups = plan.representative.size();
  const std::uint32_t count = plan.patterns.size();
  if (groups == 0) return plan.group_starts.empty() && plan.group_ids.empty();
  if (groups > count || plan.group_starts.size() != groups + 1 || plan.group_ids.size() != count) return false;
  if (plan.group_starts.front() != 0 || plan.group_starts.back() != count) return false;
  std::vector<bool> seen(count);
  for (std::size_t group = 0; group < groups; ++group) {
    const std::uint32_t begin = plan.group_starts[group];
    const std::uint32_t end = plan.group_starts[group + 1];
    if (begin >= end || end > count || plan.group_ids[begin] != plan.representative[group]) return false;
    if (group > 0 && plan.representative[group] <= plan.representative[group - 1]) return false;
    for (std::uint32_t at = begin; at < end; ++at) {
      const std::uint32_t id = plan.group_ids[at];
      if (id >= count || seen[id] || (at > begin && id <= plan.group_ids[at - 1])) return false;
      if (plan.patterns[id].size() != plan.patterns[plan.representative[group]].size()) return false;
      seen[id] = true;
    }
  }
  return true;
}

bool class_is_sound(const PlanData& plan, const LengthClass& made) {
  const FilterTables& tables = plan.filter;
  if (made.stride != 1 && made.stride != 2 && made.stride != 4) return false;
  if (made.window < 1 || made.window > max_window_length || made.fold > 1) return false;
  if (made.min_length > made.max_length || made.window + made.stride - 1 > made.min_length) return false;
  if (made.max_offset > max_window_offset || made.bucket_bits < 1 || made.bucket_bits > 31) return false;
  if (made.entry_count != std::uint64_t{made.pattern_count} * made.stride) return false;
  if (made.first_entry > tables.entries.size() || made.entry_count > tables.entries.size() - made.first_entry)
    return false;
  const std::uint64_t starts = (std::uint64_t{1} << made.bucket_bits) + 1;
  if (made.first_bucket > tables.bucket_starts.size() || starts > tables.bucket_starts.size() - made.first_bucket)
    return false;
  std::uint32_t last = 0;
  for (std::uint64_t at = 0; at < starts; ++at) {
    const std::uint32_t start = tables.bucket_starts[made.first_bucket + at];
    if (start < last || start > made.entry_count) return false;
    last = start;
  }
  if (tables.bucket_starts[made.first_bucket] != 0 || last != made.entry_count) return false;
  for (std::uint64_t at = 0; at < made.entry_count; ++at) {
    const WindowEntry& entry = tables.entries[made.first_entry + at];
    if (entry.distinct >= plan.distinct_count() || entry.offset > made.max_offset) return false;
    const std::size_t length = plan.bytes(entry.distinct).size();
    if (length < made.min_length || length > made.max_length || entry.offset + made.window > length) return false;
  }
  return true;
}

bool filter_is_sound(const PlanData& plan) {
  std::uint64_t patterns = 0;
  std::uint32_t last_length = 0;
  for (const LengthClass& made : plan.filter.classes) {
    if (made.min_length <= last_length || !class_is_sound(plan, made)) return false;
    last_length = made.max_length;
    patterns += made.pattern_count;
  }
  return patterns == plan.distinct_count();
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

[[noreturn]] void fail_with_errno(const std::filesystem::path& path) {
  throw Error(ErrorKind::input_output, path.string() + ": " + std::generic_category().message(errno));
}

// Appends the file's next bytes. Returns false where it ends before.
bool append_from(int descriptor, std::string& bytes, std::uint64_t count, const std::filesystem::path& path) {
  std::size_t at = bytes.size();
  bytes.resize(at + count);
  while (at < bytes.size()) {
    const ssize_t got = ::read(descriptor, bytes.data() + at, std::min<std::size_t>(bytes.size() - at, 1 << 30));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_with_errno(path);
    if (got == 0) break;
    at += static_cast<std::size_t>(got);
  }
  const bool complete = at == bytes.size();
  bytes.resize(at);
  return complete;
}

}  // namespace

std::string PlanFile::to_bytes(const PlanData& plan) {
  const PatternSet& patterns = plan.patterns;
  Header header{};
  header.magic = magic;
  header.version = format_version;
  header.class_count = static_cast<std::uint32_t>(plan.filter.classes.size());
  header.pattern_bytes = patterns.bytes_.size();
  header.pattern_count = patterns.ends_.size();
  header.ignore_case_count = patterns.ignore_case_.size();
  header.label_bytes = patterns.label_bytes_.size();
  header.label_count = patterns.label_ends_.size();
  header.representative_count = plan.representative.size();
  header.group_start_count = plan.group_starts.size();
  header.group_id_count = plan.group_ids.size();
  header.bucket_start_count = plan.filter.bucket_starts.size();
  header.entry_count = plan.filter.entries.size();

  std::string out(sizeof header, '\0');
  append_section(out, patterns.bytes_);
  append_section(out, patterns.ends_);
  append_section(out, patterns.ignore_case_);
  append_section(out, patterns.label_bytes_);
  append_section(out, patterns.label_ends_);
  append_section(out, plan.representative);
  append_section(out, plan.group_starts);
  append_section(out, plan.group_ids);
  append_section(out, plan.filter.classes);
  append_section(out, plan.filter.bucket_starts);
  append_section(out, plan.filter.entries);
  std::memcpy(out.data(), &header, sizeof header);
  header.checksum = XXH3_64bits(out.data() + checksum_begin, out.size() - checksum_begin);
  std::memcpy(out.data(), &header, sizeof header);
  return out;
}

Plan PlanFile::from_bytes(std::string_view bytes, const std::string& name) {
  const Header header = read_header(bytes, name);
  if (XXH3_64bits(bytes.data() + checksum_begin, bytes.size() - checksum_begin) != header.checksum)
    refuse(name, "the plan is damaged (its checksum differs)");

  auto plan = std::make_shared<PlanData>();
  PatternSet& patterns = plan->patterns;
  SectionReader reader(bytes.substr(sizeof header), name);
  reader.read(patterns.bytes_, header.pattern_bytes);
  reader.read(patterns.ends_, header.pattern_count);
  reader.read(patterns.ignore_case_, header.ignore_case_count);
  reader.read(patterns.label_bytes_, header.label_bytes);
  reader.read(patterns.label_ends_, header.label_count);
  reader.read(plan->representative, header.representative_count);
  reader.read(plan->group_starts, header.group_start_count);
  reader.read(plan->group_ids, header.group_id_count);
  reader.read(plan->filter.classes, header.class_count);
  reader.read(plan->filter.bucket_starts, header.bucket_start_count);
  reader.read(plan->filter.entries, header.entry_count);
  if (!reader.at_end()) refuse(name, "the plan has bytes too many");

  const std::uint64_t count = header.pattern_count;
  const bool sound = count >= 1 && count <= max_pattern_count && header.pattern_bytes <= max_pattern_bytes &&
                     (header.ignore_case_count == 0 || header.ignore_case_count == count) &&
                     (header.label_count == 0 ? header.label_bytes == 0 : header.label_count == count) &&
                     increasing(patterns.ends_, header.pattern_bytes, 1, max_pattern_length) &&
                     increasing(patterns.label_ends_, header.label_bytes, 0, header.label_bytes);
  if (!sound) refuse(name, "the plan's patterns are inconsistent");
  for (std::uint32_t id = 0; id < patterns.size(); ++id) {
    const auto length = static_cast<std::uint32_t>(patterns[id].size());
    patterns.min_length_ = id == 0 ? length : std::min(patterns.min_length_, length);
    patterns.max_length_ = std::max(patterns.max_length_, length);
  }
  if (!groups_are_sound(*plan)) refuse(name, "the plan's groups of equal patterns are inconsistent");
  if (!filter_is_sound(*plan)) refuse(name, "the plan's filter tables are inconsistent");
  return Plan(std::move(plan));
}

void PlanFile::write(const PlanData& plan, const std::filesystem::path& path) {
  FileReplacement file(path);
  file.write(to_bytes(plan));
  file.commit();
}

Plan PlanFile::read(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) fail_with_errno(path);
  const std::string name = path.string();
  std::string bytes;
  append_from(file.number(), bytes, sizeof(Header), path);
  const std::uint64_t total = plan_bytes(read_header(bytes, name));
  // Neither the header nor a file's size is believed: room is made for twice of what was really read at most.
  while (bytes.size() < total) {
    const std::uint64_t step = std::min(total - bytes.size(), std::max<std::uint64_t>(bytes.size(), step_bytes));
    if (!append_from(file.number(), bytes, step, path)) refuse(name, "the plan is truncated");
  }
  std::string more;
  if (append_from(file.number(), more, 1, path)) refuse(name, "the plan has bytes too many");
  return from_bytes(bytes, name);
}

}  // namespace lode
