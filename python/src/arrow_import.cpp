#include "arrow_import.hpp"

#include <charconv>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "lode/error.hpp"

namespace lode::python {
namespace {

constexpr const char* array_method = "__arrow_c_array__";
constexpr const char* stream_method = "__arrow_c_stream__";

template <class Struct>
Struct& in_capsule(nb::handle capsule, const char* name) {
  if (PyCapsule_IsValid(capsule.ptr(), name) == 0)
    throw nb::type_error((std::string("a column gave no capsule called ") + name).c_str());
  void* const pointer = PyCapsule_GetPointer(capsule.ptr(), name);
  return *static_cast<Struct*>(pointer);
}

/// Moves the struct out of the capsule that its exporter made.
template <class Struct>
Struct take(Struct& source) {
  return std::exchange(source, Struct{});
}

template <class Struct>
void release(Struct& owned) {
  if (owned.release != nullptr) owned.release(&owned);
}

[[noreturn]] void refuse(const std::string& reason) {
  throw nb::type_error((reason + ": a search needs a column of binary or string").c_str());
}

/// The type of a column for a message. Frequent types are given the name that people use.
std::string type_name(std::string_view format) {
  static constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"n", "null"},    {"b", "bool"},   {"c", "int8"},   {"C", "uint8"},  {"s", "int16"},       {"S", "uint16"},
      {"i", "int32"},   {"I", "uint32"}, {"l", "int64"},  {"L", "uint64"}, {"e", "float16"},     {"f", "float32"},
      {"g", "float64"}, {"+l", "lists"}, {"+L", "lists"}, {"+m", "maps"},  {"+s", "structures"},
  };
  const std::string quoted = "the Arrow format '" + std::string(format) + "'";
  for (const auto& [letters, name] : names)
    if (format == letters) return quoted + " (" + std::string(name) + ")";
  return quoted;
}

[[noreturn]] void fail_content(const std::string& reason) {
  throw Error(ErrorKind::invalid_argument, "the Arrow column is malformed: " + reason);
}

/// Owns an array, and the copy of the values if it is a dictionary of views.
struct Owner {
  explicit Owner(ArrowArray taken) : array(taken) {}
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() { release(array); }

  ArrowArray array;
  ViewBlock values;
};

template <class Signed, class Unsigned>
Records with_offsets(const ArrowArray& array, Validity validity) {
  const auto* const given = static_cast<const Signed*>(array.buffers[1]);
  if (given == nullptr) fail_content("it has no offsets");
  const Signed* const first = given + array.offset;
  const Signed last = first[array.length];
  // Negative offsets in between need no check: as unsigned numbers they are so large that the next offset is smaller,
  // and Records refuses offsets that decrease.
  if (*first < 0 || last < 0) fail_content("an offset is negative");
  const auto* const bytes = static_cast<const char*>(array.buffers[2]);
  if (bytes == nullptr && last > *first) fail_content("it has no bytes");
  // If all records are empty, the exporter may give no bytes, and the offsets may have any value.
  static constexpr char none = 0;
  const std::string_view all(bytes != nullptr ? bytes : &none, static_cast<std::size_t>(last));
  return Records::with_offsets(
      all,
      std::span<const Unsigned>(reinterpret_cast<const Unsigned*>(first), static_cast<std::size_t>(array.length) + 1),
      validity);
}

Records with_length(const ArrowArray& array, std::uint64_t width, Validity validity) {
  const auto count = static_cast<std::uint64_t>(array.length);
  const auto* const bytes = static_cast<const char*>(array.buffers[1]);
  if (bytes == nullptr && width != 0) fail_content("it has no bytes");
  const auto first = static_cast<std::uint64_t>(array.offset);
  std::uint64_t total = 0;
  if (__builtin_mul_overflow(count, width, &total)) fail_content("it is longer than memory");
  return Records::with_length({width == 0 ? "" : bytes + first * width, total}, count, width, width, validity);
}

void check_sizes(const ArrowArray& array, std::int64_t least_buffers) {
  if (array.length < 0 || array.offset < 0 || array.n_buffers < least_buffers) fail_content("its sizes make no sense");
}

Validity validity_of(const ArrowArray& array) {
  if (array.null_count == 0 || array.buffers[0] == nullptr) return {};
  return {static_cast<const std::uint8_t*>(array.buffers[0]), static_cast<std::uint64_t>(array.offset)};
}

// Precondition: layout is not `view`.
Records records_of(const ArrowArray& array, ColumnLayout layout, std::uint64_t width) {
  const Validity validity = validity_of(array);
  switch (layout) {
    case ColumnLayout::offsets32: return with_offsets<std::int32_t, std::uint32_t>(array, validity);
    case ColumnLayout::offsets64: return with_offsets<std::int64_t, std::uint64_t>(array, validity);
    default: return with_length(array, width, validity);
  }
}

// The rows of a table's only column. The array of a sliced table has offset and length; that of its column has not.
ArrowArray only_column(const ArrowArray& table) {
  check_sizes(table, 1);
  if (table.n_children != 1) fail_content("it does not have the one column that its schema has");
  const Validity validity = validity_of(table);
  for (std::int64_t row = 0; row < table.length; ++row)
    if (is_null(validity, static_cast<std::uint64_t>(row))) fail_content("a row of the table itself is null");
  ArrowArray column = *table.children[0];
  std::int64_t end = 0;
  if (__builtin_add_overflow(table.offset, table.length, &end) || end > column.length)
    fail_content("its column is shorter than the table");
  column.offset += table.offset;
  column.length = table.length;
  return column;
}

