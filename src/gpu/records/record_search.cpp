#include "gpu/records/record_search.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "base/threads.hpp"
#include "gpu/engine/scan.hpp"
#include "gpu/records/cell_search.hpp"
#include "lode/error.hpp"

namespace lode::gpu {
namespace {

constexpr std::uint64_t usual_cell_bytes = std::uint64_t{256} << 20;
// Cells are read in pieces of this size. The host uses one piece while the next one is copied, so a few pieces are
// better than a single one, and than many.
constexpr std::uint64_t most_read_bytes = std::uint64_t{4} << 20;
constexpr std::uint64_t least_read_bytes = std::uint64_t{1} << 20;
constexpr std::uint64_t usual_reads = 4;
// A larger buffer of cells is not kept for the next search.
constexpr std::uint64_t most_kept_bytes = std::uint64_t{32} << 20;
constexpr std::uint64_t most_kept_choices = 1024;
// Records of the host become resident in parts of this size.
constexpr std::uint64_t most_staged_bytes = std::uint64_t{128} << 20;
constexpr std::uint64_t least_staged_bytes = std::uint64_t{64} << 10;
// Occurrences are handed on in batches of at most this many. With a memory limit a batch takes an eighth of it, so that
// the hits that the caller makes of the batch have room, too.
constexpr std::uint64_t most_listed = std::uint64_t{1} << 18;
constexpr std::uint64_t least_listed = std::uint64_t{1} << 12;
constexpr std::uint64_t listed_of_memory = 8;
constexpr std::uint64_t list_grain = std::uint64_t{1} << 10;
// find_records() prefetches the index for the occurrence that comes so many later. Up to `most_tried_records` records
// are tried one by one; among more it searches by halves.
constexpr std::size_t blocks_ahead = 16;
constexpr std::size_t starts_ahead = 8;
constexpr std::uint64_t most_tried_records = 32;
// A launch searches no more than this, so that a search can be cancelled between two launches.
constexpr std::uint64_t most_searched_cells = std::uint64_t{1} << 30;
constexpr std::uint64_t most_searched_bytes = std::uint64_t{1} << 36;  // read by a launch if no pattern occurs

std::uint64_t words_of_rows(Mode mode, std::uint64_t patterns, std::uint64_t rows) {
  return mode == Mode::any ? (rows + 31) / 32 : rows * words_of_row(mode, patterns);
}

// Finds the record of each occurrence; occurrences come in order. The entries of the index that some later occurrence
// needs are prefetched, because they lie as far apart as the occurrences do.
void find_records(const RecordPart& part, std::span<const Match> found, RecordOccurrence* into) {
  const std::uint32_t* const blocks = part.host_blocks.data();
  const std::uint64_t* const starts = part.host_starts.data();
  const std::uint32_t block_log2 = part.records.block_log2;
  std::uint64_t record = 0;
  std::uint64_t begin = 0;       // where `record` begins
  std::uint64_t next_begin = 0;  // where the record behind it begins
  for (std::size_t at = 0; at < found.size(); ++at) {
    if (at + blocks_ahead < found.size()) __builtin_prefetch(blocks + (found[at + blocks_ahead].offset >> block_log2));
    if (at + starts_ahead < found.size())
      __builtin_prefetch(starts + blocks[found[at + starts_ahead].offset >> block_log2]);
    const Match& match = found[at];
    if (match.offset >= next_begin) {
      const std::uint32_t* const block = blocks + (match.offset >> block_log2);
      record = std::max<std::uint64_t>(record, block[0]);
      // Where most records are empty, very many begin in one block.
      for (std::uint64_t last = block[1]; last > record + most_tried_records;) {
        const std::uint64_t middle = last - (last - record) / 2;
        if (part.start_of(middle) <= match.offset)
          record = middle;
        else
          last = middle - 1;
      }
      while ((next_begin = part.start_of(record + 1)) <= match.offset) ++record;
      begin = part.start_of(record);
    }
    *into++ = {part.first + record, match.offset - begin, match.pattern_id};
  }
}

// Searches places [begin, end) of the part's text.
void scan_part(Engine& engine, const RecordPart& part, const RecordArguments& arguments, const RecordRequest& request,
               ScanRequest scanned, std::uint64_t begin, std::uint64_t end,
               const std::function<bool(const PieceResult&)>& take) {
  ScanText text;
  text.size = part.text->size();
  text.resident = part.text.get();
  text.records = &arguments;
  scanned.begin = begin;
  scanned.end = end;
  scanned.threads = request.threads;
  scanned.stop = request.stop;
  Engine* const engines[] = {&engine};
  scan(engines, text, scanned, [&](const PieceResult& piece) {
    const bool wanted = take(piece);
    if (request.progress) request.progress(piece.end - piece.begin);
    return wanted;
  });
}

}  // namespace

namespace {

// Rows on their way from the device into pinned memory.
struct Transfer {
  ~Transfer() {
    if (first == last) return;
    try {
      queue->wait();
    } catch (const Error&) {
      // Whoever gives up a transfer has an error to report already.
    }
  }
  std::unique_ptr<PinnedBuffer> words;
  std::unique_ptr<Queue> queue;
  std::uint64_t first = 0;  // rows [first, last) are under way
  std::uint64_t last = 0;
};

// Makes sure that the buffer has at least so many bytes. A smaller buffer is freed before the larger one is made, so
// that both never exist at once.
void reserve(Runtime& runtime, std::unique_ptr<Buffer>& buffer, std::uint64_t bytes) {
  if (buffer && buffer->size_bytes() >= bytes) return;
  buffer.reset();
  buffer = runtime.make_buffer(bytes);
}

void reserve(Runtime& runtime, std::unique_ptr<PinnedBuffer>& buffer, std::uint64_t bytes) {
  if (buffer && buffer->bytes().size() >= bytes) return;
  buffer.reset();
  buffer = runtime.make_pinned_buffer(bytes);
}

}  // namespace

// Memory and queues of one search on a device. Searches that run at the same time have one each.
struct RecordSearch::Workspace {
  std::unique_ptr<Buffer> cells;
  std::array<Transfer, 2> transfers;
  // These two are declared before the queue, so they outlive it: its destructor waits for commands that write to them.
  std::unique_ptr<Buffer> answer;
  std::unique_ptr<PinnedBuffer> read_answer;
  std::unique_ptr<Queue> queue;

