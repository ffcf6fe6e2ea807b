// sum/v1 and dot/v1 over lanes: the results of chunks (rivus/order.hpp).
#ifndef RIVUS_SRC_SUM_KERNELS_HPP
#define RIVUS_SRC_SUM_KERNELS_HPP

#include <rivus/order.hpp>

#include "fill_kernels.hpp"

namespace rivus {
namespace {

template <class T>
using reals_of = typename lanes_of<typename real::format<T>::word>::reals;

// The 32 lanes of Chunks chunks side by side, as vectors, and how a row enters them.
template <class T, bool Dot, int Chunks>
struct chunk_lanes {
  using reals = reals_of<T>;
  static constexpr int width = sizeof(reals) / sizeof(T);
  static constexpr int vectors = order::lanes / width;

  reals lane[Chunks][vectors];

  RIVUS_HD void clear() {
    for (auto& chunk : lane) {
      for (reals& v : chunk) v = reals(T(-0.0));
    }
  }
  // Rows `row` of the chunks that begin at x (and y).
  RIVUS_HD void enter(const T* x, const T* y, std::size_t row) {
    using real::add;
    using real::fma;
    RIVUS_UNROLL(4)
    for (int c = 0; c < Chunks; ++c) {
      RIVUS_UNROLL(32)
      for (int k = 0; k < vectors; ++k) {
        const std::size_t at = static_cast<std::size_t>(c) * order::chunk + row * order::lanes +
                               static_cast<std::size_t>(k * width);
        if constexpr (Dot) {
          lane[c][k] = fma(load<reals>(x + at), load<reals>(y + at), lane[c][k]);
        } else {
          lane[c][k] = add(lane[c][k], load<reals>(x + at));
        }
      }
    }
  }
  // Lanes fold by halves: first whole vectors, then within one.
  RIVUS_HD T folded(int chunk) {
    using real::add;
    RIVUS_UNROLL(8)
    for (int half = vectors / 2; half >= 1; half /= 2) {
      RIVUS_UNROLL(16)
      for (int k = 0; k < half; ++k) lane[chunk][k] = add(lane[chunk][k], lane[chunk][k + half]);
    }
    return fold(lane[chunk][0]);
  }
};

template <class T, bool Dot, int Chunks>
void whole_chunks(const T* x, const T* y, T* partial) {
  chunk_lanes<T, Dot, Chunks> lanes;
  lanes.clear();
  RIVUS_UNROLL(2)
  for (std::size_t row = 0; row < order::chunk / order::lanes; ++row) lanes.enter(x, y, row);
  for (int c = 0; c < Chunks; ++c) partial[c] = lanes.folded(c);
}

// n < order::chunk. Absent elements of the last row are -0, times +0 for dot: neither changes a lane.
template <class T, bool Dot>
void part_of_chunk(const T* x, const T* y, std::size_t n, T* partial) {
  chunk_lanes<T, Dot, 1> lanes;
  lanes.clear();
  const std::size_t rows = n / order::lanes, rest = n % order::lanes;
  for (std::size_t row = 0; row < rows; ++row) lanes.enter(x, y, row);
  if (rest > 0) {
    alignas(64) T last_x[order::lanes], last_y[order::lanes];
    for (int l = 0; l < order::lanes; ++l) {
      last_x[l] = T(-0.0);
      last_y[l] = T(0);
    }
    std::memcpy(last_x, static_cast<const void*>(x + rows * order::lanes), rest * sizeof(T));
    if constexpr (Dot)
      std::memcpy(last_y, static_cast<const void*>(y + rows * order::lanes), rest * sizeof(T));
    lanes.enter(last_x, last_y, 0);
  }
  *partial = lanes.folded(0);
}

template <class T, bool Dot>
void all_chunks(const T* x, const T* y, std::size_t n, T* partial) {
  // As many side by side as the registers hold, up to four: that hides the latency of the additions, and
  // reading in several places brings more from memory.
  constexpr int vectors = chunk_lanes<T, Dot, 1>::vectors;
  constexpr int registers = Dot ? sum_registers - 4 : sum_registers, fit = registers / vectors;
  constexpr int together = fit < 1 ? 1 : fit > 4 ? 4 : fit;
  const auto advance = [&](std::size_t elements) {
    x += elements;
    if constexpr (Dot) y += elements;
    n -= elements;
  };
  for (; n >= together * order::chunk; advance(together * order::chunk), partial += together) {
    whole_chunks<T, Dot, together>(x, y, partial);
  }
  if constexpr (together > 2) {
    if (n >= 2 * order::chunk) {
      whole_chunks<T, Dot, 2>(x, y, partial);
      advance(2 * order::chunk);
      partial += 2;
    }
  }
  for (; n >= order::chunk; advance(order::chunk)) whole_chunks<T, Dot, 1>(x, y, partial++);
  if (n > 0) part_of_chunk<T, Dot>(x, y, n, partial);
}

template <class T>
void sum_chunks(const T* x, std::size_t n, T* partial) {
  all_chunks<T, false>(x, nullptr, n, partial);
}
template <class T>
void dot_chunks(const T* x, const T* y, std::size_t n, T* partial) {
  all_chunks<T, true>(x, y, n, partial);
}

}  // namespace
}  // namespace rivus

#endif
