#include "plan/plan_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <system_error>
#include <type_traits>
#include <utility>

#include "base/file_replacement.hpp"
#include "base/memory.hpp"
#include "base/threads.hpp"
#include "lode/error.hpp"
#include "plan/plan_check.hpp"
#include "plan/plan_data.hpp"
#include "plan/replacement_parts.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace lode {
namespace {

constexpr std::array<char, 8> magic{'L', 'O', 'D', 'E', 'P', 'L', 'A', 'N'};
constexpr std::uint32_t format_version = 5;
// The number of bytes that are read and summed up at a time, so that they still lie in the cache, and the least room
// that is made for a section at first.
constexpr std::size_t step_bytes = std::size_t{1} << 18;
constexpr std::size_t least_room_bytes = std::size_t{1} << 25;

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t class_count;
  std::uint64_t checksum;  // of everything behind this field
  std::uint64_t view_steps;
  std::uint64_t forms;  // those of the patterns; if there are any, patterns are their spellings
  std::uint64_t pattern_bytes;
  std::uint64_t pattern_count;
  std::uint64_t ignore_case_count;  // 0 or pattern_count
  std::uint64_t label_bytes;
  std::uint64_t label_count;  // 0 or pattern_count
  std::uint64_t replacement_bytes;
  std::uint64_t replacement_count;  // at most pattern_count
  std::uint64_t representative_count;
  std::uint64_t group_start_count;
  std::uint64_t group_id_count;
  std::uint64_t bucket_start_count;
  std::uint64_t entry_count;
};
static_assert(std::is_trivially_copyable_v<Header> && sizeof(Header) == 136);
static_assert(std::is_trivially_copyable_v<LengthClass> && sizeof(LengthClass) == 56);
static_assert(std::is_trivially_copyable_v<WindowEntry> && sizeof(WindowEntry) == 8);

constexpr std::size_t checksum_begin = offsetof(Header, view_steps);

std::uint64_t padded(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

template <class T>
void append_section(std::string& out, const std::vector<T>& section) {
  out.append(reinterpret_cast<const char*>(section.data()), section.size() * sizeof(T));
  out.resize(padded(out.size()), '\0');
}

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw Error(ErrorKind::damaged_plan, name + ": " + why + ": build the plan again");
}

// Whether the header counts what a plan has, before anything is believed of it. Afterwards the number of patterns and
// of their bytes bounds all sections but the labels and replacements.
bool header_is_sound(const Header& header) {
  const std::uint64_t count = header.pattern_count;
  const std::uint64_t groups = header.representative_count;
  const std::uint64_t distinct = groups == 0 ? count : groups;
  if (count < 1 || count > max_pattern_count) return false;
  if (header.pattern_bytes < count || header.pattern_bytes > max_pattern_bytes ||
      header.pattern_bytes > count * max_pattern_length)
    return false;
  if (header.ignore_case_count != 0 && header.ignore_case_count != count) return false;
  if (header.label_count == 0 ? header.label_bytes != 0 : header.label_count != count) return false;
  if (header.replacement_count > count) return false;
  if (groups == 0 ? header.group_start_count != 0 || header.group_id_count != 0
                  : groups > count || header.group_start_count != groups + 1 || header.group_id_count != count)
    return false;
  if (header.forms != 0 && groups == 0) return false;
  if (header.class_count < 1 || header.class_count > PlanCheck::most_classes) return false;
  if (header.entry_count < distinct || header.entry_count > distinct * cpu_filter_costs.max_stride) return false;
  return header.bucket_start_count <= PlanCheck::most_buckets_per_entry * header.entry_count + PlanCheck::most_classes;
}

