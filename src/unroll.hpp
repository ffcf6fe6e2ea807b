// RIVUS_UNROLL(n): unroll the loop that follows up to n times.
//
// Not under a sanitizer: its checks in unrolled code take minutes to compile and find nothing more.
#ifndef RIVUS_SRC_UNROLL_HPP
#define RIVUS_SRC_UNROLL_HPP

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define RIVUS_UNROLL(n)
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RIVUS_UNROLL(n)
#endif

#ifndef RIVUS_UNROLL
#define RIVUS_PRAGMA(text) _Pragma(#text)
#define RIVUS_UNROLL(n) RIVUS_PRAGMA(GCC unroll n)
#endif

#endif
