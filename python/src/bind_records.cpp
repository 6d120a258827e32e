// Binds Records, ResidentRecords and BooleanColumn.
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

The texts of views, which polars uses for all its strings, lie scattered. A search copies them one behind the other, a
few MiB at a time, or some hundred MiB for a GPU, and keeps no copy. It copies nothing if they lie in order already.

Searches take such sources directly; Records are for searching one of them several times. Raises TypeError for columns
of other types and for tables of several columns, lode.Error of kind 'input_output' if a stream fails,
'invalid_argument' if a column contradicts itself or a str has no UTF-8 form. Immutable; keeps the column alive.

In a dictionary column (pyarrow's dictionary_encode, categories of polars) each distinct value is searched once, and
every row gets the result of its value. A row is null if its index or its value is null. If rows use less than half of
the dictionary, the values that they use are copied, and only these are searched.)")
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
          "Makes a record of each line of a text, without its terminator, borrowed where it lies. Bytes behind the "
          "last terminator are a line, too.")
      .def_static(
          "of_length",
          [](nb::handle data, nb::handle length) {
            return RecordColumn::of_length(data, whole_number(length, "length", most_bytes));
          },
          "data"_a.none(), "length"_a.none(),
          nb::sig("def of_length(data: bytes | typing_extensions.Buffer, length: int) -> Records"),
          "Cuts bytes into records of `length` bytes each, which are borrowed where they lie.")
      .def("__len__", &RecordColumn::size)
      .def("__getitem__", &record_at, "index"_a, nb::sig("def __getitem__(self, index: int) -> bytes | None"),
           "The bytes of a record; None for a null.")
      .def_prop_ro("total_bytes", &RecordColumn::total_bytes, "The number of bytes of all records together.")
      .def_prop_ro("null_count", &RecordColumn::null_count, "The number of records that are null.")
      .def_prop_ro("nulls", &nulls_of, nb::sig("def nulls(self) -> numpy.typing.NDArray[numpy.bool_]"),
                   "A NumPy array of bools, shape (records,): whether each record is null. Each use makes a new one.")
      .def_prop_ro("longest", &RecordColumn::longest, "The number of bytes of the longest record.")
      .def_prop_ro(
          "copied_bytes", &RecordColumn::copied_bytes,
          "The number of bytes that were copied: from lists, from dictionaries of views, and from dictionaries of "
          "which few values are used. For columns of views, the number that each search may copy. It is 0 if records "
          "are borrowed.")
      .def_prop_ro(
          "addresses", &addresses_of, nb::sig("def addresses(self) -> list[int]"),
          "The address at which the bytes of each chunk, or of its dictionary, begin; 0 for views, whose bytes lie "
          "scattered.")
      .def("__repr__", [](const RecordColumn& column) {
        return "<lode.Records: " + std::to_string(column.size()) + " records of " +
               std::to_string(column.total_bytes()) + " bytes>";
      });

  nb::class_<ResidentColumn, RecordColumn>(module, "ResidentRecords",
                                           R"(Records in the memory of a GPU, copied there once and searched many times.

source   Records, or anything that Records takes
device   'cuda', 'cuda:all', 'opencl:1' …, or what lode.open_device gave
threads  how many threads copy; 0 means all cores

Searchers of the same device and of 'auto' take it. The host's copy is kept, too, for nulls, single records and
find_in_records. Raises lode.Error of kind 'unsupported' for the CPU, 'device' if the device is not there or has no
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
          "Takes two arrays of one length: a byte of 0 or 1 for each value, and one for whether it is null.")
      .def_prop_ro(
          "values", [](const BooleanColumn& column) { return bools(column.values()); },
          nb::sig("def values(self) -> numpy.typing.NDArray[numpy.bool_]"),
          "The values; False for nulls. Each use makes a new array.")
      .def_prop_ro(
          "nulls", [](const BooleanColumn& column) { return bools(column.nulls()); },
          nb::sig("def nulls(self) -> numpy.typing.NDArray[numpy.bool_]"),
          "Whether each value is null. Each use makes a new array.")
      .def(
          "__arrow_c_array__", [](const BooleanColumn& column, nb::handle) { return column.export_arrow(); },
          "requested_schema"_a = nb::none(),
          nb::sig("def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]"),
          "The capsules of the Arrow C data interface.");
}

}  // namespace lode::python