// The last replacement counted is one, and ends where the bytes do.
bool replacement_ends_are_sound(const std::vector<std::uint64_t>& ends, std::uint64_t bytes) {
  if (ends.empty()) return bytes == 0;
  return ends.back() == bytes && bytes != (ends.size() == 1 ? 0 : ends[ends.size() - 2]);
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

// A source of a plan's bytes, one after the other. It reads as many as asked for, and fewer only where they end.
using Source = std::function<std::size_t(void* into, std::size_t bytes)>;

Source source_of(std::string_view bytes) {
  return [rest = bytes](void* into, std::size_t count) mutable {
    const std::size_t given = std::min(count, rest.size());
    if (given != 0) std::memcpy(into, rest.data(), given);
    rest.remove_prefix(given);
    return given;
  };
}

Source source_of(const Descriptor& file, const std::filesystem::path& path) {
  return [&file, &path](void* into, std::size_t count) {
    std::size_t given = 0;
    while (given < count) {
      const ssize_t got =
          ::read(file.number(), static_cast<char*>(into) + given, std::min<std::size_t>(count - given, 1 << 30));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail_with_errno(path);
      if (got == 0) break;
      given += static_cast<std::size_t>(got);
    }
    return given;
  };
}

// Reads the sections of a plan into their places, and sums up the checksum on the way.
class SectionReader {
 public:
  SectionReader(Source source, const std::string& name) : source_(std::move(source)), name_(name) {
    XXH3_64bits_reset(&checksum_);
  }

  Header read_header() {
    Header header{};
    if (source_(&header, sizeof header) < sizeof header || header.magic != magic)
      refuse(name_, "this is not a Lode plan");
    if (header.version != format_version)
      refuse(name_, "the plan has format version " + std::to_string(header.version) + ", this program reads version " +
                        std::to_string(format_version));
    XXH3_64bits_update(&checksum_, reinterpret_cast<const char*>(&header) + checksum_begin,
                       sizeof header - checksum_begin);
    return header;
  }

  // Reads `count` values. The count is not believed: room is made for at most twice what was really read. `is_sound` is
  // asked after each step, and refuses the plan early.
  template <class T>
  void read(std::vector<T>& section, std::uint64_t count, const std::function<bool()>& is_sound = {}) {
    while (section.size() < count) {
      if (section.size() == section.capacity()) {
        section.reserve(std::min<std::uint64_t>(count, std::max(section.size() * 2, least_room_bytes / sizeof(T))));
        advise_huge_pages(section.data(), section.capacity() * sizeof(T));
      }
      const std::size_t begin = section.size();
      section.resize(std::min<std::size_t>(section.capacity(), begin + step_bytes / sizeof(T)));
      take(section.data() + begin, (section.size() - begin) * sizeof(T));
      if (is_sound && !is_sound()) refuse(name_, "the plan's patterns are inconsistent");
    }
    char padding[8];
    take(padding, padded(count * sizeof(T)) - count * sizeof(T));
  }

  void expect_end() {
    char more = 0;
    if (source_(&more, 1) != 0) refuse(name_, "the plan has bytes too many");
  }
  std::uint64_t checksum() const { return XXH3_64bits_digest(&checksum_); }

 private:
  void take(void* into, std::size_t bytes) {
    if (source_(into, bytes) < bytes) refuse(name_, "the plan is truncated");
    XXH3_64bits_update(&checksum_, into, bytes);
  }

  Source source_;
  const std::string& name_;
  XXH3_state_t checksum_;
};

// Checks ends as they are read: each lies behind the one before, by at least and at most so much.
class EndsCheck {
 public:
  EndsCheck(const std::vector<std::uint64_t>& ends, std::uint64_t least_step, std::uint64_t most_step)
      : ends_(ends), least_step_(least_step), most_step_(most_step) {}

  bool operator()() {
    for (; checked_ < ends_.size(); ++checked_) {
      const std::uint64_t end = ends_[checked_];
      if (end < last_ || end - last_ < least_step_ || end - last_ > most_step_) return false;
      last_ = end;
    }
    return true;
  }

 private:
  const std::vector<std::uint64_t>& ends_;
  std::uint64_t least_step_, most_step_;
  std::size_t checked_ = 0;
  std::uint64_t last_ = 0;
};

}  // namespace

std::string PlanFile::to_bytes(const PlanData& plan) {
  const PatternSet& patterns = plan.patterns;
  Header header{};
  header.magic = magic;
  header.version = format_version;
  header.class_count = static_cast<std::uint32_t>(plan.filter.classes.size());
  header.view_steps = plan.view.steps_;
  header.forms = plan.forms.bits_;
  header.pattern_bytes = patterns.bytes_.size();
  header.pattern_count = patterns.ends_.size();
  header.ignore_case_count = patterns.ignore_case_.size();
  header.label_bytes = patterns.label_bytes_.size();
  header.label_count = patterns.label_ends_.size();
  header.replacement_bytes = patterns.replacement_bytes_.size();
  header.replacement_count = patterns.replacement_ends_.size();
  header.representative_count = plan.representative.size();
  header.group_start_count = plan.group_starts.size();
  header.group_id_count = plan.group_ids.size();
  header.bucket_start_count = plan.filter.bucket_starts.size();
  header.entry_count = plan.filter.entries.size();

  std::string out(sizeof header, '\0');
  append_section(out, patterns.ends_);
  append_section(out, patterns.ignore_case_);
  append_section(out, patterns.label_ends_);
  append_section(out, patterns.replacement_ends_);
  append_section(out, plan.spelled_ids);
  append_section(out, plan.spelled_forms);
  append_section(out, plan.representative);
  append_section(out, plan.group_starts);
  append_section(out, plan.group_ids);
  append_section(out, plan.filter.classes);
  append_section(out, plan.filter.bucket_starts);
  append_section(out, plan.filter.entries);
  append_section(out, patterns.label_bytes_);
  append_section(out, patterns.replacement_bytes_);
  append_section(out, patterns.bytes_);
  std::memcpy(out.data(), &header, sizeof header);
  header.checksum = XXH3_64bits(out.data() + checksum_begin, out.size() - checksum_begin);
  std::memcpy(out.data(), &header, sizeof header);
  return out;
}

