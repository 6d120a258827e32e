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
      : one_space_(one_space), base_(base), out_(out), size_(out.bytes.size()) {
    make_room(expected);
  }
  ViewWriter(const ViewWriter&) = delete;
  ViewWriter& operator=(const ViewWriter&) = delete;
  ~ViewWriter() { out_.bytes.resize(size_); }

  /// Room for characters that are as long as they were: run() says which came there.
  char* room(std::size_t bytes) {
    if (size_ + bytes > out_.bytes.size()) make_room(bytes);
    return out_.bytes.data() + size_;
  }
  /// Characters of the original that are as long as they were. `ends_with_space`: the last of them may be joined.
  void run(std::size_t begin, std::size_t end, bool ends_with_space = false) {
    if (begin == end) return;
    extend(begin, end);
    size_ += end - begin;
    ends_with_space_ = ends_with_space;
  }
  void space(std::size_t begin, std::size_t end) {
    if (ends_with_space_) {
      join(end);
      return;
    }
    if (end - begin == 1)
      extend(begin, end);
    else
      out_.spans.push_back({size_, base_ + begin, base_ + end, true});
    *room(1) = ' ';
    ++size_;
    ends_with_space_ = true;
  }
  bool ends_with_space() const { return ends_with_space_; }
  /// The last segment, which ends with a space, reaches to here.
  void join(std::size_t end) { out_.spans.back().original_end = base_ + end; }
  void segment(std::size_t begin, std::size_t end, std::string_view bytes) {
    if (bytes.empty()) return;
    const bool will_end_with_space = one_space_ && bytes.back() == ' ';
    if (ends_with_space_ && bytes.front() == ' ') {
      bytes.remove_prefix(1);
      if (!bytes.empty()) part_space();
      join(end);
    } else {
      out_.spans.push_back({size_, base_ + begin, base_ + end, true});
    }
    std::memmove(room(bytes.size()), bytes.data(), bytes.size());
    size_ += bytes.size();
    ends_with_space_ = will_end_with_space;
  }

 private:
  void make_room(std::size_t bytes) { out_.bytes.resize(size_ + std::max(bytes, size_ / 2)); }
  // The next bytes lie in the original as they are viewed.
  void extend(std::size_t begin, std::size_t end) {
    if (!out_.spans.empty()) {
      ViewedSpan& last = out_.spans.back();
      const bool is_alike = !last.is_segment && last.original_end - last.original == size_ - last.viewed;
      if (is_alike && last.original_end == base_ + begin) {
        last.original_end = base_ + end;
        return;
      }
    }
    out_.spans.push_back({size_, base_ + begin, base_ + end, false});
  }

  // Makes the space at the end a segment of its own, to which more than blanks is joined.
  void part_space() {
    ViewedSpan& last = out_.spans.back();
    const std::uint64_t before = size_ - 1 - last.viewed;
    if (last.is_segment || before == 0) {
      last.is_segment = true;
      return;
    }
    const std::uint64_t end = std::exchange(last.original_end, last.original + before);
    out_.spans.push_back({size_ - 1, last.original + before, end, true});
  }

  const bool one_space_;
  const std::uint64_t base_;
  ViewedText& out_;
  std::size_t size_;  // bytes that were appended; out_.bytes has room for more
  bool ends_with_space_ = false;
};

}  // namespace lode::text
