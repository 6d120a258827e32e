// The texts that are made from the table of options: help, the manual page, shell completions.
#pragma once

#include <string>

namespace lode::command {

std::string short_help();
std::string long_help();
std::string manual_page();
/// `shell` is bash, zsh or fish.
std::string shell_completions(const std::string& shell);

}  // namespace lode::command
