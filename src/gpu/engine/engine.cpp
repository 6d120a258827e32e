#include "gpu/engine/engine.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "base/bytes.hpp"
#include "base/memory_plan.hpp"
#include "base/threads.hpp"
#include "gpu/kernel_cache.hpp"
#include "gpu/kernel_sources.hpp"
#include "lode/error.hpp"
#include "text/word_characters.hpp"

namespace lode::gpu {
namespace {

constexpr std::uint64_t first_list_capacity = 1 << 16;
constexpr std::uint64_t least_list_limit = 4096;
constexpr std::uint64_t convert_grain = 1 << 14;
// MemoryPlan relies on this when it divides the limit among lists.
static_assert(text::WordCharacters::number_words == LODE_CHARACTER_NUMBER_WORDS &&
              text::WordCharacters::block_words == LODE_CHARACTER_BLOCK_WORDS);
static_assert(sizeof(Match) == 2 * sizeof(abi::lode_match));

int mode_value(Mode mode) {
  switch (mode) {
    case Mode::count: return LODE_MODE_COUNT;
    case Mode::per_distinct: return LODE_MODE_PER_DISTINCT;
    case Mode::list: return LODE_MODE_LIST;
    case Mode::first: return LODE_MODE_FIRST;
    case Mode::contains: return LODE_MODE_CONTAINS;
    case Mode::any: return LODE_MODE_ANY;
    case Mode::per_record: break;
  }
  return LODE_MODE_PER_RECORD;
}

std::uint32_t unit_value(const PlanData& plan, std::uint32_t distinct) {
  if (plan.units.empty() || plan.units[distinct] == CodeUnit::utf_8) return 0;
  return plan.units[distinct] == CodeUnit::utf_16le ? LODE_PATTERN_UTF_16LE : LODE_PATTERN_UTF_16BE;
}

// The patterns as kernels take them (struct lode_pattern).
struct PatternTables {
  explicit PatternTables(const PlanData& plan) {
    const std::span<const std::uint32_t> characters = text::WordCharacters::get().words();
    words.assign(characters.begin(), characters.end());
    patterns.reserve(plan.distinct_count());
    for (std::uint32_t distinct = 0; distinct < plan.distinct_count(); ++distinct) {
      const auto bytes = plan.bytes(distinct);
      const bool folds = plan.ignore_case(distinct);
      patterns.push_back({static_cast<std::uint32_t>(words.size()), static_cast<std::uint32_t>(bytes.size()) |
                                                                        (folds ? LODE_PATTERN_FOLDS : 0u) |
                                                                        unit_value(plan, distinct)});
      for (std::size_t at = 0; at < bytes.size(); at += 4) {
        std::array<std::uint8_t, 4> word{};
        for (std::size_t byte = 0; byte < 4 && at + byte < bytes.size(); ++byte)
          word[byte] = folds ? fold(bytes[at + byte]) : bytes[at + byte];
        words.push_back(load_u32(word.data()));
      }
    }
  }
  std::vector<abi::lode_pattern> patterns;
  std::vector<std::uint32_t> words;
};

}  // namespace

std::uint32_t condition_value(Condition condition) {
  switch (condition) {
    case Condition::none: return LODE_CONDITION_NONE;
    case Condition::whole_word: return LODE_CONDITION_WHOLE_WORD;
    case Condition::whole_line: return LODE_CONDITION_WHOLE_LINE;
    case Condition::whole_line_crlf: break;
  }
  return LODE_CONDITION_WHOLE_LINE_CRLF;
}

void append_arguments(std::vector<Argument>& arguments, const RecordArguments& records) {
  arguments.insert(arguments.end(), {Argument(records.records), Argument(records.starts), Argument(records.blocks),
                                     Argument(records.ids), Argument(records.cells)});
}

Engine::Engine(std::shared_ptr<Runtime> runtime, const PlanData& plan, std::string_view algorithm,
               const SearcherOptions& options)
    : runtime_(std::move(runtime)), plan_(plan), options_(options) {
  const std::uint64_t list_bytes = MemoryPlan(options.memory_limit_bytes).device_list_bytes();
  list_limit_ = std::max(least_list_limit, list_bytes / sizeof(abi::lode_match));
  algorithm_ = make_algorithm(algorithm, {*runtime_, plan_, options_});
  if (!algorithm_) throw Error(ErrorKind::unsupported, std::string(algorithm) + " does not run on GPUs");
  const PatternTables tables(plan_);
  lengths_.reserve(plan_.distinct_count());
  for (const abi::lode_pattern& pattern : tables.patterns) lengths_.push_back(pattern.length & LODE_PATTERN_LENGTH);
  patterns_ = upload(*runtime_, tables.patterns);
  pattern_words_ = upload(*runtime_, tables.words);
}

Engine::~Engine() = default;

std::uint32_t Engine::group_items() const {
  const std::vector<Pass>& passes = algorithm_->passes();
  const auto smallest = std::min_element(passes.begin(), passes.end(), [](const Pass& one, const Pass& other) {
    return one.group_items < other.group_items;
  });
  return smallest == passes.end() ? 0 : smallest->group_items;
}

std::unique_ptr<Slot> Engine::take_slot() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Slot> slot = std::move(idle_.back());
      idle_.pop_back();
      return slot;
    }
  }
  return std::make_unique<Slot>(*this);
}

