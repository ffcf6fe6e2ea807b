#include <fmt/format.h>
#include <unistd.h>

#include <CLI/Error.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <memory>
#include <optional>
#include <rivus/fill.hpp>
#include <rivus/runtime.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands.hpp"
#include "device.hpp"
#include "npy.hpp"
#include "numbers.hpp"
#include "options.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "values.hpp"

namespace rivus::tools {

namespace {

constexpr std::size_t chunk_bytes = std::size_t{4} << 20;
constexpr std::size_t text_bytes = std::size_t{1} << 20;

struct draw_options {
  stream_options where;
  stream source{};
  std::string dist = "bits";
  std::optional<std::string> dtype;  // absent: the distribution's default
  std::vector<std::string> parameters;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  bool hex = false;
  bool raw = false;
  std::string npy;
  bool on_cuda = false;
};

template <class T>
void set_parameter(std::string_view name, const std::string& text, T& value) {
  const std::string parameter = fmt::format("--param ({})", name);
  if constexpr (std::is_integral_v<T>) {
    value = integer_argument<T>(parameter, text);
  } else {
    value = real_argument<T>(parameter, text);
  }
}

// Each distribution says what its parameters are called, and whether they may be left out.
template <class T>
struct parameter {
  const char* name;
  T& value;
};
enum class presence { optional, required };

template <class... T>
void set_parameters(const draw_options& options, presence needed, parameter<T>... parameters) {
  const std::vector<std::string>& given = options.parameters;
  constexpr std::size_t wanted = sizeof...(T);
  if (given.size() != wanted && (!given.empty() || needed == presence::required)) {
    std::string names;
    ((names += names.empty() ? "" : " ", names += parameters.name), ...);
    throw usage_error(fmt::format("--param: {} takes {}{}, {} given{}", options.dist,
                                  wanted == 0 ? "none" : fmt::format("{} ({})", wanted, names),
                                  wanted > 0 && needed == presence::optional ? " or none" : "", given.size(),
                                  given.empty() ? "" : fmt::format(": {}", fmt::join(given, " "))));
  }
  if (given.empty()) return;
  std::size_t i = 0;
  (set_parameter(parameters.name, given[i++], parameters.value), ...);
}

template <class T>
void set_parameters(const draw_options& options, bits<T>&) {
  set_parameters<>(options, presence::optional);
}
template <class T, interval I>
void set_parameters(const draw_options& options, uniform<T, I>&) {
  set_parameters<>(options, presence::optional);
}
template <class T>
void set_parameters(const draw_options& options, uniform<T>& d) {
  set_parameters(options, presence::optional, parameter<T>{"a", d.a}, parameter<T>{"b", d.b});
}
template <class T>
void set_parameters(const draw_options& options, normal<T>& d) {
  set_parameters(options, presence::optional, parameter<T>{"mean", d.mean}, parameter<T>{"stddev", d.stddev});
}
template <class T>
void set_parameters(const draw_options& options, exponential<T>& d) {
  set_parameters(options, presence::optional, parameter<T>{"rate", d.rate});
}
void set_parameters(const draw_options& options, bernoulli& d) {
  set_parameters(options, presence::required, parameter<double>{"p", d.p});
}
template <class T>
void set_parameters(const draw_options& options, integer<T>& d) {
  set_parameters(options, presence::required, parameter<T>{"lo", d.lo}, parameter<T>{"hi", d.hi});
}

// A distribution from its parameters, all of them within their domain.
template <class D>
D distribution(const draw_options& options) {
  D d{};
  set_parameters(options, d);
  d.check([](const char* name, auto value, const char* rule) {
    throw usage_error(fmt::format("--param ({}): {} {}", name, value, rule));
  });
  return d;
}

volatile std::sig_atomic_t caught_signal = 0;

// While it lives, the signals that ask a program to end are only noted, so that a temporary file can be
// removed.
class deferred_signals {
 public:
  deferred_signals() {
    struct sigaction action{};
    action.sa_handler = [](int number) { caught_signal = number; };
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      sigaction(numbers[i], nullptr, &previous_[i]);
      // nohup and a shell's & leave some ignored.
      if (previous_[i].sa_handler != SIG_IGN) sigaction(numbers[i], &action, nullptr);
    }
  }
  ~deferred_signals() {
    for (std::size_t i = 0; i < numbers.size(); ++i) sigaction(numbers[i], &previous_[i], nullptr);
  }
  deferred_signals(const deferred_signals&) = delete;
  deferred_signals& operator=(const deferred_signals&) = delete;

