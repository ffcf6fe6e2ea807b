#include <bit>
#include <cstring>
#include <rivus/arguments.hpp>
#include <rivus/partial.hpp>
#include <string>

#include "host_team.hpp"

namespace rivus {

using detail::refuse;
using detail::text_of;

namespace detail {

void tree_roots::append(std::uint64_t first, std::uint64_t leaves, const double* values,
                        combination combine) {
  nodes_.push_back({first, leaves});
  values_.insert(values_.end(), values, values + width_);
  while (nodes_.size() > 1) {
    const node right = nodes_.back(), left = nodes_[nodes_.size() - 2];
    if (left.leaves != right.leaves || left.first / left.leaves % 2 != 0) return;
    double* const a = values_.data() + values_.size() - 2 * width_;
    combine(a, a + width_, width_);
    nodes_.pop_back();
    nodes_.back().leaves *= 2;
    values_.resize(values_.size() - width_);
  }
}
void tree_roots::append(const tree_roots& next, combination combine) {
  for (std::size_t k = 0; k < next.nodes_.size(); ++k)
    append(next.nodes_[k].first, next.nodes_[k].leaves, next.values_.data() + k * width_, combine);
}
const double* tree_roots::finish(combination combine) {
  double* last = values_.data() + values_.size() - width_;
  for (; last != values_.data(); last -= width_) combine(last - width_, last, width_);
  return last;
}
tree_roots tree_roots::covering(std::uint64_t first, std::uint64_t leaves, std::size_t width) {
  tree_roots roots(width);
  while (leaves > 0) {
    const std::uint64_t fits = std::bit_floor(leaves);
    const std::uint64_t size = first == 0 ? fits : std::min(fits, first & (0 - first));
    roots.nodes_.push_back({first, size});
    first += size;
    leaves -= size;
  }
  roots.values_.resize(roots.nodes_.size() * width);
  return roots;
}

}  // namespace detail

namespace {

template <class Op, class W>
void combine_values(double* a, const double* b, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j)
    a[j] = static_cast<double>(real::canonical(Op::combine(static_cast<W>(a[j]), static_cast<W>(b[j]))));
}

// Kinds in the bytes go on where those of `reduction` end, with dot.
static_assert(static_cast<int>(reduction::logsumexp) + 1 == 9);
constexpr auto logsumexp_kind = static_cast<unsigned char>(reduction::logsumexp);

// Little-endian.
class writer {
 public:
  explicit writer(char what) : bytes_{'r', 'v', static_cast<unsigned char>(what), 1} {}
  void integer(std::uint64_t x, std::size_t size) {
    for (std::size_t k = 0; k < size; ++k) bytes_.push_back(static_cast<unsigned char>(x >> 8 * k));
  }
  void real(double x) { integer(std::bit_cast<std::uint64_t>(x), 8); }
  std::vector<unsigned char> finish() {
    integer(check(bytes_.data(), bytes_.size()), 8);
    return std::move(bytes_);
  }
  static std::uint64_t check(const unsigned char* bytes, std::size_t n) {
    return stream::from_seed(0)[std::string_view(reinterpret_cast<const char*>(bytes), n)].key;
  }

 private:
  std::vector<unsigned char> bytes_;
};
class reader {
 public:
  reader(const char* who, const unsigned char* bytes, std::size_t size, char what)
      : who_(who), bytes_(bytes), left_(size) {
    if (bytes == nullptr && size > 0) refuse(who, "bytes is null but size = " + text_of(size));
    if (size < 40) refuse(who, "size = " + text_of(size) + " is less than the 40 bytes of nothing");
    const unsigned char head[] = {'r', 'v', static_cast<unsigned char>(what), 1};
    for (std::size_t k = 0; k < 4; ++k) {
      if (bytes[k] != head[k])
        refuse(who, (k == 3 ? "version byte = " : "header byte " + text_of(k) + " = ") +
                        text_of(int{bytes[k]}) + " must be " + text_of(int{head[k]}));
    }
    left_ -= 8;
    const writer expected('-');
    std::uint64_t check = 0;
    for (std::size_t k = 0; k < 8; ++k) check |= std::uint64_t{bytes[left_ + k]} << 8 * k;
    if (check != writer::check(bytes, left_)) refuse(who, "the bytes are damaged: their digest differs");
    at_ = 4;
  }
  std::uint64_t integer(std::size_t size) {
    std::uint64_t x = 0;
    for (std::size_t k = 0; k < size; ++k) x |= std::uint64_t{bytes_[at_ + k]} << 8 * k;
    at_ += size;
    return x;
  }
  double real() { return std::bit_cast<double>(integer(8)); }
  void require_left(std::uint64_t count, std::size_t size) const {
    if (count > left_ || (left_ - at_) != count * size)
      refuse(who_, "size = " + text_of(left_ + 8) + " is not that of what the bytes describe");
  }
  const char* who() const { return who_; }

