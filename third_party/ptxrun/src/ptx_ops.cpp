// ptx_ops.cpp - decoding of raw instructions and what each one does to 32 lanes.
//
// Every decoder takes the modifiers it knows; a modifier or operand that is left over is an error, so that nothing is
// ever skipped in silence.
#include "ptx_ops_headers.hpp"

namespace ptxrun {
namespace {

enum Rnd : uint8_t { RN, RZ, RM, RP };
constexpr bool on(uint32_t m, int l) { return m >> l & 1; }

// Directed rounding: set the host's mode, and keep the compiler from moving or folding the arithmetic.
struct RoundScope {
    int old;
    explicit RoundScope(uint8_t r) : old(std::fegetround()) {
        static const int mode[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
        std::fesetround(mode[r]);
    }
    ~RoundScope() { std::fesetround(old); }
};
template <class T> inline T opaque(T v) {
    asm volatile("" : "+m"(v) : : "memory");
    return v;
}

template <class T> struct Bits;
template <> struct Bits<float> {
    using U = uint32_t;
    static constexpr U nan = 0x7fffffffu, sign = 0x80000000u;
};
template <> struct Bits<double> {
    using U = uint64_t;
    static constexpr U nan = 0xfff8000000000000ull, sign = 1ull << 63;
};
template <class T> inline typename Bits<T>::U bitsOf(T v) { return std::bit_cast<typename Bits<T>::U>(v); }
template <class T> inline T canon(T v) { return v != v ? std::bit_cast<T>(Bits<T>::nan) : v; }
template <class T> inline T flush(T v) {
    return std::fabs(v) < std::numeric_limits<T>::min() ? std::copysign(T(0), v) : v;
}
template <class T> inline T saturate(T v) {
    return v != v ? T(0) : v < T(0) ? T(0) : v > T(1) ? T(1) : v == T(0) ? T(0) : v;
}

// ------------------------------------------------------------------ lane loops
// A lane's result depends on that lane's sources only, so source and destination may be the same register.
#ifdef __clang__
#define PTXRUN_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define PTXRUN_IVDEP _Pragma("GCC ivdep")
#endif
template <class D, class A, class OP> void op1(Exec &x, const Ins &i) {
    const A *a = x.src<A>(i.s[0]);
    D *d = x.dst<D>(i.d);
    if (x.am == ~0u) {
        PTXRUN_IVDEP
        for (int l = 0; l < 32; ++l) d[l] = OP()(a[l]);
    } else
        for (int l = 0; l < 32; ++l)
            if (on(x.am, l)) d[l] = OP()(a[l]);
}
template <class D, class A, class B, class OP> void op2(Exec &x, const Ins &i) {
    const A *a = x.src<A>(i.s[0]);
    const B *b = x.src<B>(i.s[1]);
    D *d = x.dst<D>(i.d);
    if (x.am == ~0u) {
        PTXRUN_IVDEP
        for (int l = 0; l < 32; ++l) d[l] = OP()(a[l], b[l]);
    } else
        for (int l = 0; l < 32; ++l)
            if (on(x.am, l)) d[l] = OP()(a[l], b[l]);
}
template <class D, class A, class B, class C, class OP> void op3(Exec &x, const Ins &i) {
    const A *a = x.src<A>(i.s[0]);
    const B *b = x.src<B>(i.s[1]);
    const C *c = x.src<C>(i.s[2]);
    D *d = x.dst<D>(i.d);
    if (x.am == ~0u) {
        PTXRUN_IVDEP
        for (int l = 0; l < 32; ++l) d[l] = OP()(a[l], b[l], c[l]);
    } else
        for (int l = 0; l < 32; ++l)
            if (on(x.am, l)) d[l] = OP()(a[l], b[l], c[l]);
}

// ------------------------------------------------------------------ integer functors
template <class T> using Uns = std::make_unsigned_t<T>;
template <class T> struct WideT;
template <> struct WideT<uint16_t> { using t = uint32_t; };
template <> struct WideT<int16_t> { using t = int32_t; };
template <> struct WideT<uint32_t> { using t = uint64_t; };
template <> struct WideT<int32_t> { using t = int64_t; };
template <> struct WideT<uint64_t> { using t = unsigned __int128; };
template <> struct WideT<int64_t> { using t = __int128; };
template <class T> using Wide = typename WideT<T>::t;

struct IAdd {
    template <class T> T operator()(T a, T b) const { return T(uint64_t(a) + uint64_t(b)); }
};
struct ISub {
    template <class T> T operator()(T a, T b) const { return T(uint64_t(a) - uint64_t(b)); }
};
struct IMulLo {
    template <class T> T operator()(T a, T b) const { return T(Uns<T>(uint64_t(a) * uint64_t(b))); }
};
template <> inline uint32_t IMulLo::operator()(uint32_t a, uint32_t b) const { return a * b; }
template <> inline int32_t IMulLo::operator()(int32_t a, int32_t b) const { return int32_t(uint32_t(a) * uint32_t(b)); }
struct IMulHi {
    template <class T> T operator()(T a, T b) const { return T((Wide<T>(a) * Wide<T>(b)) >> (8 * sizeof(T))); }
};
struct IMulWide {
    template <class T> Wide<T> operator()(T a, T b) const { return Wide<T>(a) * Wide<T>(b); }
};
struct IMadLo {
    template <class T> T operator()(T a, T b, T c) const { return IAdd()(IMulLo()(a, b), c); }
};
struct IMadHi {
    template <class T> T operator()(T a, T b, T c) const { return IAdd()(IMulHi()(a, b), c); }
};
struct IMadWide {
    template <class T, class W> W operator()(T a, T b, W c) const { return IAdd()(W(IMulWide()(a, b)), c); }
};
// Division by zero is unspecified in PTX; what NVIDIA's division sequence gives is all ones (div) and the dividend
// (rem).
struct IDiv {
    template <class T> T operator()(T a, T b) const {
        if (!b) return T(~T(0));
        if constexpr (std::is_signed_v<T>)
            if (b == -1) return T(-Uns<T>(a));
        return T(a / b);
    }
};
struct IRem {
    template <class T> T operator()(T a, T b) const {
        if (!b) return a;
        if constexpr (std::is_signed_v<T>)
            if (b == -1) return 0;
        return T(a % b);
    }
};
struct IMin {
    template <class T> T operator()(T a, T b) const { return a < b ? a : b; }
};
struct IMax {
    template <class T> T operator()(T a, T b) const { return a > b ? a : b; }
};
struct IAbs {
    template <class T> T operator()(T a) const { return a < 0 ? T(-Uns<T>(a)) : a; }
};
struct INeg {
    template <class T> T operator()(T a) const { return T(-uint64_t(a)); }
};
struct IAnd {
    template <class T> T operator()(T a, T b) const { return a & b; }
};
struct IOr {
    template <class T> T operator()(T a, T b) const { return a | b; }
};
struct IXor {
    template <class T> T operator()(T a, T b) const { return a ^ b; }
};
struct INot {
    template <class T> T operator()(T a) const { return T(~a); }
};
struct ICnot {
    template <class T> T operator()(T a) const { return a == 0; }
};
struct IMov {
    template <class T> T operator()(T a) const { return a; }
};
struct IShl {
    template <class T> T operator()(T a, uint32_t s) const { return s >= 8 * sizeof(T) ? T(0) : T(uint64_t(a) << s); }
};
struct IShr {
    template <class T> T operator()(T a, uint32_t s) const {
        constexpr uint32_t w = 8 * sizeof(T);
        if constexpr (std::is_signed_v<T>) return T(a >> (s >= w ? w - 1 : s));
        else return s >= w ? T(0) : T(a >> s);
    }
};
struct ISad {
    template <class T> T operator()(T a, T b, T c) const { return IAdd()(c, a < b ? ISub()(b, a) : ISub()(a, b)); }
};
struct IPopc {
    template <class T> uint32_t operator()(T a) const { return uint32_t(std::popcount(a)); }
};
struct IClz {
    template <class T> uint32_t operator()(T a) const { return uint32_t(std::countl_zero(a)); }
};
template <bool Shift> struct IBfind {
    template <class T> uint32_t operator()(T v) const {
        Uns<T> a = Uns<T>(v);
        if constexpr (std::is_signed_v<T>)
            if (v < 0) a = ~a;
        if (!a) return ~0u;
        uint32_t n = uint32_t(std::countl_zero(a));
        return Shift ? n : 8 * sizeof(T) - 1 - n;
    }
};
struct IBrev {
    template <class T> T operator()(T a) const {
        T r = 0;
        for (unsigned k = 0; k < 8 * sizeof(T); ++k) r |= T(a >> k & 1) << (8 * sizeof(T) - 1 - k);
        return r;
    }
};
struct IBfe {
    template <class T> T operator()(T a, uint32_t b, uint32_t c) const {
        constexpr uint32_t w = 8 * sizeof(T);
        uint32_t pos = b & 0xff, len = c & 0xff;
        T r = 0;
        bool sgn = std::is_signed_v<T> && len && (Uns<T>(a) >> std::min(pos + len - 1, w - 1) & 1);
        Uns<T> u = Uns<T>(a);
        for (uint32_t k = 0; k < w; ++k) {
            bool bit = k < len && pos + k < w ? (u >> (pos + k) & 1) : sgn;
            if (bit) r = T(Uns<T>(r) | Uns<T>(1) << k);
        }
        return r;
    }
};
struct IBfi {
    template <class T> T operator()(T a, T b, uint32_t c, uint32_t d) const {
        constexpr uint32_t w = 8 * sizeof(T);
        uint32_t pos = c & 0xff, len = d & 0xff;
        for (uint32_t k = 0; k < len && pos + k < w; ++k)
            b = T((b & ~(T(1) << (pos + k))) | (T(a >> k & 1) << (pos + k)));
        return b;
    }
};
template <bool Wrap> struct IBmsk {
    uint32_t operator()(uint32_t a, uint32_t b) const { // b ones from bit a on
        if (Wrap) {
            a &= 31;
            b &= 31;
        }
        if (a >= 32 || !b) return 0;
        return (b >= 32 ? ~0u : (1u << b) - 1) << a;
    }
};
template <bool Left, bool Wrap> struct IShf {
    uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const { // {b,a} 64 bits
        uint32_t n = Wrap ? c & 31 : std::min(c, 32u);
        uint64_t v = uint64_t(b) << 32 | a;
        return Left ? uint32_t((v << n) >> 32) : uint32_t(v >> n);
    }
};
struct IPrmt {
    uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
        uint64_t v = uint64_t(b) << 32 | a;
        uint32_t r = 0;
        for (int k = 0; k < 4; ++k) {
            uint32_t s = c >> (4 * k) & 15, byte = uint32_t(v >> (8 * (s & 7))) & 255;
            if (s & 8) byte = byte & 128 ? 255 : 0;
            r |= byte << (8 * k);
        }
        return r;
    }
};

// ------------------------------------------------------------------ floating point functors
struct FAdd {
    template <class T> T operator()(T a, T b) const { return a + b; }
};
struct FSub {
    template <class T> T operator()(T a, T b) const { return a - b; }
};
struct FMul {
    template <class T> T operator()(T a, T b) const { return a * b; }
};
struct FDiv {
    template <class T> T operator()(T a, T b) const { return a / b; }
};
struct FFma {
    template <class T> T operator()(T a, T b, T c) const { return std::fma(a, b, c); }
};
struct FSqrt {
    template <class T> T operator()(T a) const { return std::sqrt(a); }
};
struct FRcp {
    template <class T> T operator()(T a) const { return T(1) / a; }
};
template <bool Max, bool NaN> struct FMinMax {
    template <class T> T operator()(T a, T b) const {
        if (a != a || b != b) {
            if (NaN || (a != a && b != b)) return std::bit_cast<T>(Bits<T>::nan);
            return a != a ? b : a;
        }
        if (a == b) return (std::signbit(a) != std::signbit(b)) ? (std::signbit(a) != Max ? a : b) : a;
        return (a < b) != Max ? a : b;
    }
};

// A float operation in four flavours; flags: 1 = ftz, 2 = sat. Results of NaN are made canonical.
template <class T, bool Ftz> inline T fin(T v) {
    if constexpr (Ftz) return flush(v);
    else return v;
}
template <class T, bool Ftz, bool Sat> inline T fout(T v) {
    v = canon(v);
    if constexpr (Ftz) v = flush(v);
    if constexpr (Sat) v = saturate(v);
    return v;
}
template <class T, class OP, bool Ftz, bool Sat> struct F1 {
    T operator()(T a) const { return fout<T, Ftz, Sat>(OP()(fin<T, Ftz>(a))); }
};
template <class T, class OP, bool Ftz, bool Sat> struct F2 {
    T operator()(T a, T b) const { return fout<T, Ftz, Sat>(OP()(fin<T, Ftz>(a), fin<T, Ftz>(b))); }
};
template <class T, class OP, bool Ftz, bool Sat> struct F3 {
    T operator()(T a, T b, T c) const {
        return fout<T, Ftz, Sat>(OP()(fin<T, Ftz>(a), fin<T, Ftz>(b), fin<T, Ftz>(c)));
    }
};

template <class T, class OP, bool Ftz, bool Sat, int N>
__attribute__((noinline)) void fdirected(Exec &x, const Ins &i) {
    RoundScope rs(i.rnd);
    const T *a = x.src<T>(i.s[0]), *b = N > 1 ? x.src<T>(i.s[1]) : nullptr, *c = N > 2 ? x.src<T>(i.s[2]) : nullptr;
    T *d = x.dst<T>(i.d);
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) {
            T u = opaque(fin<T, Ftz>(a[l])), r;
            if constexpr (N == 1) r = opaque(OP()(u));
            else if constexpr (N == 2) r = opaque(OP()(u, opaque(fin<T, Ftz>(b[l]))));
            else r = opaque(OP()(u, opaque(fin<T, Ftz>(b[l])), opaque(fin<T, Ftz>(c[l]))));
            d[l] = fout<T, Ftz, Sat>(r);
        }
}
template <class T, class OP, int N, bool Ftz, bool Sat> OpFn fpick(uint8_t rnd) {
    if (rnd != RN) return fdirected<T, OP, Ftz, Sat, N>;
    if constexpr (N == 1) return op1<T, T, F1<T, OP, Ftz, Sat>>;
    else if constexpr (N == 2) return op2<T, T, T, F2<T, OP, Ftz, Sat>>;
    else return op3<T, T, T, T, F3<T, OP, Ftz, Sat>>;
}
template <class OP, int N> OpFn fsel(Ty t, uint8_t rnd, bool ftz, bool sat) {
    if (t == Ty::F64) return ftz || sat ? nullptr : fpick<double, OP, N, false, false>(rnd);
    if (t != Ty::F32) return nullptr;
    return ftz ? (sat ? fpick<float, OP, N, true, true>(rnd) : fpick<float, OP, N, true, false>(rnd))
               : (sat ? fpick<float, OP, N, false, true>(rnd) : fpick<float, OP, N, false, false>(rnd));
}
template <bool Ftz> struct FAbs {
    template <class T> T operator()(T a) const { return fin<T, Ftz>(std::bit_cast<T>(bitsOf(a) & ~Bits<T>::sign)); }
};
template <bool Ftz> struct FNeg {
    template <class T> T operator()(T a) const { return fin<T, Ftz>(std::bit_cast<T>(bitsOf(a) ^ Bits<T>::sign)); }
};
struct FCopysign {
    template <class T> T operator()(T a, T b) const { // sign of a, magnitude of b
        return std::bit_cast<T>((bitsOf(b) & ~Bits<T>::sign) | (bitsOf(a) & Bits<T>::sign));
    }
};

// ------------------------------------------------------------------ type switches
template <class OP, template <class> class Sig> OpFn byInt(Ty t) {
    switch (t) {
    case Ty::U16:
    case Ty::B16: return Sig<uint16_t>::template fn<OP>();
    case Ty::S16: return Sig<int16_t>::template fn<OP>();
    case Ty::U32:
    case Ty::B32: return Sig<uint32_t>::template fn<OP>();
    case Ty::S32: return Sig<int32_t>::template fn<OP>();
    case Ty::U64:
    case Ty::B64: return Sig<uint64_t>::template fn<OP>();
    case Ty::S64: return Sig<int64_t>::template fn<OP>();
    default: return nullptr;
    }
}
template <class T> struct SigA {
    template <class OP> static OpFn fn() { return op1<T, T, OP>; }
};
template <class T> struct SigAB {
    template <class OP> static OpFn fn() { return op2<T, T, T, OP>; }
};
template <class T> struct SigABC {
    template <class OP> static OpFn fn() { return op3<T, T, T, T, OP>; }
};
template <class T> struct SigShift {
    template <class OP> static OpFn fn() { return op2<T, T, uint32_t, OP>; }
};
template <class T> struct SigToU32 {
    template <class OP> static OpFn fn() { return op1<uint32_t, T, OP>; }
};
template <class T> struct SigBfe {
    template <class OP> static OpFn fn() { return op3<T, T, uint32_t, uint32_t, OP>; }
};
template <class OP> OpFn mulWide(Ty t) {
    switch (t) {
    case Ty::U16: return op2<uint32_t, uint16_t, uint16_t, OP>;
    case Ty::S16: return op2<int32_t, int16_t, int16_t, OP>;
    case Ty::U32: return op2<uint64_t, uint32_t, uint32_t, OP>;
    case Ty::S32: return op2<int64_t, int32_t, int32_t, OP>;
    default: return nullptr;
    }
}
OpFn madWide(Ty t) {
    switch (t) {
    case Ty::U16: return op3<uint32_t, uint16_t, uint16_t, uint32_t, IMadWide>;
    case Ty::S16: return op3<int32_t, int16_t, int16_t, int32_t, IMadWide>;
    case Ty::U32: return op3<uint64_t, uint32_t, uint32_t, uint64_t, IMadWide>;
    case Ty::S32: return op3<int64_t, int32_t, int32_t, int64_t, IMadWide>;
    default: return nullptr;
    }
}
Ty widened(Ty t) {
    switch (t) {
    case Ty::U16: return Ty::U32;
    case Ty::S16: return Ty::S32;
    case Ty::U32: return Ty::U64;
    case Ty::S32: return Ty::S64;
    default: return Ty::None;
    }
}

// ------------------------------------------------------------------ carry chains
enum : uint8_t { CcOut = 1, CcIn = 2, CcSub = 4, CcMad = 8, CcHi = 16 };
template <class T> void carry(Exec &x, const Ins &i) {
    uint8_t f = i.flags;
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) {
            T a = x.src<T>(i.s[0])[l], b = x.src<T>(i.s[1])[l];
            unsigned __int128 acc;
            bool cin = (f & CcIn) && on(x.w->cc, l);
            if (f & CcMad) {
                T p = f & CcHi ? IMulHi()(a, b) : IMulLo()(a, b);
                if ((f & CcHi) && info(i.ty).kind == 's')
                    p = T(IMulHi()(std::make_signed_t<T>(a), std::make_signed_t<T>(b)));
                acc = (unsigned __int128)p + x.src<T>(i.s[2])[l] + cin;
            } else if (f & CcSub) acc = (unsigned __int128)a - b - cin;
            else acc = (unsigned __int128)a + b + cin;
            x.dst<T>(i.d)[l] = T(acc);
            if (f & CcOut) {
                uint32_t c = uint32_t(acc >> (8 * sizeof(T))) & 1;
                x.w->cc = (x.w->cc & ~(1u << l)) | c << l;
            }
        }
}

