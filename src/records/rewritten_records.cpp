// rewrite_records: what lies between matches is copied in long pieces, across records, and records are divided among
// threads.

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "base/threads.hpp"
#include "lode/error.hpp"
#include "lode/rewrite.hpp"
#include "search/match_replacer.hpp"

namespace lode {
namespace {

constexpr std::uint64_t least_share_bytes = std::uint64_t{1} << 16;
constexpr std::uint64_t shares_of_thread = 4;

// Reserves memory for what such bytes become. Replacements are often about as long as matches.
void reserve_rewritten(std::vector<char>& rewritten, std::uint64_t bytes) {
  rewritten.reserve(bytes + bytes / 8);
  advise_huge_pages(rewritten.data(), rewritten.capacity());
}

// Rewrites neighbouring records.
class ShareOfRecords {
 public:
  ShareOfRecords(const Records& records, const RecordMatches& found, const Replacements& replacements, const Plan& plan)
      : records_(records), found_(found), is_encoded_(!plan.view().encoding().empty()), replacer_(replacements, plan) {}

  /// Sets offsets[r + 1] to where record r ends in bytes().
  void rewrite(std::uint64_t first, std::uint64_t last, std::vector<std::uint64_t>& offsets) {
    if (first == last) return;
    at_ = records_.begin_of(first);
    std::uint64_t end = at_;
    const std::uint64_t bytes = records_.end_of(last - 1) - at_;
    reserve_rewritten(out_, bytes);
    for (std::uint64_t record = first; record < last; ++record) {
      const std::uint64_t begin = records_.begin_of(record);
      if (begin != end || records_.is_null(record)) {  // what lies before is no record's
        pass_on(end);
        at_ = end = begin;
      }
      if (!records_.is_null(record)) {
        end = records_.end_of(record);
        if (is_encoded_ && found_.row_starts[record] != found_.row_starts[record + 1])
          replacer_.begin_text(records_.bytes().substr(begin, std::min(end - begin, text::Decoder::head_bytes)));
        for (std::uint64_t next = found_.row_starts[record]; next < found_.row_starts[record + 1]; ++next)
          replace(begin, found_.matches[next]);
      }
      offsets[record + 1] = out_.size() + (end - at_);
    }
    pass_on(end);
  }
  std::vector<char>& bytes() { return out_; }

 private:
  void pass_on(std::uint64_t until) {
    append(records_.bytes().substr(at_, until - at_));
    at_ = until;
  }
  void replace(std::uint64_t begin, const Match& match) {
    pass_on(begin + match.offset);
    replacement_.clear();
    replacer_.append(match, records_.bytes().substr(at_, match.length), replacement_);
    append(replacement_);
    at_ += match.length;
  }
  void append(std::string_view bytes) { out_.insert(out_.end(), bytes.begin(), bytes.end()); }

  const Records& records_;
  const RecordMatches& found_;
  const bool is_encoded_;
  MatchReplacer replacer_;
  std::vector<char> out_;
  std::string replacement_;
  std::uint64_t at_ = 0;  // the records' bytes before it are passed on
};

}  // namespace

void RewrittenRecords::append(RewrittenRecords&& more, std::uint64_t expected_bytes) {
  if (offsets.size() <= 1 && more.bytes.size() >= expected_bytes / 2) {
    *this = std::move(more);
    return;
  }
  if (offsets.empty()) offsets = {0};
  if (bytes.empty()) reserve_rewritten(bytes, expected_bytes);
  const std::uint64_t before = bytes.size();
  bytes.insert(bytes.end(), more.bytes.begin(), more.bytes.end());
  for (std::size_t record = 1; record < more.offsets.size(); ++record) offsets.push_back(before + more.offsets[record]);
}

RewrittenRecords rewrite_records(const Records& records, const RecordMatches& found, const Replacements& replacements,
                                 const Plan& plan, unsigned threads) {
  if (found.row_starts.size() != records.size() + 1)
    throw Error(ErrorKind::invalid_argument, "the matches are those of other records");
  RewrittenRecords rewritten;
  rewritten.offsets.assign(records.size() + 1, 0);
  if (records.empty()) return rewritten;
  threads = thread_count(threads);
  const std::uint64_t count = std::clamp<std::uint64_t>(records.total_bytes() / least_share_bytes, 1,
                                                        threads == 1 ? 1 : threads * shares_of_thread);
  const auto first_of = [&](std::uint64_t share) { return records.size() * share / count; };
  std::vector<ShareOfRecords> shares;
  for (std::uint64_t share = 0; share < count; ++share) shares.emplace_back(records, found, replacements, plan);
  run_shares(threads, static_cast<unsigned>(count),
             [&](unsigned share) { shares[share].rewrite(first_of(share), first_of(share + 1), rewritten.offsets); });
  if (count == 1) {
    rewritten.bytes = std::move(shares[0].bytes());
    return rewritten;
  }
  std::vector<std::uint64_t> begins{0};
  for (ShareOfRecords& share : shares) begins.push_back(begins.back() + share.bytes().size());
  resize_empty(rewritten.bytes, begins.back(), threads);
  run_shares(threads, static_cast<unsigned>(count), [&](unsigned share) {
    const std::vector<char>& bytes = shares[share].bytes();
    if (!bytes.empty()) std::memcpy(rewritten.bytes.data() + begins[share], bytes.data(), bytes.size());
    for (std::uint64_t record = first_of(share); record < first_of(share + 1); ++record)
      rewritten.offsets[record + 1] += begins[share];
  });
  return rewritten;
}

}  // namespace lode
