// Helps to expect a lode::Error of a kind, with a message that says something.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "lode/error.hpp"

namespace lode::tests {

inline testing::AssertionResult throws_error(ErrorKind kind, const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    if (error.kind() != kind) {
      return testing::AssertionFailure() << "Error(" << name_of(error.kind()) << ") instead of " << name_of(kind)
                                         << ": " << error.what();
    }
    if (std::string(error.what()).size() < 10) {
      return testing::AssertionFailure() << "a message that helps nobody: '" << error.what() << "'";
    }
    return testing::AssertionSuccess();
  } catch (const std::exception& error) {
    return testing::AssertionFailure() << "no lode::Error but " << error.what();
  }
  return testing::AssertionFailure() << "nothing was thrown, expected Error(" << name_of(kind) << ")";
}

}  // namespace lode::tests
