// rivus_cuda_compare: every distribution drawn at length on the device and on the CPU, and compared bit by bit.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <rivus/cuda/fill.hpp>
#include <rivus/cuda/reduce.hpp>
#include <rivus/rivus.hpp>
#include <vector>

#include "device.hpp"
#include "json.hpp"

namespace {

using namespace rivus::device_bench;
using clock_type = std::chrono::steady_clock;

constexpr const char* usage =
    "usage: rivus_cuda_compare [option value]...\n"
    "\n"
    "Draws the same values on the device and on the CPU, piece by piece, and compares all bits; likewise "
    "sums and\n"
    "dot products.\n"
    "  --log2-count N  2^N values of each distribution (32)\n"
    "  --seconds S     fit about this time (60): fewer values of the later distributions, where need be\n"
    "  --filter TEXT   only cases whose name contains TEXT\n"
    "  --json FILE     write the results there\n"
    "Exit status: 0 when all agree, 1 when some differ, 2 for bad usage.\n";

struct settings_of_compare {
  std::uint64_t count = std::uint64_t{1} << 32;
  double seconds = 60;
  std::string filter, json;
};

double seconds_since(clock_type::time_point start) {
  return std::chrono::duration<double>(clock_type::now() - start).count();
}

constexpr std::size_t piece_bytes = std::size_t{64} << 20;
constexpr int depth = 2;

// The memory that all cases use.
class workspace {
 public:
  explicit workspace(std::size_t bytes) : bytes_(bytes), host(bytes) {
    for (int k = 0; k < depth; ++k) {
      // Room for a start that is not aligned.
      device[k] = device_memory<unsigned char>(bytes + 64);
      pinned[k] = pinned_memory<unsigned char>(bytes);
      succeed(cudaStreamCreateWithFlags(&streams[k], cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    }
  }
  ~workspace() {
    for (const cudaStream_t s : streams) cudaStreamDestroy(s);
  }
  workspace(const workspace&) = delete;
  workspace& operator=(const workspace&) = delete;

  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;

 public:
  std::vector<unsigned char> host;
  std::shared_ptr<unsigned char> device[depth], pinned[depth];
  cudaStream_t streams[depth] = {};
};

// The first byte that differs, or n.
std::size_t first_difference(const unsigned char* a, const unsigned char* b, std::size_t n) {
  constexpr std::size_t part = std::size_t{1} << 20;
  const auto parts = static_cast<std::ptrdiff_t>((n + part - 1) / part);
  std::size_t found = n;
#pragma omp parallel for reduction(min : found)
  for (std::ptrdiff_t p = 0; p < parts; ++p) {
    const std::size_t begin = static_cast<std::size_t>(p) * part, end = std::min(n, begin + part);
    if (std::memcmp(a + begin, b + begin, end - begin) == 0) continue;
    found = std::min(found, static_cast<std::size_t>(std::mismatch(a + begin, a + end, b + begin).first - a));
  }
  return found;
}

std::string hex(const unsigned char* bytes, std::size_t n) {
  std::string text;
  for (std::size_t i = n; i-- > 0;) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", bytes[i]);
    text += digits;
  }
  return text;
}

const rivus::stream root = rivus::stream::from_seed(0x123456789abcdef0)["gpu-check"];

// Elements [first, first + count) of d. Returns what differs, or nothing.
template <class D>
std::string compare_fill(workspace& w, const D& d, const std::string& name, std::uint64_t count) {
  using T = typename D::value_type;
  const rivus::stream s = root[name];
  // Across 2^34, where block numbers of 32-bit values outgrow 32 bits.
  const std::uint64_t first = (std::uint64_t{1} << 34) - count / 3 / 4 * 4;
  const std::uint64_t piece =
      std::min<std::uint64_t>(w.bytes() / sizeof(T), std::max<std::uint64_t>(count / 4, 16) / 4 * 4);
  const std::uint64_t pieces = (count + piece - 1) / piece;
  const auto length = [&](std::uint64_t p) {
    return static_cast<std::size_t>(std::min(piece, count - p * piece));
  };
  const auto submit = [&](std::uint64_t p) {
    const auto k = static_cast<std::size_t>(p % depth);
    const std::size_t n = length(p);
    auto* out = reinterpret_cast<T*>(w.device[k].get());
    const std::uint64_t at = first + p * piece;
    if (p % 4 == 3) {
      // The kernel for any start and place, in two parts.
      out += 1;
      const std::size_t part = n / 3 + 1;
      rivus::cuda::fill(w.streams[k], out, part, s, d, at);
      rivus::cuda::fill(w.streams[k], out + part, n - part, s, d, at + part);
    } else {
      rivus::cuda::fill(w.streams[k], out, n, s, d, at);
    }
    succeed(cudaMemcpyAsync(w.pinned[k].get(), out, n * sizeof(T), cudaMemcpyDeviceToHost, w.streams[k]),
            "cudaMemcpyAsync");
  };
  const bool terminal = isatty(2) != 0;
  submit(0);
  std::string difference;
  for (std::uint64_t p = 0; p < pieces && difference.empty(); ++p) {
    if (p + 1 < pieces) submit(p + 1);
    const std::size_t n = length(p);
    rivus::fill(reinterpret_cast<T*>(w.host.data()), n, s, d, first + p * piece);
    const auto k = static_cast<std::size_t>(p % depth);
    succeed(cudaStreamSynchronize(w.streams[k]), "a fill, or the copy of it");
    const std::size_t at = first_difference(w.host.data(), w.pinned[k].get(), n * sizeof(T)) / sizeof(T);
    if (at < n) {
      difference = "element " + std::to_string(first + p * piece + at) + " is " +
                   hex(w.pinned[k].get() + at * sizeof(T), sizeof(T)) + " on the device and " +
                   hex(w.host.data() + at * sizeof(T), sizeof(T)) + " on the CPU";
    }
    if (terminal) {
      std::fprintf(stderr, "\r%s: %3d %%", name.c_str(), static_cast<int>(100 * (p + 1) / pieces));
    }
  }
  if (terminal) std::fprintf(stderr, "\r\033[K");
  for (const cudaStream_t on : w.streams) succeed(cudaStreamSynchronize(on), "cudaStreamSynchronize");
  return difference;
}

// The sum of `count` normals, or their dot product with others.
template <class T, bool Dot>
std::string compare_sum(workspace&, const std::string& name, std::uint64_t count) {
  // An odd number, that leaves lanes and blocks partly filled; less than fills, as all of it is in memory at once.
  const auto n = static_cast<std::size_t>(count / 16 + 777);
  const auto device_x = device_memory<T>(n * sizeof(T)), device_y = device_memory<T>(Dot ? n * sizeof(T) : 0);
  const auto result = device_memory<T>(sizeof(T));
  const std::size_t bytes = rivus::cuda::scratch_bytes<T>(n);
  const auto scratch = device_memory<>(bytes);
  const rivus::normal<T> d{};
  std::vector<T> x(n), y(Dot ? n : 0);
  rivus::cuda::fill(nullptr, device_x.get(), n, root[name]["x"], d);
  rivus::fill(x.data(), n, root[name]["x"], d);
  T expected;
  if constexpr (Dot) {
    rivus::cuda::fill(nullptr, device_y.get(), n, root[name]["y"], d);
    rivus::fill(y.data(), n, root[name]["y"], d);
    rivus::cuda::dot(nullptr, device_x.get(), device_y.get(), n, result.get(), scratch.get(), bytes);
    expected = rivus::dot(x.data(), y.data(), n);
  } else {
    rivus::cuda::sum(nullptr, device_x.get(), n, result.get(), scratch.get(), bytes);
    expected = rivus::sum(x.data(), n);
  }
  T got;
  succeed(cudaMemcpy(&got, result.get(), sizeof got, cudaMemcpyDeviceToHost), "cudaMemcpy");
  if (std::memcmp(&got, &expected, sizeof got) == 0) return "";
  return "it is " + hex(reinterpret_cast<const unsigned char*>(&got), sizeof got) + " on the device and " +
         hex(reinterpret_cast<const unsigned char*>(&expected), sizeof got) + " on the CPU";
}

struct compared {
  std::string name;
  std::function<std::string(workspace&, std::uint64_t count)> run;
  std::uint64_t share = 1;  // of the count that is used
};

template <class D>
compared of(const std::string& name, const D& d) {
  return {name, [name, d](workspace& w, std::uint64_t count) { return compare_fill(w, d, name, count); }};
}
template <class T, bool Dot>
compared of_sum(const std::string& name) {
  return {name, [name](workspace& w, std::uint64_t count) { return compare_sum<T, Dot>(w, name, count); },
          16};
}

// In the order of importance. Every distribution with a kernel, and the special cases of its parameters.
std::vector<compared> all_cases() {
  using namespace rivus;
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  return {of("bits u32", bits<std::uint32_t>{}),
          of("normal f32", normal<float>{}),
          of("uniform f32", uniform<float>{}),
          of_sum<float, false>("sum f32"),
          of_sum<double, true>("dot f64"),
          of("normal f64", normal<double>{}),
          of("exponential f32", exponential<float>{}),
          of("uniform f64", uniform<double>{}),
          of("integer i32 [-1000, 1047321)", integer<std::int32_t>{-1000, 1047321}),
          of("bernoulli 0.25", bernoulli{0.25}),
          of("bits u64", bits<std::uint64_t>{}),
          of("exponential f64", exponential<double>{}),
          of_sum<double, false>("sum f64"),
          of_sum<float, true>("dot f32"),
          of("uniform f32 (0, 1]", uniform<float, interval::oc>{}),
          of("uniform f64 (0, 1]", uniform<double, interval::oc>{}),
          of("uniform f32 (0, 1)", uniform<float, interval::oo>{}),
          of("uniform f64 (0, 1)", uniform<double, interval::oo>{}),
          of("uniform f32 [-3, 1e-3)", uniform<float>{-3, 1e-3f}),
          of("uniform f64 [-3, 1e-3)", uniform<double>{-3, 1e-3}),
          of("normal f32 -0.1 1e-40", normal<float>{-0.1f, 1e-40f}),
          of("normal f64 5 3", normal<double>{5, 3}),
          of("exponential f32 0.1", exponential<float>{0.1f}),
          of("exponential f64 0.1", exponential<double>{0.1}),
          of("integer i32 [-2^31, 2^31 - 1)", integer<std::int32_t>{-2147483647 - 1, 2147483647}),
          of("integer u32 [0, 6)", integer<std::uint32_t>{0, 6}),
          of("integer i64 [-2^63, 1)", integer<std::int64_t>{least, 1}),
          of("integer u64 [0, 2^64 - 1)", integer<std::uint64_t>{0, ~std::uint64_t{0}})};
}

settings_of_compare parse(int argc, char** argv) {
  settings_of_compare s;
  for (command_line line(argc, argv); line.next();) {
    if (line.name() == "--log2-count") {
      s.count = std::uint64_t{1} << line.number<int>(8, 36);
    } else if (line.name() == "--seconds") {
      s.seconds = line.number<double>(0, 1e6);
    } else if (line.name() == "--filter") {
      s.filter = line.value();
    } else if (line.name() == "--json") {
      s.json = line.value();
    } else {
      line.unknown();
    }
  }
  return s;
}

int run(const settings_of_compare& options) {
  const auto start = clock_type::now();
  std::vector<compared> cases = all_cases();
  std::erase_if(cases, [&](const compared& c) { return c.name.find(options.filter) == std::string::npos; });
  if (cases.empty()) throw usage_error("--filter " + options.filter + ": no such case");
  require_device();
  workspace w(static_cast<std::size_t>(std::min<std::uint64_t>(piece_bytes, 8 * options.count)));

  // All of them short first: that nothing is left out, and that it is known how long they take.
  const std::uint64_t trial = std::min<std::uint64_t>(options.count, std::uint64_t{1} << 24);
  std::vector<double> trial_seconds;
  std::vector<std::string> differences;
  for (const compared& c : cases) {
    c.run(w, 256);  // the driver loads the kernels
    const auto begin = clock_type::now();
    differences.push_back(c.run(w, trial + 5));
    trial_seconds.push_back(seconds_since(begin));
  }
  std::vector<std::string> rows;
  std::size_t failed = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto begin = clock_type::now();
    std::uint64_t count = trial;
    if (differences[i].empty()) {
      // As many as fit into half of the time that is left, so that the next ones have some as well.
      const double left = options.seconds - seconds_since(start);
      std::uint64_t wanted = options.count;
      while (wanted > trial &&
             trial_seconds[i] * static_cast<double>(wanted) / static_cast<double>(trial) > left / 2)
        wanted /= 2;
      if (wanted > trial) {
        count = wanted;
        differences[i] = cases[i].run(w, count + 5);
      }
    }
    const double seconds = trial_seconds[i] + (count > trial ? seconds_since(begin) : 0);
    const std::uint64_t values = cases[i].share > 1 ? (count + 5) / cases[i].share + 777 : count + 5;
    const bool equal = differences[i].empty();
    failed += equal ? 0 : 1;
    std::printf("%-32s %12llu values  %7.2f s  %s%s\n", cases[i].name.c_str(),
                static_cast<unsigned long long>(values), seconds, equal ? "PASS" : "FAIL  ",
                differences[i].c_str());
    std::fflush(stdout);
    rows.push_back(json::object()
                       .add("name", json::text(cases[i].name))
                       .add("values", json::number(values))
                       .add("seconds", json::number(seconds))
                       .add("passed", json::boolean(equal))
                       .add("text", json::text(differences[i]))
                       .str());
  }
  std::printf("%zu of %zu agree, in %.1f s\n", cases.size() - failed, cases.size(), seconds_since(start));
  if (!options.json.empty()) {
    std::ofstream file(options.json);
    file << json::array(rows) << '\n';
    if (!file.flush()) throw std::runtime_error(options.json + ": cannot be written");
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && (argv[1] == std::string_view("--help") || argv[1] == std::string_view("-h"))) {
    std::fputs(usage, stdout);
    return 0;
  }
  try {
    return run(parse(argc, argv));
  } catch (const usage_error& e) {
    std::fprintf(stderr, "rivus_cuda_compare: %s\n%s", e.what(), usage);
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "rivus_cuda_compare: %s\n", e.what());
    return 1;
  }
}
