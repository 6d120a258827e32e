// The replacements that --replace, --replacements, --own-replacements or --mask asks for.
#pragma once

#include "cli/arguments/settings.hpp"
#include "lode/rewrite.hpp"

namespace lode::command {

/// Precondition: one of the four is given. Throws Error if the file of --replacements cannot be read, or if what is
/// given is no replacement.
Replacements read_replacements(const Settings& settings);

}  // namespace lode::command