  void drop_what_is_large() {
    if (cells && cells->size_bytes() > most_kept_bytes) cells.reset();
    for (Transfer& transfer : transfers)
      if (transfer.words && transfer.words->bytes().size() > most_read_bytes) transfer.words.reset();
  }
};

// What a device keeps from one search to the next.
struct RecordSearch::PerDevice {
  explicit PerDevice(Engine& engine) : runtime(engine.runtime()), kernels(runtime) {
    const PlanData& plan = engine.plan();
    if (!plan.has_duplicates()) return;
    std::vector<std::uint32_t> table;
    const std::vector<std::uint32_t>& of_groups = plan.ids_of_groups();
    table.reserve(plan.group_starts.size() + of_groups.size());
    for (const std::uint32_t start : plan.group_starts)
      table.push_back(start + static_cast<std::uint32_t>(plan.group_starts.size()));
    table.insert(table.end(), of_groups.begin(), of_groups.end());
    ids = upload(runtime, table);
  }

  // Takes a workspace that was given back, or makes one. A search that fails gives none back, because nobody knows what
  // its queues still do.
  std::unique_ptr<Workspace> take() {
    {
      const std::lock_guard lock(idle_mutex);
      if (!idle.empty()) {
        std::unique_ptr<Workspace> workspace = std::move(idle.back());
        idle.pop_back();
        return workspace;
      }
    }
    auto workspace = std::make_unique<Workspace>();
    workspace->queue = runtime.make_queue();
    return workspace;
  }
  std::unique_ptr<RecordLoader> take_loader() {
    {
      const std::lock_guard lock(idle_mutex);
      if (idle_loader) return std::move(idle_loader);
    }
    return std::make_unique<RecordLoader>(runtime);
  }
  void give_back(std::unique_ptr<RecordLoader> loader) {
    const std::lock_guard lock(idle_mutex);
    idle_loader = std::move(loader);
  }
  void give_back(std::unique_ptr<Workspace> workspace) {
    workspace->drop_what_is_large();
    const std::lock_guard lock(idle_mutex);
    idle.push_back(std::move(workspace));
  }