 private:
  const char* who_;
  const unsigned char* bytes_;
  std::size_t at_ = 0, left_;
};

// What both hold: [first, first + count), and after the other without a gap.
void require_range(const char* who, std::uint64_t first, std::uint64_t n) {
  if (first > ~std::uint64_t{0} - n)
    refuse(who, "first = " + text_of(first) + " and n = " + text_of(n) + " go beyond 2^64 - 1");
}
[[noreturn]] void refuse_apart(const char* who, std::uint64_t first, std::uint64_t count, std::uint64_t other,
                               std::uint64_t other_count) {
  const auto range = [](std::uint64_t a, std::uint64_t n) {
    return "[" + text_of(a) + ", " + text_of(a + n) + ")";
  };
  refuse(who, "the ranges " + range(first, count) + " and " + range(other, other_count) + " do not meet");
}

template <class T>
using raw_t = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                 std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;

}  // namespace

// use(r, term), term(x, y) being what the elements x, and y, enter lanes by; r the reduction, or for dot none.
template <class T>
template <class Use>
auto partial<T>::with_term(const Use& use) const {
  using E = expr::elements<T>;
  const expr::constant<wide_type> m{given_};
  switch (what_) {
    case static_cast<unsigned char>(more::dot):
      return use(expr::sum_of{}, [](const E& x, const E& y) { return expr::products(x, y); });
    case static_cast<unsigned char>(more::variance):
      return use(expr::variance_of{}, [m](const E& x, const E&) { return expr::variance_of::term(x, m); });
    case logsumexp_kind:
      return use(expr::logsumexp_of{}, [m](const E& x, const E&) { return expr::logsumexp_of::term(x, m); });
    default:
      return expr::with_reduction(static_cast<reduction>(what_), [&](auto r) {
        if constexpr (std::is_base_of_v<expr::of_terms, decltype(r)>) {
          return use(r, [](const E& x, const E&) { return decltype(r)::term(x); });
        } else {
          return use(expr::sum_of{}, [](const E& x, const E&) { return expr::terms(x); });
        }
      });
  }
}

template <class T>
bool partial<T>::is_extreme() const noexcept {
  return what_ == static_cast<unsigned char>(reduction::max_norm) ||
         what_ == static_cast<unsigned char>(reduction::minimum) ||
         what_ == static_cast<unsigned char>(reduction::maximum) ||
         what_ >= static_cast<unsigned char>(more::argmin);
}

template <class T>
partial<T>::partial(unsigned char what, wide_type given, const T* x, const T* y, std::size_t n,
                    std::uint64_t first, const executor& on, const char* who)
    : what_(what), given_(given), first_(first), count_(n) {
  require_default_environment(who);
  detail::require_values(who, "x", x, n);
  if (what == static_cast<unsigned char>(more::dot)) detail::require_values(who, "y", y, n);
  require_range(who, first, n);
  if (n > 0) take(x, y, on);
}

// The places at which whole chunks begin and end; the elements before and behind are few.
template <class T>
std::uint64_t partial<T>::whole_begin() const noexcept {
  const std::uint64_t to_next = (tree::chunk - first_ % tree::chunk) % tree::chunk;
  return first_ + std::min(to_next, count_);
}
template <class T>
std::uint64_t partial<T>::whole_end() const noexcept {
  const std::uint64_t end = first_ + count_;
  return std::max(whole_begin(), end - end % tree::chunk);
}

