// Records and what is answered for each of them.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bind.hpp"
#include "boolean_column.hpp"
#include "forks.hpp"
#include "interruptible.hpp"
#include "lode/error.hpp"
#include "records.hpp"
#include "text.hpp"

namespace lode::python {
namespace {

using nb::literals::operator""_a;

using ByteArray = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

char terminator_of(nb::handle given) {
  const HeldBytes held(given, "a line terminator");
  if (held.view().size() != 1) throw Error(ErrorKind::invalid_argument, "a line terminator is one byte");
  return held.view()[0];
}

nb::object record_at(const RecordColumn& column, nb::handle given) {
  std::int64_t index = index_of(given);
  if (index < 0) index += static_cast<std::int64_t>(column.size());
  if (index < 0 || index >= static_cast<std::int64_t>(column.size())) throw nb::index_error("there is no such record");
  auto at = static_cast<std::uint64_t>(index);
  for (const RecordColumn::Chunk& chunk : column.chunks()) {
    if (at < chunk.size()) {
      if (chunk.is_null(at)) return nb::none();
      const std::string_view bytes = chunk[at];
      return nb::bytes(bytes.data(), bytes.size());
    }
    at -= chunk.size();
  }
  throw nb::index_error("there is no such record");
}

nb::list addresses_of(const RecordColumn& column) {
  nb::list addresses;
  for (const RecordColumn::Chunk& chunk : column.chunks())
    addresses.append(reinterpret_cast<std::uintptr_t>(chunk.records.bytes().data()));
  return addresses;
}

nb::object bools(std::vector<std::uint8_t>&& values) { return numpy_array(std::move(values)).attr("view")("bool"); }

nb::object nulls_of(const RecordColumn& column) {
  std::vector<std::uint8_t> nulls;
  nulls.reserve(column.size());
  for (const RecordColumn::Chunk& chunk : column.chunks())
    for (std::uint64_t row = 0; row < chunk.size(); ++row) nulls.push_back(chunk.is_null(row) ? 1 : 0);
  return bools(std::move(nulls));
}

}  // namespace

void bind_records(nb::module_& module) {
  nb::class_<RecordColumn>(module, "Records", R"(Many short texts, numbered from 0, to be searched at once.

source  an Arrow column of binary, string, their large kinds, fixed-size binary (searched where they lie, slices, chunks
        and nulls included), the view kinds, or a dictionary of these, or a table with no other column: anything with
        __arrow_c_array__ or __arrow_c_stream__, as columns of pyarrow and polars, Series of pandas and relations of
        DuckDB have; or an iterable of bytes, str (taken as UTF-8), buffers and None (copied)

The texts of views, which polars has for all its strings, lie scattered. Nothing of them is kept, but a search copies
them one behind the other, a few MiB at a time; for GPUs some hundred. Where they lie so already, nothing is copied.

Searches take such sources as they are; Records are for searching one several times. Raises TypeError for columns of
other types (of a table one column must be chosen), lode.Error of kind 'input_output' where a stream fails,
'invalid_argument' where a column contradicts itself or a str has no UTF-8 form. Immutable; keeps the column alive.

Of a dictionary column (pyarrow's dictionary_encode, categories of polars) each distinct value is searched once, and
every row gets what its value has. A row is null where its index or its value is. Where rows use less than
half of the dictionary, what they use is copied and searched alone.)")
      .def(
          "__init__",
          [](RecordColumn* self, nb::handle source) { new (self) RecordColumn(RecordColumn::of_any(source)); },
          "source"_a.none(), nb::sig("def __init__(self, source: object) -> None"))
      .def_static(
          "of_lines",
          [](nb::handle text, nb::handle terminator) {
            return RecordColumn::of_lines(text, terminator_of(terminator));
          },
          "text"_a.none(), nb::kw_only(), nb::arg("terminator").none() = nb::bytes("\n", 1),
          nb::sig(
              "def of_lines(text: bytes | str | typing_extensions.Buffer, *, terminator: bytes = b'\\n') -> Records"),
          "The lines of a text, without their terminators, borrowed where they lie. One behind the last terminator "
          "counts if it has a byte.")
      .def_static(
          "of_length",
          [](nb::handle data, nb::handle length) {
            return RecordColumn::of_length(data, whole_number(length, "length", most_bytes));
          },
          "data"_a.none(), "length"_a.none(),
          nb::sig("def of_length(data: bytes | typing_extensions.Buffer, length: int) -> Records"),
          "Records of `length` bytes each, side by side, borrowed where they lie.")
      .def("__len__", &RecordColumn::size)
      .def("__getitem__", &record_at, "index"_a, nb::sig("def __getitem__(self, index: int) -> bytes | None"),
           "The bytes of a record; None for a null.")
      .def_prop_ro("total_bytes", &RecordColumn::total_bytes, "Bytes of all records together.")
      .def_prop_ro("null_count", &RecordColumn::null_count, "Number of records that are null.")
      .def_prop_ro("nulls", &nulls_of, nb::sig("def nulls(self) -> numpy.typing.NDArray[numpy.bool_]"),
                   "A NumPy array of bools, shape (records,): which are null. Made anew at each use.")
      .def_prop_ro("longest", &RecordColumn::longest, "Bytes of the longest record.")
      .def_prop_ro(
          "copied_bytes", &RecordColumn::copied_bytes,
          "Bytes that were copied, of lists and of dictionaries of views or of which few values are used, or that each search "
          "may copy, of columns of views; 0 where records are borrowed.")
      .def_prop_ro(
          "addresses", &addresses_of, nb::sig("def addresses(self) -> list[int]"),
          "Where the bytes of each chunk, or of its dictionary, begin in memory; 0 for views, whose bytes lie apart.")
      .def("__repr__", [](const RecordColumn& column) {
        return "<lode.Records: " + std::to_string(column.size()) + " records of " +
               std::to_string(column.total_bytes()) + " bytes>";
      });

  nb::class_<ResidentColumn, RecordColumn>(module, "ResidentRecords",
                                           R"(Records in the memory of a GPU, copied there once and searched many times.

source   Records, or what makes them
device   'cuda', 'cuda:all', 'opencl:1' …, or what lode.open_device gave
threads  that copy; 0: all cores

For searchers of the same device and of 'auto'. The host's copy is kept, too, for nulls, single records and
find_in_records. Raises lode.Error of kind 'unsupported' for the CPU, 'device' where the device is not there or has no
room. Immutable; any number of threads may search it.)")
      .def(
          "__init__",
          [](ResidentColumn* self, nb::handle source, nb::handle device, nb::handle given_threads) {
            const unsigned threads = threads_of(given_threads);
            std::optional<RecordColumn> made;
            if (!nb::isinstance<RecordColumn>(source)) made = RecordColumn::of_any(source);
            const RecordColumn& column = made ? *made : nb::cast<const RecordColumn&>(source);
            const Device opened = device_here(device_of(device));
            std::optional<RecordColumn> resident;
            run_without_gil(true,
                            [&](std::stop_token) { resident = column.resident_on(opened, threads_here(threads)); });
            new (self) ResidentColumn{std::move(*resident)};
          },
          "source"_a.none(), "device"_a.none(), nb::kw_only(), nb::arg("threads").none() = 0,
          nb::sig("def __init__(self, source: object, device: str | Device, *, threads: int = 0) -> None"));

  nb::class_<BooleanColumn>(module, "BooleanColumn", "See lode.BooleanColumn.")
      .def(
          "__init__",
          [](BooleanColumn* self, const ByteArray& values, const ByteArray& nulls) {
            new (self)
                BooleanColumn(BooleanColumn::of_bytes({values.data(), values.size()}, {nulls.data(), nulls.size()}));
          },
          "values"_a, "nulls"_a,
          nb::sig("def __init__(self, values: numpy.typing.NDArray[numpy.uint8], "
                  "nulls: numpy.typing.NDArray[numpy.uint8]) -> None"),
          "Of two arrays of one length: a byte of 0 or 1 for each value, and for each whether it is null.")
      .def_prop_ro(
          "values", [](const BooleanColumn& column) { return bools(column.values()); },
          nb::sig("def values(self) -> numpy.typing.NDArray[numpy.bool_]"), "False for nulls. Made anew at each use.")
      .def_prop_ro(
          "nulls", [](const BooleanColumn& column) { return bools(column.nulls()); },
          nb::sig("def nulls(self) -> numpy.typing.NDArray[numpy.bool_]"), "Which are null. Made anew at each use.")
      .def(
          "__arrow_c_array__", [](const BooleanColumn& column, nb::handle) { return column.export_arrow(); },
          "requested_schema"_a = nb::none(),
          nb::sig("def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]"),
          "The capsules of the Arrow C data interface.");
}

}  // namespace lode::python
