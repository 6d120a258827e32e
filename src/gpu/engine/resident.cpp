#include "gpu/engine/resident.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "base/threads.hpp"
#include "gpu/engine/engine.hpp"
#include "lode/error.hpp"
#include "lode/pattern_set.hpp"

namespace lode::gpu {
namespace {

// Each stripe takes a launch of its own, so it must be large enough to be worth one.
constexpr std::uint64_t least_stripe_bytes = std::uint64_t{16} << 20;
constexpr std::uint64_t most_stripe_bytes = std::uint64_t{7} << 29;
// A large text has up to so many stripes on each device, of the usual size or more, so that results come bit by bit.
constexpr std::uint64_t stripes_per_device = 8;
constexpr std::uint64_t usual_stripe_bytes = std::uint64_t{1} << 30;
constexpr std::uint64_t overlap_bytes = max_pattern_length + 64;
constexpr std::uint64_t step_bytes = std::uint64_t{64} << 10;         // lengths of stripes are multiples of this
constexpr std::uint64_t most_upload_bytes = std::uint64_t{32} << 20;  // copied at a time
constexpr std::uint64_t least_upload_bytes = std::uint64_t{1} << 20;
constexpr std::uint64_t usual_uploads = 8;
// With larger grains, threads would wait for the last one.
constexpr std::uint64_t read_grain_bytes = std::uint64_t{512} << 10;

std::uint64_t divide_up(std::uint64_t value, std::uint64_t by) { return value / by + (value % by != 0 ? 1 : 0); }

// A buffer needs room for at most so much beside the bytes that its stripe owns.
constexpr std::uint64_t extra_bytes = 2 * overlap_bytes + text_padding;

}  // namespace

std::uint64_t cut_evenly(std::uint64_t size, std::uint64_t parts) {
  const std::uint64_t part = std::max<std::uint64_t>(1, divide_up(size, parts));
  return divide_up(part, step_bytes) * step_bytes;
}

std::uint64_t choose_stripe_bytes(std::uint64_t size, std::uint64_t devices, std::uint64_t max_buffer_bytes) {
  const std::uint64_t room = max_buffer_bytes < extra_bytes ? 0 : max_buffer_bytes - extra_bytes;
  const std::uint64_t most = std::min(most_stripe_bytes, room / step_bytes * step_bytes);
  if (most < least_stripe_bytes)
    throw Error(ErrorKind::device, "the device has no buffers of " + std::to_string(least_stripe_bytes >> 20) +
                                       " MiB: stream the text instead of making it resident");
  const std::uint64_t used = std::clamp<std::uint64_t>(size / least_stripe_bytes, 1, devices);
  const std::uint64_t share = divide_up(size, used);
  const std::uint64_t stripes = std::max({std::uint64_t{1}, divide_up(share, most),  //
                                          std::min(stripes_per_device, share / usual_stripe_bytes)});
  return cut_evenly(share, stripes);
}

void Uploader::copy(std::uint64_t size, const ReadText& read, Buffer& into, std::uint64_t offset, unsigned threads) {
  // Waits even if an exception ends the copy: memory that queues still use must not go away.
  struct Waiting {
    ~Waiting() {
      for (const Part& part : parts) {
        try {
          if (part.queue) part.queue->wait();
        } catch (const Error&) {
          // The call has an error to report already.
        }
      }
    }
    std::array<Part, 3>& parts;
  };
  const Waiting waiting{parts_};
  const std::uint64_t step = std::min(size, std::clamp(size / usual_uploads, least_upload_bytes, most_upload_bytes));
  std::size_t turn = 0;
  for (std::uint64_t at = 0; at < size; at += step, turn = (turn + 1) % parts_.size()) {
    Part& part = parts_[turn];
    if (!part.queue) part.queue = runtime_.make_queue();
    part.queue->wait();
    if (!part.bytes || part.bytes->bytes().size() < step) {
      part.bytes.reset();
      part.bytes = runtime_.make_pinned_buffer(step);
    }
    const std::uint64_t bytes = std::min(step, size - at);
    read_in_parallel(read, at, {reinterpret_cast<char*>(part.bytes->bytes().data()), bytes}, threads);
    part.queue->write(into, offset + at, part.bytes->bytes().data(), bytes);
  }
  for (const Part& part : parts_)
    if (part.queue) part.queue->wait();
}

void read_in_parallel(const ReadText& read, std::uint64_t offset, std::span<char> into, unsigned threads) {
  run_ranges(threads, into.size(), read_grain_bytes,
             [&](std::uint64_t begin, std::uint64_t end) { read(offset + begin, into.subspan(begin, end - begin)); });
}

std::uint64_t Resident::next_number() {
  static std::atomic<std::uint64_t> next_number{0};
  return next_number.fetch_add(1);
}

Resident::Resident(std::vector<std::shared_ptr<Runtime>> runtimes, std::uint64_t size, const ReadText& read,
                   unsigned threads, std::uint64_t stripe_bytes, Uploader* uploader)
    : runtimes_(std::move(runtimes)), size_(size) {
  std::uint64_t most = UINT64_MAX;
  for (const auto& runtime : runtimes_) most = std::min(most, runtime->limits().max_buffer_bytes);
  const bool whole = stripe_bytes == 0 && runtimes_.size() == 1 && size + text_padding <= most;
  if (stripe_bytes == 0 && !whole) stripe_bytes = choose_stripe_bytes(size, runtimes_.size(), most);
  const std::uint64_t owned = whole ? std::max<std::uint64_t>(size, 1) : stripe_bytes;
  std::vector<std::unique_ptr<Uploader>> uploaders(runtimes_.size());
  for (std::uint64_t begin = 0; begin < size; begin += owned) {
    Stripe stripe;
    stripe.device = stripes_.size() % runtimes_.size();
    stripe.begin = begin;
    stripe.end = std::min(size, begin + owned);
    stripe.low = begin - std::min<std::uint64_t>(begin, 64);
    stripe.high = std::min(size, stripe.end + overlap_bytes);
    stripe.text = runtimes_[stripe.device]->make_buffer(stripe.high - stripe.low + text_padding);
    const auto read_stripe = [&](std::uint64_t offset, std::span<char> into) { read(stripe.low + offset, into); };
    std::unique_ptr<Uploader>& own = uploaders[stripe.device];
    if (uploader == nullptr && !own) own = std::make_unique<Uploader>(*runtimes_[stripe.device]);
    Uploader& used = own ? *own : *uploader;
    used.copy(stripe.high - stripe.low, read_stripe, *stripe.text, stripe.offset, threads);
    stripes_.push_back(std::move(stripe));
  }
}

void Resident::read(std::uint64_t offset, std::span<char> into) const {
  for (const Stripe& stripe : stripes_) {
    const std::uint64_t begin = std::max(offset, stripe.begin);
    const std::uint64_t end = std::min(offset + into.size(), stripe.end);
    if (begin >= end) continue;
    const std::unique_ptr<Queue> queue = runtimes_[stripe.device]->make_queue();
    queue->read(*stripe.text, stripe.offset + (begin - stripe.low), into.data() + (begin - offset), end - begin);
    queue->wait();
  }
}

bool Resident::is(const text::UnchangedText& unchanged) const {
  if (unchanged.kind() == text::UnchangedText::Kind::all) return true;
  if (unchanged.kind() == text::UnchangedText::Kind::none) return false;
  const std::scoped_lock lock(facts_->mutex);
  if (const auto found = facts_->known.find(unchanged.kind()); found != facts_->known.end()) return found->second;
  std::vector<char> piece;
  bool is_unchanged = true;
  for (std::uint64_t at = 0; at < size_ && is_unchanged; at += most_upload_bytes) {
    piece.resize(std::min(size_ - at, most_upload_bytes + text::UnchangedText::shared_bytes));
    read(at, piece);
    is_unchanged = unchanged.is({piece.data(), piece.size()});
  }
  return facts_->known[unchanged.kind()] = is_unchanged;
}

Resident::Resident(const std::shared_ptr<Runtime>& runtime, std::uintptr_t device_pointer, std::uint64_t size)
    : runtimes_{runtime}, size_(size) {
  if (size == 0) return;
  // Kernels read whole blocks of 16 bytes, at multiples of 16. So they may read bytes before and behind the text. That
  // is safe, because the device's memory does not end within such a block.
  const std::uint64_t unaligned = device_pointer % 16;
  Stripe stripe;
  stripe.end = stripe.high = size;
  stripe.offset = unaligned;
  stripe.text = runtime->adopt(device_pointer - unaligned, size + unaligned);
  stripes_.push_back(std::move(stripe));
}

}  // namespace lode::gpu