template <class T>
void partial<T>::take(const T* x, const T* y, const executor& on) {
  const auto n = static_cast<std::size_t>(count_);
  if (is_extreme()) {
    const auto meet = [&](auto which) {
      key_ = extreme_key<which()>(x, n, on);
      using key = typename extreme_kernels<T>::key;
      at_ = first_ + table<T>().find[static_cast<int>(which())](x, n, static_cast<key>(key_));
    };
    if (what_ == static_cast<unsigned char>(reduction::max_norm))
      return meet(std::integral_constant<extreme, extreme::largest_magnitude>{});
    if (what_ == static_cast<unsigned char>(reduction::minimum) ||
        what_ == static_cast<unsigned char>(more::argmin))
      return meet(std::integral_constant<extreme, extreme::smallest>{});
    return meet(std::integral_constant<extreme, extreme::largest>{});
  }
  const auto begin = static_cast<std::size_t>(whole_begin() - first_),
             end = static_cast<std::size_t>(whole_end() - first_);
  // By their bytes, as the pointer may have any alignment.
  const auto copy = [](std::vector<T>& to, const T* from, std::size_t count) {
    to.resize(count);
    if (count > 0)
      std::memcpy(static_cast<void*>(to.data()), static_cast<const void*>(from), count * sizeof(T));
  };
  copy(head_, x, begin);
  copy(tail_, x + end, n - end);
  if (what_ == static_cast<unsigned char>(more::dot)) {
    copy(head_y_, y, begin);
    copy(tail_y_, y + end, n - end);
  }
  // So many chunks at a time that their results take little memory.
  constexpr std::size_t together = std::size_t{1} << 14;
  with_term([&](auto, const auto& term_of) {
    const auto term = term_of({x, 0}, {y, 0});
    using term_type = std::remove_const_t<decltype(term)>;
    using W = typename term_type::wide;
    std::vector<W> results(std::min((end - begin) / tree::chunk, together));
    for (std::size_t i = begin; i < end; i += together * tree::chunk) {
      const std::size_t m = std::min(end - i, together * tree::chunk);
      chunk_results(term_of({x + i, 0}, {y == nullptr ? y : y + i, 0}), 0, m, results.data(), on);
      for (std::size_t c = 0; c < m / tree::chunk; ++c) {
        const double value = static_cast<double>(real::canonical(results[c]));
        roots_.append((first_ + i) / tree::chunk + c, 1, &value, &combine_values<term_type, W>);
      }
    }
  });
}

template <class T>
void partial<T>::append_leaf(std::uint64_t leaf, const std::vector<T>& x, const std::vector<T>& y) {
  with_term([&](auto, const auto& term_of) {
    const auto term = term_of({x.data(), 0}, {y.data(), 0});
    using term_type = std::remove_const_t<decltype(term)>;
    using W = typename term_type::wide;
    W result;
    chunk_results(term, 0, x.size(), &result, executor::this_thread());
    const double value = static_cast<double>(real::canonical(result));
    roots_.append(leaf, 1, &value, &combine_values<term_type, W>);
  });
}

template <class T>
partial<T>::partial(reduction k, const T* x, index64 n, index64 first, const executor& on)
    : partial((detail::require_reduction("rivus::partial", k, 1), static_cast<unsigned char>(k)), 0, x,
              nullptr, n, first, on, "rivus::partial") {
  if (k == reduction::logsumexp)
    refuse("rivus::partial",
           "a logsumexp needs the largest element of the whole: partial::logsumexp(largest, ...)");
}
template <class T>
partial<T> partial<T>::dot(const T* x, const T* y, index64 n, index64 first, const executor& on) {
  return {static_cast<unsigned char>(more::dot), 0, x, y, n, first, on, "rivus::partial::dot"};
}
template <class T>
partial<T> partial<T>::argmin(const T* x, index64 n, index64 first, const executor& on) {
  return {static_cast<unsigned char>(more::argmin), 0, x, nullptr, n, first, on, "rivus::partial::argmin"};
}
template <class T>
partial<T> partial<T>::argmax(const T* x, index64 n, index64 first, const executor& on) {
  return {static_cast<unsigned char>(more::argmax), 0, x, nullptr, n, first, on, "rivus::partial::argmax"};
}
template <class T>
partial<T> partial<T>::variance(wide_type mean, const T* x, index64 n, index64 first, const executor& on) {
  return {
      static_cast<unsigned char>(more::variance), mean, x, nullptr, n, first, on, "rivus::partial::variance"};
}
template <class T>
partial<T> partial<T>::logsumexp(wide_type largest, const T* x, index64 n, index64 first,
                                 const executor& on) {
  return {logsumexp_kind, largest, x, nullptr, n, first, on, "rivus::partial::logsumexp"};
}