// ------------------------------------------------------------------ bit fields, selects, predicates
template <class T> void bfi(Exec &x, const Ins &i) {
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l))
            x.dst<T>(i.d)[l] = IBfi()(x.src<T>(i.s[0])[l], x.src<T>(i.s[1])[l], x.src<uint32_t>(i.s[2])[l],
                                      x.src<uint32_t>(i.s[3])[l]);
}
void lop3(Exec &x, const Ins &i) {
    const uint32_t *a = x.src<uint32_t>(i.s[0]), *b = x.src<uint32_t>(i.s[1]), *c = x.src<uint32_t>(i.s[2]);
    uint32_t *d = x.dst<uint32_t>(i.d);
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) {
            uint32_t r = 0, p = a[l], q = b[l], s = c[l];
            for (int k = 0; k < 8; ++k)
                if (i.imm >> k & 1) r |= (k & 4 ? p : ~p) & (k & 2 ? q : ~q) & (k & 1 ? s : ~s);
            d[l] = r;
        }
}
template <class T> void selp(Exec &x, const Ins &i) {
    const T *a = x.src<T>(i.s[0]), *b = x.src<T>(i.s[1]);
    T *d = x.dst<T>(i.d);
    uint32_t p = x.pred(i.s[2]);
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) d[l] = on(p, l) ? a[l] : b[l];
}
// mul24, mad24: i.flags 1 = the high 32 of the 48 bits
void mul24(Exec &x, const Ins &i) {
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) {
            auto low = [&](int k) {
                uint32_t v = x.src<uint32_t>(i.s[k])[l] << 8;
                return i.ty == Ty::S32 ? int64_t(int32_t(v) >> 8) : int64_t(v >> 8);
            };
            uint64_t p = uint64_t(low(0) * low(1));
            x.dst<uint32_t>(i.d)[l] = uint32_t(i.flags ? p >> 16 : p) + (i.s[2].bytes ? x.src<uint32_t>(i.s[2])[l] : 0);
        }
}
// dp4a, dp2a: i.sub bytes in an element of the first source; i.flags 1 = the high bytes of the second
void dotProduct(Exec &x, const Ins &i) {
    auto part = [](uint32_t v, int at, int bits, Ty t) {
        uint32_t u = v << (32 - at - bits);
        return t == Ty::S32 ? uint32_t(int32_t(u) >> (32 - bits)) : u >> (32 - bits);
    };
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) {
            uint32_t a = x.src<uint32_t>(i.s[0])[l], b = x.src<uint32_t>(i.s[1])[l], r = x.src<uint32_t>(i.s[2])[l];
            for (int k = 0, bits = 8 * i.sub; k < 4 / i.sub; ++k)
                r += part(a, k * bits, bits, i.ty) * part(b, 8 * k + (i.flags ? 16 : 0), 8, i.ty2);
            x.dst<uint32_t>(i.d)[l] = r;
        }
}
template <class T, class C> void slct(Exec &x, const Ins &i) {
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) {
            C c = x.src<C>(i.s[2])[l]; // a negative subnormal that is flushed counts as zero
            if constexpr (std::is_same_v<C, float>)
                if (i.flags) c = flush(c);
            x.dst<T>(i.d)[l] = c >= 0 ? x.src<T>(i.s[0])[l] : x.src<T>(i.s[1])[l];
        }
}
enum PredOp : uint8_t { PAnd, POr, PXor, PNot, PMov };
void predOp(Exec &x, const Ins &i) {
    uint32_t a = x.pred(i.s[0]), b = i.sub < PNot ? x.pred(i.s[1]) : 0;
    x.setPred(i.d, i.sub == PAnd ? (a & b) : i.sub == POr ? (a | b) : i.sub == PXor ? (a ^ b) : i.sub == PNot ? ~a : a);
}
enum Cmp : uint8_t { EQ, NE, LT, LE, GT, GE, EQU, NEU, LTU, LEU, GTU, GEU, NUM, NAN_ };
template <class T, class F> inline uint32_t cmask(const T *a, const T *b, F f) {
    uint32_t m = 0;
    for (int l = 0; l < 32; ++l) m |= uint32_t(f(a[l], b[l])) << l;
    return m;
}
template <class T> uint32_t compareLanes(uint8_t cmp, const T *a, const T *b) {
    switch (cmp) {
    case EQ: return cmask(a, b, [](T p, T q) { return p == q; });
    case NE: return cmask(a, b, [](T p, T q) { return p != q && p == p && q == q; });
    case LT: return cmask(a, b, [](T p, T q) { return p < q; });
    case LE: return cmask(a, b, [](T p, T q) { return p <= q; });
    case GT: return cmask(a, b, [](T p, T q) { return p > q; });
    case GE: return cmask(a, b, [](T p, T q) { return p >= q; });
    case EQU: return cmask(a, b, [](T p, T q) { return p == q || p != p || q != q; });
    case NEU: return cmask(a, b, [](T p, T q) { return !(p == q); });
    case LTU: return cmask(a, b, [](T p, T q) { return !(p >= q); });
    case LEU: return cmask(a, b, [](T p, T q) { return !(p > q); });
    case GTU: return cmask(a, b, [](T p, T q) { return !(p <= q); });
    case GEU: return cmask(a, b, [](T p, T q) { return !(p < q); });
    case NUM: return cmask(a, b, [](T p, T q) { return p == p && q == q; });
    default: return cmask(a, b, [](T p, T q) { return p != p || q != q; });
    }
}
template <class T, bool Ftz> uint32_t compare(Exec &x, const Ins &i) {
    const T *a = x.src<T>(i.s[0]), *b = x.src<T>(i.s[1]);
    if constexpr (Ftz) {
        T fa[32], fb[32];
        for (int l = 0; l < 32; ++l) {
            fa[l] = flush(a[l]);
            fb[l] = flush(b[l]);
        }
        return compareLanes(i.sub, fa, fb);
    } else return compareLanes(i.sub, a, b);
}
enum : uint8_t { BoolNone, BoolAnd, BoolOr, BoolXor };
inline uint32_t boolOp(uint8_t k, uint32_t m, uint32_t c) {
    return k == BoolAnd ? m & c : k == BoolOr ? m | c : k == BoolXor ? m ^ c : m;
}
template <class T, bool Ftz> void setp(Exec &x, const Ins &i) {
    uint32_t m = compare<T, Ftz>(x, i), c = i.flags ? x.pred(i.s[2]) : 0;
    if (i.d.bytes) x.setPred(i.d, boolOp(i.flags, m, c));
    if (i.d2.bytes) x.setPred(i.d2, boolOp(i.flags, ~m, c));
}
template <class T, bool Ftz> void set(Exec &x, const Ins &i) {
    uint32_t m = boolOp(i.flags, compare<T, Ftz>(x, i), i.flags ? x.pred(i.s[2]) : 0);
    uint32_t yes = i.ty2 == Ty::F32 ? 0x3f800000u : ~0u;
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) x.dst<uint32_t>(i.d)[l] = on(m, l) ? yes : 0;
}
void testp(Exec &x, const Ins &i) {
    uint32_t m = 0;
    for (int l = 0; l < 32; ++l) {
        int c = i.ty == Ty::F64 ? std::fpclassify(x.src<double>(i.s[0])[l]) : std::fpclassify(x.src<float>(i.s[0])[l]);
        bool r = false;
        switch (i.sub) {
        case 0: r = c != FP_NAN && c != FP_INFINITE; break;
        case 1: r = c == FP_INFINITE; break;
        case 2: r = c != FP_NAN; break;
        case 3: r = c == FP_NAN; break;
        case 4: r = c == FP_NORMAL; break;
        default: r = c == FP_SUBNORMAL; break;
        }
        m |= uint32_t(r) << l;
    }
    x.setPred(i.d, m);
}

// ------------------------------------------------------------------ moves
void movLocalAddr(Exec &x, const Ins &i) {
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) x.set(i.d, l, uint64_t(i.imm) + x.fr->localBase);
}
void movPack(Exec &x, const Ins &i) { // d = {v0, v1, ..}
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) {
            uint64_t r = 0;
            uint32_t sh = 0;
            for (const Opn &o : i.v) {
                r |= x.get(o, l) << sh;
                sh += 8 * o.bytes;
            }
            x.set(i.d, l, r);
        }
}
void movUnpack(Exec &x, const Ins &i) { // {v0, v1, ..} = s
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) {
            uint64_t r = x.get(i.s[0], l);
            for (const Opn &o : i.v) {
                if (o.which == RegBase) x.set(o, l, r);
                r >>= 8 * o.bytes;
            }
        }
}
void movClock(Exec &x, const Ins &i) { // monotonous, no relation to time on a GPU
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) x.set(i.d, l, x.m->warpInstr());
}
void cvtaFrom(Exec &x, const Ins &i) { // i.imm: the window's base; sub 0 = to generic, 1 = from generic
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) {
            uint64_t a = x.get(i.s[0], l);
            x.set(i.d, l, i.sub ? a - uint64_t(i.imm) : a + uint64_t(i.imm));
        }
}
void isspacep(Exec &x, const Ins &i) {
    uint32_t m = 0;
    for (int l = 0; l < 32; ++l) {
        uint64_t a = x.get(i.s[0], l);
        bool sh = a - kSharedBase < kSharedWindow, lo = a - kLocalBase < kLocalWindow;
        m |= uint32_t(i.space == Space::Shared ? sh : i.space == Space::Local ? lo : !sh && !lo) << l;
    }
    x.setPred(i.d, m);
}

