// What a call's scratch holds, described once for its size and for its pieces: a type M with a constructor that takes its
// pieces of a scratch_layout.
#ifndef RIVUS_CUDA_SCRATCH_HPP
#define RIVUS_CUDA_SCRATCH_HPP

#include <cstddef>
#include <rivus/arguments.hpp>

namespace rivus::cuda {

// Pieces of memory, one behind the other, each at a multiple of 8 bytes; without memory only their size counts.
class scratch_layout {
 public:
  explicit scratch_layout(void* memory = nullptr) : memory_(static_cast<char*>(memory)) {}

  template <class T>
  T* take(std::size_t n) {
    void* const piece = memory_ == nullptr ? nullptr : memory_ + bytes_;
    bytes_ += (n * sizeof(T) + 7) / 8 * 8;
    return static_cast<T*>(piece);
  }
  std::size_t bytes() const { return bytes_; }

 private:
  char* memory_;
  std::size_t bytes_ = 0;
};

template <class M, class... A>
std::size_t scratch_size(const A&... arguments) {
  scratch_layout layout;
  (void)M(layout, arguments...);
  return layout.bytes();
}

struct scratch_memory {
  void* data;
  std::size_t bytes;
};

// The pieces of a call's scratch, which is large enough, after its checks: results, where no other check knows them, are apart from
// what is read, and the scratch from all. n is what an error says that the size is for.
template <class M, class... A>
M take_scratch(const char* who, const scratch_memory& scratch, std::size_t n,
               std::initializer_list<rivus::detail::extent> results,
               std::initializer_list<rivus::detail::extent> inputs, const A&... arguments) {
  const std::size_t needed = scratch_size<M>(arguments...);
  const rivus::detail::extent own = rivus::detail::extent_of_scratch(scratch.data, needed);
  rivus::detail::require_scratch(who, scratch.data, scratch.bytes, needed, n);
  rivus::detail::require_apart(who, results, inputs);
  rivus::detail::require_apart(who, {own}, results);
  rivus::detail::require_apart(who, {own}, inputs);
  scratch_layout layout(scratch.data);
  return M(layout, arguments...);
}

}  // namespace rivus::cuda

#endif