  Runtime& runtime;
  std::mutex mutex;  // guards the kernels, which one thread may use at a time
  RecordKernels kernels;
  std::unique_ptr<CellKernel> cell_kernel;  // made when it is first needed
  std::unique_ptr<Buffer> ids;              // null if each distinct pattern is its only id
  std::mutex idle_mutex;                    // guards what follows
  std::vector<std::unique_ptr<Workspace>> idle;
  std::unique_ptr<RecordLoader> idle_loader;  // the one that was given back last
};

RecordSearch::RecordSearch(std::vector<Engine*> engines) : engines_(std::move(engines)) {
  for (Engine* const engine : engines_) devices_.push_back(std::make_unique<PerDevice>(*engine));
}

RecordSearch::~RecordSearch() = default;

RecordArguments RecordSearch::arguments_of(const RecordPart& part, const RecordRequest& request) const {
  RecordArguments arguments;
  arguments.records = part.records;
  arguments.condition = request.condition;
  arguments.starts = part.starts.get();
  arguments.blocks = part.blocks.get();
  arguments.ids = devices_[part.device]->ids.get();
  arguments.records.has_ids = arguments.ids != nullptr ? 1 : 0;
  return arguments;
}

void RecordSearch::search_rows(const RecordPart& part, Mode mode, const RecordRequest& request, Workspace& workspace,
                               const Buffer& cells, std::uint64_t first, std::uint64_t last,
                               RecordTotals& totals) const {
  Engine& engine = *engines_[part.device];
  PerDevice& device = *devices_[part.device];
  RecordArguments arguments = arguments_of(part, request);
  const std::uint64_t patterns = engine.plan().id_count();
  arguments.cells = &cells;
  arguments.records.columns = words_of_row(mode, patterns);
  arguments.records.first_row = static_cast<std::uint32_t>(first);
  const std::uint64_t begin = part.start_of(first);
  const std::uint64_t end = begin + part.bytes_of(first, last);
  const auto fill = [&](Queue& queue) {
    const std::lock_guard lock(device.mutex);
    device.kernels.fill(queue, cells, words_of_rows(mode, patterns, last - first),
                        mode == Mode::first ? LODE_NO_OFFSET : 0);
  };
  ScanRequest scanned;
  scanned.mode = mode;
  if (begin < end) {
    scanned.prepare = fill;
  } else {
    fill(*workspace.queue);
    workspace.queue->wait();
  }
  scan_part(engine, part, arguments, request, scanned, begin, end, [&](const PieceResult& piece) {
    totals.matches += piece.matches;
    totals.candidates += piece.candidates;
    return true;
  });
}

bool RecordSearch::searches_cells(const ResidentRecords& records, Mode mode, const RecordRequest& request) const {
  if (records.size() == 0 || mode != Mode::first || request.cells == CellWay::scan ||
      records.longest() > most_cell_record_bytes)
    return false;
  // The kernel writes each cell once; the forms of a pattern share one.
  if (!engines_.front()->plan().forms.empty()) return false;
  if (request.cells == CellWay::search) return true;
  const std::pair key(records.number(), request.condition);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = choices_.find(key); known != choices_.end()) return known->second;
  }
  const Engine& engine = *engines_.front();
  const bool chosen =
      is_worth_cell_search(engine.plan(), records.sample(), request.condition, engine.options().line_terminator);
  const std::lock_guard lock(mutex_);
  if (choices_.size() >= most_kept_choices) choices_.clear();
  choices_.emplace(key, chosen);
  return chosen;
}

