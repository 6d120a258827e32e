#include "io/transcoder.hpp"

#include <algorithm>
#include <cstring>

namespace lode::io {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 16;

}  // namespace

bool Transcoder::read_more() {
  const std::size_t before = encoded_.size();
  encoded_.resize(before + piece_bytes);
  const std::size_t got = read_(std::span(encoded_).subspan(before));
  encoded_.resize(before + got);
  is_at_end_ = got == 0;
  return got != 0;
}

void Transcoder::decode() {
  decoded_ = {};
  given_ = 0;
  if (decoder_ == nullptr) {
    decoded_.bytes.swap(encoded_);
    return;
  }
  const std::size_t until = is_at_end_ ? encoded_.size() : decoder_->whole_bytes(encoded_);
  const std::size_t done = decoder_->append(encoded_, 0, until, base_, state_, decoded_);
  base_ += done;
  encoded_.erase(0, done);
}

std::size_t Transcoder::read(std::span<char> into) {
  if (!is_begun_) {
    while (encoded_.size() < text::Decoder::head_bytes && read_more()) {
    }
    decoder_ = text::Decoder::make(encoding_, std::string_view(encoded_).substr(0, text::Decoder::head_bytes));
    is_begun_ = true;
    decode();
  }
  while (!has_bytes()) {
    if (is_at_end_) return 0;
    read_more();
    decode();
  }
  const std::size_t taken = std::min(into.size(), decoded_.bytes.size() - given_);
  std::memcpy(into.data(), decoded_.bytes.data() + given_, taken);
  given_ += taken;
  return taken;
}

}  // namespace lode::io