std::int64_t index_bytes(char format) {
  switch (format) {
    case 'c':
    case 'C': return 1;
    case 's':
    case 'S': return 2;
    case 'i':
    case 'I': return 4;
    default: return 8;
  }
}

}  // namespace

bool is_arrow(nb::handle source) { return nb::hasattr(source, array_method) || nb::hasattr(source, stream_method); }

ArrowImport::ArrowImport(nb::handle source) {
  // An array is asked for first, because a stream of one array would take more calls.
  if (nb::hasattr(source, array_method)) {
    const nb::object pair = source.attr(array_method)();
    if (!nb::isinstance<nb::tuple>(pair) || nb::len(pair) != 2)
      throw nb::type_error("__arrow_c_array__ must return two capsules");
    read_layout(in_capsule<ArrowSchema>(pair[0], "arrow_schema"));
    array_ = take(in_capsule<ArrowArray>(pair[1], "arrow_array"));
    return;
  }
  const nb::object capsule = source.attr(stream_method)();
  stream_ = take(in_capsule<ArrowArrayStream>(capsule, "arrow_array_stream"));
  try {
    ArrowSchema schema = {};
    if (const int code = stream_.get_schema(&stream_, &schema); code != 0) fail_stream(code);
    try {
      read_layout(schema);
    } catch (...) {
      release(schema);
      throw;
    }
    release(schema);
  } catch (...) {
    release(stream_);
    throw;
  }
}

ArrowImport::~ArrowImport() {
  release(array_);
  release(stream_);
}

void ArrowImport::fail_stream(int code) {
  const char* const reason = stream_.get_last_error(&stream_);
  throw Error(ErrorKind::input_output,
              "the Arrow stream failed: " + (reason != nullptr ? reason : std::generic_category().message(code)));
}

void ArrowImport::read_index(const ArrowSchema& schema) {
  const std::string_view format = schema.format == nullptr ? "" : schema.format;
  constexpr std::string_view integers = "cCsSiIlL";
  if (format.size() != 1 || integers.find(format[0]) == std::string_view::npos)
    fail_content("its dictionary indices have the format '" + std::string(format) + "'");
  index_format_ = format[0];
}

void ArrowImport::read_layout(const ArrowSchema& schema) {
  if (schema.dictionary != nullptr) {
    if (index_format_ != 0) refuse("this column is a dictionary of dictionaries");
    read_index(schema);
    read_layout(*schema.dictionary);
    return;
  }
  const std::string_view format = schema.format == nullptr ? "" : schema.format;
  constexpr std::string_view fixed = "w:";
  if (format == "z" || format == "u") {
    layout_ = ColumnLayout::offsets32;
  } else if (format == "Z" || format == "U") {
    layout_ = ColumnLayout::offsets64;
  } else if (format == "vz" || format == "vu") {
    layout_ = ColumnLayout::view;
  } else if (format.starts_with(fixed)) {
    layout_ = ColumnLayout::fixed_size;
    const char* const end = format.data() + format.size();
    const auto parsed = std::from_chars(format.data() + fixed.size(), end, width_);
    if (parsed.ec != std::errc() || parsed.ptr != end) fail_content("its width is not a number");
  } else if (format == "+s" && index_format_ == 0 && !is_table_) {
    if (schema.n_children != 1)
      refuse("this is a table of " + std::to_string(schema.n_children) + " columns; give one column of it");
    is_table_ = true;
    read_layout(*schema.children[0]);
  } else {
    refuse((index_format_ != 0 ? "this column is a dictionary of " : "this column has ") + type_name(format));
  }
}

std::optional<RecordColumn::Chunk> ArrowImport::next() {
  copied_bytes_ = 0;
  ArrowArray array = {};
  if (stream_.release != nullptr) {
    if (const int code = stream_.get_next(&stream_, &array); code != 0) fail_stream(code);
  } else {
    array = take(array_);
  }
  if (array.release == nullptr) return std::nullopt;
  return import(array);
}

RecordColumn::Chunk ArrowImport::import(ArrowArray& taken) {
  auto owner = std::make_shared<Owner>(taken);
  const ArrowArray array = is_table_ ? only_column(taken) : taken;
  const bool encoded = index_format_ != 0;
  if (encoded) {
    check_sizes(array, 2);
    if (array.dictionary == nullptr) fail_content("it has no dictionary");
  }
  const ArrowArray& values = encoded ? *array.dictionary : array;
  check_sizes(values, layout_ == ColumnLayout::fixed_size ? 2 : 3);
  RecordColumn::Chunk chunk;
  chunk.owner = owner;
  if (array.length == 0) return chunk;
  chunk.validity = validity_of(array);
  const nb::gil_scoped_release release;
  if (layout_ == ColumnLayout::view) {
    auto views = std::make_shared<const ViewRows>(values, validity_of(values));
    copied_bytes_ = views->total_bytes();
    if (!encoded)
      chunk.views = std::move(views);
    else if (values.length != 0)
      chunk.records = owner->values.of(*views, 0, whole_chunk);
  } else if (values.length != 0) {
    chunk.records = records_of(values, layout_, width_);
  }
  if (!encoded) return chunk;
  const auto* const indices = static_cast<const char*>(array.buffers[1]);
  if (indices == nullptr) fail_content("it has no indices");
  auto rows =
      std::make_shared<const DictionaryRows>(index_format_, indices + array.offset * index_bytes(index_format_),
                                             static_cast<std::uint64_t>(array.length), chunk.validity, chunk.records);
  copied_bytes_ += rows->copied_bytes();
  chunk.records = rows->values();
  chunk.validity = rows->validity();
  chunk.dictionary = std::move(rows);
  return chunk;
}

}  // namespace lode::python