template <class T>
partial<T>& partial<T>::merge(const partial& other) {
  const char* const who = "rivus::partial::merge";
  if (what_ != other.what_) refuse(who, "the reductions differ");
  if (real::to_bits(given_) != real::to_bits(other.given_))
    refuse(who, "given = " + text_of(given_) + " and " + text_of(other.given_) + " differ");
  if (other.count_ == 0 || count_ == 0) {
    if (count_ == 0) *this = partial(other);
    return *this;
  }
  if (first_ + count_ != other.first_) {
    if (other.first_ + other.count_ != first_) refuse_apart(who, first_, count_, other.first_, other.count_);
    partial before = other;
    before.merge(*this);
    return *this = std::move(before);
  }
  partial joined = *this;
  joined.count_ += other.count_;
  if (is_extreme()) {
    if (joined.key_ < other.key_) {
      joined.key_ = other.key_;
      joined.at_ = other.at_;
    }
    return *this = std::move(joined);
  }
  // The chunk in which one ends and the other begins, as far as it is known now.
  const bool only_head = whole_begin() == first_ + count_ && first_ % tree::chunk != 0;
  std::vector<T>&x = only_head ? joined.head_ : joined.tail_,
  &y = only_head ? joined.head_y_ : joined.tail_y_;
  x.insert(x.end(), other.head_.begin(), other.head_.end());
  y.insert(y.end(), other.head_y_.begin(), other.head_y_.end());
  if (!only_head && x.size() == tree::chunk) {
    joined.append_leaf((other.first_ - 1) / tree::chunk, x, y);
    x.clear();
    y.clear();
  }
  joined.with_term([&](auto, const auto& term_of) {
    using term_type = decltype(term_of({nullptr, 0}, {nullptr, 0}));
    joined.roots_.append(other.roots_, &combine_values<term_type, typename term_type::wide>);
  });
  if (!other.tail_.empty()) {
    joined.tail_ = other.tail_;
    joined.tail_y_ = other.tail_y_;
  }
  return *this = std::move(joined);
}

template <class T>
void partial<T>::require_whole(const char* who, std::uint64_t n) const {
  if (first_ != 0 || count_ != n)
    refuse(who, "n = " + text_of(n) + " but this is of [" + text_of(first_) + ", " +
                    text_of(first_ + count_) + ")");
}