// ------------------------------------------------------------------ conversions
float halfToFloat(uint16_t h) {
    uint32_t s = uint32_t(h & 0x8000) << 16, e = h >> 10 & 31, m = h & 1023;
    if (e == 31) return std::bit_cast<float>(m ? 0x7fffffffu : s | 0x7f800000u);
    if (e == 0) {
        float f = float(m) * 0x1p-24f;
        return s ? -f : f;
    }
    return std::bit_cast<float>(s | (e + 112) << 23 | m << 13);
}
// Round a double (exactly holding a float or double source) to a small format of p bits of precision, given exponents.
uint16_t narrow(double v, int mant, int emin, int emax, uint8_t rnd, uint16_t nan) {
    if (v != v) return nan;
    uint16_t sign = std::signbit(v) ? 0x8000 : 0;
    double a = std::fabs(v);
    uint16_t inf = uint16_t((emax + 1 - emin + 1) << mant);
    if (std::isinf(a)) return sign | inf;
    if (a == 0) return sign;
    int e;
    std::frexp(a, &e);
    --e; // a = 1.xxx * 2^e
    if (e < emin) e = emin;
    double scaled = std::ldexp(a, mant - e), fl = std::floor(scaled), fr = scaled - fl;
    uint64_t q = uint64_t(fl);
    bool upw = rnd == RN   ? fr > 0.5 || (fr == 0.5 && (q & 1))
               : rnd == RZ ? false
               : rnd == RM ? sign && fr > 0
                           : !sign && fr > 0;
    q += upw;
    uint64_t bits = q + (uint64_t(e - emin) << mant); // q carries the hidden bit when normal
    if (bits >= inf) bits = rnd == RN || (rnd == RM && sign) || (rnd == RP && !sign) ? inf : inf - 1u;
    return sign | uint16_t(bits);
}
uint16_t toHalf(double v, uint8_t r) { return narrow(v, 10, -14, 15, r, 0x7fff); }
uint16_t toBf16(double v, uint8_t r) { return narrow(v, 7, -126, 127, r, 0x7fff); }
float bfToFloat(uint16_t h) { return canon(std::bit_cast<float>(uint32_t(h) << 16)); }

template <class T> T roundInt(T v, uint8_t rnd) { // to an integral value
    switch (rnd) {
    case RN: return std::nearbyint(v);
    case RZ: return std::trunc(v);
    case RM: return std::floor(v);
    default: return std::ceil(v);
    }
}
uint64_t floatToInt(double v, Ty d, bool src64) { // v integral already
    const TyInfo &t = info(d);
    int bits = t.bytes * 8;
    bool s = t.kind == 's';
    if (v != v) return (src64 || bits == 64) ? 1ull << (bits - 1) : 0;
    double lo = s ? -std::ldexp(1.0, bits - 1) : 0, hi = std::ldexp(1.0, s ? bits - 1 : bits); // [lo, hi)
    if (v < lo) return s ? uint64_t(int64_t(lo)) : 0;
    if (v >= hi) return s ? (1ull << (bits - 1)) - 1 : bits == 64 ? ~0ull : (1ull << bits) - 1;
    return s ? uint64_t(int64_t(v)) : uint64_t(v);
}
uint64_t extend(uint64_t v, Ty t) { // from the low bytes of t
    switch (info(t).bytes) {
    case 1: return info(t).kind == 's' ? uint64_t(int64_t(int8_t(v))) : uint8_t(v);
    case 2: return info(t).kind == 's' ? uint64_t(int64_t(int16_t(v))) : uint16_t(v);
    case 4: return info(t).kind == 's' ? uint64_t(int64_t(int32_t(v))) : uint32_t(v);
    default: return v;
    }
}
// An integer as a double rounded to odd, from which rounding to a small format gives what a single rounding would.
double intOdd(uint64_t v, bool neg) {
    uint64_t a = neg ? -v : v;
    if (a >> 53) {
        int sh = 11 - std::countl_zero(a);
        a = (a >> sh | uint64_t((a & ((1ull << sh) - 1)) != 0)) << sh;
    }
    return neg ? -double(a) : double(a);
}
enum : uint8_t { CvFtz = 1, CvSat = 2, CvInt = 4, CvRelu = 8 }; // CvInt: an integer rounding (.rni ..) was given
__attribute__((noinline)) uint64_t convert(uint64_t raw, const Ins &i) {
    Ty D = i.ty, S = i.ty2;
    char dk = info(D).kind, sk = info(S).kind;
    bool ftz = i.flags & CvFtz, sat = i.flags & CvSat;
    bool dInt = dk == 'u' || dk == 's' || dk == 'b', sInt = sk == 'u' || sk == 's' || sk == 'b';
    if (sInt) {
        uint64_t v = extend(raw, S);
        bool neg = sk == 's' && int64_t(v) < 0;
        if (dInt) {
            if (sat) {
                int bits = info(D).bytes * 8;
                if (dk == 's') {
                    int64_t hi = bits == 64 ? INT64_MAX : (1ll << (bits - 1)) - 1, lo = -hi - 1;
                    if (sk == 's') v = uint64_t(std::clamp(int64_t(v), lo, hi));
                    else v = std::min(v, uint64_t(hi));
                } else {
                    uint64_t hi = bits == 64 ? ~0ull : (1ull << bits) - 1;
                    v = neg ? 0 : std::min(v, hi);
                }
            }
            return extend(v, D); // a wider register gets the sign or zeros
        }
        if (dk == 'h') return D == Ty::F16 ? toHalf(intOdd(v, neg), i.rnd) : toBf16(intOdd(v, neg), i.rnd);
        RoundScope rs(i.rnd);
        if (D == Ty::F64) {
            double r = sk == 's' ? double(opaque(int64_t(v))) : double(opaque(v));
            return bitsOf(opaque(r));
        }
        float r = sk == 's' ? float(opaque(int64_t(v))) : float(opaque(v));
        r = opaque(r);
        return bitsOf(r);
    }
    double v;
    switch (S) {
    case Ty::F16: v = halfToFloat(uint16_t(raw)); break;
    case Ty::BF16: v = bfToFloat(uint16_t(raw)); break;
    case Ty::F32: {
        float f = std::bit_cast<float>(uint32_t(raw));
        if (ftz) f = flush(f);
        v = double(f);
        break;
    }
    default: v = std::bit_cast<double>(raw); break;
    }
    if (dInt) return extend(floatToInt(roundInt(v, i.rnd), D, S == Ty::F64), D);
    if (i.flags & CvInt) v = std::copysign(roundInt(v, i.rnd), v);
    if ((i.flags & CvRelu) && v < 0) v = 0;
    switch (D) {
    case Ty::F64:
        if (sat) v = saturate(v);
        return bitsOf(canon(v));
    case Ty::F16:
        if (sat) v = saturate(v);
        return toHalf(v, i.rnd);
    case Ty::BF16: return toBf16(v, i.rnd);
    default: {
        RoundScope rs(i.flags & CvInt ? uint8_t(RN) : i.rnd);
        float r = opaque(float(opaque(v)));
        r = canon(r);
        if (ftz) r = flush(r);
        if (sat) r = saturate(r);
        return bitsOf(r);
    }
    }
}
void cvt(Exec &x, const Ins &i) {
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) x.set(i.d, l, convert(x.get(i.s[0], l), i));
}
void cvtPair(Exec &x, const Ins &i) { // d.x2 = {hi: a, lo: b}
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) {
            auto one = [&](float f) {
                if ((i.flags & CvRelu) && f < 0) f = 0;
                return i.ty == Ty::F16X2 ? toHalf(f, i.rnd) : toBf16(f, i.rnd);
            };
            x.dst<uint32_t>(i.d)[l] = uint32_t(one(x.src<float>(i.s[0])[l])) << 16 | one(x.src<float>(i.s[1])[l]);
        }
}
template <class D, class S> struct CvIntInt {
    D operator()(S a) const { return D(a); }
};
template <class D> OpFn cvFast(Ty s) {
    switch (s) {
    case Ty::U16: return op1<D, uint16_t, CvIntInt<D, uint16_t>>;
    case Ty::S16: return op1<D, int16_t, CvIntInt<D, int16_t>>;
    case Ty::U32: return op1<D, uint32_t, CvIntInt<D, uint32_t>>;
    case Ty::S32: return op1<D, int32_t, CvIntInt<D, int32_t>>;
    case Ty::U64: return op1<D, uint64_t, CvIntInt<D, uint64_t>>;
    case Ty::S64: return op1<D, int64_t, CvIntInt<D, int64_t>>;
    default: return nullptr;
    }
}
struct CvRn {
    template <class A> float operator()(A a) const { return float(a); }
};

// ------------------------------------------------------------------ approximations, only with Options::approx
enum Approx : uint8_t { AEx2, ALg2, ASin, ACos, ARsqrt, ARcp, ASqrt, ADiv, ATanh };
double approxOf(uint8_t k, double a, double b) {
    switch (k) {
    case AEx2: return std::exp2(a);
    case ALg2: return std::log2(a);
    case ASin: return std::sin(a);
    case ACos: return std::cos(a);
    case ARsqrt: return 1 / std::sqrt(a);
    case ARcp: return 1 / a;
    case ASqrt: return std::sqrt(a);
    case ATanh: return std::tanh(a);
    default: return a / b;
    }
}
void approx(Exec &x, const Ins &i) {
    if (!x.m->opt.approx)
        throw Error("approximate instruction: its bits are not specified by PTX (allow it with Options::approx)", true);
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) {
            if (i.ty == Ty::F64) {
                x.dst<double>(i.d)[l] = canon(approxOf(i.sub, x.src<double>(i.s[0])[l], 1));
                continue;
            }
            float a = x.src<float>(i.s[0])[l], b = i.sub == ADiv ? x.src<float>(i.s[1])[l] : 1.0f;
            if (i.flags & CvFtz) {
                a = flush(a);
                b = flush(b);
            }
            float r = canon(float(approxOf(i.sub, a, b)));
            x.dst<float>(i.d)[l] = i.flags & CvFtz ? flush(r) : r;
        }
}

// ------------------------------------------------------------------ 16-bit floats, packed f32
// Only .rn exists. A product is exact in double; a sum is rounded to odd in double, so that the second rounding, to 11
// or 8 bits, is the only one that counts.
double sumOdd(double a, double b) {
    double s = a + b;
    if (!std::isfinite(s)) return s;
    double t = s - a, e = (a - (s - t)) + (b - t); // s + e = a + b exactly
    uint64_t u = bitsOf(s);
    if (e == 0 || (u & 1)) return s;
    return std::bit_cast<double>((e > 0) == (s > 0) ? u + 1 : u - 1);
}
enum HalfOp : uint8_t { HAdd, HSub, HMul, HFma, HNeg, HAbs, HMin, HMax, HMinNaN, HMaxNaN };
uint16_t halfOne(uint8_t op, bool bf, uint8_t flags, uint16_t a, uint16_t b, uint16_t c) {
    auto flushed = [&](uint16_t v) { return flags & CvFtz && !(v & 0x7c00) ? uint16_t(v & 0x8000) : v; };
    auto val = [&](uint16_t v) { return double(bf ? bfToFloat(v) : halfToFloat(v)); };
    if (op == HNeg) return flushed(a) ^ 0x8000;
    if (op == HAbs) return flushed(a) & 0x7fff;
    a = flushed(a);
    b = flushed(b);
    c = flushed(c);
    double x = val(a), y = val(b), r;
    switch (op) {
    case HAdd: r = sumOdd(x, y); break;
    case HSub: r = sumOdd(x, -y); break;
    case HMul: r = x * y; break;
    case HFma: r = sumOdd(x * y, val(c)); break;
    case HMin: r = FMinMax<false, false>()(x, y); break;
    case HMax: r = FMinMax<true, false>()(x, y); break;
    case HMinNaN: r = FMinMax<false, true>()(x, y); break;
    default: r = FMinMax<true, true>()(x, y); break;
    }
    if (flags & CvSat) r = saturate(r);
    if ((flags & CvRelu) && std::signbit(r) && r == r) r = 0;
    return flushed(bf ? toBf16(r, RN) : toHalf(r, RN));
}
uint32_t halfWord(uint8_t op, Ty t, uint8_t flags, uint32_t a, uint32_t b, uint32_t c) {
    bool bf = t == Ty::BF16 || t == Ty::BF16X2;
    uint32_t r = halfOne(op, bf, flags, uint16_t(a), uint16_t(b), uint16_t(c));
    if (info(t).bytes == 4)
        r |= uint32_t(halfOne(op, bf, flags, uint16_t(a >> 16), uint16_t(b >> 16), uint16_t(c >> 16))) << 16;
    return r;
}
void half(Exec &x, const Ins &i) {
    auto arg = [&](int k, int l) { return i.s[k].bytes ? uint32_t(x.get(i.s[k], l)) : 0; };
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) x.set(i.d, l, halfWord(i.sub, i.ty, i.flags, arg(0, l), arg(1, l), arg(2, l)));
}
void halfLanes(Exec &x, const Ins &i, Opn o, int shift, float *out) { // i.rnd: flush subnormals
    bool bf = i.ty == Ty::BF16 || i.ty == Ty::BF16X2;
    for (int l = 0; l < 32; ++l) {
        uint16_t h = uint16_t(x.get(o, l) >> shift);
        if (i.rnd && !(h & 0x7c00)) h &= 0x8000;
        out[l] = bf ? bfToFloat(h) : halfToFloat(h);
    }
}
uint32_t compareHalf(Exec &x, const Ins &i, int shift) {
    float a[32], b[32];
    halfLanes(x, i, i.s[0], shift, a);
    halfLanes(x, i, i.s[1], shift, b);
    return compareLanes(i.sub, a, b);
}
void setpHalf(Exec &x, const Ins &i) { // of a pair: p for the low half, q for the high half
    uint32_t m = compareHalf(x, i, 0), c = i.flags ? x.pred(i.s[2]) : 0;
    uint32_t q = info(i.ty).bytes == 4 ? compareHalf(x, i, 16) : boolOp(i.flags, ~m, c);
    if (i.d.bytes) x.setPred(i.d, boolOp(i.flags, m, c));
    if (i.d2.bytes) x.setPred(i.d2, q);
}
void setHalf(Exec &x, const Ins &i) { // 1.0 or 0.0 in each half
    uint32_t c = i.flags ? x.pred(i.s[2]) : 0, one = i.ty == Ty::F16 || i.ty == Ty::F16X2 ? 0x3c00 : 0x3f80;
    uint32_t m = boolOp(i.flags, compareHalf(x, i, 0), c), q = 0;
    if (info(i.ty).bytes == 4) q = boolOp(i.flags, compareHalf(x, i, 16), c);
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) x.set(i.d, l, (on(m, l) ? one : 0) | (on(q, l) ? one << 16 : 0));
}
void f32x2(Exec &x, const Ins &i) {
    RoundScope rs(i.rnd);
    bool ftz = i.flags & CvFtz;
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) {
            auto arg = [&](int k, int h) {
                float f = std::bit_cast<float>(uint32_t(x.get(i.s[k], l) >> (32 * h)));
                return opaque(ftz ? flush(f) : f);
            };
            uint64_t out = 0;
            for (int h = 0; h < 2; ++h) {
                float a = arg(0, h), b = arg(1, h), r;
                switch (i.sub) {
                case HAdd: r = a + b; break;
                case HSub: r = a - b; break;
                case HMul: r = a * b; break;
                default: r = std::fma(a, b, arg(2, h)); break;
                }
                r = canon(opaque(r));
                out |= uint64_t(bitsOf(ftz ? flush(r) : r)) << (32 * h);
            }
            x.set(i.d, l, out);
        }
}

