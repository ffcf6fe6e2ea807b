// The cases of rivus_cuda_bench.
#ifndef RIVUS_BENCH_CUDA_CASES_HPP
#define RIVUS_BENCH_CUDA_CASES_HPP

#include <rivus/rivus.hpp>

#include "measure.hpp"

namespace rivus::device_bench {

// A row for each size. `at` may lack a group where a size makes none.
struct subject {
  std::string name;
  std::function<std::optional<group>(const context&, std::size_t bytes)> at;
  std::vector<std::size_t> sizes = {};  // its own instead of the run's, if any; of what `measure` says
  std::string measure = "bytes";
};

void add_ceilings(std::vector<subject>& to);
void add_fills(std::vector<subject>& to);
void add_reductions(std::vector<subject>& to);
void add_matmul(std::vector<subject>& to);

// Ceilings, whose kernels are in kernels.cu. Bytes are a multiple of 16, as are addresses.
way memset_way(const context& c, std::size_t bytes);
way write_way(const context& c, std::size_t bytes);
way read_way(const context& c, std::size_t bytes);
way copy_way(const context& c, std::size_t bytes);  // counts the bytes read and those written
way fma_way(const context& c);                      // counts two operations an fma

// What a user's kernel does with d.quad: elements 0 to n - 1; n is a multiple of 4, out aligned to 16.
template <class D>
void rivus_loop(cudaStream_t on, int multiprocessors, typename D::value_type* out, std::size_t n, stream s,
                D d);

// What cuRAND is asked for in the place of a distribution.
enum class peer_values {
  bits,
  uniform_float,
  uniform_double,
  normal_float,
  normal_double,
  exponential_float,
  below_1000,
  quarter
};

// cuRAND's generators in a kernel, and by the host API: no way where the toolkit at hand lacks them.
std::vector<way> curand_loops(const context& c, peer_values values, std::size_t bytes);
std::vector<way> curand_host_ways(const context& c, peer_values values, std::size_t bytes);
// CUB and Thrust.
template <class T>
std::vector<way> library_sums(const context& c, std::size_t bytes);
std::vector<way> library_scans(const context& c, std::size_t bytes);
// cuBLAS: products of n x n floats, and dot products.
std::vector<way> blas_matmul(const context& c, std::size_t n, const float* a, const float* b, float* product);
std::vector<way> blas_dot(const context& c, std::size_t bytes);

// The parts of the comparison that this program was built without, a sentence each.
std::vector<std::string> missing_peers();
std::string curand_missing();
std::string blas_missing();
std::string kernel_peers_missing();

}  // namespace rivus::device_bench

#endif
