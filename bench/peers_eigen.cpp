// Eigen's reductions and products, and EigenRand's distributions, in one thread.
#include "cases.hpp"

#if defined(RIVUS_BENCH_EIGEN)
#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Dense>
#if defined(RIVUS_BENCH_EIGENRAND)
#include <EigenRand/EigenRand>
#endif

namespace {

template <class T>
using array = Eigen::Array<T, Eigen::Dynamic, 1>;
template <class T>
using view = Eigen::Map<array<T>, Eigen::Aligned64>;
template <class T>
using vector_view = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>, Eigen::Aligned64>;

template <class T>
void register_reductions_of(const std::string& dtype) {
  register_reads<T>(peer("eigen/sum/" + dtype), [](const T* x, std::size_t n) {
    return vector_view<T>(x, static_cast<Eigen::Index>(n)).sum();
  });
  register_reads<T>(peer("eigen/dot/" + dtype), [](const T* x, std::size_t n) {
    const auto half = static_cast<Eigen::Index>(n / 2);
    return vector_view<T>(x, half).dot(vector_view<T>(x + half, half));
  });
}

#if defined(RIVUS_BENCH_EIGENRAND)
// make(values, engine) is the expression that is assigned.
template <class T, class Make>
void register_eigenrand(const std::string& name, const Make& make) {
  register_fills<T>(peer("eigenrand/" + name),
                    [make, engine = Eigen::Rand::P8_mt19937_64(42)](T* out, std::size_t n) mutable {
                      view<T> values(out, static_cast<Eigen::Index>(n));
                      values = make(values, engine);
                    });
}

void register_eigenrands() {
  namespace rand = Eigen::Rand;
  register_eigenrand<std::int32_t>("bits/u32", [](auto& x, auto& e) { return rand::randBitsLike(x, e); });
  register_eigenrand<float>("uniform/f32", [](auto& x, auto& e) { return rand::uniformRealLike(x, e); });
  register_eigenrand<double>("uniform/f64", [](auto& x, auto& e) { return rand::uniformRealLike(x, e); });
  register_eigenrand<float>("normal/f32", [](auto& x, auto& e) { return rand::normalLike(x, e); });
  register_eigenrand<double>("normal/f64", [](auto& x, auto& e) { return rand::normalLike(x, e); });
  register_eigenrand<float>("exponential/f32", [](auto& x, auto& e) { return rand::exponentialLike(x, e); });
  register_eigenrand<double>("exponential/f64", [](auto& x, auto& e) { return rand::exponentialLike(x, e); });
  register_eigenrand<std::int32_t>("randint/i32",
                                   [](auto& x, auto& e) { return rand::uniformIntLike(x, e, 0, 999); });
}
#else
void register_eigenrands() {}
#endif

}  // namespace

void register_eigen() {
  register_eigenrands();
  register_reductions_of<float>("f32");
  register_reductions_of<double>("f64");
  register_matmuls(peer("eigen/matmul/f32"), [](const float* a, const float* b, float* c, std::size_t n) {
    using square = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const auto size = static_cast<Eigen::Index>(n);
    Eigen::Map<square>(c, size, size).noalias() =
        Eigen::Map<const square>(a, size, size) * Eigen::Map<const square>(b, size, size);
  });
}
#else
void register_eigen() {}
#endif