// ------------------------------------------------------------------ memory
enum : uint8_t { MemStrong = 1, MemLocalVar = 2, MemAcquire = 4, MemRelease = 8 };
inline uint64_t address(const Exec &x, const Ins &i, int l) { // a 32-bit address wraps at 32 bits
    uint64_t a = (i.s[0].bytes ? x.get(i.s[0], l) : 0) + uint64_t(i.imm);
    if (i.s[0].bytes == 4) a = uint32_t(a);
    return a + (i.flags & MemLocalVar ? x.fr->localBase : 0);
}
void countTransactions(Exec &x, const Ins &i, uint32_t n) {
    uint64_t a[32];
    int cnt = 0;
    Space sp = i.space;
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) {
            uint64_t v = address(x, i, l);
            if (sp == Space::Generic && cnt == 0)
                sp = v - kSharedBase < kSharedWindow ? Space::Shared
                     : v - kLocalBase < kLocalWindow ? Space::Local
                                                     : Space::Global;
            a[cnt++] = v;
        }
    if (sp == Space::Local) {
        x.st->trans += (uint64_t(cnt) * n + 31) / 32;
        return;
    }
    if (sp == Space::Shared) {
        int per = std::max(1u, 128 / std::max(4u, n)); // lanes served together
        for (int b = 0; b < cnt; b += per) {
            std::vector<uint64_t> bank[32];
            size_t worst = 0;
            for (int k = b; k < std::min(cnt, b + per); ++k)
                for (uint32_t o = 0; o < std::max(4u, n); o += 4) {
                    uint64_t w = (a[k] + o) >> 2;
                    auto &v = bank[w & 31];
                    if (std::find(v.begin(), v.end(), w) == v.end()) v.push_back(w);
                    worst = std::max(worst, v.size());
                }
            x.st->trans += worst;
        }
        return;
    }
    std::vector<uint64_t> s;
    for (int k = 0; k < cnt; ++k)
        for (uint64_t q = a[k] >> 5; q <= (a[k] + n - 1) >> 5; ++q) s.push_back(q);
    std::sort(s.begin(), s.end());
    x.st->trans += uint64_t(std::unique(s.begin(), s.end()) - s.begin());
}
inline uint64_t loadN(const uint8_t *p, uint32_t n) {
    auto as = [p](auto v) {
        std::memcpy(&v, p, sizeof v);
        return uint64_t(v);
    };
    return n == 4 ? as(uint32_t()) : n == 8 ? as(uint64_t()) : n == 2 ? as(uint16_t()) : as(uint8_t());
}
inline void storeN(uint8_t *p, uint64_t v, uint32_t n) {
    auto as = [p](auto w) { std::memcpy(p, &w, sizeof w); };
    n == 4 ? as(uint32_t(v)) : n == 8 ? as(v) : n == 2 ? as(uint16_t(v)) : as(uint8_t(v));
}
void ld(Exec &x, const Ins &i) {
    uint32_t n = i.lane_bytes, all = n * uint32_t(i.v.size());
    if (x.m->opt.memstat) countTransactions(x, i, all);
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) {
            uint64_t a = address(x, i, l);
            uint8_t buf[64];
            const uint8_t *p = x.m->direct(x, i, a, all, false);
            if (!p || a & (all - 1)) {
                x.lane = l;
                if (a % all) fail("misaligned %u-byte load from 0x%llx", all, (unsigned long long)a);
                x.m->loadBytes(x, i, a, all, buf, i.flags & MemStrong);
                p = buf;
            }
            for (const Opn &o : i.v) {
                if (o.which == RegBase) x.set(o, l, extend(loadN(p, n), i.ty));
                p += n;
            }
        }
    if (i.flags & MemAcquire) x.m->fence(x);
}
void st(Exec &x, const Ins &i) {
    uint32_t n = i.lane_bytes, all = n * uint32_t(i.v.size());
    if (x.m->opt.memstat) countTransactions(x, i, all);
    if (i.flags & MemRelease) x.m->fence(x);
    int order[32];
    for (int k = 0; k < 32; ++k) order[k] = k;
    if (x.m->opt.seed)
        for (int k = 31; k > 0; --k) std::swap(order[k], order[x.m->pick(uint32_t(k) + 1)]);
    for (int k = 0; k < 32; ++k) {
        int l = order[k];
        if (!on(x.am, l)) continue;
        uint64_t a = address(x, i, l);
        uint8_t buf[64], *to = x.m->direct(x, i, a, all, true), *p = to && !(a & (all - 1)) ? to : nullptr;
        uint8_t *q = p ? p : buf;
        for (const Opn &o : i.v) {
            storeN(q, x.get(o, l), n);
            q += n;
        }
        if (p) continue;
        x.lane = l;
        if (a % all) fail("misaligned %u-byte store to 0x%llx", all, (unsigned long long)a);
        x.m->storeBytes(x, i, a, all, buf, i.flags & MemStrong);
    }
}
void ldParam(Exec &x, const Ins &i) { // kernel parameters: the same for all lanes
    const uint8_t *p = x.m->params() + i.imm;
    for (const Opn &o : i.v) {
        uint64_t v = 0;
        std::memcpy(&v, p, i.lane_bytes);
        v = extend(v, i.ty);
        p += i.lane_bytes;
        if (o.which == RegBase)
            for (int l = 0; l < 32; ++l)
                if (on(x.am, l)) x.set(o, l, v);
    }
}
void ldParamAt(Exec &x, const Ins &i) { // by an address that mov took of a kernel parameter
    const uint64_t all = i.lane_bytes * std::max<uint64_t>(1, i.v.size());
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) {
            const uint64_t a = x.get(i.s[0], l) + uint64_t(i.imm);
            x.lane = l;
            if (a % all) fail("misaligned %u-byte load from parameter byte %llu", unsigned(all), (unsigned long long)a);
            if (a > x.m->paramBytes() || all > x.m->paramBytes() - a)
                fail("load beyond the parameters, at byte %llu of %u", (unsigned long long)a, x.m->paramBytes());
            const uint8_t *p = x.m->params() + a;
            for (const Opn &o : i.v) {
                uint64_t v = 0;
                std::memcpy(&v, p, i.lane_bytes);
                p += i.lane_bytes;
                if (o.which == RegBase) x.set(o, l, extend(v, i.ty));
            }
        }
}
void ldFnParam(Exec &x, const Ins &i) {
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) {
            const uint8_t *p = x.fr->par.data() + size_t(l) * x.fr->fn->paramBytes + size_t(i.imm);
            for (const Opn &o : i.v) {
                uint64_t v = 0;
                std::memcpy(&v, p, i.lane_bytes);
                p += i.lane_bytes;
                if (o.which == RegBase) x.set(o, l, extend(v, i.ty));
            }
        }
}
void stFnParam(Exec &x, const Ins &i) {
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) {
            uint8_t *p = x.fr->par.data() + size_t(l) * x.fr->fn->paramBytes + size_t(i.imm);
            for (const Opn &o : i.v) {
                uint64_t v = x.get(o, l);
                std::memcpy(p, &v, i.lane_bytes);
                p += i.lane_bytes;
            }
        }
}
enum AtomOp : uint8_t { AtAdd, AtMin, AtMax, AtInc, AtDec, AtAnd, AtOr, AtXor, AtExch, AtCas };
uint64_t atomResult(uint8_t op, Ty t, uint64_t old, uint64_t b, uint64_t c, bool globalFtz) {
    uint64_t so = extend(old, t), sb = extend(b, t);
    switch (op) {
    case AtAdd:
        if (t == Ty::F32) { // on global memory subnormals are flushed, PTX ISA "atom"
            float p = std::bit_cast<float>(uint32_t(old)), q = std::bit_cast<float>(uint32_t(b));
            if (globalFtz) return bitsOf(flush(canon(flush(p) + flush(q))));
            return bitsOf(canon(p + q));
        }
        if (t == Ty::F64) return bitsOf(canon(std::bit_cast<double>(old) + std::bit_cast<double>(b)));
        if (info(t).kind == 'h') return halfWord(HAdd, t, 0, uint32_t(old), uint32_t(b), 0);
        return old + b;
    case AtMin: return info(t).kind == 's' ? (int64_t(so) < int64_t(sb) ? so : sb) : std::min(so, sb);
    case AtMax: return info(t).kind == 's' ? (int64_t(so) > int64_t(sb) ? so : sb) : std::max(so, sb);
    case AtInc: return so >= sb ? 0 : so + 1;
    case AtDec: return so == 0 || so > sb ? sb : so - 1;
    case AtAnd: return old & b;
    case AtOr: return old | b;
    case AtXor: return old ^ b;
    case AtExch: return b;
    default: return so == sb ? c : old;
    }
}
void atom(Exec &x, const Ins &i) {
    if (x.m->opt.memstat) countTransactions(x, i, i.lane_bytes);
    if (i.flags & MemRelease) x.m->fence(x);
    int order[32];
    for (int k = 0; k < 32; ++k) order[k] = k;
    if (x.m->opt.seed)
        for (int k = 31; k > 0; --k) std::swap(order[k], order[x.m->pick(uint32_t(k) + 1)]);
    for (int k = 0; k < 32; ++k) {
        int l = order[k];
        if (!on(x.am, l)) continue;
        x.lane = l;
        uint64_t a = address(x, i, l), old = 0;
        if (a % i.lane_bytes) fail("misaligned atomic at 0x%llx", (unsigned long long)a);
        Space sp = i.space != Space::Generic         ? i.space
                   : a - kSharedBase < kSharedWindow ? Space::Shared
                                                     : Space::Global;
        uint8_t *p = x.m->access(x, i, i.space, a, i.lane_bytes, true, true, true);
        std::memcpy(&old, p, i.lane_bytes);
        uint64_t b = x.get(i.s[1], l), c = i.s[2].bytes ? x.get(i.s[2], l) : 0;
        uint64_t r = atomResult(i.sub, i.ty, old, b, c, sp == Space::Global);
        std::memcpy(p, &r, i.lane_bytes);
        if (i.d.bytes) x.set(i.d, l, old);
    }
    if (i.flags & MemAcquire) x.m->fence(x);
}
void fence(Exec &x, const Ins &) { x.m->fence(x); }
void fenceCta(Exec &, const Ins &) {}

// ------------------------------------------------------------------ control
void splitOff(Exec &x, uint32_t lanes, uint32_t pc, Frame *fr, Split::St st = Split::Ready, int bar = -1) {
    Split s;
    s.mask = lanes;
    s.pc = pc;
    s.fr = fr;
    s.st = st;
    s.bar = bar;
    x.w->sp.push_back(s);
}
void bra(Exec &x, const Ins &i) {
    if (x.am == x.mask) {
        x.pc = i.target;
        return;
    }
    splitOff(x, x.am, i.target, x.fr);
    x.mask &= ~x.am;
    x.stop = true;
}
void brx(Exec &x, const Ins &i) {
    uint32_t left = x.am;
    const uint32_t *idx = x.src<uint32_t>(i.s[0]);
    while (left) {
        uint32_t v = idx[std::countr_zero(left)], grp = 0;
        for (int l = 0; l < 32; ++l)
            if (on(left, l) && idx[l] == v) grp |= 1u << l;
        if (v >= i.targets.size()) fail("brx.idx index %u out of range", v);
        if (grp == x.mask) {
            x.pc = i.targets[v];
            return;
        }
        splitOff(x, grp, i.targets[v], x.fr);
        x.mask &= ~grp;
        left &= ~grp;
        x.stop = true;
        if (!x.mask) return;
    }
}
void exitOp(Exec &x, const Ins &) {
    uint32_t gone = x.am;
    x.mask &= ~gone;
    if (!x.mask) x.stop = true;
    for (Frame *f = x.fr; f;) {
        Frame *u = f->up;
        f->lanes &= ~gone;
        if (!f->lanes) x.w->dropFrame(f);
        f = u;
    }
    x.m->lanesGone(x, gone);
}
void call(Exec &x, const Ins &i) {
    const Func *g = i.callee;
    Frame *n = x.w->newFrame(g);
    n->up = x.fr;
    n->call = &i;
    n->retpc = x.pc;
    n->lanes = x.am;
    n->depth = x.fr->depth + 1;
    n->localBase = (x.fr->localBase + x.fr->fn->localBytes + 15) & ~15u;
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) {
            uint8_t *to = n->par.data() + size_t(l) * g->paramBytes;
            const uint8_t *from = x.fr->par.data() + size_t(l) * x.fr->fn->paramBytes;
            for (size_t k = 0; k < i.copyIn.size(); ++k)
                std::memcpy(to + g->params[k]->addr, from + i.copyIn[k].first, i.copyIn[k].second);
        }
    if (x.am != x.mask) {
        splitOff(x, x.mask & ~x.am, x.pc, x.fr);
        x.mask = x.am;
    }
    x.fr = n;
    x.pc = 0;
    x.stop = true;
}
void ret(Exec &x, const Ins &i) {
    Frame *f = x.fr;
    if (!f->up) {
        exitOp(x, i);
        return;
    }
    const Func *g = f->fn;
    Frame *u = f->up;
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) {
            const uint8_t *from = f->par.data() + size_t(l) * g->paramBytes;
            uint8_t *to = u->par.data() + size_t(l) * u->fn->paramBytes;
            for (size_t k = 0; k < f->call->copyOut.size(); ++k)
                std::memcpy(to + f->call->copyOut[k].first, from + g->rets[k]->addr, f->call->copyOut[k].second);
        }
    uint32_t pc = f->retpc, left = x.mask & ~x.am;
    f->lanes &= ~x.am;
    if (left) {
        splitOff(x, left, x.pc, f);
        x.mask = x.am;
    }
    if (!f->lanes) x.w->dropFrame(f);
    x.fr = u;
    x.pc = pc;
    x.stop = true;
}
void trap(Exec &, const Ins &) { fail("trap executed"); }
void nop(Exec &, const Ins &) {}
void yieldOp(Exec &x, const Ins &) { x.stop = true; }

