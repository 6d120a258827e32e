// LODE_SANITIZED: whether a sanitizer is built in, under which tests measure no memory and take smaller texts.
// LODE_THREAD_SANITIZED: whether it is the one of threads, which cannot see into OpenCL's drivers.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LODE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define LODE_SANITIZED 1
#endif
#endif
#ifndef LODE_SANITIZED
#define LODE_SANITIZED 0
#endif

#if defined(__SANITIZE_THREAD__)
#define LODE_THREAD_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LODE_THREAD_SANITIZED 1
#endif
#endif
#ifndef LODE_THREAD_SANITIZED
#define LODE_THREAD_SANITIZED 0
#endif
