#include "arguments.hpp"

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>

namespace lode::bench {

struct Arguments::Parser {
  Parser(const std::string& program, const std::string& purpose) : app(purpose, program) {}

  CLI::App app;

  template <class Value>
  CLI::Option* add(const std::string& name, Value& value, const std::string& help) {
    return app.add_option(name, value, help)->capture_default_str();
  }
};

Arguments::Arguments(std::string program, const std::string& purpose)
    : parser_(std::make_unique<Parser>(program, purpose)), program_(std::move(program)) {}

Arguments::~Arguments() = default;

void Arguments::add(const std::string& name, std::string& value, const std::string& help,
                    const std::vector<std::string>& allowed) {
  CLI::Option* const option = parser_->app.add_option(name, value, help);
  if (!value.empty()) option->capture_default_str();
  if (!allowed.empty()) option->check(CLI::IsMember(allowed));
}

void Arguments::add(const std::string& name, bool& value, const std::string& help) {
  parser_->app.add_flag(name, value, help);
}

void Arguments::add(const std::string& name, int& value, const std::string& help) {
  parser_->add(name, value, help)->check(CLI::PositiveNumber);
}

void Arguments::add(const std::string& name, double& value, const std::string& help) {
  parser_->add(name, value, help)->check(CLI::PositiveNumber);
}

void Arguments::add(const std::string& name, std::uint32_t& value, const std::string& help,
                    const std::vector<std::uint32_t>& allowed) {
  CLI::Option* const option = parser_->add(name, value, help);
  if (!allowed.empty()) option->check(CLI::IsMember(allowed));
}

void Arguments::add(const std::string& name, std::uint64_t& value, const std::string& help) {
  parser_->add(name, value, help);
}

void Arguments::add(const std::string& name, std::vector<std::uint32_t>& value, const std::string& help,
                    const std::vector<std::uint32_t>& allowed) {
  CLI::Option* const option = parser_->app.add_option(name, value, help)->delimiter(',');
  if (!value.empty()) option->capture_default_str();
  if (!allowed.empty()) option->check(CLI::IsMember(allowed));
}

void Arguments::add(const std::string& name, std::vector<std::string>& value, const std::string& help) {
  parser_->app.add_option(name, value, help);
}

void Arguments::add_bytes(const std::string& name, std::uint64_t& value, const std::string& help) {
  CLI::Option* const option = parser_->app.add_option(name, value, help + "; takes KiB, MiB, GiB");
  option->transform(CLI::AsSizeValue(false));
  if (value != 0) option->capture_default_str();
}

bool Arguments::has(const std::string& name) const { return parser_->app.get_option(name)->count() > 0; }

int Arguments::run(int argument_count, char** arguments,
                   const std::function<int(const std::string& command_line)>& action) {
  CLI11_PARSE(parser_->app, argument_count, arguments);
  std::string command_line = program_;
  for (int at = 1; at < argument_count; ++at) command_line.append(" ").append(arguments[at]);
  try {
    return action(command_line);
  } catch (const std::exception& error) {
    std::cerr << program_ << ": " << error.what() << "\n";
    return 2;
  }
}

}  // namespace lode::bench
