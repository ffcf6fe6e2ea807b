// RIVUS_UNROLL(n): unroll the loop that follows up to n times. RIVUS_INLINE: the function belongs in its callers.
//
// Not under a sanitizer: its checks in so much code take minutes to compile and find nothing more.
#ifndef RIVUS_SRC_UNROLL_HPP
#define RIVUS_SRC_UNROLL_HPP

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define RIVUS_UNROLL(n)
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RIVUS_UNROLL(n)
#endif

#if defined(RIVUS_UNROLL)
#define RIVUS_INLINE __attribute__((noinline))
#else
#define RIVUS_PRAGMA(text) _Pragma(#text)
#define RIVUS_UNROLL(n) RIVUS_PRAGMA(GCC unroll n)
#define RIVUS_INLINE inline __attribute__((always_inline))
#endif

#endif
