#include "record_searches.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "boolean_column.hpp"
#include "lode/error.hpp"
#include "record_matches.hpp"
#include "records.hpp"
#include "stats.hpp"

namespace lode::python {
namespace {

using nb::literals::operator""_a;

template <class Cell>
using Matrix = nb::ndarray<Cell, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void require_room(std::uint64_t given, std::uint64_t wanted) {
  if (given < wanted)
    throw Error(ErrorKind::limit,
                "the rows need " + std::to_string(wanted) + " cells, and there are " + std::to_string(given));
}

std::uint64_t count_bits(std::span<const std::uint8_t> bits) {
  return std::accumulate(bits.begin(), bits.end(), std::uint64_t{0}, [](std::uint64_t sum, std::uint8_t byte) {
    return sum + static_cast<std::uint64_t>(std::popcount(byte));
  });
}

BooleanColumn contains_records(const SearcherCore& core, const RecordColumn& column, const Asked& asked) {
  BooleanColumn::Buffers buffers;
  buffers.length = column.size();
  search_records(core, column, asked, 0,
                 [&](const RecordSearcher& searcher, const RecordColumn::Chunk& chunk, std::uint64_t first,
                     const RecordRunOptions& run) {
                   std::vector<std::uint8_t> bits = searcher.contains_any(chunk.source(), run);
                   if (chunk.dictionary) {
                     bits = chunk.dictionary->spread_bits(bits);
                     run.stats->search.matches = count_bits(bits);
                   }
                   append_bits(buffers.values, first, bits.data(), 0, chunk.size());
                 });
  {
    const nb::gil_scoped_release release;
    buffers.validity = joined_validity(column);
    buffers.null_count = buffers.validity.empty() ? 0 : column.null_count();
    buffers.values.reserve(1);  // consumers need an address even for an empty array
  }
  return BooleanColumn(std::move(buffers));
}

template <class Cell>
void first_dense(const SearcherCore& core, const RecordColumn& column, const Matrix<Cell>& matrix, const Asked& asked) {
  const std::uint64_t patterns = core.plan().patterns().size();
  const std::span<Cell> cells(matrix.data(), matrix.size());
  search_records(
      core, column, asked, cells.size_bytes(),
      [&](const RecordSearcher& searcher, const RecordColumn::Chunk& chunk, std::uint64_t first,
          const RecordRunOptions& run) {
        // If there are too few cells, the library throws an error that says how many it needs.
        const std::uint64_t begin = std::min<std::uint64_t>(first * patterns, cells.size());
        const std::uint64_t wanted = dense_cells(chunk.size(), patterns);
        const std::span<Cell> rows = cells.subspan(begin, std::min<std::uint64_t>(wanted, cells.size() - begin));
        if (!chunk.dictionary) {
          searcher.first_dense(chunk.source(), rows, run);
          return;
        }
        require_room(rows.size(), wanted);
        std::vector<Cell> of_values(dense_cells(chunk.records.size(), patterns));
        searcher.first_dense(chunk.source(), of_values, run);
        chunk.dictionary->spread<Cell>(of_values, patterns, Cell{-1}, rows);
        run.stats->search.matches =
            static_cast<std::uint64_t>(std::count_if(rows.begin(), rows.end(), [](Cell cell) { return cell >= 0; }));
      });
}

// Sets one bit for each record and pattern, in rows of whole bytes.
void contains_matrix(const SearcherCore& core, const RecordColumn& column, const Matrix<std::uint8_t>& matrix,
                     const Asked& asked) {
  const std::span<std::uint8_t> bits(matrix.data(), matrix.size());
  search_records(core, column, asked, bits.size(),
                 [&](const RecordSearcher& searcher, const RecordColumn::Chunk& chunk, std::uint64_t first,
                     const RecordRunOptions& run) {
                   const std::uint64_t width = searcher.contains_row_bytes();
                   const std::uint64_t begin = std::min<std::uint64_t>(first * width, bits.size());
                   const std::uint64_t wanted = chunk.size() * width;
                   const std::span<std::uint8_t> rows =
                       bits.subspan(begin, std::min<std::uint64_t>(wanted, bits.size() - begin));
                   if (!chunk.dictionary) {
                     searcher.contains(chunk.source(), rows, run);
                     return;
                   }
                   require_room(rows.size(), wanted);
                   std::vector<std::uint8_t> of_values(chunk.records.size() * width);
                   searcher.contains(chunk.source(), of_values, run);
                   chunk.dictionary->spread<std::uint8_t>(of_values, width, 0, rows);
                   run.stats->search.matches = count_bits(rows);
                 });
}

// Searches into memory of the device that the records lie on. The records must be one chunk, because the library fills
// a matrix from its begin.
void first_on_device(const SearcherCore& core, const RecordColumn& column, std::uintptr_t pointer, std::uint64_t cells,
                     const Asked& asked) {
  const bool is_one = column.chunks().size() == 1 && column.chunks()[0].resident && !column.chunks()[0].dictionary;
  if (!is_one)
    throw Error(ErrorKind::unsupported,
                "only ResidentRecords of one chunk, which is not a dictionary, are searched into memory of a device");
  search_records(core, column, asked, 0,
                 [&](const RecordSearcher& searcher, const RecordColumn::Chunk& chunk, std::uint64_t,
                     const RecordRunOptions& run) {
                   DeviceMatrix matrix = DeviceMatrix::adopt(core.device(), pointer, cells);
                   searcher.first_dense(*chunk.resident, matrix, run);
                 });
}

nb::tuple first_sparse(const SearcherCore& core, const RecordColumn& column, const Asked& asked) {
  RecordHits all;
  all.row_starts = {0};
  search_records(core, column, asked, 0,
                 [&](const RecordSearcher& searcher, const RecordColumn::Chunk& chunk, std::uint64_t first,
                     const RecordRunOptions& run) {
                   RecordHits hits = searcher.first(chunk.source(), run);
                   if (chunk.dictionary) {
                     hits = chunk.dictionary->spread_hits(hits);
                     run.stats->search.matches = hits.pattern_ids.size();
                   }
                   if (first == 0 && all.pattern_ids.empty() && chunk.size() == column.size()) {
                     all = std::move(hits);
                     return;
                   }
                   const std::uint64_t before = all.pattern_ids.size();
                   for (std::uint64_t row = 1; row < hits.row_starts.size(); ++row)
                     all.row_starts.push_back(before + hits.row_starts[row]);
                   all.pattern_ids.insert(all.pattern_ids.end(), hits.pattern_ids.begin(), hits.pattern_ids.end());
                   all.offsets.insert(all.offsets.end(), hits.offsets.begin(), hits.offsets.end());
                 });
  return nb::make_tuple(numpy_array(std::move(all.row_starts)), numpy_array(std::move(all.pattern_ids)),
                        numpy_array(std::move(all.offsets)));
}

nb::object count_per_record(const SearcherCore& core, const RecordColumn& column, const Asked& asked) {
  std::vector<std::uint64_t> all;
  search_records(core, column, asked, 0,
                 [&](const RecordSearcher& searcher, const RecordColumn::Chunk& chunk, std::uint64_t,
                     const RecordRunOptions& run) {
                   std::vector<std::uint64_t> counts = searcher.count_per_record(chunk.source(), run);
                   if (chunk.dictionary) {
                     std::vector<std::uint64_t> of_rows(chunk.size());
                     chunk.dictionary->spread<std::uint64_t>(counts, 1, 0, of_rows);
                     counts = std::move(of_rows);
                     run.stats->search.matches = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
                   }
                   if (all.empty())
                     all = std::move(counts);
                   else
                     all.insert(all.end(), counts.begin(), counts.end());
                 });
  return numpy_array(std::move(all));
}

// The number of all matches. For a dictionary the matches of each value are counted, which takes one search;
// add_weighted_counts() would take several.
std::uint64_t count_records(const SearcherCore& core, const RecordColumn& column, const Asked& asked) {
  std::uint64_t matches = 0;
  search_records(core, column, asked, 0,
                 [&](const RecordSearcher& searcher, const RecordColumn::Chunk& chunk, std::uint64_t,
                     const RecordRunOptions& run) {
                   if (!chunk.dictionary) {
                     const std::vector<std::uint64_t> counts = searcher.count_per_pattern(chunk.source(), run);
                     matches = std::accumulate(counts.begin(), counts.end(), matches);
                     return;
                   }
                   const std::vector<std::uint64_t> counts = searcher.count_per_record(chunk.source(), run);
                   const std::span<const std::uint64_t> uses = chunk.dictionary->uses();
                   run.stats->search.matches =
                       std::inner_product(counts.begin(), counts.end(), uses.begin(), std::uint64_t{0});
                   matches += run.stats->search.matches;
                 });
  return matches;
}

// Adds the counts of a dictionary's values, each as often as rows have the value. The values whose number of rows has a
// certain binary digit are searched together, and their counts are multiplied by the digit's worth. That is never more
// than searching all rows.
//
// Example: "he" stands in 5 rows (101), "she" in 3 (011). "he" and "she" are searched for digit 1, "she" for digit 2,
// "he" for digit 4.
void add_weighted_counts(const RecordSearcher& searcher, const RecordColumn::Chunk& chunk, const RecordRunOptions& run,
                         std::span<std::uint64_t> sums) {
  const std::span<const std::uint64_t> uses = chunk.dictionary->uses();
  const std::uint64_t most = uses.empty() ? 0 : *std::max_element(uses.begin(), uses.end());
  SearchStats all;
  GatheredRecords gathered;
  RecordRunOptions quiet = run;
  quiet.progress = {};
  for (unsigned digit = 0; digit < 64 && most >> digit != 0; ++digit) {
    const Records part =
        gathered.of(chunk.records, [&](std::uint64_t value) { return (uses[value] >> digit & 1) != 0; });
    if (part.empty()) continue;
    const std::vector<std::uint64_t> counts = searcher.count_per_pattern(part, quiet);
    for (std::size_t id = 0; id < sums.size(); ++id) sums[id] += counts[id] << digit;
    run.stats->search.matches <<= digit;
    add_stats(all, run.stats->search);
  }
  run.stats->search = all;
  if (run.progress) run.progress(chunk.records.total_bytes(), chunk.records.total_bytes());
}

nb::object count_records_per_pattern(const SearcherCore& core, const RecordColumn& column, const Asked& asked) {
  std::vector<std::uint64_t> sums(core.plan().patterns().size());
  search_records(core, column, asked, 0,
                 [&](const RecordSearcher& searcher, const RecordColumn::Chunk& chunk, std::uint64_t,
                     const RecordRunOptions& run) {
                   if (chunk.dictionary) {
                     add_weighted_counts(searcher, chunk, run, sums);
                     return;
                   }
                   const std::vector<std::uint64_t> counts = searcher.count_per_pattern(chunk.source(), run);
                   for (std::size_t id = 0; id < sums.size(); ++id) sums[id] += counts[id];
                 });
  return numpy_array(std::move(sums));
}

}  // namespace

void def_record_searches(nb::class_<SearcherCore>& core) {
  core.def("contains_records", &contains_records, "records"_a, "asked"_a)
      .def("contains_matrix", &contains_matrix, "records"_a, nb::arg("bits").noconvert(), "asked"_a)
      .def("first_dense", &first_dense<std::int32_t>, "records"_a, nb::arg("cells").noconvert(), "asked"_a)
      .def("first_dense", &first_dense<std::int64_t>, "records"_a, nb::arg("cells").noconvert(), "asked"_a)
      .def("first_on_device", &first_on_device, "records"_a, "pointer"_a, "cells"_a, "asked"_a)
      .def("first_sparse", &first_sparse, "records"_a, "asked"_a,
           nb::sig("def first_sparse(self, records: Records, asked: tuple[object, object]) -> "
                   "tuple[numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.uint32], "
                   "numpy.typing.NDArray[numpy.uint64]]"))
      .def("find_in_records", &find_in_records, "records"_a, "asked"_a,
           nb::sig("def find_in_records(self, records: Records, asked: tuple[object, object]) -> "
                   "tuple[numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.uint8]]"))
      .def("count_records", &count_records, "records"_a, "asked"_a)
      .def("count_per_record", &count_per_record, "records"_a, "asked"_a,
           nb::sig("def count_per_record(self, records: Records, asked: tuple[object, object]) -> "
                   "numpy.typing.NDArray[numpy.uint64]"))
      .def("count_records_per_pattern", &count_records_per_pattern, "records"_a, "asked"_a,
           nb::sig("def count_records_per_pattern(self, records: Records, asked: tuple[object, object]) -> "
                   "numpy.typing.NDArray[numpy.uint64]"));
}

}  // namespace lode::python
