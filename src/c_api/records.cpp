// The functions of the C API that search records.
#include <span>
#include <string>
#include <utility>

#include "c_api/c_api.hpp"

static_assert(sizeof(lode_record_hit) == sizeof(lode::RecordHit) &&
              alignof(lode_record_hit) == alignof(lode::RecordHit) &&
              offsetof(lode_record_hit, record) == offsetof(lode::RecordHit, record) &&
              offsetof(lode_record_hit, offset) == offsetof(lode::RecordHit, offset) &&
              offsetof(lode_record_hit, pattern_id) == offsetof(lode::RecordHit, pattern_id));

using namespace lode::c_api;

namespace {

template <class Offset>
lode_status create_records(const void* bytes, std::uint64_t size_bytes, const Offset* offsets, std::uint64_t count,
                           const std::uint8_t* validity, std::uint64_t first_bit, lode_records** records,
                           lode_error** error) noexcept {
  return guarded(error, [&] {
    require_pointers(records);
    require(offsets != nullptr || count == 0, "a required pointer is NULL");
    require(count < UINT64_MAX / sizeof(Offset), "there cannot be so many records");
    const std::span<const Offset> given(offsets, offsets == nullptr ? 0 : static_cast<std::size_t>(count) + 1);
    // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new): guarded() handles it
    *records = new lode_records{lode::Records::with_offsets(view(bytes, size_bytes), given, {validity, first_bit})};
  });
}

void store_record_stats(lode_record_stats* to, const lode::RecordStats& from) {
  if (to == nullptr) return;
  lode_record_stats stats = LODE_RECORD_STATS_INIT;
  stats.records = from.records;
  stats.flagged_records = from.flagged_records;
  stats.false_positives = from.false_positives;
  stats.flag_seconds = from.flag_seconds;
  stats.verify_seconds = from.verify_seconds;
  stats.size = to->size;
  std::memcpy(to, &stats, std::min(to->size, sizeof(stats)));
}

/// Makes one search: translates the arguments, calls work() and stores the statistics.
template <typename Work>
lode_status search(lode_error** error, const lode_record_searcher* searcher, const lode_records* records,
                   const lode_record_run_options* run_options, Work&& work) noexcept {
  return guarded(error, [&] {
    require_pointers(searcher, records);
    const auto given = known_options(run_options, lode_record_run_options LODE_RECORD_RUN_OPTIONS_INIT);
    check_stats(given.stats);
    require(given.record_stats == nullptr || given.record_stats->size >= sizeof(std::size_t),
            "lode_record_stats has no size; initialise it with LODE_RECORD_STATS_INIT");
    lode::RecordStats stats;
    lode::RecordRunOptions run;
    run.stop = token_of(given.stop);
    run.progress = progress_of(given.progress, given.progress_context);
    if (given.stats != nullptr || given.record_stats != nullptr) run.stats = &stats;
    work(searcher->searcher, records->records, run);
    store_stats(given.stats, stats.search);
    store_record_stats(given.record_stats, stats);
  });
}

template <class Cell>
lode_status fill_dense(const lode_record_searcher* searcher, const lode_records* records,
                       const lode_record_run_options* run, Cell* cells, std::uint64_t capacity,
                       lode_error** error) noexcept {
  return search(error, searcher, records, run, [&](const auto& engine, const auto& input, const auto& options) {
    require(cells != nullptr || capacity == 0, "a required pointer is NULL");
    engine.first_dense(input, std::span<Cell>(cells, static_cast<std::size_t>(capacity)), options);
  });
}

}  // namespace

lode_status lode_records_create32(const void* bytes, uint64_t size_bytes, const uint32_t* offsets, uint64_t count,
                                  const uint8_t* validity, uint64_t first_bit, lode_records** records,
                                  lode_error** error) {
  return create_records(bytes, size_bytes, offsets, count, validity, first_bit, records, error);
}

lode_status lode_records_create64(const void* bytes, uint64_t size_bytes, const uint64_t* offsets, uint64_t count,
                                  const uint8_t* validity, uint64_t first_bit, lode_records** records,
                                  lode_error** error) {
  return create_records(bytes, size_bytes, offsets, count, validity, first_bit, records, error);
}

uint64_t lode_records_size(const lode_records* records) { return records == nullptr ? 0 : records->records.size(); }

void lode_records_destroy(lode_records* records) { delete records; }

lode_status lode_record_searcher_create(const lode_plan* plan, const lode_searcher_options* options,
                                        lode_record_searcher** searcher, lode_error** error) {
  return guarded(error, [&] {
    require_pointers(plan, searcher);
    SearcherSettings settings = settings_of(options);
    *searcher =
        new lode_record_searcher{lode::RecordSearcher(plan->plan, std::move(settings.options), settings.device)};
  });
}

void lode_record_searcher_destroy(lode_record_searcher* searcher) { delete searcher; }

const char* lode_record_searcher_algorithm(const lode_record_searcher* searcher) {
  return searcher == nullptr ? "" : searcher->searcher.algorithm().c_str();
}

const char* lode_record_searcher_instruction_set(const lode_record_searcher* searcher) {
  return searcher == nullptr ? "" : searcher->searcher.instruction_set().c_str();
}

lode_status lode_record_searcher_first(const lode_record_searcher* searcher, const lode_records* records,
                                       const lode_record_run_options* run, lode_record_hit_sink sink, void* context,
                                       lode_error** error) {
  return search(error, searcher, records, run, [&](const auto& engine, const auto& input, const auto& options) {
    require_pointers(sink);
    const auto give = [=](std::span<const lode::RecordHit> hits) {
      return sink(reinterpret_cast<const lode_record_hit*>(hits.data()), hits.size(), context) != 0;
    };
    engine.first(input, give, options);
  });
}

lode_status lode_record_searcher_first_dense32(const lode_record_searcher* searcher, const lode_records* records,
                                               const lode_record_run_options* run, int32_t* cells, uint64_t capacity,
                                               lode_error** error) {
  return fill_dense(searcher, records, run, cells, capacity, error);
}

lode_status lode_record_searcher_first_dense64(const lode_record_searcher* searcher, const lode_records* records,
                                               const lode_record_run_options* run, int64_t* cells, uint64_t capacity,
                                               lode_error** error) {
  return fill_dense(searcher, records, run, cells, capacity, error);
}

lode_status lode_record_searcher_contains_any(const lode_record_searcher* searcher, const lode_records* records,
                                              const lode_record_run_options* run, uint8_t* bits,
                                              uint64_t capacity_bytes, lode_error** error) {
  return search(error, searcher, records, run, [&](const auto& engine, const auto& input, const auto& options) {
    require(bits != nullptr || capacity_bytes == 0, "a required pointer is NULL");
    const std::uint64_t needed = (input.size() + 7) / 8;
    if (capacity_bytes < needed)
      throw lode::Error(lode::ErrorKind::limit, "the bits of " + std::to_string(input.size()) + " records need " +
                                                    std::to_string(needed) + " bytes, not " +
                                                    std::to_string(capacity_bytes));
    const std::vector<std::uint8_t> any = engine.contains_any(input, options);
    std::copy(any.begin(), any.end(), bits);
  });
}
