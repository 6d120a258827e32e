#include "gpu/algorithms/rabin_karp.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <mutex>

#include "base/bytes.hpp"
#include "gpu/algorithms/algorithm.hpp"
#include "gpu/kernel_cache.hpp"
#include "gpu/kernel_sources.hpp"
#include "lode/error.hpp"

namespace lode::gpu {
namespace {

constexpr std::uint32_t base = 0x9E3779B1u;             // RABIN_KARP_BASE
constexpr std::uint32_t mix_multiplier = 0x85EBCA6Bu;   // RABIN_KARP_MIX
constexpr std::uint32_t bits_multiplier = 0xC2B2AE35u;  // RABIN_KARP_BITS

constexpr std::uint32_t max_hashed = 128;         // bytes; of longer patterns only the first ones are hashed
constexpr std::size_t max_local_patterns = 4096;  // bits of more patterns are not copied to local memory
constexpr std::uint32_t short_run_words = 31;     // the run of an item; odd, see lode_rolling
constexpr std::uint32_t long_run_words = 63;      // the run of an item whose first hash takes many steps
constexpr std::uint32_t long_hash = 48;           // hashed bytes from which it does

struct Entry {
  std::uint32_t hash = 0;
  std::uint32_t distinct = 0;
};

std::uint32_t hash_of(std::span<const std::uint8_t> bytes, bool ignore_case) {
  std::uint32_t hash = 0;
  for (const std::uint8_t byte : bytes) hash = hash * base + (ignore_case ? fold(byte) : byte);
  return hash;
}

std::uint32_t mix(std::uint32_t hash) { return (hash ^ (hash >> 15)) * mix_multiplier; }

// The patterns that have one case rule and are hashed by the same number of bytes, and their tables on the device.
struct Group {
  Group(Runtime& runtime, const PlanData& plan, std::uint32_t hashed, bool folded,
        const std::vector<std::uint32_t>& members)
      : ignore_case(folded), patterns(members.size()) {
    table.leaving = 1;
    table.hashed = hashed;
    for (std::uint32_t at = 0; at < hashed; ++at) table.leaving *= base;
    table.bucket_log2 = static_cast<std::uint32_t>(std::countr_zero(std::bit_ceil(members.size())));
    // Each pattern gets a word of bits, or two while the table is small.
    table.bits_log2_words = std::max(6u, table.bucket_log2 + (table.bucket_log2 < 12 ? 1 : 0));
    std::vector<Entry> rows;
    rows.reserve(members.size());
    std::vector<std::uint32_t> words(std::size_t{1} << table.bits_log2_words);
    for (const std::uint32_t distinct : members) {
      const std::uint32_t hash = hash_of(plan.bytes(distinct).first(hashed), ignore_case);
      rows.push_back({hash, distinct});
      const std::uint32_t mixed = mix(hash);
      const std::uint32_t places = mixed * bits_multiplier;
      words[mixed >> (32 - table.bits_log2_words)] |= 1u << (places >> 27) | 1u << (places >> 22 & 31);
    }
    const auto bucket_of = [&](std::uint32_t hash) {
      return static_cast<std::uint32_t>(std::uint64_t{mix(hash)} >> (32 - table.bucket_log2));
    };
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const Entry& a, const Entry& b) { return bucket_of(a.hash) < bucket_of(b.hash); });
    std::vector<std::uint32_t> begins((std::size_t{1} << table.bucket_log2) + 1);
    for (const Entry& entry : rows) ++begins[bucket_of(entry.hash) + 1];
    for (std::size_t bucket = 1; bucket < begins.size(); ++bucket) begins[bucket] += begins[bucket - 1];
    bits = upload(runtime, words);
    starts = upload(runtime, begins);
    entries = upload(runtime, rows);
  }

  std::uint32_t bits_bytes() const { return 4u << table.bits_log2_words; }

  bool ignore_case;
  std::size_t patterns;
  abi::lode_rolling table{};
  std::unique_ptr<Buffer> bits;
  std::unique_ptr<Buffer> starts;
  std::unique_ptr<Buffer> entries;
};

