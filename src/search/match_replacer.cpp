#include "search/match_replacer.hpp"

#include <algorithm>

namespace lode {

MatchReplacer::MatchReplacer(const Replacements& replacements, const Plan& plan)
    : replacements_(replacements), plan_(plan), view_(plan.view()) {
  replacements.check(plan.patterns());
  if (plan.forms().empty()) return;
  little_ = text::Decoder::make(View("utf-16le"), {});
  big_ = text::Decoder::make(View("utf-16be"), {});
}

void MatchReplacer::begin_text(std::string_view head) {
  decoder_ = view_.encoding().empty() ? nullptr : text::Decoder::make(view_, head);
}

void MatchReplacer::append(const Match& match, std::string_view bytes, std::string& out) {
  if (const text::Decoder* const decoder = decoder_of(match)) {
    append_encoded(match, *decoder, bytes, out);
  } else if (view_.layout() != Layout::none && replacements_.masks()) {
    append_mask_of_lines(match, bytes, out);
  } else {
    replacements_.append(match, bytes, plan_.patterns(), out);
  }
}

const text::Decoder* MatchReplacer::decoder_of(const Match& match) const {
  if (decoder_) return decoder_.get();
  return match.form == Form::utf_16le ? little_.get() : match.form == Form::utf_16be ? big_.get() : nullptr;
}

void MatchReplacer::append_encoded(const Match& match, const text::Decoder& decoder, std::string_view bytes,
                                   std::string& out) {
  replacement_.clear();
  if (replacements_.masks_bytes()) {
    replacements_.append(match, bytes.substr(0, bytes.size() / decoder.unit_bytes()), plan_.patterns(), replacement_);
  } else {
    decoded_.bytes.clear();
    decoded_.spans.clear();
    text::Decoder::State state;
    constexpr std::uint64_t behind_mark = text::Decoder::head_bytes;
    decoder.append(bytes, 0, bytes.size(), behind_mark, state, decoded_);
    replacements_.append(match, decoded_.bytes, plan_.patterns(), replacement_);
  }
  decoder.encode(replacement_, out);
}

void MatchReplacer::append_mask_of_lines(const Match& match, std::string_view bytes, std::string& out) const {
  while (!bytes.empty()) {
    const std::size_t line = std::min(bytes.find_first_of("\r\n"), bytes.size());
    replacements_.append(match, bytes.substr(0, line), plan_.patterns(), out);
    const std::size_t next = std::min(bytes.find_first_not_of("\r\n", line), bytes.size());
    out += bytes.substr(line, next - line);
    bytes.remove_prefix(next);
  }
}

}  // namespace lode
