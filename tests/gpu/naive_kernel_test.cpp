// Tests the kernel `naive` alone, through the seam: every pattern over {a, B} of up to three bytes, at every place of
// pieces that begin and end anywhere, against a loop over places.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "gpu/abi.hpp"
#include "gpu/engine/engine.hpp"
#include "gpu/kernel_sources.hpp"
#include "gpu_devices.hpp"
#include "seam_helpers.hpp"
#include "support/environment.hpp"
#include "support/oracle.hpp"

namespace lode::gpu::tests {
namespace {

using lode::tests::fold;

struct Piece {
  std::string text;  // whole blocks from the piece's begin on
  abi::lode_piece range{};
};

std::vector<std::uint32_t> find_starts(const Piece& piece, const std::string& pattern, bool folds) {
  std::vector<std::uint32_t> starts;
  for (std::uint32_t start = piece.range.begin; start < piece.range.end; ++start) {
    if (start + pattern.size() > piece.range.size) break;
    bool equal = true;
    for (std::size_t at = 0; at < pattern.size(); ++at) {
      const char byte = piece.text[start + at];
      equal = equal && (folds ? fold(byte) == fold(pattern[at]) : byte == pattern[at]);
    }
    if (equal) starts.push_back(start);
  }
  return starts;
}

class NaiveKernel : public testing::TestWithParam<std::string> {};

TEST_P(NaiveKernel, FindsAllStartsOfAPiece) {
  const std::shared_ptr<Runtime> runtime = open_runtime(GetParam());
  lode::tests::Random random = lode::tests::make_random("NaiveKernel " + GetParam());
  const std::uint32_t items = std::min(8U, runtime->limits().max_group_items);
  const std::uint32_t team = runtime->limits().team_items == 0 ? items : runtime->limits().team_items;
  KernelSource source{
      kernel_source("naive"), "lode_naive", {{"LODE_MODE", LODE_MODE_LIST}, {"LODE_RECORDS", 0}, {"LODE_TEAM", team}}};
  const std::unique_ptr<Kernel> kernel = runtime->load_kernel(source, runtime->compile(source));
  const Launch launch{2, std::max(items, team), 4096 + 16 * std::max(items, team)};
  const std::uint64_t rounds = lode::tests::test_rounds(60, 300, 3000);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    Piece piece;
    const std::uint32_t blocks = static_cast<std::uint32_t>(random.between(1, 6));
    piece.text = random.bytes("aAbB", 16 * blocks);
    piece.range.first = static_cast<std::uint32_t>(random.below(16));
    piece.range.size =
        static_cast<std::uint32_t>(random.between(std::max(16 * blocks - 15, piece.range.first + 1), 16 * blocks));
    piece.range.begin = static_cast<std::uint32_t>(random.between(piece.range.first, piece.range.size));
    piece.range.end = static_cast<std::uint32_t>(random.between(piece.range.begin, piece.range.size));
    std::string pattern = random.bytes("aB", random.between(1, random.chance(80) ? 3 : 9));
    const bool folds = random.chance(50);
    const std::vector<std::uint32_t> expected = find_starts(piece, pattern, folds);
    piece.range.capacity = static_cast<std::uint32_t>(random.chance(80) ? expected.size() + 1 : expected.size() / 2);

    std::vector<std::uint32_t> words((pattern.size() + 3) / 4);
    for (std::size_t at = 0; at < pattern.size(); ++at)
      words[at / 4] |= std::uint32_t{static_cast<unsigned char>(folds ? fold(pattern[at]) : pattern[at])}
                       << (at % 4 * 8);
    const auto length = static_cast<std::uint32_t>(pattern.size());
    const auto text = put(*runtime, std::vector<char>(piece.text.begin(), piece.text.end()));
    const auto patterns =
        put(*runtime, std::vector<abi::lode_pattern>{{0, length | (folds ? LODE_PATTERN_FOLDS : 0U)}});
    const auto pattern_words = put(*runtime, words);
    const auto header = put(*runtime, std::vector<abi::lode_totals>(1 + launch.groups));
    const auto list = runtime->make_buffer(std::max<std::uint64_t>(1, piece.range.capacity) * sizeof(abi::lode_match));

    std::vector<Argument> arguments = {text.get(),
                                       piece.range,
                                       patterns.get(),
                                       pattern_words.get(),
                                       header.get(),
                                       list.get(),
                                       static_cast<Buffer*>(nullptr)};
    append_arguments(arguments, {});
    const std::unique_ptr<Queue> queue = runtime->make_queue();
    queue->launch(*kernel, launch, arguments);
    queue->wait();

    const auto counters = get<std::uint32_t>(*runtime, *header, 2);
    ASSERT_EQ(counters[0], expected.size()) << "round " << round << ", pattern " << pattern;
    ASSERT_EQ(counters[1] != 0, expected.size() > piece.range.capacity) << "round " << round;
    if (counters[1] != 0) continue;
    std::vector<std::uint32_t> found;
    for (const abi::lode_match& match : get<abi::lode_match>(*runtime, *list, counters[0])) {
      EXPECT_EQ(match.distinct, 0U);
      found.push_back(match.start);
    }
    std::sort(found.begin(), found.end());
    ASSERT_EQ(found, expected) << "round " << round << ", pattern " << pattern << " in " << piece.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, NaiveKernel, testing::ValuesIn(runtime_names()),
                         [](const auto& info) { return lode::tests::make_test_name(info.param); });

}  // namespace
}  // namespace lode::gpu::tests