// Searches the cells of rows [first, last) of the part. `cells` begins with row `first`.
void RecordSearch::search_cells(const RecordPart& part, const RecordRequest& request, Workspace& workspace,
                                const Buffer& cells, std::uint64_t first, std::uint64_t last,
                                RecordTotals& totals) const {
  Engine& engine = *engines_[part.device];
  PerDevice& device = *devices_[part.device];
  RecordArguments arguments = arguments_of(part, request);
  arguments.cells = &cells;
  arguments.records.columns = engine.plan().id_count();
  arguments.records.first_row = static_cast<std::uint32_t>(first);
  const std::uint64_t count = part.last - part.first;
  const std::uint64_t mean_bytes = part.bytes_of(0, count) / count + 1;
  const std::uint64_t most_cells = std::min(most_searched_cells, most_searched_bytes / mean_bytes);
  const std::uint64_t rows = std::max<std::uint64_t>(1, most_cells / engine.plan().distinct_count());
  Queue& queue = *workspace.queue;
  for (std::uint64_t begin = first; begin < last; begin += rows) {
    if (request.stop.stop_requested()) throw Error(ErrorKind::cancelled, "the search was cancelled");
    const std::uint64_t end = std::min(last, begin + rows);
    std::uint32_t groups = 0;
    {
      const std::lock_guard lock(device.mutex);
      if (!device.cell_kernel) device.cell_kernel = std::make_unique<CellKernel>(engine.runtime());
      const std::uint64_t answer_bytes = device.cell_kernel->answer_bytes();
      if (!workspace.answer) {
        reserve(engine.runtime(), workspace.answer, answer_bytes);
        reserve(engine.runtime(), workspace.read_answer, answer_bytes);
        // If the device does not run its kernels, the answer then is that nothing was found.
        queue.clear(*workspace.answer, 0, answer_bytes);
      }
      groups = device.cell_kernel->launch(queue, engine, part, arguments, begin, end, *workspace.answer);
      queue.read(*workspace.answer, 0, workspace.read_answer->bytes().data(),
                 sizeof(abi::lode_header) + groups * sizeof(abi::lode_totals));
    }
    queue.wait();
    const auto* const read = reinterpret_cast<const abi::lode_totals*>(workspace.read_answer->bytes().data());
    for (const abi::lode_totals& group : std::span(read, groups + 1).subspan(1))  // the first element is the header
      totals.add({group.matches, group.candidates, group.candidates});
    if (request.progress) request.progress(part.bytes_of(begin, end));
  }
}