std::vector<Group> make_groups(Runtime& runtime, const PlanData& plan) {
  std::map<std::pair<std::uint32_t, bool>, std::vector<std::uint32_t>> members;
  for (std::uint32_t distinct = 0; distinct < plan.distinct_count(); ++distinct) {
    const auto length = static_cast<std::uint32_t>(std::min<std::size_t>(plan.bytes(distinct).size(), max_hashed));
    members[{length, plan.ignore_case(distinct)}].push_back(distinct);
  }
  std::vector<Group> groups;
  groups.reserve(members.size());
  for (const auto& [key, patterns] : members) groups.emplace_back(runtime, plan, key.first, key.second, patterns);
  return groups;
}

class RabinKarp final : public Algorithm {
 public:
  explicit RabinKarp(const AlgorithmSetup& setup) : groups_(make_groups(setup.runtime, setup.plan)) {
    for (Group& group : groups_) add_pass(setup, group);
  }

 private:
  void add_pass(const AlgorithmSetup& setup, Group& group) {
    abi::lode_rolling& table = group.table;
    Pass pass;
    pass.file = "rabin_karp";
    pass.entry = "lode_rabin_karp";
    pass.group_items = choose_group_items(setup, 128);
    pass.groups_per_unit = setup.options.gpu_groups_per_unit;
    // Runs are as long as local memory allows. The bits lie there, too, if that leaves room for short runs at least.
    const std::uint32_t room = setup.runtime.limits().local_bytes;
    bool bits_are_local = group.patterns <= max_local_patterns;
    table.run_words = table.hashed < long_hash ? short_run_words : long_run_words;
    const auto fits = [&] { return (bits_are_local ? group.bits_bytes() : 0) + tile_bytes(pass, table) <= room; };
    while (!fits() && table.run_words > 7) table.run_words = (table.run_words + 1) / 2 - 1;
    if (!fits()) bits_are_local = false;
    const std::uint32_t team = std::max(1u, setup.runtime.limits().team_items);
    while (!fits() && pass.group_items > team) pass.group_items = std::max(team, pass.group_items / 2 / team * team);
    pass.local_bytes = (bits_are_local ? group.bits_bytes() : 0) + tile_bytes(pass, table);
    pass.places_per_group = std::uint64_t{pass.group_items} * table.run_words * 4;
    pass.constants = {{"LODE_FOLDS", group.ignore_case ? 1 : 0}, {"LODE_LOCAL_BITS", bits_are_local ? 1 : 0}};
    pass.arguments = {group.bits.get(), group.starts.get(), group.entries.get(), table};
    passes_.push_back(std::move(pass));
  }

  static std::uint32_t tile_bytes(const Pass& pass, const abi::lode_rolling& table) {
    return (pass.group_items * table.run_words + (table.hashed + 3) / 4 + 1) * 4;
  }

  std::vector<Group> groups_;
};

}  // namespace

TableBytes rabin_karp_table_bytes() {
  // There are at most two groups for each hashed length, one for each case rule. A group's bits and starts are rounded
  // up to powers of two.
  constexpr std::uint64_t groups = max_hashed * 2;
  constexpr std::uint64_t least_group_bytes = 4 * (64 + 1);
  return {groups * least_group_bytes, 4 * 4 + 2 * 4 + sizeof(Entry), 0};
}

std::unique_ptr<Algorithm> make_rabin_karp(const AlgorithmSetup& setup) { return std::make_unique<RabinKarp>(setup); }

