// The whole C++ API in one include.
#pragma once

#include "lode/device.hpp"
#include "lode/error.hpp"
#include "lode/form.hpp"
#include "lode/match.hpp"
#include "lode/options.hpp"
#include "lode/pattern_set.hpp"
#include "lode/plan.hpp"
#include "lode/record_layout.hpp"
#include "lode/records.hpp"
#include "lode/resident_records.hpp"
#include "lode/resident_text.hpp"
#include "lode/rewrite.hpp"
#include "lode/searcher.hpp"
#include "lode/stream.hpp"
#include "lode/version.hpp"