void Engine::give_back(std::unique_ptr<Slot> slot) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(slot));
}

void Engine::drop_idle_slots() {
  std::vector<std::unique_ptr<Slot>> dropped;
  const std::lock_guard lock(mutex_);
  dropped.swap(idle_);
}

const Kernel& Engine::kernel_of(const Pass& pass, Mode mode, bool in_records) {
  KernelSource source;
  source.text = kernel_source(pass.file);
  source.entry = pass.entry;
  source.constants = pass.constants;
  const std::uint32_t team = runtime_->limits().team_items;
  source.constants.emplace_back("LODE_TEAM", team == 0 ? pass.group_items : team);
  source.constants.emplace_back("LODE_MODE", mode_value(mode));
  source.constants.emplace_back("LODE_RECORDS", in_records ? 1 : 0);
  source.items_of_unit = std::max(pass.items_of_unit, pass.group_items);
  std::string key = source.entry + " " + std::to_string(source.items_of_unit);
  for (const auto& [name, value] : source.constants) key += " " + name + "=" + std::to_string(value);
  std::unique_ptr<Kernel>& kernel = kernels_[key];
  if (!kernel) kernel = make_kernel(*runtime_, source);
  return *kernel;
}

const OrderKernels& Engine::order_kernels() {
  const std::lock_guard lock(mutex_);
  if (!order_kernels_) order_kernels_ = std::make_unique<OrderKernels>(*runtime_);
  return *order_kernels_;
}

const std::vector<Engine::Step>& Engine::steps(Mode mode, bool in_records) {
  const std::lock_guard lock(mutex_);
  std::vector<Step>& steps_of_mode = steps_[in_records ? 1 : 0][static_cast<int>(mode)];
  if (!steps_of_mode.empty()) return steps_of_mode;
  std::vector<Step> steps;
  for (const Pass& pass : algorithm_->passes()) {
    Step step;
    step.pass = &pass;
    step.kernel = &kernel_of(pass, mode, in_records);
    step.launch.group_items = pass.group_items;
    step.launch.local_bytes = std::max(pass.local_bytes, pass.group_items * finish_bytes_per_item);
    const std::uint32_t per_unit = pass.groups_per_unit != 0
                                       ? pass.groups_per_unit
                                       : pass.rounds * runtime_->groups_per_unit(*step.kernel, step.launch);
    step.max_groups = runtime_->limits().compute_units * std::max(1u, per_unit);
    max_groups_ = std::max(max_groups_.load(), step.max_groups);
    steps.push_back(step);
  }
  return steps_of_mode = std::move(steps);
}

Slot::Slot(Engine& engine) : engine_(engine), queue_(engine.runtime_->make_queue()) {}

Slot::~Slot() { abandon(); }

bool Slot::abandon() noexcept {
  if (!busy_) return true;
  busy_ = false;
  try {
    queue_->wait();
  } catch (const Error&) {
    // The call that abandons a piece already has an error to report, or wants nothing more.
    return false;
  }
  return true;
}