// Functions that the device runtime provides. Argument k of a lane lies in its call parameters at copyIn[k].
uint64_t argument(const Exec &x, const Ins &i, int l, size_t k) {
    uint64_t v = 0;
    std::memcpy(&v, x.fr->par.data() + size_t(l) * x.fr->fn->paramBytes + i.copyIn[k].first, i.copyIn[k].second);
    return v;
}
template <class T> T fetch(Exec &x, const Ins &i, uint64_t a) {
    T v;
    x.m->loadBytes(x, i, a, sizeof v, &v, false);
    return v;
}
std::string deviceString(Exec &x, const Ins &i, uint64_t a) {
    std::string s;
    while (char c = fetch<char>(x, i, a++)) s += c;
    return s;
}
void assertFail(Exec &x, const Ins &i) {
    x.lane = std::countr_zero(x.am);
    auto str = [&](size_t k) { return deviceString(x, i, argument(x, i, x.lane, k)); };
    fail("assertion failed: %s, %s:%u, %s", str(0).c_str(), str(1).c_str(), unsigned(argument(x, i, x.lane, 2)),
         str(3).c_str());
}
void vprintfOp(Exec &x, const Ins &i) {
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) {
            x.lane = l;
            std::string f = deviceString(x, i, argument(x, i, l, 0)), out;
            uint64_t p = argument(x, i, l, 1);
            auto next = [&](auto v) { // arguments are packed at their natural alignment
                p = (p + sizeof v - 1) / sizeof v * sizeof v;
                v = fetch<decltype(v)>(x, i, p);
                p += sizeof v;
                return v;
            };
            uint32_t count = 0;
            for (size_t k = 0; k < f.size(); ++k) {
                if (f[k] != '%') {
                    out += f[k];
                    continue;
                }
                std::string spec = "%";
                bool wide = false;
                for (++k; k < f.size() && !std::strchr("diouxXeEfFgGaAcsp%", f[k]); ++k)
                    if (f[k] == '*') spec += std::to_string(next(int()));
                    else if (std::strchr("hlLzjt", f[k])) wide |= f[k] != 'h';
                    else spec += f[k];
                char c = k < f.size() ? f[k] : '%';
                if (c == '%') {
                    out += '%';
                    continue;
                }
                ++count;
                if (std::strchr("eEfFgGaA", c)) out += format((spec + c).c_str(), next(double()));
                else if (c == 's') out += format((spec + c).c_str(), deviceString(x, i, next(uint64_t())).c_str());
                else if (c == 'p') out += format((spec + c).c_str(), reinterpret_cast<void *>(next(uint64_t())));
                else if (c == 'c') out += format((spec + c).c_str(), next(int()));
                else if (wide) out += format((spec + "ll" + c).c_str(), next((long long)0));
                else out += format((spec + c).c_str(), next(int()));
            }
            std::fwrite(out.data(), 1, out.size(), stdout);
            if (!i.copyOut.empty())
                std::memcpy(x.fr->par.data() + size_t(l) * x.fr->fn->paramBytes + i.copyOut[0].first, &count, 4);
        }
}

// Waits, in a state that only a merge with other lanes (or the end of lanes) undoes.
void park(Exec &x, uint32_t lanes) {
    if (lanes != x.mask) {
        splitOff(x, x.mask & ~lanes, x.pc, x.fr);
        x.mask = lanes;
    }
    x.pc -= 1;
    x.parked = true;
    x.park = Split::WaitWarp;
    x.stop = true;
}
// Runs f(group) for each set of lanes that named the same member mask, once all of them are here. false: parked
// instead.
template <class F> void warpSync(Exec &x, Opn maskOpn, const char *what, F f) {
    const uint32_t *mm = x.src<uint32_t>(maskOpn);
    uint32_t left = x.am, waiting = 0;
    while (left) {
        uint32_t m = mm[std::countr_zero(left)], grp = 0;
        for (int l = 0; l < 32; ++l)
            if (on(left, l) && mm[l] == m) grp |= 1u << l;
        left &= ~grp;
        if (grp & ~m) fail("%s: executing lanes 0x%08x are not all in their member mask 0x%08x", what, grp, m);
        uint32_t threads = x.w->live;
        if (m & ~threads & 0xffffffffu) {
            // lanes that have ended or never existed: undefined on hardware unless the CTA has no such lane
            fail("%s: member mask 0x%08x names lanes 0x%08x that have exited or do not exist", what, m, m & ~threads);
        }
        if (grp != m) {
            waiting |= grp;
            continue;
        }
        uint32_t keep = x.am;
        x.am = grp;
        f(grp);
        x.am = keep;
    }
    if (waiting) park(x, waiting);
}
template <class T> void copyLanes(T *d, const T *s, uint32_t m) {
    for (int l = 0; l < 32; ++l)
        if (on(m, l)) d[l] = s[l];
}
enum : uint8_t { ShUp, ShDown, ShBfly, ShIdx };
void shfl(Exec &x, const Ins &i) {
    warpSync(x, i.s[3], "shfl.sync", [&](uint32_t grp) {
        const uint32_t *a = x.src<uint32_t>(i.s[0]), *b = x.src<uint32_t>(i.s[1]), *c = x.src<uint32_t>(i.s[2]);
        uint32_t out[32], p = 0;
        for (int l = 0; l < 32; ++l)
            if (on(grp, l)) {
                int bv = int(b[l] & 31), cv = int(c[l] & 31), seg = int(c[l] >> 8 & 31), maxL = (l & seg) | (cv & ~seg),
                    minL = l & seg, j;
                bool ok;
                switch (i.sub) {
                case ShUp:
                    j = l - bv;
                    ok = j >= maxL;
                    break;
                case ShDown:
                    j = l + bv;
                    ok = j <= maxL;
                    break;
                case ShBfly:
                    j = l ^ bv;
                    ok = j <= maxL;
                    break;
                default:
                    j = minL | (bv & ~seg);
                    ok = j <= maxL;
                    break;
                }
                if (!ok) j = l;
                if (!on(grp, j))
                    fail("shfl.sync: lane %d reads lane %d, which is not in the member mask 0x%08x", l, j, grp);
                out[l] = a[j];
                p |= uint32_t(ok) << l;
            }
        copyLanes(x.dst<uint32_t>(i.d), out, grp);
        if (i.d2.bytes) x.setPred(i.d2, p);
    });
}
enum : uint8_t { VAny, VAll, VUni, VBallot };
void vote(Exec &x, const Ins &i) {
    warpSync(x, i.s[1], "vote.sync", [&](uint32_t grp) {
        uint32_t p = x.pred(i.s[0]) & grp;
        if (i.sub == VBallot) {
            uint32_t o[32];
            std::fill(o, o + 32, p);
            copyLanes(x.dst<uint32_t>(i.d), o, grp);
        } else x.setPred(i.d, (i.sub == VAny ? p != 0 : i.sub == VAll ? p == grp : p == grp || p == 0) ? ~0u : 0);
    });
}
void match(Exec &x, const Ins &i) { // sub 0 any, 1 all
    warpSync(x, i.s[1], "match.sync", [&](uint32_t grp) {
        uint32_t o[32] = {};
        for (int l = 0; l < 32; ++l)
            if (on(grp, l))
                for (int k = 0; k < 32; ++k)
                    if (on(grp, k) && x.get(i.s[0], k) == x.get(i.s[0], l)) o[l] |= 1u << k;
        if (i.sub) {
            bool all = o[std::countr_zero(grp)] == grp;
            for (auto &v : o) v = all ? grp : 0;
            if (i.d2.bytes) x.setPred(i.d2, all ? ~0u : 0);
        }
        copyLanes(x.dst<uint32_t>(i.d), o, grp);
    });
}
void redux(Exec &x, const Ins &i) {
    warpSync(x, i.s[1], "redux.sync", [&](uint32_t grp) {
        const uint32_t *a = x.src<uint32_t>(i.s[0]);
        uint32_t r = a[std::countr_zero(grp)], o[32];
        for (int l = std::countr_zero(grp) + 1; l < 32; ++l)
            if (on(grp, l)) r = uint32_t(atomResult(i.sub, i.ty, r, a[l], 0, false));
        std::fill(o, o + 32, r);
        copyLanes(x.dst<uint32_t>(i.d), o, grp);
    });
}
void elect(Exec &x, const Ins &i) {
    warpSync(x, i.s[0], "elect.sync", [&](uint32_t grp) {
        uint32_t o[32], leader = uint32_t(std::countr_zero(grp));
        std::fill(o, o + 32, leader);
        if (i.d.bytes) copyLanes(x.dst<uint32_t>(i.d), o, grp);
        if (i.d2.bytes) x.setPred(i.d2, 1u << leader);
    });
}
void barWarp(Exec &x, const Ins &i) {
    warpSync(x, i.s[0], "bar.warp.sync", [&](uint32_t) { ++x.w->epoch; });
}
void activemask(Exec &x, const Ins &i) {
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l)) x.dst<uint32_t>(i.d)[l] = x.am;
}

enum : uint8_t { BarSync, BarArrive, BarPopc, BarAnd, BarOr };
void bar(Exec &x, const Ins &i) { // flags 1: aligned
    uint32_t id = uint32_t(x.get(i.s[0], std::countr_zero(x.am)));
    for (int l = 0; l < 32; ++l)
        if (on(x.am, l) && x.get(i.s[0], l) != id) fail("bar: lanes name different barriers");
    if (id > 15) fail("bar: barrier %u does not exist", id);
    if ((i.flags & 1) && x.am != x.w->live) {
        park(x, x.am);
        return;
    } // the whole warp must come together
    uint32_t cnt = 0;
    if (i.s[1].bytes) {
        cnt = uint32_t(x.get(i.s[1], std::countr_zero(x.am)));
        if (cnt % 32) fail("bar: thread count %u is not a multiple of the warp size", cnt);
    }
    Bar &b = x.c->bars[id];
    if (i.sub >= BarPopc) {
        uint32_t p = x.pred(i.s[2]) & x.am;
        if (!b.arrived) {
            b.pop = 0;
            b.all = true;
            b.any = false;
        }
        b.pop += uint32_t(std::popcount(p));
        b.all &= p == x.am;
        b.any |= p != 0;
    }
    uint32_t lanes = x.am;
    if (i.sub != BarArrive) {
        if (lanes != x.mask) {
            splitOff(x, x.mask & ~lanes, x.pc, x.fr);
            x.mask = lanes;
        }
        x.pc -= 1;
        x.parked = true;
        x.park = Split::Barrier;
        x.parkBar = int(id);
        x.stop = true; // pc stays until it opens
    }
    x.m->arrive(x, int(id), cnt, uint32_t(std::popcount(lanes)));
}

// ------------------------------------------------------------------ decoder
struct Dec {
    Module &m;
    Func &f;
    const RawIns &r;
    Ins i;
    std::vector<bool> used;
    std::unordered_map<std::string, uint32_t> &consts;

    Dec(Module &m_, Func &f_, const RawIns &r_, std::unordered_map<std::string, uint32_t> &c)
        : m(m_), f(f_), r(r_), used(r_.mods.size(), false), consts(c) {}
    bool take(std::string_view s) {
        for (size_t k = 0; k < used.size(); ++k)
            if (!used[k] && r.mods[k] == s) {
                used[k] = true;
                return true;
            }
        return false;
    }
    Ty ty() {
        Ty t;
        for (size_t k = 0; k < used.size(); ++k)
            if (!used[k] && parseTy(r.mods[k], t)) {
                used[k] = true;
                return t;
            }
        no("it has no type");
    }
    void done() {
        for (size_t k = 0; k < used.size(); ++k)
            if (!used[k]) no(format("modifier .%s", r.mods[k].c_str()).c_str());
    }
    [[noreturn]] void no(const char *why) const {
        throw Error(format("line %d: '%s' is not implemented: %s", r.line, r.name().c_str(), why));
    }
    void need(size_t a, size_t b = 0) {
        if (r.ops.size() != a && !(b && r.ops.size() == b)) no("unexpected number of operands");
    }
    void fn(OpFn p, const std::string &what = "this type or modifier") {
        if (!p) no(what.c_str());
        i.fn = p;
    }

    Opn regOpn(int k) const {
        const Reg &g = f.regs[size_t(k)];
        Opn o;
        o.off = g.off;
        o.bytes = g.ty == Ty::Pred ? 4 : std::max<uint8_t>(2, info(g.ty).bytes);
        o.which = RegBase;
        return o;
    }
    bool isPred(const Operand &o) const { return o.kind == Operand::Reg && f.regs[size_t(o.reg)].ty == Ty::Pred; }
    Opn constant(uint64_t bits, uint32_t bytes) {
        uint8_t lane[8];
        std::memcpy(lane, &bits, 8);
        std::string key(reinterpret_cast<char *>(lane), bytes);
        auto it = consts.find(key);
        if (it == consts.end()) {
            while (f.pool.size() % 64) f.pool.push_back(0);
            it = consts.emplace(key, uint32_t(f.pool.size())).first;
            for (int l = 0; l < 32; ++l) f.pool.insert(f.pool.end(), lane, lane + bytes);
        }
        Opn o;
        o.off = it->second;
        o.bytes = uint8_t(bytes);
        o.which = ConstBase;
        return o;
    }
    uint64_t immBits(const Operand &o, Ty t) const {
        if (info(t).kind == 'h' || info(t).kind == 'x') no("immediate in an operation of this type");
        if (t == Ty::F32) {
            if (o.lit == Operand::F64) return bitsOf(float(std::bit_cast<double>(o.imm)));
            if (o.lit == Operand::Int) no("integer immediate in a float operation");
        }
        if (t == Ty::F64) {
            if (o.lit == Operand::F32) return bitsOf(double(std::bit_cast<float>(uint32_t(o.imm))));
            if (o.lit == Operand::Int) no("integer immediate in a float operation");
        }
        return o.imm;
    }
    Opn dst(const Operand &o, Ty t) {
        if (o.kind != Operand::Reg) no("destination is not a register");
        Opn p = regOpn(o.reg);
        bool pr = f.regs[size_t(o.reg)].ty == Ty::Pred;
        if (pr != (t == Ty::Pred) || (!pr && p.bytes != info(t).bytes)) no("size of the destination register");
        return p;
    }
    // loose: the register may be wider than the type (ld, st, cvt)
    Opn src(const Operand &o, Ty t, bool loose = false) {
        uint32_t bytes = t == Ty::Pred ? 4 : std::max<uint32_t>(1, info(t).bytes);
        Opn p;
        switch (o.kind) {
        case Operand::Reg: {
            p = regOpn(o.reg);
            bool pr = f.regs[size_t(o.reg)].ty == Ty::Pred;
            if (pr != (t == Ty::Pred) || (!pr && (loose ? p.bytes < info(t).bytes : p.bytes != info(t).bytes)))
                no("size of a source register");
            break;
        }
        case Operand::Imm:
            if (t == Ty::Pred) p = constant(o.imm ? ~0ull : 0, 4);
            else p = constant(immBits(o, t), bytes);
            break;
        case Operand::Sreg:
            if (sregBytes(o.sreg) != bytes) no("size of a special register");
            if (o.sreg >= Clock && o.sreg <= GTimerHi) no("a clock outside mov");
            p.which = SregBase;
            p.off = uint32_t(o.sreg) * 256;
            p.bytes = uint8_t(bytes);
            break;
        case Operand::Sym:
            if (o.var->space == Space::Local || o.var->space == Space::FnParam)
                no("address of a local variable or parameter outside mov");
            p = constant(o.var->addr + o.imm, bytes);
            break;
        default: no("kind of a source operand");
        }
        if (o.neg) {
            if (t != Ty::Pred) no("'!' before a value");
            p.neg = true;
        }
        return p;
    }
    void d(const Operand &o, Ty t) { i.d = dst(o, t); }
    void s(int k, size_t op, Ty t) { i.s[k] = src(r.ops[op], t); }
    uint8_t rounding() {
        if (take("rn")) return RN;
        if (take("rz")) return RZ;
        if (take("rm")) return RM;
        if (take("rp")) return RP;
        return RN;
    }
    uint32_t label(const std::string &n) const {
        auto it = f.labels.find(n);
        if (it == f.labels.end()) throw Error(format("line %d: label '%s' not found", r.line, n.c_str()));
        return it->second;
    }
    Space space() {
        if (take("global")) return Space::Global;
        if (take("shared") || take("shared::cta")) return Space::Shared;
        if (take("local")) return Space::Local;
        if (take("const")) return Space::Const;
        if (take("param")) return Space::Param;
        return Space::Generic;
    }
    void scope() {
        take("cta");
        take("gpu");
        take("sys");
    }