  static void stop_if_caught() {
    if (caught_signal != 0) throw CLI::RuntimeError(128 + caught_signal);
  }

 private:
  static constexpr std::array numbers{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, numbers.size()> previous_{};
};

// Calls take(values) with one piece of the draw after the other, in memory that does not grow with the count.
template <class D, class Take>
void for_each_piece(const draw_options& options, const D& d, bool show_progress, Take take) {
  using T = typename D::value_type;
  progress bar("draw", show_progress ? options.count : 0);
  std::vector<T> buffer(std::min<std::uint64_t>(options.count, chunk_bytes / sizeof(T)));
  for (std::uint64_t done = 0; done < options.count;) {
    const std::span piece(buffer.data(), std::min<std::uint64_t>(buffer.size(), options.count - done));
    if (options.on_cuda) {
      device::fill(piece.data(), piece.size(), options.source, d, options.first + done);
    } else {
      fill(piece, options.source, d, options.first + done);
    }
    done += piece.size();
    take(piece);
    bar.update(done);
  }
}

template <class T>
void write_text(std::span<const T> values, bool hex, std::vector<char>& text) {
  char* const begin = text.data();
  char* const full = begin + text.size() - longest_value - 1;
  char* end = begin;
  for (const T value : values) {
    end = hex ? write_hex(end, value) : write_decimal(end, value);
    *end++ = '\n';
    if (end > full) {
      write_stdout(begin, static_cast<std::size_t>(end - begin));
      end = begin;
    }
  }
  write_stdout(begin, static_cast<std::size_t>(end - begin));
}

template <class D>
void draw_to_file(const draw_options& options, const D& d) {
  using T = typename D::value_type;
  const deferred_signals signals;
  replacement_file file(options.npy);
  const std::string header = npy_header<T>(options.count);
  file.write(header.data(), header.size());
  for_each_piece(options, d, true, [&](std::span<T> values) {
    deferred_signals::stop_if_caught();
    to_little_endian(values);
    file.write(values.data(), values.size_bytes());
  });
  deferred_signals::stop_if_caught();
  file.commit();
}

template <class D>
void draw(const draw_options& options) {
  using T = typename D::value_type;
  const D d = distribution<D>(options);
  if (!options.npy.empty() && options.npy != "-") return draw_to_file(options, d);
  // On one terminal the values themselves show how far it is.
  const bool show_progress = isatty(STDOUT_FILENO) == 0;
  if (options.npy == "-") write_stdout(npy_header<T>(options.count));
  if (options.raw || options.npy == "-") {
    for_each_piece(options, d, show_progress, [](std::span<T> values) {
      to_little_endian(values);
      write_stdout(values.data(), values.size_bytes());
    });
  } else {
    std::vector<char> text(text_bytes);
    for_each_piece(options, d, show_progress,
                   [&](std::span<T> values) { write_text<T>(values, options.hex, text); });
  }
}

struct combination {
  std::string_view dist;
  std::string_view dtype;
  void (*run)(const draw_options&);
};

// The first of a distribution's types is its default.
constexpr combination combinations[] = {
    {"bits", "u32", draw<bits<std::uint32_t>>},
    {"bits", "u64", draw<bits<std::uint64_t>>},
    {"uniform", "f32", draw<uniform<float>>},
    {"uniform", "f64", draw<uniform<double>>},
    {"uniform-oc", "f32", draw<uniform<float, interval::oc>>},
    {"uniform-oc", "f64", draw<uniform<double, interval::oc>>},
    {"uniform-oo", "f32", draw<uniform<float, interval::oo>>},
    {"uniform-oo", "f64", draw<uniform<double, interval::oo>>},
    {"normal", "f32", draw<normal<float>>},
    {"normal", "f64", draw<normal<double>>},
    {"exponential", "f32", draw<exponential<float>>},
    {"exponential", "f64", draw<exponential<double>>},
    {"bernoulli", "u8", draw<bernoulli>},
    {"randint", "i64", draw<integer<std::int64_t>>},
    {"randint", "i32", draw<integer<std::int32_t>>},
    {"randint", "u32", draw<integer<std::uint32_t>>},
    {"randint", "u64", draw<integer<std::uint64_t>>},
};

const combination& find_combination(const draw_options& options) {
  std::vector<std::string_view> dists, dtypes;
  for (const combination& c : combinations) {
    if (dists.empty() || dists.back() != c.dist) dists.push_back(c.dist);
    if (c.dist != options.dist) continue;
    if (!options.dtype || c.dtype == *options.dtype) return c;
    dtypes.push_back(c.dtype);
  }
  if (dtypes.empty()) {
    throw usage_error(fmt::format("--dist: '{}' is not one of {}", options.dist, fmt::join(dists, ", ")));
  }
  throw usage_error(fmt::format("--dtype: {} is drawn as {}, not as '{}'", options.dist,
                                fmt::join(dtypes, ", "), *options.dtype));
}

void run(draw_options& options) {
  const combination& chosen = find_combination(options);
  if (options.count > 0 && options.first > ~(options.count - 1)) {
    throw usage_error(fmt::format("--first {} and --count {}: elements go up to 2^64-1 only", options.first,
                                  options.count));
  }
  options.source = stream_of(options.where);
  active_isa();
  if (options.on_cuda) device::require_present();
  chosen.run(options);
}

}  // namespace

void add_draw(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("draw", "Draw random values from a stream");
  command->footer(
      "Element i of a stream has one value, whatever else is drawn: draws in pieces (--first) join to the "
      "whole.\n"
      "\n"
      "  --dist       --dtype (first: default)   --param, in order\n"
      "  bits         u32 u64                    none\n"
      "  uniform      f32 f64                    a b: from a, below b (default 0 1)\n"
      "  uniform-oc   f32 f64                    none: above 0, up to 1\n"
      "  uniform-oo   f32 f64                    none: above 0, below 1\n"
      "  normal       f32 f64                    mean stddev (default 0 1)\n"
      "  exponential  f32 f64                    rate, of mean 1/rate (default 1)\n"
      "  bernoulli    u8                         p: probability of 1, 0 to 1\n"
      "  randint      i64 i32 u32 u64            lo hi: from lo, below hi\n"
      "\n"
      "Examples:\n"
      "  rivus draw --seed 42 --path dropout/block3/17 --dist normal --count 4\n"
      "  rivus draw --seed 0xfeed --dist randint --param -6 --param 7 --dtype i32 --count 10\n"
      "  rivus draw --dist uniform --dtype f64 --first 1000000 --count 1000 --npy u.npy\n"
      "  rivus draw --count 5000000000 --raw | head -c 1000000 | xxd");
  const auto options = std::make_shared<draw_options>();
  add_stream(*command, options->where);
  command->add_option("--dist", options->dist, "Distribution, see below (default: bits)")->type_name("NAME");
  command->add_option("--dtype", options->dtype, "Type of the values, see below")->type_name("TYPE");
  command
      ->add_option("--param", options->parameters, "A parameter of the distribution; repeat it for the next")
      ->type_name("X")
      ->allow_extra_args(false);
  const auto add_u64 = [&](const char* name, std::uint64_t& value, const char* text, const char* type) {
    return command
        ->add_option_function<std::string>(
            name,
            [name, &value](const std::string& given) {
              value = integer_argument<std::uint64_t>(name, given);
            },
            text)
        ->type_name(type);
  };
  add_u64("--first", options->first, "Index of the first element, 0 to 2^64-1 (default: 0)", "I");
  add_u64("--count", options->count, "Number of elements, 0 to 2^64-1", "N")->required();
  CLI::Option* const hex =
      command->add_flag("--hex", options->hex, "Print the bits: 2 lower-case digits a byte, highest first");
  CLI::Option* const raw = command->add_flag("--raw", options->raw, "Write little-endian bytes to stdout");
  CLI::Option* const npy =
      command
          ->add_option("--npy", options->npy,
                       "Write a NumPy file, which appears when complete, or to stdout (-)")
          ->type_name("FILE");
  raw->excludes(hex);
  npy->excludes(hex)->excludes(raw);
  add_threads(*command);
  add_isa(*command);
  add_device(*command, options->on_cuda);
  command->callback([options, npy] {
    if (!npy->empty() && options->npy.empty()) throw usage_error("--npy: '' is not the name of a file");
    run(*options);
  });
}

}  // namespace rivus::tools