std::span<char> Slot::text_space(std::uint64_t bytes) {
  Runtime& runtime = *engine_.runtime_;
  const std::uint64_t needed = bytes + text_padding;
  if (!pinned_text_ || pinned_text_->bytes().size() < bytes) {
    pinned_text_.reset();
    pinned_text_ = runtime.make_pinned_buffer(std::max<std::uint64_t>(bytes, 16));
  }
  if (!own_text_ || own_text_->size_bytes() < needed) {
    own_text_.reset();
    own_text_ = runtime.make_buffer(needed);
  }
  return {reinterpret_cast<char*>(pinned_text_->bytes().data()), static_cast<std::size_t>(bytes)};
}

void Slot::prepare(const std::function<void(Queue&)>& queue_work, bool waits) {
  busy_ = true;
  queue_work(*queue_);
  if (!waits) return;
  queue_->wait();
  busy_ = false;
}

void Slot::start(Mode mode, const PieceRange& range) {
  mode_ = mode;
  range_ = range;
  text_ = own_text_.get();
  text_offset_ = 0;
  records_ = nullptr;
  busy_ = true;
  if (range.high > range.low) queue_->write(*own_text_, 0, pinned_text_->bytes().data(), range.high - range.low);
  enqueue(range.begin, range.end);
}

void Slot::start_resident(Mode mode, const PieceRange& range, const Buffer& text, std::uint64_t offset,
                          const RecordArguments* records) {
  mode_ = mode;
  range_ = range;
  text_ = &text;
  text_offset_ = offset;
  records_ = records;
  busy_ = true;
  enqueue(range.begin, range.end);
}

void Slot::reserve_list(std::uint64_t matches) {
  if (capacity_ >= matches) return;
  list_.reset();
  capacity_ = 0;
  list_ = engine_.runtime_->make_buffer(matches * sizeof(abi::lode_match));
  capacity_ = matches;
}

void Slot::reserve_pinned_list(std::uint64_t matches) {
  const std::uint64_t bytes = matches * sizeof(abi::lode_match);
  if (pinned_list_ && pinned_list_->bytes().size() >= bytes) return;
  pinned_list_.reset();
  pinned_list_ = engine_.runtime_->make_pinned_buffer(bytes);
}

std::uint64_t Slot::most_of_short_list() const { return std::min(capacity_, most_sorted_by_host); }

std::uint32_t Slot::groups_of(const Engine::Step& step, std::uint64_t places) {
  const std::uint64_t useful = (places + step.pass->places_per_group - 1) / step.pass->places_per_group;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(useful, 1, step.max_groups));
}

