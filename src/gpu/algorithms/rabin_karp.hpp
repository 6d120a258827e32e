// RecordFlags: the first stage of `rabin-karp` on records, on one device. A work-item takes one record at a time, and
// flags those in which a pattern may occur.
//
// Safe to use from several threads, with a Run each. A run's life: fill text_space() and span_space(), start(), and
// while the device works, start others; then finish().
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "gpu/seam.hpp"
#include "lode/options.hpp"
#include "plan/plan_data.hpp"

namespace lode::gpu {

class RecordFlags {
 public:
  RecordFlags(std::shared_ptr<Runtime> runtime, const PlanData& plan, const SearcherOptions& options);
  ~RecordFlags();

  /// Where a record lies in the run's text; begin <= end.
  struct Span {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  class Run {
   public:
    explicit Run(const RecordFlags& flags) : flags_(flags) {}
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
    ~Run();

    /// Memory for the bytes of the records, less than 2^32, and for where each lies. Nothing of the run may be under
    /// way.
    std::span<char> text_space(std::uint64_t bytes);
    std::span<Span> span_space(std::uint32_t count);
    void start();
    /// Waits, and returns a flag for each record: 1 if a pattern may occur in it, else 0. Valid until the next start.
    std::span<const std::uint8_t> finish();

   private:
    const RecordFlags& flags_;
    std::unique_ptr<Queue> queue_;
    std::unique_ptr<PinnedBuffer> pinned_text_;
    std::unique_ptr<Buffer> text_;
    std::unique_ptr<PinnedBuffer> pinned_spans_;
    std::unique_ptr<Buffer> spans_;
    std::unique_ptr<PinnedBuffer> pinned_flags_;
    std::unique_ptr<Buffer> result_;
    std::uint64_t text_bytes_ = 0;
    std::uint32_t count_ = 0;
    bool busy_ = false;
  };

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lode::gpu