void RecordSearch::fill_part(const RecordPart& part, Mode mode, bool by_cell, const RecordRequest& request,
                             const TakeRows& take, RecordTotals& totals) const {
  Engine& engine = *engines_[part.device];
  Runtime& runtime = engine.runtime();
  const std::uint64_t patterns = engine.plan().id_count();
  const std::uint64_t count = part.last - part.first;
  // Cells get at least one word, however small the limit is.
  const std::uint64_t wanted =
      request.memory_bytes != 0 ? std::max<std::uint64_t>(4, request.memory_bytes / 2) : usual_cell_bytes;
  const std::uint64_t cell_bytes = std::min(wanted, runtime.limits().max_buffer_bytes);
  const std::uint64_t budget = cell_bytes / 4;
  const std::uint64_t row_words = words_of_row(mode, patterns);
  const std::uint64_t most_rows = std::max<std::uint64_t>(1, mode == Mode::any ? budget * 32 : budget / row_words);
  const std::uint64_t rows = std::min(count, most_rows);
  PerDevice& device = *devices_[part.device];
  std::unique_ptr<Workspace> workspace = device.take();
  reserve(runtime, workspace->cells, std::max<std::uint64_t>(16, words_of_rows(mode, patterns, rows) * 4));
  const Buffer& cells = *workspace->cells;
  // A transfer takes whole rows; with Mode::any it takes whole words, of 32 rows each.
  const std::uint64_t rows_bytes = words_of_rows(mode, patterns, rows) * 4;
  const std::uint64_t words_at_once =
      std::min(std::clamp(rows_bytes / usual_reads, least_read_bytes, most_read_bytes), cell_bytes) / 4;
  const std::uint64_t rows_at_once =
      mode == Mode::any ? words_at_once * 32 : std::max<std::uint64_t>(1, words_at_once / row_words);
  bool is_wanted = true;
  const auto deliver = [&](Transfer& transfer) {
    if (transfer.first == transfer.last) return;
    transfer.queue->wait();
    const std::uint64_t words = words_of_rows(mode, patterns, transfer.last - transfer.first);
    is_wanted = is_wanted && take(part.first + transfer.first, part.first + transfer.last,
                                  {reinterpret_cast<const std::uint32_t*>(transfer.words->bytes().data()), words});
    transfer.first = transfer.last = 0;
  };
  for (std::uint64_t first = 0; is_wanted && first < count; first += rows) {
    const std::uint64_t last = std::min(count, first + rows);
    if (by_cell)
      search_cells(part, request, *workspace, cells, first, last, totals);
    else
      search_rows(part, mode, request, *workspace, cells, first, last, totals);
    std::size_t turn = 0;
    for (std::uint64_t at = first; at < last; at += rows_at_once, turn ^= 1) {
      Transfer& transfer = workspace->transfers[turn];
      deliver(transfer);
      if (!is_wanted) break;
      const std::uint64_t end = std::min(last, at + rows_at_once);
      const std::uint64_t bytes = words_of_rows(mode, patterns, end - at) * 4;
      if (!transfer.queue) transfer.queue = runtime.make_queue();
      reserve(runtime, transfer.words,
              std::max<std::uint64_t>(16, words_of_rows(mode, patterns, std::min(rows, rows_at_once)) * 4));
      transfer.queue->read(cells, words_of_rows(mode, patterns, at - first) * 4, transfer.words->bytes().data(), bytes);
      transfer.first = at;
      transfer.last = end;
    }
    deliver(workspace->transfers[turn]);
    deliver(workspace->transfers[turn ^ 1]);
  }
  device.give_back(std::move(workspace));
}

RecordTotals RecordSearch::fill(const ResidentRecords& records, Mode mode, const RecordRequest& request,
                                const TakeRows& take) const {
  std::mutex mutex;  // guards the totals and progress
  RecordTotals totals;
  RecordRequest shared = request;
  if (request.progress)
    shared.progress = [&](std::uint64_t bytes) {
      const std::lock_guard lock(mutex);
      request.progress(bytes);
    };
  const bool by_cell = searches_cells(records, mode, request);
  const auto devices = static_cast<unsigned>(engines_.size());
  run_shares(devices, devices, [&](unsigned device) {
    RecordTotals own;
    for (const RecordPart& part : records.parts())
      if (part.device == device) fill_part(part, mode, by_cell, shared, take, own);
    const std::lock_guard lock(mutex);
    totals.add(own);
  });
  return totals;
}

void RecordSearch::stage(const Records& records, const RecordRequest& request, const SearchPart& search) const {
  PerDevice& device = *devices_.front();
  std::unique_ptr<RecordLoader> loader = device.take_loader();
  const std::uint64_t bytes = request.memory_bytes == 0
                                  ? most_staged_bytes
                                  : std::clamp(request.memory_bytes / 2, least_staged_bytes, most_staged_bytes);
  bool is_wanted = true;
  for (std::uint64_t first = 0, last = 0; is_wanted && first < records.size(); first = last) {
    // The begins of records take memory, too.
    const std::uint64_t most = std::min(records.size(), first + bytes / sizeof(std::uint64_t));
    last = records.end_within(first, records.begin_of(first) + bytes, most);
    const ResidentRecords part({engines_.front()->shared_runtime()}, records.slice(first, last), request.threads,
                               loader.get());
    is_wanted = search(part, first);
  }
  device.give_back(std::move(loader));
}

