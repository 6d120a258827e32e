// LODE_API marks what the shared library exports. Everything else stays hidden.
#pragma once

#if defined(_WIN32)
#define LODE_API
#else
#define LODE_API __attribute__((visibility("default")))
#endif
