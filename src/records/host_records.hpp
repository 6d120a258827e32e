// HostRecords: a copy on the host of records that are resident on a GPU, for a view that changes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/records/resident_records.hpp"
#include "lode/records.hpp"

namespace lode {

class HostRecords {
 public:
  HostRecords() = default;
  explicit HostRecords(const gpu::ResidentRecords& records) : validity_((records.size() + 7) / 8) {
    std::vector<char> text;
    for (const gpu::RecordPart& part : records.parts()) {
      text.resize(part.text->size());
      part.text->read(0, text);
      const std::uint64_t count = part.last - part.first;
      for (std::uint64_t record = 0; record < count; ++record) {
        const bool is_last = record + 1 == count;
        const std::uint64_t end = is_last ? text.size() : part.start_of(record + 1) - part.records.gap;
        bytes_.insert(bytes_.end(), text.begin() + static_cast<std::ptrdiff_t>(part.start_of(record)),
                      text.begin() + static_cast<std::ptrdiff_t>(end));
        offsets_.push_back(bytes_.size());
        if ((part.host_starts[record] & LODE_NULL_RECORD) == 0)
          validity_[(part.first + record) / 8] |= static_cast<std::uint8_t>(1U << (part.first + record) % 8);
      }
    }
    records_ = Records::with_offsets({bytes_.data(), bytes_.size()}, offsets_, {validity_.data(), 0});
  }
  const Records& records() const { return records_; }

 private:
  std::vector<char> bytes_;
  std::vector<std::uint64_t> offsets_ = {0};
  std::vector<std::uint8_t> validity_;
  Records records_;
};

}  // namespace lode
