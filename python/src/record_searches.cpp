#include "record_searches.hpp"

#include <nanobind/ndarray.h>

#include <span>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "boolean_column.hpp"
#include "records.hpp"
#include "stats.hpp"

namespace lode::python {
namespace {

using nb::literals::operator""_a;

template <class Cell>
using Matrix = nb::ndarray<Cell, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Beside its bytes a record costs about as much as so many more.
constexpr std::uint64_t record_cost_bytes = 32;

/// One search of all chunks: `search(searcher, chunk, first record's number, run)` is called without the GIL.
template <class Search>
void search_records(const SearcherCore& core, const RecordColumn& column, nb::handle stats, std::uint64_t result_bytes,
                    const Search& search) {
  SearchStats sum;
  const std::uint64_t cost = column.total_bytes() + column.size() * record_cost_bytes + result_bytes;
  run_without_gil(core.takes_long(cost), [&](std::stop_token stop) {
    const RecordSearcher& searcher = core.of_records();
    std::uint64_t first = 0;
    for (const RecordColumn::Chunk& chunk : column.chunks()) {
      RecordStats part;
      RecordRunOptions run;
      run.stop = stop;
      run.stats = &part;
      search(searcher, chunk.records, first, run);
      add_stats(sum, part.search);
      first += chunk.records.size();
    }
  });
  report(sum, stats);
}

BooleanColumn contains_records(const SearcherCore& core, const RecordColumn& column, nb::handle stats) {
  BooleanColumn::Buffers buffers;
  buffers.length = column.size();
  search_records(
      core, column, stats, 0,
      [&](const RecordSearcher& searcher, const Records& records, std::uint64_t first, const RecordRunOptions& run) {
        const std::vector<std::uint8_t> bits = searcher.contains_any(records, run);
        append_bits(buffers.values, first, bits.data(), 0, records.size());
      });
  {
    const nb::gil_scoped_release release;
    buffers.validity = joined_validity(column);
    buffers.null_count = buffers.validity.empty() ? 0 : column.null_count();
    buffers.values.reserve(1);  // consumers want an address, even of nothing
  }
  return BooleanColumn(std::move(buffers));
}

template <class Cell>
void first_dense(const SearcherCore& core, const RecordColumn& column, const Matrix<Cell>& matrix, nb::handle stats) {
  const std::uint64_t patterns = core.plan().patterns().size();
  const std::span<Cell> cells(matrix.data(), matrix.size());
  search_records(
      core, column, stats, cells.size_bytes(),
      [&](const RecordSearcher& searcher, const Records& records, std::uint64_t first, const RecordRunOptions& run) {
        // Too few cells are the library's to refuse, with how many it needs.
        const std::uint64_t begin = std::min<std::uint64_t>(first * patterns, cells.size());
        const std::uint64_t wanted = dense_cells(records.size(), patterns);
        searcher.first_dense(records, cells.subspan(begin, std::min<std::uint64_t>(wanted, cells.size() - begin)), run);
      });
}

nb::tuple first_sparse(const SearcherCore& core, const RecordColumn& column, nb::handle stats) {
  RecordHits all;
  all.row_starts = {0};
  search_records(
      core, column, stats, 0,
      [&](const RecordSearcher& searcher, const Records& records, std::uint64_t first, const RecordRunOptions& run) {
        RecordHits hits = searcher.first(records, run);
        if (first == 0 && all.pattern_ids.empty() && records.size() == column.size()) {
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

nb::object count_per_record(const SearcherCore& core, const RecordColumn& column, nb::handle stats) {
  std::vector<std::uint64_t> all;
  search_records(
      core, column, stats, 0,
      [&](const RecordSearcher& searcher, const Records& records, std::uint64_t, const RecordRunOptions& run) {
        std::vector<std::uint64_t> counts = searcher.count_per_record(records, run);
        if (all.empty())
          all = std::move(counts);
        else
          all.insert(all.end(), counts.begin(), counts.end());
      });
  return numpy_array(std::move(all));
}

nb::object count_records_per_pattern(const SearcherCore& core, const RecordColumn& column, nb::handle stats) {
  std::vector<std::uint64_t> sums(core.plan().patterns().size());
  search_records(
      core, column, stats, 0,
      [&](const RecordSearcher& searcher, const Records& records, std::uint64_t, const RecordRunOptions& run) {
        const std::vector<std::uint64_t> counts = searcher.count_per_pattern(records, run);
        for (std::size_t id = 0; id < sums.size(); ++id) sums[id] += counts[id];
      });
  return numpy_array(std::move(sums));
}

}  // namespace

void def_record_searches(nb::class_<SearcherCore>& core) {
  core.def("contains_records", &contains_records, "records"_a, "stats"_a.none())
      .def("first_dense", &first_dense<std::int32_t>, "records"_a, nb::arg("cells").noconvert(), "stats"_a.none())
      .def("first_dense", &first_dense<std::int64_t>, "records"_a, nb::arg("cells").noconvert(), "stats"_a.none())
      .def("first_sparse", &first_sparse, "records"_a, "stats"_a.none(),
           nb::sig("def first_sparse(self, records: Records, stats: object) -> "
                   "tuple[numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.uint32], "
                   "numpy.typing.NDArray[numpy.uint64]]"))
      .def("count_per_record", &count_per_record, "records"_a, "stats"_a.none(),
           nb::sig("def count_per_record(self, records: Records, stats: object) -> "
                   "numpy.typing.NDArray[numpy.uint64]"))
      .def("count_records_per_pattern", &count_records_per_pattern, "records"_a, "stats"_a.none(),
           nb::sig("def count_records_per_pattern(self, records: Records, stats: object) -> "
                   "numpy.typing.NDArray[numpy.uint64]"));
}

}  // namespace lode::python