    void intBin(OpFn (*pick)(Ty), Ty t) {
        need(3);
        d(r.ops[0], t);
        s(0, 1, t);
        s(1, 2, t);
        i.ty = t;
        fn(pick(t));
    }
    template <class OP, int N> void flt(Ty t) {
        bool ftz = take("ftz"), sat = take("sat");
        need(N + 1);
        d(r.ops[0], t);
        for (int k = 0; k < N; ++k) s(k, size_t(k) + 1, t);
        i.ty = t;
        fn(fsel<OP, N>(t, i.rnd, ftz, sat));
    }
    bool has(std::string_view q) const { return std::find(r.mods.begin(), r.mods.end(), q) != r.mods.end(); }
    bool isHalf() const { return has("f16") || has("bf16") || has("f16x2") || has("bf16x2"); }
    // n sources; rounding: the operation has a rounding mode (only .rn exists for these types)
    bool halfArith(uint8_t h, size_t n, bool rounding) {
        if (!isHalf()) return false;
        if (rounding) take("rn");
        Ty t = ty();
        bool f16 = t == Ty::F16 || t == Ty::F16X2;
        if (f16 && take("ftz")) i.flags |= CvFtz;
        if (f16 && rounding && take("sat")) i.flags |= CvSat;
        if (h == HFma && take("relu")) i.flags |= CvRelu;
        if ((h == HMin || h == HMax) && take("NaN")) h = h == HMin ? HMinNaN : HMaxNaN;
        need(n + 1);
        d(r.ops[0], t);
        for (size_t k = 0; k < n; ++k) s(int(k), k + 1, t);
        i.ty = t;
        i.sub = h;
        fn(half);
        return true;
    }
    bool packedF32(uint8_t h, size_t n) {
        if (!has("f32x2")) return false;
        i.rnd = rounding();
        if (take("ftz")) i.flags |= CvFtz;
        Ty t = ty();
        need(n + 1);
        d(r.ops[0], t);
        for (size_t k = 0; k < n; ++k) s(int(k), k + 1, t);
        i.sub = h;
        fn(f32x2);
        return true;
    }
    bool carryOp(bool sub, bool mad) {
        bool out = take("cc"), in = r.op == "addc" || r.op == "subc" || r.op == "madc";
        if (!out && !in) return false;
        i.flags = uint8_t((out ? CcOut : 0) | (in ? CcIn : 0) | (sub ? CcSub : 0) | (mad ? CcMad : 0));
        if (mad) {
            if (take("hi")) i.flags |= CcHi;
            else if (!take("lo")) no("neither .lo nor .hi");
        }
        Ty t = ty();
        i.ty = t;
        need(mad ? 4 : 3);
        d(r.ops[0], t);
        s(0, 1, t);
        s(1, 2, t);
        if (mad) s(2, 3, t);
        fn(info(t).bytes == 4 ? carry<uint32_t> : info(t).bytes == 8 ? carry<uint64_t> : nullptr);
        return true;
    }
    void approxOp(uint8_t k) {
        take("approx");
        take("full");
        if (take("ftz")) i.flags = CvFtz;
        Ty t = ty();
        if (t != Ty::F32 && t != Ty::F64) no("this type");
        i.ty = t;
        i.sub = k;
        need(k == ADiv ? 3 : 2);
        d(r.ops[0], t);
        s(0, 1, t);
        if (k == ADiv) s(1, 2, t);
        fn(approx);
    }

