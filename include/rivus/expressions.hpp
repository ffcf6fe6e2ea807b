// expressions: what reductions add up and row operations write, as functions of a place (i, j) in a matrix.
// One definition for a float, a vector of floats and a CUDA thread: a place gives the operands of its kind.
//
// A place `at` turns an operand into a value: at(elements) is the element of row i and column j, widened;
// at(along) the value of column j; at(down) the value of row i; at(constant) the same everywhere.
#ifndef RIVUS_EXPRESSIONS_HPP
#define RIVUS_EXPRESSIONS_HPP

#include <cstddef>
#include <rivus/combine.hpp>
#include <rivus/half.hpp>

namespace rivus::real::expr {

// Operands.
template <class X>
struct elements {
  using wide = wide_t<X>;
  const X* data;
  std::ptrdiff_t row_stride;
};
// The same, widened to double.
template <class X>
struct doubles {
  using wide = double;
  const X* data;
  std::ptrdiff_t row_stride;
};
template <class T>
struct constant {
  using wide = T;
  T value;
};
// `otherwise` where there is no array.
template <class X>
struct along {
  using wide = wide_t<X>;
  const X* data;
  wide otherwise;
};
template <class T>
struct down {
  using wide = T;
  const T* data;
};

// Expressions of operands and expressions, each operation rounded once. A product is never an operand of a sum.
template <class A>
struct absolute_of {
  using wide = typename A::wide;
  A a;
  template <class At>
  RIVUS_HD auto operator()(const At& at) const {
    return absolute(at(a));
  }
};
template <class A>
struct negative {
  using wide = typename A::wide;
  A a;
  template <class At>
  RIVUS_HD auto operator()(const At& at) const {
    return neg(at(a));
  }
};
template <class A>
struct exp_of {
  using wide = typename A::wide;
  A a;
  template <class At>
  RIVUS_HD auto operator()(const At& at) const {
    return exp(at(a));
  }
};
template <class A, class B>
struct minus {
  using wide = typename A::wide;
  A a;
  B b;
  template <class At>
  RIVUS_HD auto operator()(const At& at) const {
    return sub(at(a), at(b));
  }
};
template <class A, class B>
struct times {
  using wide = typename A::wide;
  A a;
  B b;
  template <class At>
  RIVUS_HD auto operator()(const At& at) const {
    return mul(at(a), at(b));
  }
};
template <class A, class B>
struct over {
  using wide = typename A::wide;
  A a;
  B b;
  template <class At>
  RIVUS_HD auto operator()(const At& at) const {
    return div(at(a), at(b));
  }
};
// a * b + c
template <class A, class B, class C>
struct fma_of {
  using wide = typename A::wide;
  A a;
  B b;
  C c;
  template <class At>
  RIVUS_HD auto operator()(const At& at) const {
    return fma(at(a), at(b), at(c));
  }
};

// Terms: how the place enters a lane of sum/v1 (or, for factors, of product/v1), and how lanes combine.
template <class A>
struct terms : combine::sums {
  using wide = typename A::wide;
  A a;
  RIVUS_HD constexpr explicit terms(A a_) : a(a_) {}
  template <class F, class At>
  RIVUS_HD F enter(F lane, const At& at) const {
    return add(lane, at(a));
  }
};
template <class A, class B>
struct products : combine::sums {
  using wide = typename A::wide;
  A a;
  B b;
  RIVUS_HD constexpr products(A a_, B b_) : a(a_), b(b_) {}
  template <class F, class At>
  RIVUS_HD F enter(F lane, const At& at) const {
    return fma(at(a), at(b), lane);
  }
};
template <class A>
struct squares : combine::sums {
  using wide = typename A::wide;
  A a;
  RIVUS_HD constexpr explicit squares(A a_) : a(a_) {}
  template <class F, class At>
  RIVUS_HD F enter(F lane, const At& at) const {
    const F x = at(a);
    return fma(x, x, lane);
  }
};
template <class A>
struct factors : combine::products {
  using wide = typename A::wide;
  A a;
  RIVUS_HD constexpr explicit factors(A a_) : a(a_) {}
  template <class F, class At>
  RIVUS_HD F enter(F lane, const At& at) const {
    return mul(lane, at(a));
  }
};

// A place that gives single values.
template <class T>
struct place {
  std::size_t i, j;

  template <class X>
  RIVUS_HD T operator()(const elements<X>& e) const {
    return real::widen(
        e.data[static_cast<std::ptrdiff_t>(i) * e.row_stride + static_cast<std::ptrdiff_t>(j)]);
  }
  template <class X>
  RIVUS_HD T operator()(const doubles<X>& e) const {
    return static_cast<double>((*this)(elements<X>{e.data, e.row_stride}));
  }
  RIVUS_HD T operator()(const constant<T>& c) const { return c.value; }
  template <class X>
  RIVUS_HD T operator()(const along<X>& a) const {
    return a.data == nullptr ? a.otherwise : real::widen(a.data[j]);
  }
  RIVUS_HD T operator()(const down<T>& d) const { return d.data[i]; }
  template <class E, class = std::enable_if_t<std::is_class_v<E>>>
  RIVUS_HD auto operator()(const E& expression) const -> decltype(expression(*this)) {
    return expression(*this);
  }
};

using combine::extreme;
using combine::key_of;
using combine::key_of_number;
using combine::key_t;
using combine::least_key;
using combine::nan_key;
using combine::value_of;

}  // namespace rivus::real::expr

#endif
