// Two vectors of lanes as one: independent chains of operations side by side, which a compiler and a processor
// that look some instructions ahead would not bring together. Twins of twins are four.
#ifndef RIVUS_SRC_TWIN_HPP
#define RIVUS_SRC_TWIN_HPP

#include <rivus/real.hpp>
#include <rivus/vec.hpp>

namespace rivus {
namespace {

template <class V>
struct twin {
  V a, b;
  twin() = default;
  RIVUS_HD twin(V x, V y) : a(x), b(y) {}
  template <class T>
  RIVUS_HD explicit twin(T x) : a(x), b(x) {}
};

template <class V, int N>
struct twins_of {
  using type = twin<typename twins_of<V, N / 2>::type>;
};
template <class V>
struct twins_of<V, 1> {
  using type = V;
};
// N vectors as one, N a power of two.
template <class V, int N>
using twins = typename twins_of<V, N>::type;

#define RIVUS_TWIN_UNARY(name)                               \
  template <class V>                                         \
  RIVUS_HD auto name(twin<V> x)->twin<decltype(name(x.a))> { \
    return {name(x.a), name(x.b)};                           \
  }
RIVUS_TWIN_UNARY(to_real)
RIVUS_TWIN_UNARY(neg)
RIVUS_TWIN_UNARY(sqrt)
RIVUS_TWIN_UNARY(top_bit)
RIVUS_TWIN_UNARY(second_bit)
RIVUS_TWIN_UNARY(top_two_bits)
#undef RIVUS_TWIN_UNARY

template <class V>
RIVUS_HD twin<V> operator<<(twin<V> x, int n) {
  return {x.a << n, x.b << n};
}
template <class V>
RIVUS_HD twin<V> operator+(twin<V> x, twin<V> y) {
  return {x.a + y.a, x.b + y.b};
}
template <class V>
RIVUS_HD twin<V> mul(twin<V> x, twin<V> y) {
  return {mul(x.a, y.a), mul(x.b, y.b)};
}
template <class V>
RIVUS_HD twin<V> fma(twin<V> x, twin<V> y, twin<V> z) {
  return {fma(x.a, y.a, z.a), fma(x.b, y.b, z.b)};
}
template <class M, class V>
RIVUS_HD twin<V> select(twin<M> m, twin<V> x, twin<V> y) {
  return {select(m.a, x.a, y.a), select(m.b, x.b, y.b)};
}
template <class M, class V>
RIVUS_HD twin<V> add_where(twin<M> m, twin<V> x, twin<V> y) {
  return {add_where(m.a, x.a, y.a), add_where(m.b, x.b, y.b)};
}
template <class V, class W>
RIVUS_HD twin<V> flip_sign(twin<V> x, twin<W> w) {
  return {flip_sign(x.a, w.a), flip_sign(x.b, w.b)};
}
template <int Scale, class V>
RIVUS_HD twin<V> split_exponent(twin<V> u, twin<V>& t) {
  const V a = split_exponent<Scale>(u.a, t.a), b = split_exponent<Scale>(u.b, t.b);
  return {a, b};
}

// Consecutive vectors, and even and odd elements of consecutive pairs of vectors.
template <class V>
struct in_memory {
  RIVUS_HD static V load(const char* p) { return rivus::load<V>(p); }
  RIVUS_HD static void store(char* p, V x) { rivus::store(p, x); }
  RIVUS_HD static vec<V, 2> load_pairs(const char* p) { return unzip(load(p), load(p + sizeof(V))); }
  RIVUS_HD static void store_pairs(char* p, V even, V odd) {
    const vec<V, 2> z = zip(even, odd);
    store(p, z[0]);
    store(p + sizeof(V), z[1]);
  }
};
template <class V>
struct in_memory<twin<V>> {
  using each = in_memory<V>;
  RIVUS_HD static twin<V> load(const char* p) { return {each::load(p), each::load(p + sizeof(V))}; }
  RIVUS_HD static void store(char* p, twin<V> x) {
    each::store(p, x.a);
    each::store(p + sizeof(V), x.b);
  }
  RIVUS_HD static vec<twin<V>, 2> load_pairs(const char* p) {
    const vec<V, 2> a = each::load_pairs(p), b = each::load_pairs(p + 2 * sizeof(V));
    return {{{a[0], b[0]}, {a[1], b[1]}}};
  }
  RIVUS_HD static void store_pairs(char* p, twin<V> even, twin<V> odd) {
    each::store_pairs(p, even.a, odd.a);
    each::store_pairs(p + 2 * sizeof(V), even.b, odd.b);
  }
};

}  // namespace

namespace real {
template <class V>
struct element<twin<V>> : element<V> {};
}  // namespace real

}  // namespace rivus

#endif
