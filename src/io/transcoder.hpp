// Transcoder: a text in another encoding as a stream of UTF-8. Memory stays small, and a slow stream is not waited for
// longer than one character takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "lode/view.hpp"
#include "text/decoder.hpp"

namespace lode::io {

class Transcoder {
 public:
  /// Reads encoded bytes into the span and returns how many; 0 at the end. May throw.
  using Read = std::function<std::size_t(std::span<char>)>;

  /// `encoding` is a view that decodes. Nothing is read yet.
  Transcoder(const View& encoding, Read read) : encoding_(encoding), read_(std::move(read)) {}

  /// Reads UTF-8 into the span and returns how many bytes; 0 at the end.
  std::size_t read(std::span<char> into);
  /// Whether read() has something without reading more.
  bool has_bytes() const { return given_ < decoded_.bytes.size(); }

 private:
  void decode();
  // Returns false at the end.
  bool read_more();

  const View encoding_;
  const Read read_;
  bool is_begun_ = false, is_at_end_ = false;
  std::unique_ptr<const text::Decoder> decoder_;  // null: UTF-8
  text::Decoder::State state_;
  std::string encoded_;     // bytes that are not decoded yet
  std::uint64_t base_ = 0;  // where they begin in the text
  text::PlainText decoded_;
  std::size_t given_ = 0;  // bytes of it
};

}  // namespace lode::io