bool PlanFile::replacements_are_sound(const PatternSet& patterns) {
  for (std::uint32_t id = 0; id < patterns.replacement_ends_.size(); ++id) {
    const auto replacement = patterns.replacement(id);
    if (!replacement) continue;
    if (patterns.replacement_bytes_[patterns.replacement_ends_[id] - 1] != '\0') return false;
    try {
      check_replacement(*replacement);
    } catch (const Error&) {
      return false;
    }
  }
  return true;
}

Plan PlanFile::from_bytes(std::string_view bytes, const std::string& name) {
  SectionReader reader(source_of(bytes), name);
  return read_sections(reader, name, 0);
}

void PlanFile::write(const PlanData& plan, const std::filesystem::path& path) {
  FileReplacement file(path);
  file.write(to_bytes(plan));
  file.commit();
}

Plan PlanFile::read(const std::filesystem::path& path, unsigned threads) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) fail_with_errno(path);
  const std::string name = path.string();
  SectionReader reader(source_of(file, path), name);
  return read_sections(reader, name, threads);
}

template <class Reader>
Plan PlanFile::read_sections(Reader& reader, const std::string& name, unsigned threads) {
  const auto check = [&](bool is_sound, const char* what) {
    if (!is_sound) refuse(name, std::string("the plan's ") + what + " are inconsistent");
  };
  const Header header = reader.read_header();
  check(header_is_sound(header), "counts");

  auto plan = std::make_shared<PlanData>();
  plan->view.steps_ = static_cast<std::uint32_t>(header.view_steps);
  check(plan->view.steps_ == header.view_steps && plan->view.is_sound(), "view");
  plan->forms.bits_ = static_cast<std::uint8_t>(header.forms);
  check(plan->forms.bits_ == header.forms && plan->forms.is_sound(), "forms");
  PatternSet& patterns = plan->patterns;
  FilterTables& filter = plan->filter;
  reader.read(patterns.ends_, header.pattern_count, EndsCheck(patterns.ends_, 1, max_pattern_length));
  check(patterns.ends_.back() == header.pattern_bytes, "patterns");
  std::uint64_t begin = 0;
  patterns.min_length_ = max_pattern_length;
  for (const std::uint64_t end : patterns.ends_) {
    const auto length = static_cast<std::uint32_t>(end - begin);
    patterns.min_length_ = std::min(patterns.min_length_, length);
    patterns.max_length_ = std::max(patterns.max_length_, length);
    begin = end;
  }
  reader.read(patterns.ignore_case_, header.ignore_case_count);
  check(std::ranges::all_of(patterns.ignore_case_, [](std::uint8_t rule) { return rule <= 1; }), "case rules");
  // Texts of such a view may be searched as they lie.
  check(!plan->view.folds() || !plan->view.keeps_ascii() || patterns.any_ignore_case(), "case rules");
  reader.read(patterns.label_ends_, header.label_count, EndsCheck(patterns.label_ends_, 0, header.label_bytes));
  check((patterns.label_ends_.empty() ? 0 : patterns.label_ends_.back()) == header.label_bytes, "labels");
  reader.read(patterns.replacement_ends_, header.replacement_count,
              EndsCheck(patterns.replacement_ends_, 0, header.replacement_bytes));
  check(replacement_ends_are_sound(patterns.replacement_ends_, header.replacement_bytes), "replacements");

  PlanCheck sound(*plan, patterns.ends_, thread_count(threads));
  reader.read(plan->spelled_ids, header.forms == 0 ? 0 : header.pattern_count);
  reader.read(plan->spelled_forms, header.forms == 0 ? 0 : header.pattern_count);
  check(sound.spellings_are_sound(), "forms");
  reader.read(plan->representative, header.representative_count);
  reader.read(plan->group_starts, header.group_start_count);
  reader.read(plan->group_ids, header.group_id_count);
  check(sound.groups_are_sound(), "groups of equal patterns");
  reader.read(filter.classes, header.class_count);
  check(sound.classes_are_sound(header.bucket_start_count, header.entry_count), "length classes");
  reader.read(filter.bucket_starts, header.bucket_start_count);
  check(sound.buckets_are_sound(), "buckets");
  reader.read(filter.entries, header.entry_count);
  check(sound.entries_are_sound(), "entries");

  reader.read(patterns.label_bytes_, header.label_bytes);
  reader.read(patterns.replacement_bytes_, header.replacement_bytes);
  reader.read(patterns.bytes_, header.pattern_bytes);
  reader.expect_end();
  if (reader.checksum() != header.checksum) refuse(name, "the plan is damaged (its checksum differs)");
  check(replacements_are_sound(patterns), "replacements");
  check(sound.equal_patterns_are_sound(), "groups of equal patterns");
  check(sound.windows_are_sound(), "windows");
  plan->set_owners();
  plan->set_viewers();
  return Plan(std::move(plan));
}

}  // namespace lode