template <class T>
template <class X>
X partial<T>::finished(std::uint64_t n, std::uint64_t less) const {
  const char* const who = "rivus::partial::finish";
  require_default_environment(who);
  require_whole(who, n);
  if (what_ >= static_cast<unsigned char>(more::argmin))
    refuse(who, "an argmin or argmax has an index: finish_index");
  if (is_extreme()) {
    using key = typename extreme_kernels<T>::key;
    const auto k = static_cast<key>(key_);
    const auto which = static_cast<reduction>(what_);
    if (n == 0) {
      detail::require_reduction(who, which, n);
      return real::narrow<X>(wide_type(0));
    }
    return real::narrow<X>(which == reduction::max_norm
                               ? expr::value_of<extreme::largest_magnitude, wide_type>(k)
                           : which == reduction::minimum ? expr::value_of<extreme::smallest, wide_type>(k)
                                                         : expr::value_of<extreme::largest, wide_type>(k));
  }
  partial whole = *this;
  if (!whole.tail_.empty()) {
    // Moved, as the leaf is that of what is left.
    const std::vector<T> x = std::move(whole.tail_), y = std::move(whole.tail_y_);
    whole.append_leaf(count_ / tree::chunk, x, y);
  }
  return with_term([&](auto r, const auto& term_of) -> X {
    using R = decltype(r);
    using term_type = decltype(term_of({nullptr, 0}, {nullptr, 0}));
    using W = typename term_type::wide;
    if (std::is_same_v<R, expr::variance_of> ? n <= less : n == 0) return expr::of_nothing<X>(r);
    const W value = static_cast<W>(*whole.roots_.finish(&combine_values<term_type, W>));
    if constexpr (std::is_base_of_v<expr::in_two_steps, R>) {
      const bool divides = std::is_same_v<R, expr::variance_of>;
      return R::template end<X>(value, static_cast<std::size_t>(n - (divides ? less : 0)), given_);
    } else {
      return R::template end<X>(value, static_cast<std::size_t>(n));
    }
  });
}
template <class T>
T partial<T>::finish(index64 n, index64 less) const {
  return finished<T>(n, less);
}
template <class T>
auto partial<T>::finish_wide(index64 n, index64 less) const -> wide_type {
  return finished<wide_type>(n, less);
}
template <class T>
std::size_t partial<T>::finish_index(index64 n) const {
  const char* const who = "rivus::partial::finish_index";
  require_whole(who, n);
  if (what_ < static_cast<unsigned char>(more::argmin)) refuse(who, "only an argmin or argmax has an index");
  if (n == 0) refuse(who, "n = 0");
  return static_cast<std::size_t>(at_);
}

template <class T>
std::vector<unsigned char> partial<T>::to_bytes() const {
  writer out('p');
  out.integer(detail::exact_result<T>::digits, 1);
  out.integer(what_, 1);
  out.integer(0, 2);
  out.integer(first_, 8);
  out.integer(count_, 8);
  out.real(static_cast<double>(given_));
  if (is_extreme() && count_ > 0) {
    out.integer(at_, 8);
    out.integer(static_cast<std::uint64_t>(key_), 8);
  }
  for (const double v : roots_.values()) out.real(v);
  for (const auto* part : {&head_, &tail_, &head_y_, &tail_y_}) {
    for (const T& v : *part) out.integer(std::bit_cast<raw_t<T>>(v), sizeof(T));
  }
  return out.finish();
}

template <class T>
partial<T> partial<T>::from_bytes(const unsigned char* bytes, index64 size) {
  reader in("rivus::partial::from_bytes", bytes, size, 'p');
  const std::uint64_t precision = in.integer(1), what = in.integer(1), zeros = in.integer(2);
  if (precision != std::uint64_t{detail::exact_result<T>::digits})
    refuse(in.who(),
           "precision = " + text_of(precision) + " must be " + text_of(int{detail::exact_result<T>::digits}));
  if (what > std::uint64_t{static_cast<unsigned char>(more::argmax)} || zeros != 0)
    refuse(in.who(), "kind = " + text_of(what) + " is unknown");
  partial p;
  p.what_ = static_cast<unsigned char>(what);
  p.first_ = in.integer(8);
  p.count_ = in.integer(8);
  p.given_ = static_cast<wide_type>(in.real());
  require_range(in.who(), p.first_, p.count_);
  if (p.is_extreme()) {
    in.require_left(p.count_ > 0 ? 2 : 0, 8);
    if (p.count_ > 0) {
      p.at_ = in.integer(8);
      p.key_ = static_cast<std::int64_t>(in.integer(8));
    }
    return p;
  }
  const bool two = p.what_ == static_cast<unsigned char>(more::dot);
  const std::uint64_t begin = p.whole_begin(), end = p.whole_end();
  p.roots_ = detail::tree_roots::covering(begin / tree::chunk + (begin % tree::chunk != 0),
                                          (end - begin) / tree::chunk, 1);
  const auto head = static_cast<std::size_t>(begin - p.first_),
             tail = static_cast<std::size_t>(p.first_ + p.count_ - end);
  in.require_left(p.roots_.values().size() * 8 + (head + tail) * (two ? 2 : 1) * sizeof(T), 1);
  for (std::size_t k = 0; k < p.roots_.values().size(); ++k) p.roots_.data()[k] = in.real();
  const auto read = [&](std::vector<T>& to, std::size_t n) {
    to.resize(n);
    for (T& v : to) v = std::bit_cast<T>(static_cast<raw_t<T>>(in.integer(sizeof(T))));
  };
  read(p.head_, head);
  read(p.tail_, tail);
  read(p.head_y_, two ? head : 0);
  read(p.tail_y_, two ? tail : 0);
  return p;
}