struct RecordFlags::State {
  struct Step {
    const Group* group = nullptr;
    std::unique_ptr<Kernel> kernel;
    Launch launch;
  };
  State(std::shared_ptr<Runtime> of, const PlanData& plan, const SearcherOptions& options)
      : runtime(std::move(of)), groups(make_groups(*runtime, plan)) {
    const AlgorithmSetup setup{*runtime, plan, options};
    const std::uint32_t team = runtime->limits().team_items;
    for (const Group& group : groups) {
      Step step;
      step.group = &group;
      step.launch.group_items = choose_group_items(setup, 128);
      const bool bits_are_local =
          group.patterns <= max_local_patterns && group.bits_bytes() <= runtime->limits().local_bytes;
      step.launch.local_bytes = bits_are_local ? group.bits_bytes() : 16;
      KernelSource source;
      source.text = kernel_source("rabin_karp");
      source.entry = "lode_rabin_karp_flags";
      source.constants = {{"LODE_FOLDS", group.ignore_case ? 1 : 0},
                          {"LODE_LOCAL_BITS", bits_are_local ? 1 : 0},
                          {"LODE_MODE", LODE_MODE_COUNT},
                          {"LODE_RECORDS", 0},
                          {"LODE_TEAM", team == 0 ? step.launch.group_items : team}};
      step.kernel = make_kernel(*runtime, source);
      step.launch.groups =
          runtime->limits().compute_units * std::max(1u, runtime->groups_per_unit(*step.kernel, step.launch));
      steps.push_back(std::move(step));
    }
  }

  std::shared_ptr<Runtime> runtime;
  std::vector<Group> groups;
  std::vector<Step> steps;
  std::mutex mutex;  // guards the kernels, which one thread may use at a time
};

RecordFlags::RecordFlags(std::shared_ptr<Runtime> runtime, const PlanData& plan, const SearcherOptions& options)
    : state_(std::make_unique<State>(std::move(runtime), plan, options)) {}

RecordFlags::~RecordFlags() = default;

RecordFlags::Run::~Run() {
  if (!busy_) return;
  try {
    queue_->wait();
  } catch (const Error&) {
    // Whoever gives up a run has an error to report already.
  }
}

std::span<char> RecordFlags::Run::text_space(std::uint64_t bytes) {
  Runtime& runtime = *flags_.state_->runtime;
  if (!queue_) queue_ = runtime.make_queue();
  if (!pinned_text_ || pinned_text_->bytes().size() < bytes) {
    pinned_text_.reset();
    text_.reset();
    pinned_text_ = runtime.make_pinned_buffer(std::max<std::uint64_t>(16, bytes));
    text_ = runtime.make_buffer(std::max<std::uint64_t>(16, bytes));
  }
  text_bytes_ = bytes;
  return {reinterpret_cast<char*>(pinned_text_->bytes().data()), static_cast<std::size_t>(bytes)};
}

std::span<RecordFlags::Span> RecordFlags::Run::span_space(std::uint32_t count) {
  Runtime& runtime = *flags_.state_->runtime;
  if (!pinned_spans_ || pinned_spans_->bytes().size() < count * sizeof(Span)) {
    pinned_spans_.reset();
    spans_.reset();
    pinned_flags_.reset();
    result_.reset();
    const std::uint64_t most = std::max(16u, count);
    pinned_spans_ = runtime.make_pinned_buffer(most * sizeof(Span));
    spans_ = runtime.make_buffer(most * sizeof(Span));
    pinned_flags_ = runtime.make_pinned_buffer((most + 3) / 4 * 4);
    result_ = runtime.make_buffer((most + 3) / 4 * 4);
  }
  count_ = count;
  return {reinterpret_cast<Span*>(pinned_spans_->bytes().data()), count};
}

void RecordFlags::Run::start() {
  busy_ = true;
  if (text_bytes_ != 0) queue_->write(*text_, 0, pinned_text_->bytes().data(), text_bytes_);
  queue_->write(*spans_, 0, pinned_spans_->bytes().data(), count_ * sizeof(Span));
  queue_->clear(*result_, 0, (std::uint64_t{count_} + 3) / 4 * 4);
  {
    const std::lock_guard lock(flags_.state_->mutex);
    for (const State::Step& step : flags_.state_->steps) {
      const Group& group = *step.group;
      const std::array<Argument, 8> arguments{{text_.get(), spans_.get(), count_, result_.get(), group.bits.get(),
                                               group.starts.get(), group.entries.get(), group.table}};
      queue_->launch(*step.kernel, step.launch, arguments);
    }
  }
  queue_->read(*result_, 0, pinned_flags_->bytes().data(), count_);
}

std::span<const std::uint8_t> RecordFlags::Run::finish() {
  queue_->wait();
  busy_ = false;
  return {reinterpret_cast<const std::uint8_t*>(pinned_flags_->bytes().data()), count_};
}

}  // namespace lode::gpu
