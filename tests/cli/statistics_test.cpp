// Tests what --stats says of the device `auto`: the rates that were asked for, their sources, and the choice.

#include "cli/output/statistics.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/output/writer.hpp"
#include "process.hpp"

namespace lode::test {
namespace {

using command::Statistics;
using nlohmann::json;

SearchStats call_with_gpu() {
  SearchStats call;
  call.bytes = 100;
  call.device = "cuda:0";
  call.choice = "cuda:0: estimated 0.500 s, cpu 3.000 s";
  call.rates = {{"cpu", 3.25e9, DeviceRate::Source::searches}, {"cuda:0", 5.5e10, DeviceRate::Source::copies}};
  return call;
}

std::string report(const Statistics& statistics) {
  return statistics.report(Searcher(Plan::build(PatternSet{"he"})), 1);
}

std::string json_of(const Statistics& statistics) {
  const TemporaryFolder folder;
  const int file = ::open((folder.path() / "json").c_str(), O_CREAT | O_WRONLY, 0600);
  {
    command::Writer writer(file, "json");
    statistics.append_choice(writer, "before");
    writer.end_line();
    writer.flush();
  }
  ::close(file);
  return folder.read("json");
}

TEST(Statistics, TellRatesAndWhenceTheyCome) {
  Statistics statistics;
  statistics.add(call_with_gpu());
  EXPECT_NE(report(statistics)
                .find("\ndevice: cuda:0\nchoice: cuda:0: estimated 0.500 s, cpu 3.000 s\n"
                      "rate of cpu: 3.250 GB/s, of earlier searches\nrate of cuda:0: 55.000 GB/s, of copies to it\n"),
            std::string::npos)
      << report(statistics);
  EXPECT_EQ(json_of(statistics),
            R"(before{"device":"cuda:0","choice":"cuda:0: estimated 0.500 s, cpu 3.000 s","rates":[)"
            R"({"device":"cpu","bytes_per_second":3250000000,"source":"searches"},)"
            R"({"device":"cuda:0","bytes_per_second":55000000000,"source":"copies"}]})");
}

TEST(Statistics, TellTheRatesOfTheCallThatSearchedMost) {
  Statistics statistics;
  statistics.add(call_with_gpu());
  SearchStats smaller;
  smaller.bytes = 10;
  smaller.device = "cpu";
  smaller.choice = "cpu: estimated 0.001 s, too little for a GPU";
  statistics.add(smaller);
  EXPECT_NE(report(statistics).find("\nrate of cuda:0: "), std::string::npos) << report(statistics);
  smaller.bytes = 1000;
  statistics.add(smaller);
  EXPECT_EQ(report(statistics).find("\nrate of "), std::string::npos) << report(statistics);
  EXPECT_NE(json_of(statistics).find(R"("rates":[]})"), std::string::npos) << json_of(statistics);
}

TEST(Statistics, TellNothingOfANamedDevice) {
  Statistics statistics;
  SearchStats call;
  call.bytes = 100;
  call.device = "cpu";
  statistics.add(call);
  EXPECT_EQ(report(statistics).find("rate of "), std::string::npos) << report(statistics);
  EXPECT_EQ(json_of(statistics), "");
}

class StatisticsOfAuto : public testing::Test {
 protected:
  // The text is the least for which rates are kept, and the 40 patterns need 40 passes. `auto` expects more than a
  // quarter of a second, and less than two.
  StatisticsOfAuto() {
    std::string patterns;
    for (int number = 10; number < 50; ++number)
      patterns += "a pattern of a good length, so that passes are quick, number " + std::to_string(number) + "\n";
    folder_.write("patterns", patterns);
    folder_.write("text", "");
    std::filesystem::resize_file(folder_.path() / "text", std::size_t{64} << 20);
    invocation_.folder = folder_.path();
    invocation_.variables = {{"LODE_CACHE_DIR", (folder_.path() / "cache").string()}};
  }
  Outcome search(std::vector<std::string> options) {
    for (const char* const more : {"--threads", "1", "--algorithm", "boyer-moore", "-f", "patterns", "text"})
      options.emplace_back(more);
    invocation_.arguments = std::move(options);
    return run(invocation_);
  }

 private:
  TemporaryFolder folder_;
  Invocation invocation_;
};

TEST_F(StatisticsOfAuto, TellTheRateThatAnEarlierProcessSaw) {
  const Outcome first = search({"--stats", "--count-matches"});
  EXPECT_EQ(first.output, "0\n");
  EXPECT_NE(first.errors.find("\nrate of cpu: 0.200 GB/s, assumed\n"), std::string::npos) << first.errors;
  const Outcome second = search({"--stats", "--count-matches"});
  EXPECT_NE(second.errors.find(" GB/s, of earlier searches\n"), std::string::npos) << second.errors;
  const Outcome on_cpu = search({"--stats", "--count-matches", "--device", "cpu"});
  EXPECT_EQ(on_cpu.errors.find("rate of "), std::string::npos) << on_cpu.errors;
}

TEST_F(StatisticsOfAuto, AreInTheSummaryOfJson) {
  const auto auto_of = [&](std::vector<std::string> options) {
    const json summary = json::parse(search(std::move(options)).output);
    EXPECT_EQ(summary["type"], "summary");
    return summary["data"].contains("auto") ? summary["data"]["auto"] : json();
  };
  const json chosen = auto_of({"--stats", "--json"});
  ASSERT_TRUE(chosen.is_object());
  EXPECT_EQ(chosen["device"], "cpu");
  EXPECT_TRUE(chosen["choice"].get<std::string>().starts_with("cpu: estimated ")) << chosen;
  EXPECT_EQ(chosen["rates"], json::parse(R"([{"device":"cpu","bytes_per_second":200000000,"source":"assumed"}])"));
  EXPECT_TRUE(auto_of({"--json"}).is_null()) << "nobody asked";
}

}  // namespace
}  // namespace lode::test