RecordTotals RecordSearch::fill(const Records& records, Mode mode, const RecordRequest& request,
                                const TakeRows& take) const {
  RecordRequest by_cell = request;
  by_cell.cells = CellWay::search;
  RecordTotals totals;
  stage(records, request, [&](const ResidentRecords& part, std::uint64_t first) {
    bool is_wanted = true;
    totals.add(fill(part, mode, by_cell, [&](std::uint64_t begin, std::uint64_t end, auto words) {
      return is_wanted = take(first + begin, first + end, words);
    }));
    return is_wanted;
  });
  return totals;
}

RecordTotals RecordSearch::count_per_distinct(const Records& records, const RecordRequest& request,
                                              std::vector<std::uint64_t>& counts) const {
  RecordTotals totals;
  stage(records, request, [&](const ResidentRecords& part, std::uint64_t) {
    totals.add(count_per_distinct(part, request, counts));
    return true;
  });
  return totals;
}

RecordTotals RecordSearch::fill_on_device(const ResidentRecords& records, Mode mode, const RecordRequest& request,
                                          const Buffer& cells) const {
  RecordTotals totals;
  if (records.size() == 0) return totals;
  if (records.parts().size() != 1)
    throw Error(ErrorKind::unsupported, "these records lie in several buffers: their matrix is made for the host only");
  const RecordPart& part = records.parts()[0];
  const std::uint64_t needed = words_of_rows(mode, engines_[part.device]->plan().id_count(), records.size()) * 4;
  if (cells.size_bytes() < needed)
    throw Error(ErrorKind::limit, "a matrix of " + std::to_string(needed) + " bytes does not fit into " +
                                      std::to_string(cells.size_bytes()));
  PerDevice& device = *devices_[part.device];
  std::unique_ptr<Workspace> workspace = device.take();
  if (searches_cells(records, mode, request))
    search_cells(part, request, *workspace, cells, 0, records.size(), totals);
  else
    search_rows(part, mode, request, *workspace, cells, 0, records.size(), totals);
  device.give_back(std::move(workspace));
  return totals;
}

RecordTotals RecordSearch::count_per_distinct(const ResidentRecords& records, const RecordRequest& request,
                                              std::vector<std::uint64_t>& counts) const {
  RecordTotals totals;
  for (const RecordPart& part : records.parts()) {
    const RecordArguments arguments = arguments_of(part, request);
    ScanRequest scanned;
    scanned.mode = Mode::per_distinct;
    scanned.per_distinct = &counts;
    scan_part(*engines_[part.device], part, arguments, request, scanned, 0, part.text->size(),
              [&](const PieceResult& piece) {
                totals.matches += piece.matches;
                totals.candidates += piece.candidates;
                return true;
              });
  }
  return totals;
}

RecordTotals RecordSearch::list(const ResidentRecords& records, const RecordRequest& request,
                                const TakeListed& take) const {
  const std::uint64_t batch =
      request.memory_bytes == 0
          ? most_listed
          : std::clamp(request.memory_bytes / listed_of_memory / sizeof(RecordOccurrence), least_listed, most_listed);
  std::vector<RecordOccurrence> listed;
  RecordTotals totals;
  bool wanted = true;
  for (const RecordPart& part : records.parts()) {
    if (!wanted) break;
    const RecordArguments arguments = arguments_of(part, request);
    ScanRequest scanned;
    scanned.mode = Mode::list;
    scan_part(*engines_[part.device], part, arguments, request, scanned, 0, part.text->size(),
              [&](const PieceResult& piece) {
                totals.matches += piece.matches;
                totals.candidates += piece.candidates;
                for (std::uint64_t at = 0; wanted && at < piece.list.size(); at += batch) {
                  const auto found = piece.list.subspan(at, std::min(batch, piece.list.size() - at));
                  if (listed.size() < found.size()) listed.resize(std::min<std::uint64_t>(batch, piece.list.size()));
                  run_ranges(request.threads, found.size(), list_grain, [&](std::uint64_t begin, std::uint64_t end) {
                    find_records(part, found.subspan(begin, end - begin), listed.data() + begin);
                  });
                  wanted = take({listed.data(), found.size()});
                }
                return wanted;
              });
  }
  return totals;
}

}  // namespace lode::gpu
