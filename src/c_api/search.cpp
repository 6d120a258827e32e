// The functions of the C API that search texts: texts, devices, searchers, streams.
#include <memory>
#include <utility>

#include "c_api/c_api.hpp"

using namespace lode::c_api;

namespace {

lode::Text text_of(const lode_text& text) {
  if (text.resident != nullptr) return lode::Text(text.resident->text);
  if (text.file != nullptr) return lode::Text(text.file->text);
  return lode::Text(view(text.bytes, text.size_bytes));
}

template <std::size_t size>
void copy_name(char (&to)[size], const std::string& from) {
  const std::size_t length = std::min(from.size(), size - 1);
  std::memcpy(to, from.data(), length);
  to[length] = '\0';
}

/// A call's run options in C++, and the statistics that go back to the caller.
class Run {
 public:
  explicit Run(const lode_run_options* given) {
    const lode_run_options run = known_options(given, lode_run_options LODE_RUN_OPTIONS_INIT);
    check_stats(run.stats);
    caller_stats_ = run.stats;
    options_.begin = run.begin;
    options_.end = run.end;
    options_.not_before = run.not_before;
    options_.stop = token_of(run.stop);
    options_.progress = progress_of(run.progress, run.progress_context);
    if (caller_stats_ != nullptr) options_.stats = &stats_;
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  const lode::RunOptions& options() const { return options_; }
  lode_search_stats* caller_stats() const { return caller_stats_; }
  void report() const { store_stats(caller_stats_, stats_); }

 private:
  lode::RunOptions options_;
  lode::SearchStats stats_;
  lode_search_stats* caller_stats_ = nullptr;
};

// Callers in other languages have no bit-fields, so matches are copied into a struct without them.
lode_match match_of(const lode::Match& match) {
  return {match.offset, match.pattern_id, match.length, static_cast<std::uint32_t>(match.form), 0};
}

lode::MatchSink sink_of(lode_match_sink sink, void* context) {
  return [=, batch = std::vector<lode_match>()](std::span<const lode::Match> matches) mutable {
    batch.clear();
    for (const lode::Match& match : matches) batch.push_back(match_of(match));
    return sink(batch.data(), batch.size(), context) != 0;
  };
}

/// Makes one search: translates the arguments, calls work() and stores the statistics.
template <typename Work>
lode_status search(lode_error** error, const lode_searcher* searcher, const lode_text& text,
                   const lode_run_options* run_options, Work&& work) noexcept {
  return guarded(error, [&] {
    require_pointers(searcher);
    const Run run(run_options);
    work(searcher->searcher, text_of(text), run.options());
    run.report();
  });
}

lode::ByteSink byte_sink_of(lode_byte_sink sink, void* context) {
  return [=](std::string_view bytes) { return sink(bytes.data(), bytes.size(), context) != 0; };
}

// A stream fills statistics of its own.
template <typename Stream>
lode::RunOptions options_of_stream(const Run& run, Stream& stream) {
  stream.caller_stats = run.caller_stats();
  lode::RunOptions options = run.options();
  options.stats = stream.caller_stats == nullptr ? nullptr : &stream.stats;
  return options;
}

template <typename Stream>
lode_status push(Stream* stream, const void* bytes, size_t size_bytes, int* more, lode_error** error) noexcept {
  return guarded(error, [&] {
    require_pointers(stream);
    const bool goes_on = stream->stream->push(view(bytes, size_bytes));
    if (more != nullptr) *more = goes_on ? 1 : 0;
  });
}

template <typename Stream>
lode_status flush(Stream* stream, lode_error** error) noexcept {
  return guarded(error, [&] {
    require_pointers(stream);
    stream->stream->flush();
  });
}

template <typename Stream>
lode_status finish(Stream* stream, lode_error** error) noexcept {
  return guarded(error, [&] {
    require_pointers(stream);
    stream->stream->finish();
    lode::c_api::store_stats(stream->caller_stats, stream->stats);
  });
}

}  // namespace

namespace lode::c_api {

SearcherSettings settings_of(const lode_searcher_options* options) {
  const auto given = known_options(options, lode_searcher_options LODE_SEARCHER_OPTIONS_INIT);
  require(given.match_kind <= LODE_LEFTMOST_FIRST, "match_kind is not a lode_match_kind");
  require(given.condition <= LODE_WHOLE_LINE_CRLF, "condition is not a lode_condition");
  require(given.schedule <= LODE_STATIC_CHUNKS, "schedule is not a lode_schedule");
  require(given.line_terminator <= 0xff, "line_terminator is not a byte");
  require(given.device == nullptr || given.opened_device == nullptr, "device and opened_device are both set");
  SearcherSettings settings;
  if (given.algorithm != nullptr) settings.options.algorithm = given.algorithm;
  if (given.instruction_set != nullptr) settings.options.instruction_set = given.instruction_set;
  settings.options.match_kind = static_cast<MatchKind>(given.match_kind);
  settings.options.condition = static_cast<Condition>(given.condition);
  settings.options.schedule = static_cast<Schedule>(given.schedule);
  settings.options.line_terminator = static_cast<char>(given.line_terminator);
  settings.options.one_per_line = given.one_per_line != 0;
  settings.options.threads = given.threads;
  settings.options.chunk_bytes = given.chunk_bytes;
  settings.options.memory_limit_bytes = given.memory_limit_bytes;
  settings.options.gpu_cascade = given.gpu_cascade;
  settings.options.gpu_group_items = given.gpu_group_items;
  settings.options.gpu_groups_per_unit = given.gpu_groups_per_unit;
  if (given.opened_device != nullptr)
    settings.device = given.opened_device->device;
  else if (given.device != nullptr)
    settings.device = open_device(given.device);
  return settings;
}

void check_stats(const lode_search_stats* stats) {
  require(stats == nullptr || stats->size >= sizeof(std::size_t),
          "lode_search_stats has no size; initialise it with LODE_SEARCH_STATS_INIT");
}

void store_stats(lode_search_stats* to, const SearchStats& from) {
  if (to == nullptr) return;
  lode_search_stats stats = LODE_SEARCH_STATS_INIT;
  copy_name(stats.algorithm, from.algorithm);
  copy_name(stats.device, from.device);
  copy_name(stats.instruction_set, from.instruction_set);
  copy_name(stats.strategy, from.strategy);
  copy_name(stats.choice, from.choice);
  copy_name(stats.warning, from.warning);
  stats.threads = from.threads;
  stats.bytes = from.bytes;
  stats.candidates = from.candidates;
  stats.matches = from.matches;
  stats.seconds = from.seconds;
  stats.size = to->size;
  std::memcpy(to, &stats, std::min(to->size, sizeof(stats)));
}

}  // namespace lode::c_api

lode_status lode_file_open(const char* path, lode_file** file, lode_error** error) {
  return guarded(error, [&] {
    require_pointers(path, file);
    *file = new lode_file{lode::FileText(path)};
  });
}

uint64_t lode_file_size(const lode_file* file) { return file == nullptr ? 0 : file->text.size(); }

void lode_file_destroy(lode_file* file) { delete file; }

lode_text lode_text_of_bytes(const void* bytes, uint64_t size_bytes) { return {bytes, size_bytes, nullptr, nullptr}; }

lode_text lode_text_of_file(const lode_file* file) { return {nullptr, 0, file, nullptr}; }

lode_text lode_text_of_resident(const lode_resident_text* resident) { return {nullptr, 0, nullptr, resident}; }

lode_status lode_device_open(const char* name, lode_device** device, lode_error** error) {
  return guarded(error, [&] {
    require_pointers(name, device);
    *device = new lode_device{lode::open_device(name)};
  });
}

const char* lode_device_name(const lode_device* device) {
  return device == nullptr ? "" : device->device.name().c_str();
}

void lode_device_destroy(lode_device* device) { delete device; }

lode_status lode_resident_text_create(const lode_device* device, lode_text text, uint32_t threads,
                                      lode_resident_text** resident, lode_error** error) {
  return guarded(error, [&] {
    require_pointers(device, resident);
    *resident = new lode_resident_text{lode::ResidentText(device->device, text_of(text), threads)};
  });
}

lode_status lode_resident_text_adopt(const lode_device* device, uintptr_t device_pointer, uint64_t size_bytes,
                                     lode_resident_text** resident, lode_error** error) {
  return guarded(error, [&] {
    require_pointers(device, resident);
    require(device_pointer != 0 || size_bytes == 0, "a required pointer is NULL");
    *resident = new lode_resident_text{lode::ResidentText::adopt(device->device, device_pointer, size_bytes)};
  });
}

uint64_t lode_resident_text_size(const lode_resident_text* resident) {
  return resident == nullptr ? 0 : resident->text.size();
}

void lode_resident_text_destroy(lode_resident_text* resident) { delete resident; }

lode_status lode_searcher_create(const lode_plan* plan, const lode_searcher_options* options, lode_searcher** searcher,
                                 lode_error** error) {
  return guarded(error, [&] {
    require_pointers(plan, searcher);
    SearcherSettings settings = settings_of(options);
    *searcher = new lode_searcher{lode::Searcher(plan->plan, std::move(settings.options), settings.device)};
  });
}

void lode_searcher_destroy(lode_searcher* searcher) { delete searcher; }

const char* lode_searcher_algorithm(const lode_searcher* searcher) {
  return searcher == nullptr ? "" : searcher->searcher.algorithm().c_str();
}

const char* lode_searcher_instruction_set(const lode_searcher* searcher) {
  return searcher == nullptr ? "" : searcher->searcher.instruction_set().c_str();
}

lode_status lode_searcher_find(const lode_searcher* searcher, lode_text text, const lode_run_options* run,
                               lode_match_sink sink, void* context, lode_error** error) {
  return search(error, searcher, text, run, [&](const auto& engine, const auto& input, const auto& options) {
    require_pointers(sink);
    engine.find(input, sink_of(sink, context), options);
  });
}

lode_status lode_searcher_find_array(const lode_searcher* searcher, lode_text text, const lode_run_options* run,
                                     lode_match* matches, uint64_t capacity, uint64_t* found, lode_error** error) {
  return search(error, searcher, text, run, [&](const auto& engine, const auto& input, const auto& options) {
    require_pointers(found);
    require(matches != nullptr || capacity == 0, "a required pointer is NULL");
    std::uint64_t total = 0;
    engine.find(
        input,
        [&](std::span<const lode::Match> batch) {
          if (total < capacity) {
            const std::uint64_t taken = std::min<std::uint64_t>(batch.size(), capacity - total);
            std::transform(batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(taken), matches + total,
                           match_of);
          }
          total += batch.size();
          return true;
        },
        options);
    *found = total;
  });
}

lode_status lode_searcher_count(const lode_searcher* searcher, lode_text text, const lode_run_options* run,
                                uint64_t* count, lode_error** error) {
  return search(error, searcher, text, run, [&](const auto& engine, const auto& input, const auto& options) {
    require_pointers(count);
    *count = engine.count(input, options);
  });
}

lode_status lode_searcher_count_lines(const lode_searcher* searcher, const void* bytes, size_t size_bytes,
                                      const lode_run_options* run, uint64_t* lines, lode_error** error) {
  return search(error, searcher, lode_text_of_bytes(bytes, size_bytes), run,
                [&](const auto& engine, const auto& input, const auto& options) {
                  require_pointers(lines);
                  *lines = engine.count_lines(input.bytes(), options);
                });
}

lode_status lode_searcher_count_per_pattern(const lode_searcher* searcher, lode_text text, const lode_run_options* run,
                                            uint64_t* counts, uint64_t capacity, lode_error** error) {
  return search(error, searcher, text, run, [&](const auto& engine, const auto& input, const auto& options) {
    require_pointers(counts);
    require(capacity == engine.plan().patterns().size(), "capacity is not the number of patterns");
    const std::vector<std::uint64_t> result = engine.count_per_pattern(input, options);
    std::copy(result.begin(), result.end(), counts);
  });
}

lode_status lode_searcher_contains(const lode_searcher* searcher, lode_text text, const lode_run_options* run,
                                   int* found, lode_error** error) {
  return search(error, searcher, text, run, [&](const auto& engine, const auto& input, const auto& options) {
    require_pointers(found);
    *found = engine.contains(input, options) ? 1 : 0;
  });
}

lode_status lode_searcher_first(const lode_searcher* searcher, lode_text text, const lode_run_options* run,
                                lode_match* match, int* found, lode_error** error) {
  return search(error, searcher, text, run, [&](const auto& engine, const auto& input, const auto& options) {
    require_pointers(match, found);
    const std::optional<lode::Match> first = engine.first(input, options);
    if (first) *match = match_of(*first);
    *found = first ? 1 : 0;
  });
}

lode_status lode_stream_create(const lode_searcher* searcher, const lode_run_options* run, lode_match_sink sink,
                               void* context, lode_stream** stream, lode_error** error) {
  return guarded(error, [&] {
    require_pointers(searcher, sink, stream);
    const Run translated(run);
    auto opened = std::make_unique<lode_stream>();
    opened->stream.emplace(searcher->searcher, sink_of(sink, context), options_of_stream(translated, *opened));
    *stream = opened.release();
  });
}

lode_status lode_stream_push(lode_stream* stream, const void* bytes, size_t size_bytes, int* more, lode_error** error) {
  return push(stream, bytes, size_bytes, more, error);
}

lode_status lode_stream_flush(lode_stream* stream, lode_error** error) { return flush(stream, error); }

lode_status lode_stream_finish(lode_stream* stream, lode_error** error) { return finish(stream, error); }

uint64_t lode_stream_size(const lode_stream* stream) { return stream == nullptr ? 0 : stream->stream->size(); }

void lode_stream_destroy(lode_stream* stream) { delete stream; }

lode_status lode_replacements_of_all(const void* bytes, size_t size_bytes, lode_replacements** replacements,
                                     lode_error** error) {
  return guarded(error, [&] {
    require_pointers(replacements);
    *replacements = new lode_replacements{lode::Replacements::of_all(view(bytes, size_bytes))};
  });
}

lode_status lode_replacements_by_id(const void* const* bytes, const size_t* sizes_bytes, size_t count,
                                    lode_replacements** replacements, lode_error** error) {
  return guarded(error, [&] {
    require_pointers(replacements);
    require((bytes != nullptr && sizes_bytes != nullptr) || count == 0, "a required pointer is NULL");
    std::vector<std::string> by_id;
    for (std::size_t id = 0; id < count; ++id) by_id.emplace_back(view(bytes[id], sizes_bytes[id]));
    *replacements = new lode_replacements{lode::Replacements::by_id(by_id)};
  });
}

lode_status lode_replacements_of_patterns(const void* others, size_t size_bytes, lode_replacements** replacements,
                                          lode_error** error) {
  return guarded(error, [&] {
    require_pointers(replacements);
    const auto given = others == nullptr ? std::nullopt : std::optional(view(others, size_bytes));
    *replacements = new lode_replacements{lode::Replacements::of_patterns(given)};
  });
}

lode_status lode_replacements_mask(const char* character, lode_replacements** replacements, lode_error** error) {
  return guarded(error, [&] {
    require_pointers(character, replacements);
    *replacements = new lode_replacements{lode::Replacements::mask(character)};
  });
}

void lode_replacements_destroy(lode_replacements* replacements) { delete replacements; }

lode_status lode_searcher_rewrite(const lode_searcher* searcher, lode_text text, const lode_replacements* replacements,
                                  const lode_run_options* run, lode_byte_sink sink, void* context, uint64_t* replaced,
                                  lode_error** error) {
  return search(error, searcher, text, run, [&](const auto& engine, const auto& input, const auto& options) {
    require_pointers(replacements, sink);
    const std::uint64_t matches =
        engine.rewrite(input, replacements->replacements, byte_sink_of(sink, context), options);
    if (replaced != nullptr) *replaced = matches;
  });
}

lode_status lode_rewrite_stream_create(const lode_searcher* searcher, const lode_replacements* replacements,
                                       const lode_run_options* run, lode_byte_sink sink, void* context,
                                       lode_rewrite_stream** stream, lode_error** error) {
  return guarded(error, [&] {
    require_pointers(searcher, replacements, sink, stream);
    const Run translated(run);
    auto opened = std::make_unique<lode_rewrite_stream>();
    opened->stream.emplace(searcher->searcher, replacements->replacements, byte_sink_of(sink, context),
                           options_of_stream(translated, *opened));
    *stream = opened.release();
  });
}

lode_status lode_rewrite_stream_push(lode_rewrite_stream* stream, const void* bytes, size_t size_bytes, int* more,
                                     lode_error** error) {
  return push(stream, bytes, size_bytes, more, error);
}

lode_status lode_rewrite_stream_flush(lode_rewrite_stream* stream, lode_error** error) { return flush(stream, error); }

lode_status lode_rewrite_stream_finish(lode_rewrite_stream* stream, lode_error** error) {
  return finish(stream, error);
}

void lode_rewrite_stream_destroy(lode_rewrite_stream* stream) { delete stream; }
