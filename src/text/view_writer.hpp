// ViewWriter: appends segments to a viewed text. Runs of blanks become one space, if the view says so, across segments.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "lode/view.hpp"

namespace lode::text {

class ViewWriter {
 public:
  /// `expected`: how many bytes may come.
  ViewWriter(bool one_space, std::uint64_t base, std::size_t expected, ViewedText& out)
      : one_space_(one_space),
        base_(base),
        step_bytes_(std::min<std::size_t>(expected, most_step_bytes)),
        out_(out),
        size_(out.bytes.size()),
        span_count_(out.spans.size()) {
    out_.bytes.reserve(size_ + expected);
  }
  ViewWriter(const ViewWriter&) = delete;
  ViewWriter& operator=(const ViewWriter&) = delete;
  ~ViewWriter() {
    out_.bytes.resize(size_);
    out_.spans.resize(span_count_);
  }

  std::size_t size() const { return size_; }
  std::uint64_t base() const { return base_; }
  bool ends_with_space() const { return ends_with_space_; }
  void end_with_space(bool is_space) { ends_with_space_ = is_space; }

  /// Where the next bytes go. Those that are written there count when a function below says what they are.
  char* room(std::size_t bytes) {
    if (size_ + bytes > out_.bytes.size()) out_.bytes.resize(size_ + bytes + step_bytes_);
    return out_.bytes.data() + size_;
  }
  /// Characters of the original that are as long as they were, and written. None of them is a space that may be joined,
  /// unless end_with_space() says so.
  void run(std::size_t begin, std::size_t end) {
    if (begin == end) return;
    extend(begin, end);
    size_ += end - begin;
    ends_with_space_ = false;
  }
  void space(std::size_t begin, std::size_t end) {
    if (ends_with_space_) {
      join(end);
      return;
    }
    if (end - begin == 1)
      extend(begin, end);
    else
      add({size_, base_ + begin, base_ + end, true});
    *room(1) = ' ';
    ++size_;
    ends_with_space_ = true;
  }
  /// The last segment, which ends with a space, reaches to here.
  void join(std::size_t end) { out_.spans[span_count_ - 1].original_end = base_ + end; }
  void segment(std::size_t begin, std::size_t end, std::string_view bytes) {
    if (bytes.empty()) return;
    const bool will_end_with_space = one_space_ && bytes.back() == ' ';
    if (ends_with_space_ && bytes.front() == ' ') {
      bytes.remove_prefix(1);
      if (!bytes.empty()) part_space();
      join(end);
    } else {
      add({size_, base_ + begin, base_ + end, true});
    }
    std::memcpy(room(bytes.size()), bytes.data(), bytes.size());
    size_ += bytes.size();
    ends_with_space_ = will_end_with_space;
  }

  /// Where the next spans go. Those that are written there count after open().
  ViewedSpan* span_room(std::size_t count) {
    if (span_count_ + count > out_.spans.size()) out_.spans.resize(span_count_ + count + step_bytes_ / 64);
    return out_.spans.data() + span_count_;
  }
  /// Spans were written, the last of them without its bytes, which begin at `size`. The ones before end with spaces.
  void open(std::size_t count, std::size_t size) {
    span_count_ += count;
    size_ = size;
  }

 private:
  // Bytes of a string are set before they are written, which is free where they are not yet out of the cache.
  static constexpr std::size_t most_step_bytes = std::size_t{1} << 14;

  void add(const ViewedSpan& span) {
    *span_room(1) = span;
    ++span_count_;
  }
  // The next bytes lie in the original as they are viewed.
  void extend(std::size_t begin, std::size_t end) {
    if (span_count_ != 0) {
      ViewedSpan& last = out_.spans[span_count_ - 1];
      const bool is_alike = !last.is_segment && last.original_end - last.original == size_ - last.viewed;
      if (is_alike && last.original_end == base_ + begin) {
        last.original_end = base_ + end;
        return;
      }
    }
    add({size_, base_ + begin, base_ + end, false});
  }

  // Makes the space at the end a segment of its own, to which more than blanks is joined.
  void part_space() {
    ViewedSpan& last = out_.spans[span_count_ - 1];
    const std::uint64_t before = size_ - 1 - last.viewed;
    if (last.is_segment || before == 0) {
      last.is_segment = true;
      return;
    }
    const std::uint64_t end = std::exchange(last.original_end, last.original + before);
    add({size_ - 1, last.original + before, end, true});
  }

  const bool one_space_;
  const std::uint64_t base_;
  const std::size_t step_bytes_;
  ViewedText& out_;
  std::size_t size_;  // bytes and spans that were appended; there is room for more
  std::size_t span_count_;
  bool ends_with_space_ = false;
};

}  // namespace lode::text