template class partial<float>;
template class partial<double>;
template class partial<f16>;
template class partial<bf16>;

template <class T>
leaves<T>::leaves(index64 size, index64 first) : first_(first), roots_(size) {
  if (size == 0) refuse("rivus::leaves", "size = 0 must be at least 1");
}
template <class T>
leaves<T>& leaves<T>::push(const T* values) {
  const char* const who = "rivus::leaves::push";
  require_default_environment(who);
  detail::require_values(who, "values", values, size());
  require_range(who, first_, count_ + 1);
  const std::vector<double> wide(values, values + size());
  roots_.append(first_ + count_, 1, wide.data(), &combine_values<combine::sums, T>);
  ++count_;
  return *this;
}
template <class T>
leaves<T>& leaves<T>::merge(const leaves& other) {
  const char* const who = "rivus::leaves::merge";
  detail::require_same_size(who, "the other", other.size(), "this", size());
  if (other.count_ == 0 || count_ == 0) {
    if (count_ == 0) *this = leaves(other);
    return *this;
  }
  if (first_ + count_ != other.first_) {
    if (other.first_ + other.count_ != first_) refuse_apart(who, first_, count_, other.first_, other.count_);
    leaves before = other;
    before.merge(*this);
    return *this = std::move(before);
  }
  leaves joined = *this;
  joined.roots_.append(other.roots_, &combine_values<combine::sums, T>);
  joined.count_ += other.count_;
  return *this = std::move(joined);
}
template <class T>
void leaves<T>::finish(index64 count, T* out) const {
  const char* const who = "rivus::leaves::finish";
  require_default_environment(who);
  detail::require_values(who, "out", out, size());
  if (first_ != 0 || count_ != count)
    refuse(who, "count = " + text_of(std::uint64_t{count}) + " but this is of [" + text_of(first_) + ", " +
                    text_of(first_ + count_) + ")");
  if (count_ == 0) return void(std::fill_n(out, size(), T(0)));
  detail::tree_roots whole = roots_;
  const double* const sums = whole.finish(&combine_values<combine::sums, T>);
  for (std::size_t j = 0; j < size(); ++j) out[j] = real::canonical(static_cast<T>(sums[j]));
}
template <class T>
std::vector<unsigned char> leaves<T>::to_bytes() const {
  writer out('l');
  out.integer(detail::exact_result<T>::digits, 1);
  out.integer(0, 3);
  for (const std::uint64_t v : {first_, count_, std::uint64_t{size()}}) out.integer(v, 8);
  for (const double v : roots_.values()) out.real(v);
  return out.finish();
}
template <class T>
leaves<T> leaves<T>::from_bytes(const unsigned char* bytes, index64 size) {
  reader in("rivus::leaves::from_bytes", bytes, size, 'l');
  const std::uint64_t precision = in.integer(1);
  if (precision != std::uint64_t{detail::exact_result<T>::digits} || in.integer(3) != 0)
    refuse(in.who(),
           "precision = " + text_of(precision) + " must be " + text_of(int{detail::exact_result<T>::digits}));
  const std::uint64_t first = in.integer(8), count = in.integer(8), width = in.integer(8);
  require_range(in.who(), first, count);
  if (width == 0 || width > size)
    refuse(in.who(), "the number of values = " + text_of(width) + " is out of range");
  leaves l(width, first);
  l.count_ = count;
  l.roots_ = detail::tree_roots::covering(first, count, 0);
  in.require_left(l.roots_.size() * width, 8);
  l.roots_ = detail::tree_roots::covering(first, count, static_cast<std::size_t>(width));
  for (std::size_t k = 0; k < l.roots_.values().size(); ++k) l.roots_.data()[k] = in.real();
  return l;
}

template class leaves<float>;
template class leaves<double>;

}  // namespace rivus