void Slot::enqueue(std::uint64_t begin, std::uint64_t end) {
  const std::vector<Engine::Step>& steps = engine_.steps(mode_, records_ != nullptr);
  Runtime& runtime = *engine_.runtime_;
  const std::uint64_t most_bytes = sizeof(abi::lode_header) + engine_.max_groups_ * sizeof(abi::lode_totals);
  if (!answer_ || answer_->size_bytes() < most_bytes) {
    answer_.reset();
    answer_ = runtime.make_buffer(most_bytes);
    pinned_answer_.reset();
    pinned_answer_ = runtime.make_pinned_buffer(most_bytes);
    queue_->clear(*answer_, 0, most_bytes);  // if no kernel runs, the answer is that nothing was found
  }
  part_begin_ = begin;
  part_end_ = end;
  is_answered_ = is_fetched_ = is_taken_ = false;
  groups_ = 0;
  if (begin < end)
    for (const Engine::Step& step : steps) groups_ = std::max(groups_, groups_of(step, end - begin));
  const std::uint64_t answer_bytes = sizeof(abi::lode_header) + groups_ * sizeof(abi::lode_totals);
  const bool adds = steps.size() != 1;
  if (mode_ == Mode::list) {
    reserve_list(std::min(first_list_capacity, engine_.list_limit_));
    reserve_pinned_list(most_of_short_list());
  }
  if (mode_ == Mode::per_distinct && !per_distinct_) {
    const std::uint64_t bytes = std::uint64_t{engine_.plan_.distinct_count()} * 4;
    per_distinct_ = runtime.make_buffer(bytes);
    queue_->clear(*per_distinct_, 0, bytes);
  }
  // No more is cleared than must be: each command takes as long as the search of some megabytes.
  if (adds || mode_ == Mode::list) queue_->clear(*answer_, 0, adds ? answer_bytes : sizeof(abi::lode_header));

  abi::lode_piece piece{};
  piece.text_offset = text_offset_ - text_offset_ % 16;
  piece.first = place_of(range_.low);
  piece.begin = place_of(begin);
  piece.end = place_of(end);
  piece.size = place_of(range_.high);
  piece.capacity = static_cast<std::uint32_t>(std::min<std::uint64_t>(capacity_, UINT32_MAX));
  piece.adds = adds ? 1 : 0;
  piece.condition = condition_value(records_ == nullptr ? engine_.options_.condition : records_->condition);
  static const RecordArguments no_records;
  const RecordArguments& records = records_ == nullptr ? no_records : *records_;
  piece.line_terminator = static_cast<std::uint8_t>(engine_.options_.line_terminator);
  piece.has_utf_16 = engine_.plan_.units.empty() ? 0 : 1;
  if (begin < end) {
    std::vector<Argument> arguments;
    for (const Engine::Step& step : steps) {
      piece.pattern = step.pass->pattern;
      arguments.clear();
      arguments.insert(arguments.end(), {Argument(text_), Argument(piece), Argument(engine_.patterns_.get()),
                                         Argument(engine_.pattern_words_.get()), Argument(answer_.get()),
                                         Argument(list_.get()), Argument(per_distinct_.get())});
      append_arguments(arguments, records);
      arguments.insert(arguments.end(), step.pass->arguments.begin(), step.pass->arguments.end());
      Launch launch = step.launch;
      launch.groups = groups_of(step, end - begin);
      const std::lock_guard lock(engine_.launch_mutex_);
      queue_->launch(*step.kernel, launch, arguments);
    }
  }
  queue_->read(*answer_, 0, pinned_answer_->bytes().data(), answer_bytes);
  if (mode_ == Mode::list)
    queue_->read(*list_, 0, pinned_list_->bytes().data(), most_of_short_list() * sizeof(abi::lode_match));
}

const abi::lode_header& Slot::wait_for_answer() {
  if (!is_answered_) {
    queue_->wait();
    std::memcpy(&header_, pinned_answer_->bytes().data(), sizeof header_);
    is_answered_ = true;
  }
  return header_;
}

void Slot::fetch() {
  if (mode_ != Mode::list || wait_for_answer().overflowed != 0 || is_fetched_) return;
  is_fetched_ = true;
  if (header_.listed <= most_of_short_list()) return;
  reserve_pinned_list(header_.listed);
  const Buffer& list = order_list(header_.listed, cut_list());
  queue_->read(list, 0, pinned_list_->bytes().data(), std::uint64_t{header_.listed} * sizeof(abi::lode_match));
}

void Slot::take_list_early() {
  if (!is_taken_ && wait_for_answer().overflowed == 0) take_list();
}

bool Slot::finish(const std::function<bool(const PieceResult&)>& take) {
  const bool wanted = deliver(range_.begin, range_.end, take);
  busy_ = false;
  return wanted;
}

// Delivers [begin, end), whose commands have been queued. A list without room grows, or the range is halved.
bool Slot::deliver(std::uint64_t begin, std::uint64_t end, const std::function<bool(const PieceResult&)>& take) {
  const abi::lode_header header = wait_for_answer();
  if (mode_ == Mode::list && header.overflowed != 0) {
    const std::uint64_t wanted = std::max<std::uint64_t>(capacity_ * 2, header.listed);
    const bool divisible = end - begin > 1;
    if (!divisible || capacity_ < engine_.list_limit_) {
      reserve_list(divisible ? std::min(wanted, engine_.list_limit_) : wanted);
      enqueue(begin, end);
      return deliver(begin, end, take);
    }
    const std::uint64_t middle = begin + (end - begin) / 2;
    enqueue(begin, middle);
    if (!deliver(begin, middle, take)) return false;
    enqueue(middle, end);
    return deliver(middle, end, take);
  }
  PieceResult result;
  result.begin = begin;
  result.end = end;
  for (std::size_t group = 0; group < groups_; ++group) {
    abi::lode_totals totals;
    std::memcpy(&totals, pinned_answer_->bytes().data() + sizeof header + group * sizeof totals, sizeof totals);
    result.matches += totals.matches;
    result.candidates += totals.candidates;
  }
  if (mode_ == Mode::per_distinct) counted_places_ += end - begin;
  if (mode_ == Mode::list) {
    if (!is_taken_) take_list();
    result.matches = header.listed;
    result.list = {matches_.get(), header.listed};
  }
  return take(result);
}

