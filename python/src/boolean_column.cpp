#include "boolean_column.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "arrow_abi.hpp"
#include "lode/error.hpp"

namespace lode::python {
namespace {

bool bit(const std::uint8_t* bits, std::uint64_t at) { return (bits[at / 8] >> (at % 8) & 1) != 0; }

// Makes a byte of 0 or 1 of each bit, after XOR of each byte of bits with `flipped`. Example: the byte 0b00000101
// becomes 1 0 1 0 0 0 0 0.
std::vector<std::uint8_t> bytes_of(const std::uint8_t* bits, std::uint64_t count, std::uint8_t flipped) {
  std::vector<std::uint8_t> bytes(count);
  for (std::uint64_t at = 0; at < count / 8; ++at) {
    // The product has the byte eight times. The mask keeps bit i in byte i. Adding 0x7f carries it into the top bit:
    //   05 05 05 05 05 05 05 05 -> 01 00 04 00 00 00 00 00 -> 80 7f 83 7f 7f 7f 7f 7f -> 01 00 01 00 00 00 00 00
    const std::uint64_t lone =
        (static_cast<std::uint8_t>(bits[at] ^ flipped) * 0x0101010101010101U) & 0x8040201008040201U;
    const std::uint64_t eight = (lone + 0x7f7f7f7f7f7f7f7fU) >> 7 & 0x0101010101010101U;
    std::memcpy(bytes.data() + at * 8, &eight, sizeof eight);
  }
  for (std::uint64_t at = count / 8 * 8; at < count; ++at) bytes[at] = bit(bits, at) != (flipped != 0) ? 1 : 0;
  return bytes;
}

// Makes a bit of each byte, which is its lowest bit XOR `flipped`. Even an empty result has an address.
std::vector<std::uint8_t> bits_of(std::span<const std::uint8_t> bytes, std::uint8_t flipped) {
  std::vector<std::uint8_t> bits;
  bits.reserve(1);
  bits.resize((bytes.size() + 7) / 8);
  for (std::size_t at = 0; at < bytes.size(); ++at)
    bits[at / 8] |= static_cast<std::uint8_t>(((bytes[at] ^ flipped) & 1U) << at % 8);
  return bits;
}

// The buffers that an exported array keeps alive.
struct Exported {
  std::shared_ptr<const BooleanColumn::Buffers> owner;
  const void* buffers[2];
};

template <class Struct>
void release_and_delete(PyObject* capsule) {
  auto* const owned = static_cast<Struct*>(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
  if (owned->release != nullptr) owned->release(owned);  // a consumer that takes it over would have made this null
  delete owned;
}

template <class Struct>
nb::object in_capsule(std::unique_ptr<Struct> owned, const char* name) {
  PyObject* const capsule = PyCapsule_New(owned.get(), name, release_and_delete<Struct>);
  if (capsule == nullptr) {
    if (owned->release != nullptr) owned->release(owned.get());
    nb::raise_python_error();
  }
  owned.release();
  return nb::steal(capsule);
}

}  // namespace

void append_bits(std::vector<std::uint8_t>& to, std::uint64_t before, const std::uint8_t* from, std::uint64_t first_bit,
                 std::uint64_t count) {
  to.resize((before + count + 7) / 8);
  std::uint64_t done = 0;
  if (before % 8 == 0 && first_bit % 8 == 0) {
    std::copy_n(from + first_bit / 8, count / 8, to.begin() + static_cast<std::ptrdiff_t>(before / 8));
    done = count / 8 * 8;
  }
  for (; done < count; ++done)
    if (bit(from, first_bit + done)) to[(before + done) / 8] |= static_cast<std::uint8_t>(1U << (before + done) % 8);
}

std::vector<std::uint8_t> joined_validity(const RecordColumn& column) {
  const auto& chunks = column.chunks();
  const bool any = std::any_of(chunks.begin(), chunks.end(),
                               [](const RecordColumn::Chunk& chunk) { return chunk.validity.bits != nullptr; });
  std::vector<std::uint8_t> joined;
  if (!any || column.null_count() == 0) return joined;
  std::uint64_t before = 0;
  std::vector<std::uint8_t> ones;
  for (const RecordColumn::Chunk& chunk : chunks) {
    const std::uint64_t count = chunk.size();
    if (chunk.validity.bits != nullptr) {
      append_bits(joined, before, chunk.validity.bits, chunk.validity.first_bit, count);
    } else {
      ones.assign((count + 7) / 8, 0xff);
      append_bits(joined, before, ones.data(), 0, count);
    }
    before += count;
  }
  return joined;
}

BooleanColumn BooleanColumn::of_bytes(std::span<const std::uint8_t> values, std::span<const std::uint8_t> nulls) {
  if (values.size() != nulls.size())
    throw Error(ErrorKind::invalid_argument, "there are " + std::to_string(values.size()) + " values and " +
                                                 std::to_string(nulls.size()) + " nulls");
  Buffers buffers;
  buffers.length = values.size();
  buffers.null_count = static_cast<std::uint64_t>(std::count(nulls.begin(), nulls.end(), 1));
  buffers.values = bits_of(values, 0);
  if (buffers.null_count != 0) buffers.validity = bits_of(nulls, 1);
  return BooleanColumn(std::move(buffers));
}

std::vector<std::uint8_t> BooleanColumn::values() const {
  return bytes_of(buffers_->values.data(), buffers_->length, 0x00);
}

std::vector<std::uint8_t> BooleanColumn::nulls() const {
  if (buffers_->validity.empty()) return std::vector<std::uint8_t>(buffers_->length);
  return bytes_of(buffers_->validity.data(), buffers_->length, 0xff);
}

nb::tuple BooleanColumn::export_arrow() const {
  auto schema = std::make_unique<ArrowSchema>();
  schema->format = "b";
  schema->name = "";
  schema->flags = arrow_nullable;
  schema->release = [](ArrowSchema* released) { released->release = nullptr; };
  nb::object schema_capsule = in_capsule(std::move(schema), "arrow_schema");

  auto exported = std::make_unique<Exported>();
  exported->owner = buffers_;
  exported->buffers[0] = buffers_->validity.empty() ? nullptr : buffers_->validity.data();
  exported->buffers[1] = buffers_->values.data();
  auto array = std::make_unique<ArrowArray>();
  array->length = static_cast<std::int64_t>(buffers_->length);
  array->null_count = static_cast<std::int64_t>(buffers_->null_count);
  array->n_buffers = 2;
  array->buffers = exported->buffers;
  array->release = [](ArrowArray* released) {
    delete static_cast<Exported*>(released->private_data);
    released->release = nullptr;
  };
  array->private_data = exported.release();
  return nb::make_tuple(std::move(schema_capsule), in_capsule(std::move(array), "arrow_array"));
}

}  // namespace lode::python
