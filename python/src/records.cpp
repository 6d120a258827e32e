#include "records.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "arrow_import.hpp"
#include "forks.hpp"
#include "lode/error.hpp"
#include "text.hpp"

namespace lode::python {
namespace {

struct OwnedRecords {
  std::vector<char> bytes;
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint8_t> validity;  // empty if there are no nulls
};

void append_null(OwnedRecords& owned) {
  const std::uint64_t record = owned.offsets.size() - 1;
  if (owned.validity.empty()) owned.validity.assign(record / 8 + 1, 0xff);
  owned.validity.resize(record / 8 + 1, 0xff);
  owned.validity[record / 8] &= static_cast<std::uint8_t>(~(1U << record % 8));
  owned.offsets.push_back(owned.bytes.size());
}

}  // namespace

void RecordColumn::append(Chunk chunk) {
  size_ += chunk.size();
  total_bytes_ += chunk.dictionary ? chunk.dictionary->total_bytes() : chunk.stored_bytes();
  chunks_.push_back(std::move(chunk));
}

RecordColumn RecordColumn::of_any(nb::handle source) {
  RecordColumn column;
  if (is_arrow(source)) {
    ArrowImport import(source);
    while (auto chunk = import.next()) {
      column.copied_bytes_ += import.copied_bytes();
      column.append(std::move(*chunk));
    }
    return column;
  }
  if (PyUnicode_Check(source.ptr()) || PyObject_CheckBuffer(source.ptr()) != 0)
    throw nb::type_error("records are an Arrow column or a list of texts; this is one text: put it in a list");
  const bool is_iterable = nb::hasattr(source, "__iter__");
  // A mapping can be iterated, too, but its values would be lost.
  if (!is_iterable || nb::hasattr(source, "keys")) {
    constexpr const char* wanted = "an Arrow column of binary or string, a Series, or a list of bytes, str and None";
    PyErr_Format(PyExc_TypeError, "records are %s, not %.100s%s", wanted, name_of_type(source).c_str(),
                 is_iterable ? "" : ", which is not iterable");
    nb::raise_python_error();
  }
  auto owned = std::make_shared<OwnedRecords>();
  for (const nb::handle record : nb::iter(source)) {
    if (record.is_none()) {
      append_null(*owned);
      continue;
    }
    const HeldBytes bytes(record, "a record");
    owned->bytes.insert(owned->bytes.end(), bytes.view().begin(), bytes.view().end());
    owned->offsets.push_back(owned->bytes.size());
  }
  Chunk chunk;
  if (!owned->validity.empty()) {
    owned->validity.resize((owned->offsets.size() - 1 + 7) / 8, 0xff);
    chunk.validity = {owned->validity.data(), 0};
  }
  chunk.records = Records::with_offsets({owned->bytes.data(), owned->bytes.size()},
                                        std::span<const std::uint64_t>(owned->offsets), chunk.validity);
  chunk.owner = owned;
  column.copied_bytes_ = owned->bytes.size();
  column.append(std::move(chunk));
  return column;
}

RecordColumn RecordColumn::of_lines(nb::handle text, char terminator) {
  auto held = std::make_shared<HeldBytes>(text, "a text");
  Chunk chunk;
  note_threads();
  {
    const nb::gil_scoped_release release;
    chunk.records = Records::of_lines(held->view(), terminator, threads_here(0));
  }
  chunk.owner = std::move(held);
  RecordColumn column;
  column.append(std::move(chunk));
  return column;
}

RecordColumn RecordColumn::of_length(nb::handle bytes, std::uint64_t length) {
  auto held = std::make_shared<HeldBytes>(bytes, "the bytes of records");
  if (length == 0 || held->view().size() % length != 0)
    throw Error(ErrorKind::invalid_argument, std::to_string(held->view().size()) +
                                                 " bytes are not a whole number of records of " +
                                                 std::to_string(length) + " bytes");
  Chunk chunk;
  chunk.records = Records::with_length(held->view(), held->view().size() / length, length, length);
  chunk.owner = std::move(held);
  RecordColumn column;
  column.append(std::move(chunk));
  return column;
}

RecordColumn RecordColumn::resident_on(const Device& device, unsigned threads) const {
  RecordColumn column = *this;
  for (Chunk& chunk : column.chunks_) {
    std::shared_ptr<const ResidentRecords> resident;
    chunk.for_each_part(whole_chunk, [&](const Chunk& part) {
      resident = std::make_shared<const ResidentRecords>(device, part.records, threads);
    });
    chunk.resident = std::move(resident);
  }
  return column;
}

std::uint64_t RecordColumn::stored_bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const Chunk& chunk : chunks_) bytes += chunk.stored_bytes();
  return bytes;
}

std::uint64_t RecordColumn::longest() const noexcept {
  std::uint64_t longest = 0;
  for (const Chunk& chunk : chunks_)
    longest = std::max(longest, chunk.views        ? chunk.views->longest()
                                : chunk.dictionary ? chunk.dictionary->longest()
                                                   : chunk.records.longest());
  return longest;
}

std::uint64_t RecordColumn::null_count() const noexcept {
  std::uint64_t nulls = 0;
  for (const Chunk& chunk : chunks_) {
    if (chunk.validity.bits == nullptr) continue;
    for (std::uint64_t row = 0; row < chunk.size(); ++row) nulls += chunk.is_null(row) ? 1 : 0;
  }
  return nulls;
}

bool RecordColumn::has_dictionary() const noexcept {
  return std::any_of(chunks_.begin(), chunks_.end(), [](const Chunk& chunk) { return chunk.dictionary != nullptr; });
}

}  // namespace lode::python