std::uint32_t Slot::place_of(std::uint64_t offset) const {
  return static_cast<std::uint32_t>(offset - range_.low + text_offset_ % 16);
}

const Buffer& Slot::order_list(std::uint32_t count, const OrderTiles& cut) {
  Runtime& runtime = *engine_.runtime_;
  const OrderKernels& kernels = engine_.order_kernels();
  if (const std::uint64_t bytes = OrderTiles::most(capacity_) * sizeof(std::uint32_t);
      !tiles_ || tiles_->size_bytes() < bytes) {
    tiles_.reset();
    tiles_ = runtime.make_buffer(bytes);
  }
  if (!ordered_ || ordered_->size_bytes() < list_->size_bytes()) {
    ordered_.reset();
    ordered_ = runtime.make_buffer(list_->size_bytes());
  }
  const std::lock_guard lock(engine_.launch_mutex_);
  enqueue_order(*queue_, kernels, cut, count, *list_, *tiles_, *ordered_);
  return *ordered_;
}

OrderTiles Slot::cut_list() const { return {header_.listed, place_of(part_begin_), place_of(part_end_)}; }

void Slot::take_list() {
  const std::uint32_t count = header_.listed;
  fetch();
  is_taken_ = true;
  if (count > most_of_short_list()) queue_->wait();
  if (count == 0) return;
  const std::span<abi::lode_match> found(reinterpret_cast<abi::lode_match*>(pinned_list_->bytes().data()), count);
  if (count <= most_of_short_list()) sort_matches(found);
  // The matches are not cleared, because all of them are written.
  if (matches_capacity_ < count) {
    matches_.reset();
    matches_capacity_ = 0;
    matches_ = std::make_unique_for_overwrite<Match[]>(count);
    matches_capacity_ = count;
  }
  if (convert_list(found)) return;
  // The device has left tiles with very many matches to the host.
  const OrderTiles cut = cut_list();
  const auto tile_of = [&](const abi::lode_match& match) { return (match.start - cut.begin) >> cut.shift; };
  for (std::size_t begin = 0, end = 0; begin < found.size(); begin = end) {
    while (end < found.size() && tile_of(found[end]) == tile_of(found[begin])) ++end;
    if (end - begin > OrderKernels::tile_matches) sort_matches(found.subspan(begin, end - begin));
  }
  convert_list(found);
}

// Converts what the device has found into matches_. Returns false if it is not in order.
bool Slot::convert_list(std::span<const abi::lode_match> found) {
  const std::uint64_t origin = range_.low - text_offset_ % 16;
  std::atomic<bool> ordered{true};
  run_ranges(thread_count(engine_.options_.threads), found.size(), convert_grain,
             [&](std::uint64_t begin, std::uint64_t end) {
               bool own_ordered = begin == 0 || !comes_before(found[begin], found[begin - 1]);
               for (std::uint64_t at = begin; at < end; ++at) {
                 const abi::lode_match match = found[at];
                 own_ordered &= at == begin || !comes_before(match, found[at - 1]);
                 matches_[at] = {origin + match.start, match.distinct, engine_.lengths_[match.distinct]};
               }
               if (!own_ordered) ordered.store(false, std::memory_order_relaxed);
             });
  return ordered.load();
}

void Slot::collect_per_distinct(std::vector<std::uint64_t>& counts) {
  if (!per_distinct_ || counted_places_ == 0) return;
  std::vector<std::uint32_t> counted(engine_.plan_.distinct_count());
  const std::uint64_t bytes = counted.size() * sizeof counted[0];
  queue_->read(*per_distinct_, 0, counted.data(), bytes);
  queue_->clear(*per_distinct_, 0, bytes);
  queue_->wait();
  counted_places_ = 0;
  for (std::size_t distinct = 0; distinct < counted.size(); ++distinct) counts[distinct] += counted[distinct];
}

}  // namespace lode::gpu