    // the address operand of ld/st/atom; sets space, imm, s[0]
    void memory(const Operand &o) {
        if (o.kind != Operand::Mem) no("expected an address");
        i.imm = int64_t(o.imm);
        if (o.var) {
            const Var *v = o.var;
            Space sp = v->space;
            if (i.space == Space::Param || i.space == Space::FnParam) {
                if (sp != Space::Param && sp != Space::FnParam) no("not a parameter");
                i.space = sp;
                if (o.imm + i.lane_bytes * std::max<size_t>(1, i.v.size()) > v->bytes) no("access beyond a parameter");
            } else if (i.space == Space::Generic) {
                if (sp == Space::Shared) i.imm += int64_t(kSharedBase);
                else if (sp != Space::Global && sp != Space::Const) no("generic address of this variable");
            } else if (i.space != sp) no("variable in another state space");
            i.imm += int64_t(v->addr);
            if (sp == Space::Local) i.flags |= MemLocalVar;
        } else if (o.reg >= 0) {
            i.s[0] = regOpn(o.reg);
            if (i.s[0].bytes != 4 && i.s[0].bytes != 8) no("size of an address register");
        }
    }
    void hints() {
        static const char *const known[] = {"ca",
                                            "cg",
                                            "cs",
                                            "lu",
                                            "cv",
                                            "wb",
                                            "wt",
                                            "nc",
                                            "L1::evict_normal",
                                            "L1::evict_unchanged",
                                            "L1::evict_first",
                                            "L1::evict_last",
                                            "L1::no_allocate",
                                            "L2::64B",
                                            "L2::128B",
                                            "L2::256B"};
        for (auto k : known) take(k);
    }
    void vecOperand(const Operand &o, bool load, Ty t) {
        uint32_t n = take("v2") ? 2 : take("v4") ? 4 : take("v8") ? 8 : 1;
        if (n == 1) {
            if (o.kind == Operand::Sink && load) {
                i.v.push_back(constant(0, info(t).bytes));
                return;
            }
            if (load) {
                if (o.kind != Operand::Reg || isPred(o) || regOpn(o.reg).bytes < info(t).bytes)
                    no("size of the destination register");
                i.v.push_back(regOpn(o.reg));
            } else i.v.push_back(src(o, t, true));
            return;
        }
        if (o.kind != Operand::Vec || o.vec.size() != n) no("vector operand");
        for (auto &e : o.vec) {
            if (load && e.kind == Operand::Sink) {
                i.v.push_back(constant(0, std::max<uint32_t>(2, info(t).bytes)));
                continue;
            }
            if (load) {
                if (e.kind != Operand::Reg || isPred(e) || regOpn(e.reg).bytes < info(t).bytes)
                    no("size of the destination register");
                i.v.push_back(regOpn(e.reg));
            } else i.v.push_back(src(e, t, true));
        }
    }
    uint8_t atomOp() {
        static const char *const n[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"};
        for (uint8_t k = 0; k < 10; ++k)
            if (take(n[k])) return k;
        no("this operation");
    }
    void checkAtom(uint8_t op, Ty t) {
        char k = info(t).kind;
        int b = info(t).bytes;
        if (k == 'h') {
            if (op != AtAdd || !take("noftz")) no("this type");
            return;
        }
        if (t == Ty::B16 && op == AtCas) return;
        bool ok = (b == 4 || b == 8) && (op == AtAdd ? (k == 'u' || k == 's' || k == 'f') && t != Ty::S64
                                         : op == AtMin || op == AtMax ? k == 'u' || k == 's'
                                         : op == AtInc || op == AtDec ? t == Ty::U32
                                         : op <= AtXor                ? k == 'b'
                                                                      : k == 'b');
        if (!ok) no("this type");
    }

    void run();
    void decodeCvt();
};

void Dec::decodeCvt() {
    if (take("pack")) no("this modifier");
    bool intR = false;
    uint8_t rnd = RN;
    bool given = true;
    if (take("rni")) {
        rnd = RN;
        intR = true;
    } else if (take("rzi")) {
        rnd = RZ;
        intR = true;
    } else if (take("rmi")) {
        rnd = RM;
        intR = true;
    } else if (take("rpi")) {
        rnd = RP;
        intR = true;
    } else if (take("rn")) rnd = RN;
    else if (take("rz")) rnd = RZ;
    else if (take("rm")) rnd = RM;
    else if (take("rp")) rnd = RP;
    else given = false;
    if (take("ftz")) i.flags |= CvFtz;
    if (take("sat")) i.flags |= CvSat;
    if (take("relu")) i.flags |= CvRelu;
    if (intR) i.flags |= CvInt;
    Ty D = ty(), S = ty();
    i.rnd = rnd;
    i.ty = D;
    i.ty2 = S;
    if (D == Ty::F16X2 || D == Ty::BF16X2) {
        if (S != Ty::F32 || (rnd != RN && rnd != RZ)) no("this combination");
        need(3);
        d(r.ops[0], D);
        s(0, 1, S);
        s(1, 2, S);
        fn(cvtPair);
        return;
    }
    need(2);
    char dk = info(D).kind, sk = info(S).kind;
    auto isF = [](char k) { return k == 'f' || k == 'h'; };
    if (dk == 'p' || sk == 'p' || info(D).bytes == 16 || S == Ty::F16X2 || S == Ty::BF16X2) no("this combination");
    if (!given && isF(dk) && !isF(sk)) no("no rounding mode");
    if (!given && !isF(dk) && isF(sk)) no("no rounding mode");
    if (!given && isF(dk) && isF(sk) && info(D).bytes < info(S).bytes) no("no rounding mode");
    if (intR && isF(dk) && dk != sk) no("this combination");
    if (!isF(dk) && isF(sk) && !intR) no("float to integer without an integer rounding");
    if ((D == Ty::F16 && S == Ty::BF16) || (D == Ty::BF16 && S == Ty::F16) || (D == Ty::BF16 && S == Ty::F64))
        no("this combination");
    const Operand &o = r.ops[0];
    if (o.kind != Operand::Reg || isPred(o) || regOpn(o.reg).bytes < info(D).bytes)
        no("size of the destination register");
    i.d = regOpn(o.reg);
    i.s[0] = src(r.ops[1], S, true);
    fn(cvt);
    // fast forms for what is frequent
    if (i.d.bytes == info(D).bytes && i.s[0].bytes == info(S).bytes && !(i.flags & CvSat)) {
        if (!isF(dk) && !isF(sk)) {
            OpFn q = info(D).bytes == 2   ? cvFast<uint16_t>(S)
                     : info(D).bytes == 4 ? cvFast<uint32_t>(S)
                     : info(D).bytes == 8 ? cvFast<uint64_t>(S)
                                          : nullptr;
            if (q) fn(q);
        } else if (D == Ty::F32 && rnd == RN && !intR && !(i.flags & CvFtz)) {
            if (S == Ty::U32) fn(op1<float, uint32_t, CvRn>);
            else if (S == Ty::S32) fn(op1<float, int32_t, CvRn>);
        }
    }
}

OpFn pickAdd(Ty t) { return byInt<IAdd, SigAB>(t); }
OpFn pickSub(Ty t) { return byInt<ISub, SigAB>(t); }
OpFn pickDiv(Ty t) { return byInt<IDiv, SigAB>(t); }
OpFn pickRem(Ty t) { return byInt<IRem, SigAB>(t); }
OpFn pickMin(Ty t) { return byInt<IMin, SigAB>(t); }
OpFn pickMax(Ty t) { return byInt<IMax, SigAB>(t); }
OpFn pickAnd(Ty t) { return byInt<IAnd, SigAB>(t); }
OpFn pickOr(Ty t) { return byInt<IOr, SigAB>(t); }
OpFn pickXor(Ty t) { return byInt<IXor, SigAB>(t); }

void Dec::run() {
    const std::string &op = r.op;
    if (r.guard >= 0) {
        if (f.regs[size_t(r.guard)].ty != Ty::Pred) no("guard is not a predicate");
        i.guard = int32_t(f.regs[size_t(r.guard)].off);
        i.guardNeg = r.guardNeg;
    }
    auto isFloat = [&] { return has("f32") || has("f64"); };

    if (op == "mov") {
        Ty t = ty();
        need(2);
        const Operand &a = r.ops[0], &b = r.ops[1];
        i.ty = t;
        if (t == Ty::Pred) {
            d(a, t);
            i.s[0] = src(b, t);
            i.sub = PMov;
            fn(predOp);
        } else if (b.kind == Operand::Vec) {
            d(a, t);
            uint32_t sum = 0;
            for (auto &e : b.vec) {
                if (e.kind == Operand::Imm && e.lit == Operand::Int)
                    i.v.push_back(constant(e.imm, info(t).bytes / uint32_t(b.vec.size())));
                else if (e.kind == Operand::Reg && !isPred(e)) i.v.push_back(regOpn(e.reg));
                else no("vector element");
                sum += i.v.back().bytes;
            }
            if (sum != info(t).bytes) no("sizes do not add up");
            fn(movPack);
        } else if (a.kind == Operand::Vec) {
            i.s[0] = src(b, t);
            uint32_t sum = 0, each = info(t).bytes / uint32_t(std::max<size_t>(1, a.vec.size()));
            for (auto &e : a.vec) {
                if (e.kind == Operand::Sink) i.v.push_back(constant(0, each));
                else {
                    if (e.kind != Operand::Reg || isPred(e)) no("vector element");
                    i.v.push_back(regOpn(e.reg));
                }
                sum += i.v.back().bytes;
            }
            if (sum != info(t).bytes) no("sizes do not add up");
            fn(movUnpack);
        } else if (b.kind == Operand::Sym && b.var->space == Space::Local) {
            d(a, t);
            i.imm = int64_t(b.var->addr + b.imm);
            fn(movLocalAddr);
        } else if (b.kind == Operand::Sreg && b.sreg >= Clock && b.sreg <= GTimerHi) {
            d(a, t);
            fn(movClock);
        } else {
            d(a, t);
            i.s[0] = src(b, t);
            int w = info(t).bytes;
            fn(w == 2   ? op1<uint16_t, uint16_t, IMov>
               : w == 4 ? op1<uint32_t, uint32_t, IMov>
               : w == 8 ? op1<uint64_t, uint64_t, IMov>
                        : nullptr);
        }
    } else if (op == "add" || op == "sub" || op == "addc" || op == "subc") {
        bool sub = op[0] == 's';
        if (halfArith(sub ? HSub : HAdd, 2, true) || packedF32(sub ? HSub : HAdd, 2)) {
        } else if (carryOp(sub, false)) {
        } else if (isFloat()) {
            i.rnd = rounding();
            Ty t = ty();
            sub ? flt<FSub, 2>(t) : flt<FAdd, 2>(t);
        } else {
            Ty t = ty();
            intBin(sub ? pickSub : pickAdd, t);
        }
    } else if (op == "mul") {
        if (halfArith(HMul, 2, true) || packedF32(HMul, 2)) {
        } else if (isFloat()) {
            i.rnd = rounding();
            flt<FMul, 2>(ty());
        } else {
            bool lo = take("lo"), hi = take("hi"), wide = take("wide");
            Ty t = ty();
            need(3);
            i.ty = t;
            if (wide) {
                d(r.ops[0], widened(t));
                s(0, 1, t);
                s(1, 2, t);
                fn(mulWide<IMulWide>(t));
            } else {
                if (!lo && !hi) no("neither .lo, .hi nor .wide");
                d(r.ops[0], t);
                s(0, 1, t);
                s(1, 2, t);
                fn(lo ? byInt<IMulLo, SigAB>(t) : byInt<IMulHi, SigAB>(t));
            }
        }
    } else if (op == "mul24" || op == "mad24") {
        i.flags = take("hi");
        if (!i.flags && !take("lo")) no("neither .lo nor .hi");
        Ty t = i.ty = ty();
        if (t != Ty::U32 && t != Ty::S32) no("this type");
        bool mad = op == "mad24";
        need(mad ? 4 : 3);
        d(r.ops[0], t);
        for (int k = 0; k < 2 + mad; ++k) s(k, size_t(k) + 1, t);
        fn(mul24);
    } else if (op == "dp4a" || op == "dp2a") {
        i.sub = op == "dp4a" ? 1 : 2;
        if (i.sub == 2 && !(i.flags = take("hi")) && !take("lo")) no("neither .lo nor .hi");
        std::vector<Ty> t;
        for (auto &q : r.mods) { // both are named, and may be the same
            Ty v;
            if (parseTy(q, v)) t.push_back(v), take(q);
        }
        for (Ty v : t)
            if (v != Ty::U32 && v != Ty::S32) no("this type");
        if (t.size() != 2) no("number of types");
        i.ty = t[0];
        i.ty2 = t[1];
        need(4);
        d(r.ops[0], Ty::B32);
        for (int k = 0; k < 3; ++k) s(k, size_t(k) + 1, Ty::B32);
        fn(dotProduct);
    } else if (op == "slct") {
        i.flags = take("ftz");
        Ty t = ty(), c = ty();
        if (c != Ty::S32 && c != Ty::F32) no("this type");
        need(4);
        d(r.ops[0], t);
        s(0, 1, t);
        s(1, 2, t);
        s(2, 3, c);
        int w = info(t).bytes;
        bool f = c == Ty::F32;
        fn(w == 2   ? (f ? slct<uint16_t, float> : slct<uint16_t, int32_t>)
           : w == 4 ? (f ? slct<uint32_t, float> : slct<uint32_t, int32_t>)
           : w == 8 ? (f ? slct<uint64_t, float> : slct<uint64_t, int32_t>)
                    : nullptr);
    } else if (op == "mad" || op == "madc") {
        if (isFloat()) {
            if (!has("rn") && !has("rz") && !has("rm") && !has("rp")) no("no rounding mode");
            i.rnd = rounding();
            flt<FFma, 3>(ty());
        } else if (carryOp(false, true)) {
        } else {
            bool lo = take("lo"), hi = take("hi"), wide = take("wide");
            Ty t = ty();
            need(4);
            i.ty = t;
            if (wide) {
                d(r.ops[0], widened(t));
                s(0, 1, t);
                s(1, 2, t);
                s(2, 3, widened(t));
                fn(madWide(t));
            } else {
                if (!lo && !hi) no("neither .lo, .hi nor .wide");
                d(r.ops[0], t);
                s(0, 1, t);
                s(1, 2, t);
                s(2, 3, t);
                fn(lo ? byInt<IMadLo, SigABC>(t) : byInt<IMadHi, SigABC>(t));
            }
        }
    } else if (op == "fma") {
        if (!has("rn") && !has("rz") && !has("rm") && !has("rp")) no("no rounding mode");
        if (!halfArith(HFma, 3, true) && !packedF32(HFma, 3)) {
            i.rnd = rounding();
            flt<FFma, 3>(ty());
        }
    } else if (op == "div") {
        if (has("approx") || has("full")) approxOp(ADiv);
        else if (isFloat()) {
            i.rnd = rounding();
            flt<FDiv, 2>(ty());
        } else intBin(pickDiv, ty());
    } else if (op == "rem") intBin(pickRem, ty());
    else if (op == "sqrt" || op == "rcp") {
        if (has("approx")) approxOp(op == "rcp" ? ARcp : ASqrt);
        else {
            i.rnd = rounding();
            Ty t = ty();
            op == "rcp" ? flt<FRcp, 1>(t) : flt<FSqrt, 1>(t);
        }
    } else if (op == "rsqrt") approxOp(ARsqrt);
    else if (op == "ex2") approxOp(AEx2);
    else if (op == "lg2") approxOp(ALg2);
    else if (op == "sin") approxOp(ASin);
    else if (op == "cos") approxOp(ACos);
    else if (op == "tanh") approxOp(ATanh);
    else if (op == "min" || op == "max") {
        bool mx = op == "max";
        if (halfArith(mx ? HMax : HMin, 2, false)) {
        } else if (isFloat()) {
            bool nan = take("NaN");
            Ty t = ty();
            if (mx) nan ? flt<FMinMax<true, true>, 2>(t) : flt<FMinMax<true, false>, 2>(t);
            else nan ? flt<FMinMax<false, true>, 2>(t) : flt<FMinMax<false, false>, 2>(t);
        } else intBin(mx ? pickMax : pickMin, ty());
    } else if ((op == "abs" || op == "neg") && isHalf()) halfArith(op == "abs" ? HAbs : HNeg, 1, false);
    else if (op == "abs" || op == "neg") {
        bool ftz = take("ftz");
        Ty t = ty();
        need(2);
        d(r.ops[0], t);
        s(0, 1, t);
        i.ty = t;
        bool ab = op == "abs";
        if (t == Ty::F32)
            fn(ftz ? (ab ? op1<float, float, FAbs<true>> : op1<float, float, FNeg<true>>)
                   : (ab ? op1<float, float, FAbs<false>> : op1<float, float, FNeg<false>>));
        else if (t == Ty::F64) fn(ab ? op1<double, double, FAbs<false>> : op1<double, double, FNeg<false>>);
        else if (info(t).kind == 's') fn(ab ? byInt<IAbs, SigA>(t) : byInt<INeg, SigA>(t));
        else no("this type");
    } else if (op == "copysign") {
        Ty t = ty();
        need(3);
        d(r.ops[0], t);
        s(0, 1, t);
        s(1, 2, t);
        fn(t == Ty::F32   ? op2<float, float, float, FCopysign>
           : t == Ty::F64 ? op2<double, double, double, FCopysign>
                          : nullptr);
    } else if (op == "and" || op == "or" || op == "xor" || op == "not") {
        Ty t = ty();
        i.ty = t;
        if (t == Ty::Pred) {
            need(op == "not" ? 2 : 3);
            d(r.ops[0], t);
            s(0, 1, t);
            if (op != "not") s(1, 2, t);
            i.sub = op == "and" ? PAnd : op == "or" ? POr : op == "xor" ? PXor : PNot;
            fn(predOp);
        } else if (info(t).kind != 'b') no("this type");
        else if (op == "not") {
            need(2);
            d(r.ops[0], t);
            s(0, 1, t);
            fn(byInt<INot, SigA>(t));
        } else intBin(op == "and" ? pickAnd : op == "or" ? pickOr : pickXor, t);
    } else if (op == "cnot") {
        Ty t = ty();
        need(2);
        d(r.ops[0], t);
        s(0, 1, t);
        fn(byInt<ICnot, SigA>(t));
    } else if (op == "shl" || op == "shr") {
        Ty t = ty();
        need(3);
        d(r.ops[0], t);
        s(0, 1, t);
        i.s[1] = src(r.ops[2], Ty::U32);
        i.ty = t;
        fn(op == "shl" ? byInt<IShl, SigShift>(t) : byInt<IShr, SigShift>(t));
    } else if (op == "shf") {
        bool left = take("l"), wrap = take("wrap");
        if (!left && !take("r")) no("no direction");
        if (!wrap && !take("clamp")) no("no mode");
        Ty t = ty();
        if (t != Ty::B32) no("this type");
        need(4);
        d(r.ops[0], t);
        s(0, 1, t);
        s(1, 2, t);
        s(2, 3, t);
        fn(left ? (wrap ? op3<uint32_t, uint32_t, uint32_t, uint32_t, IShf<true, true>>
                        : op3<uint32_t, uint32_t, uint32_t, uint32_t, IShf<true, false>>)
                : (wrap ? op3<uint32_t, uint32_t, uint32_t, uint32_t, IShf<false, true>>
                        : op3<uint32_t, uint32_t, uint32_t, uint32_t, IShf<false, false>>));
    } else if (op == "prmt") {
        Ty t = ty();
        need(4);
        d(r.ops[0], t);
        s(0, 1, t);
        s(1, 2, t);
        s(2, 3, t);
        if (t != Ty::B32) no("this type");
        fn(op3<uint32_t, uint32_t, uint32_t, uint32_t, IPrmt>);
    } else if (op == "lop3") {
        Ty t = ty();
        if (t != Ty::B32) no("this type");
        need(5);
        d(r.ops[0], t);
        s(0, 1, t);
        s(1, 2, t);
        s(2, 3, t);
        if (r.ops[4].kind != Operand::Imm) no("look-up table is not constant");
        i.imm = int64_t(r.ops[4].imm);
        fn(lop3);
    } else if (op == "bfe") {
        Ty t = ty();
        need(4);
        d(r.ops[0], t);
        s(0, 1, t);
        i.s[1] = src(r.ops[2], Ty::U32);
        i.s[2] = src(r.ops[3], Ty::U32);
        fn(byInt<IBfe, SigBfe>(t));
    } else if (op == "bfi") {
        Ty t = ty();
        need(5);
        d(r.ops[0], t);
        s(0, 1, t);
        s(1, 2, t);
        i.s[2] = src(r.ops[3], Ty::U32);
        i.s[3] = src(r.ops[4], Ty::U32);
        fn(t == Ty::B32 ? bfi<uint32_t> : t == Ty::B64 ? bfi<uint64_t> : nullptr);
    } else if (op == "popc" || op == "clz") {
        Ty t = ty();
        need(2);
        d(r.ops[0], Ty::U32);
        s(0, 1, t);
        bool p = op == "popc";
        fn(t == Ty::B32   ? (p ? op1<uint32_t, uint32_t, IPopc> : op1<uint32_t, uint32_t, IClz>)
           : t == Ty::B64 ? (p ? op1<uint32_t, uint64_t, IPopc> : op1<uint32_t, uint64_t, IClz>)
                          : nullptr);
    } else if (op == "bfind") {
        bool sh = take("shiftamt");
        Ty t = ty();
        need(2);
        d(r.ops[0], Ty::U32);
        s(0, 1, t);
        fn(sh ? byInt<IBfind<true>, SigToU32>(t) : byInt<IBfind<false>, SigToU32>(t));
    } else if (op == "brev") {
        Ty t = ty();
        need(2);
        d(r.ops[0], t);
        s(0, 1, t);
        fn(t == Ty::B32 ? op1<uint32_t, uint32_t, IBrev> : t == Ty::B64 ? op1<uint64_t, uint64_t, IBrev> : nullptr);
    } else if (op == "bmsk") {
        bool wrap = take("wrap");
        if (!wrap && !take("clamp")) no("no mode");
        Ty t = ty();
        need(3);
        d(r.ops[0], t);
        s(0, 1, t);
        s(1, 2, t);
        fn(wrap ? op2<uint32_t, uint32_t, uint32_t, IBmsk<true>> : op2<uint32_t, uint32_t, uint32_t, IBmsk<false>>);
    } else if (op == "sad") {
        Ty t = ty();
        need(4);
        d(r.ops[0], t);
        s(0, 1, t);
        s(1, 2, t);
        s(2, 3, t);
        fn(byInt<ISad, SigABC>(t));
    } else if (op == "selp") {
        Ty t = ty();
        need(4);
        d(r.ops[0], t);
        s(0, 1, t);
        s(1, 2, t);
        i.s[2] = src(r.ops[3], Ty::Pred);
        int w = info(t).bytes;
        fn(w == 2 ? selp<uint16_t> : w == 4 ? selp<uint32_t> : w == 8 ? selp<uint64_t> : nullptr);
    } else if (op == "setp" || op == "set") {
        static const char *const cn[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                         "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
        int c = -1;
        for (int k = 0; k < 14; ++k)
            if (take(cn[k])) {
                c = k;
                break;
            }
        if (c < 0) {
            if (take("lo")) c = LT;
            else if (take("ls")) c = LE;
            else if (take("hi")) c = GT;
            else if (take("hs")) c = GE;
            else no("this comparison");
        }
        if (take("and")) i.flags = BoolAnd;
        else if (take("or")) i.flags = BoolOr;
        else if (take("xor")) i.flags = BoolXor;
        bool ftz = take("ftz"), isSet = op == "set";
        Ty dt = Ty::Pred;
        if (isSet && isHalf() && std::count_if(r.mods.begin(), r.mods.end(), [](auto &q) {
                                     Ty t;
                                     return parseTy(q, t);
                                 }) < 2)
            no("only one type");
        if (isSet) {
            dt = ty();
            if (dt != Ty::U32 && dt != Ty::S32 && dt != Ty::F32 && info(dt).kind != 'h') no("this destination type");
        }
        Ty t = ty();
        i.ty = t;
        i.ty2 = dt;
        i.sub = uint8_t(c);
        bool fl = info(t).kind == 'f' || info(t).kind == 'h';
        if (c >= EQU && !fl) no("an unordered comparison of integers");
        need(i.flags ? 4 : 3);
        if (r.ops[0].kind != Operand::Sink) d(r.ops[0], dt);
        if (!r.ops[0].vec.empty() && r.ops[0].vec[0].kind != Operand::Sink) i.d2 = dst(r.ops[0].vec[0], Ty::Pred);
        s(0, 1, t);
        s(1, 2, t);
        if (i.flags) i.s[2] = src(r.ops[3], Ty::Pred);
#define CMP(T) (isSet ? set<T, false> : setp<T, false>)
        switch (t) {
        case Ty::U16:
        case Ty::B16: fn(CMP(uint16_t)); break;
        case Ty::S16: fn(CMP(int16_t)); break;
        case Ty::U32:
        case Ty::B32: fn(CMP(uint32_t)); break;
        case Ty::S32: fn(CMP(int32_t)); break;
        case Ty::U64:
        case Ty::B64: fn(CMP(uint64_t)); break;
        case Ty::S64: fn(CMP(int64_t)); break;
        case Ty::F32: fn(ftz ? (isSet ? set<float, true> : setp<float, true>) : CMP(float)); break;
        case Ty::F64: fn(CMP(double)); break;
        case Ty::F16:
        case Ty::BF16:
        case Ty::F16X2:
        case Ty::BF16X2:
            if (ftz) i.rnd = 1;
            if (isSet ? dt != t : bool(i.flags) && info(t).bytes == 4) no("this combination");
            fn(isSet ? setHalf : setpHalf);
            break;
        default: no("this type");
        }
#undef CMP
    } else if (op == "testp") {
        static const char *const n[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
        int k = 0;
        while (k < 6 && !take(n[k])) ++k;
        if (k == 6) no("this test");
        Ty t = ty();
        i.ty = t;
        i.sub = uint8_t(k);
        need(2);
        d(r.ops[0], Ty::Pred);
        s(0, 1, t);
        fn(testp);
    } else if (op == "cvt") decodeCvt();
    else if (op == "cvta") {
        bool to = take("to");
        i.space = space();
        Ty t = ty();
        if (t != Ty::U64) no("this type");
        need(2);
        d(r.ops[0], t);
        const Operand &o = r.ops[1];
        if (o.kind == Operand::Sym && o.var->space == Space::Local) {
            if (to) no("this operand");
            i.imm = int64_t(o.var->addr + o.imm + kLocalBase);
            fn(movLocalAddr);
        } else if (o.kind == Operand::Sym && (o.var->space == Space::Param || o.var->space == Space::FnParam))
            no("address of a parameter");
        else {
            s(0, 1, t);
            i.sub = to;
            if (i.space == Space::Global || i.space == Space::Const) fn(op1<uint64_t, uint64_t, IMov>);
            else if (i.space == Space::Shared || i.space == Space::Local) {
                i.imm = int64_t(i.space == Space::Shared ? kSharedBase : kLocalBase);
                fn(cvtaFrom);
            } else no("this state space");
        }
    } else if (op == "isspacep") {
        i.space = space();
        need(2);
        d(r.ops[0], Ty::Pred);
        s(0, 1, Ty::U64);
        if (i.space == Space::Generic || i.space == Space::Param || i.space == Space::Const) no("this state space");
        fn(isspacep);
    } else if (op == "ld" || op == "ldu" || op == "st") {
        bool load = op[0] == 'l';
        i.space = space();
        hints();
        if (take("volatile")) i.flags |= MemStrong;
        if (take("relaxed")) {
            i.flags |= MemStrong;
            scope();
        }
        if (take("acquire")) {
            i.flags |= MemStrong | MemAcquire;
            scope();
        }
        if (take("release")) {
            i.flags |= MemStrong | MemRelease;
            scope();
        }
        if (take("weak")) {}
        need(2);
        const Operand &v = r.ops[load ? 0 : 1], &a = r.ops[load ? 1 : 0];
        Ty t = Ty::None;
        {
            Ty q;
            for (auto &mo : r.mods)
                if (parseTy(mo, q)) t = q;
        }
        ty();
        if (!info(t).bytes || info(t).bytes > 8) no("this type");
        i.ty = t;
        i.lane_bytes = info(t).bytes;
        vecOperand(v, load, t);
        memory(a);
        if (!load && i.space == Space::Const) no("store to constant memory");
        if (i.space == Space::Param) {
            if (!load) no("store to a kernel parameter");
            fn(a.var ? ldParam : ldParamAt);
        } else if (i.space == Space::FnParam) fn(load ? ldFnParam : stFnParam);
        else fn(load ? ld : st);
    } else if (op == "atom" || op == "red") {
        bool red = op == "red";
        i.space = space();
        i.flags = MemStrong;
        if (take("acquire")) i.flags |= MemAcquire;
        if (take("release")) i.flags |= MemRelease;
        if (take("acq_rel")) i.flags |= MemAcquire | MemRelease;
        take("relaxed");
        scope();
        i.sub = atomOp();
        Ty t = ty();
        checkAtom(i.sub, t);
        i.ty = t;
        i.lane_bytes = info(t).bytes;
        size_t k = red ? 0 : 1;
        need(k + 2 + (i.sub == AtCas));
        if (!red && r.ops[0].kind != Operand::Sink) d(r.ops[0], t);
        memory(r.ops[k]);
        if (i.space != Space::Generic && i.space != Space::Global && i.space != Space::Shared) no("this state space");
        i.s[1] = src(r.ops[k + 1], t);
        if (i.sub == AtCas) i.s[2] = src(r.ops[k + 2], t);
        fn(atom);
    } else if (op == "membar") {
        if (take("gl") || take("sys")) fn(fence);
        else if (take("cta")) fn(fenceCta);
        else no("this level");
    } else if (op == "fence") {
        if (!take("acq_rel") && !take("sc")) no("this kind of fence");
        if (take("cta")) fn(fenceCta);
        else {
            scope();
            fn(fence);
        }
    } else if (op == "bar" || op == "barrier") {
        bool b = op == "bar";
        take("cta");
        if (b && take("warp")) {
            if (!take("sync")) no("this form");
            need(1);
            i.s[0] = src(r.ops[0], Ty::B32);
            fn(barWarp);
        } else {
            bool aligned = take("aligned") || b;
            i.flags = aligned;
            if (take("sync")) {
                i.sub = BarSync;
                need(1, 2);
                i.s[0] = src(r.ops[0], Ty::U32);
                if (r.ops.size() > 1) i.s[1] = src(r.ops[1], Ty::U32);
            } else if (take("arrive")) {
                i.sub = BarArrive;
                need(2);
                i.s[0] = src(r.ops[0], Ty::U32);
                i.s[1] = src(r.ops[1], Ty::U32);
            } else if (take("red")) {
                i.sub = take("popc") ? BarPopc : take("and") ? BarAnd : take("or") ? BarOr : 255;
                if (i.sub == 255) no("this reduction");
                i.ty = ty();
                need(3, 4);
                d(r.ops[0], i.sub == BarPopc ? Ty::U32 : Ty::Pred);
                i.s[0] = src(r.ops[1], Ty::U32);
                if (r.ops.size() > 3) i.s[1] = src(r.ops[2], Ty::U32);
                i.s[2] = src(r.ops.back(), Ty::Pred);
            } else no("this form");
            fn(bar);
        }
    } else if (op == "shfl") {
        if (!take("sync")) no("not .sync");
        i.sub = take("up") ? ShUp : take("down") ? ShDown : take("bfly") ? ShBfly : take("idx") ? ShIdx : 255;
        if (i.sub == 255) no("this mode");
        Ty t = ty();
        need(5);
        d(r.ops[0], t);
        if (!r.ops[0].vec.empty() && r.ops[0].vec[0].kind != Operand::Sink) i.d2 = dst(r.ops[0].vec[0], Ty::Pred);
        for (int k = 0; k < 4; ++k) s(k, size_t(k) + 1, Ty::B32);
        fn(shfl);
    } else if (op == "vote") {
        if (!take("sync")) no("not .sync");
        i.sub = take("any") ? VAny : take("all") ? VAll : take("uni") ? VUni : take("ballot") ? VBallot : 255;
        if (i.sub == 255) no("this mode");
        ty();
        need(3);
        d(r.ops[0], i.sub == VBallot ? Ty::B32 : Ty::Pred);
        i.s[0] = src(r.ops[1], Ty::Pred);
        i.s[1] = src(r.ops[2], Ty::B32);
        fn(vote);
    } else if (op == "match") {
        i.sub = take("all") ? 1 : take("any") ? 0 : 255;
        if (i.sub == 255 || !take("sync")) no("this form");
        Ty t = ty();
        need(3);
        d(r.ops[0], Ty::B32);
        if (!r.ops[0].vec.empty() && r.ops[0].vec[0].kind != Operand::Sink) i.d2 = dst(r.ops[0].vec[0], Ty::Pred);
        i.s[0] = src(r.ops[1], t);
        i.s[1] = src(r.ops[2], Ty::B32);
        fn(match);
    } else if (op == "redux") {
        if (!take("sync")) no("not .sync");
        i.sub = atomOp();
        i.ty = ty();
        if (info(i.ty).kind == 'f') no("this type");
        if (i.sub > AtXor || i.sub == AtInc || i.sub == AtDec) no("this operation");
        need(3);
        d(r.ops[0], Ty::B32);
        i.s[0] = src(r.ops[1], Ty::B32);
        i.s[1] = src(r.ops[2], Ty::B32);
        fn(redux);
    } else if (op == "elect") {
        if (!take("sync")) no("not .sync");
        need(2);
        if (r.ops[0].kind != Operand::Sink) d(r.ops[0], Ty::B32);
        if (!r.ops[0].vec.empty() && r.ops[0].vec[0].kind != Operand::Sink) i.d2 = dst(r.ops[0].vec[0], Ty::Pred);
        i.s[0] = src(r.ops[1], Ty::B32);
        fn(elect);
    } else if (op == "activemask") {
        ty();
        need(1);
        d(r.ops[0], Ty::B32);
        fn(activemask);
    } else if (op == "bra") {
        take("uni");
        need(1);
        if (r.ops[0].kind != Operand::Name) no("target");
        i.target = label(r.ops[0].name);
        fn(bra);
    } else if (op == "brx") {
        if (!take("idx")) no("not .idx");
        take("uni");
        need(2);
        i.s[0] = src(r.ops[0], Ty::U32);
        auto it = f.branchTargets.find(r.ops[1].name);
        if (it == f.branchTargets.end()) no("target list");
        for (auto &n : it->second) i.targets.push_back(label(n));
        fn(brx);
    } else if (op == "call") {
        take("uni");
        std::vector<const Operand *> o;
        for (auto &e : r.ops) o.push_back(&e);
        const Operand *rets = nullptr, *args = nullptr;
        if (!o.empty() && o[0]->kind == Operand::Vec) {
            rets = o[0];
            o.erase(o.begin());
        }
        if (o.empty() || o[0]->kind != Operand::Name) no("indirect call");
        if (o.size() > 1) args = o[1];
        if (o.size() > 2) no("call prototype");
        auto it = m.byName.find(o[0]->name);
        if (it == m.byName.end() || !it->second->defined) {
            fn(o[0]->name == "__assertfail" ? assertFail
               : o[0]->name == "vprintf"    ? vprintfOp
                                            : nullptr,
               format("external function %s", o[0]->name.c_str()));
            if (it == m.byName.end()) no("function without a prototype");
        } else {
            i.callee = it->second;
            fn(call);
        }
        {
            const Func *g = it->second;
            auto pairs = [&](const Operand *v, const std::vector<Var *> &formal,
                             std::vector<std::pair<uint32_t, uint32_t>> &out) {
                if ((v ? v->vec.size() : 0) != formal.size()) no("number of arguments");
                for (size_t k = 0; k < formal.size(); ++k) {
                    const Operand &e = v->vec[k];
                    if (e.kind != Operand::Sym || e.var->space != Space::FnParam || e.var->bytes < formal[k]->bytes)
                        no("argument is not a .param variable of the right size");
                    out.push_back({uint32_t(e.var->addr), uint32_t(formal[k]->bytes)});
                }
            };
            pairs(args, g->params, i.copyIn);
            pairs(rets, g->rets, i.copyOut);
        }
    } else if (op == "ret") {
        take("uni");
        need(0);
        fn(ret);
    } else if (op == "exit") {
        need(0);
        fn(exitOp);
    } else if (op == "trap") {
        need(0);
        fn(trap);
    } else if (op == "griddepcontrol") { // every kernel before this one has ended
        if (!take("wait") && !take("launch_dependents")) no("this form");
        need(0);
        fn(nop);
    } else if (op == "nanosleep") {
        ty();
        need(1);
        fn(yieldOp);
    } else if (op == "prefetch" || op == "prefetchu") {
        space();
        take("L1");
        take("L2");
        fn(nop);
    } else no("unknown opcode");
    done();
}

} // namespace

#ifndef PTXRUN_DECODE
// The result of bar.red for the lanes of one waiting split.
void barResult(const Ins &i, const Bar &b, uint8_t *regs, uint32_t lanes) {
    if (i.sub == BarPopc) {
        for (int l = 0; l < 32; ++l)
            if (on(lanes, l)) reinterpret_cast<uint32_t *>(regs + i.d.off)[l] = b.pop;
    } else if (i.sub == BarAnd || i.sub == BarOr) {
        uint32_t *p = reinterpret_cast<uint32_t *>(regs + i.d.off), v = (i.sub == BarAnd ? b.all : b.any) ? ~0u : 0;
        *p = (*p & ~lanes) | (v & lanes);
    }
}

std::vector<const Func *> reachable(const Func *f) {
    std::vector<const Func *> v{f};
    for (size_t k = 0; k < v.size(); ++k)
        for (const Ins &i : v[k]->code)
            if (i.callee && std::find(v.begin(), v.end(), i.callee) == v.end()) v.push_back(i.callee);
    return v;
}

void decodeModuleAvx2(Module &m);
void decodeModuleBaseline(Module &m);
void decodeModule(Module &m) {
#if defined(__x86_64__)
    static const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                             __builtin_cpu_supports("bmi2") && !std::getenv("PTXRUN_BASELINE");
    if (avx2) return decodeModuleAvx2(m);
#endif
    decodeModuleBaseline(m);
}
#define PTXRUN_DECODE decodeModuleBaseline
#endif

void PTXRUN_DECODE(Module &m) {
    for (Func &f : m.funcs) {
        if (!f.defined) continue;
        std::unordered_map<std::string, uint32_t> consts;
        f.code.clear();
        f.pool.assign(64, 0);
        for (const RawIns &r : f.raw) {
            Dec d(m, f, r, consts);
            try {
                d.run();
            } catch (const Error &e) { f.unsupported.push_back(e.what()); }
            f.code.push_back(std::move(d.i));
        }
        Ins end;
        end.fn = ret; // falling off the end returns
        f.code.push_back(end);
    }
}

} // namespace ptxrun
