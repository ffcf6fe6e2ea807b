// rivus_cuda_bench: rivus on a GPU beside the memory's ceilings, cuRAND, CUB, Thrust and cuBLAS.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <rivus/cuda/fill.hpp>
#include <set>

#include "cases.hpp"
#include "json.hpp"

namespace {

using namespace rivus::device_bench;

constexpr const char* usage =
    "usage: rivus_cuda_bench [option value]...\n"
    "\n"
    "Times rivus's device code, memory's ceilings, and what cuRAND, CUB, Thrust and cuBLAS do for the same "
    "purpose,\n"
    "in turn and with CUDA events, on places in memory that exceed the L2 cache together. Compares ours with "
    "the\n"
    "CPU before it times them.\n"
    "  --json FILE       write all figures there\n"
    "  --seconds S       fit about this time (120): fewer rounds, at least three\n"
    "  --rounds N        at most so many rounds (25)\n"
    "  --batch-us T      repeat what is faster than this, to time it as a whole (1000)\n"
    "  --graph N         launches in a graph (32)\n"
    "  --min-bytes N     from this size on (1024) ...\n"
    "  --max-bytes N     ... to this one (4294967296, or what memory holds)\n"
    "  --step K          in factors of 2^K (2)\n"
    "  --filter TEXT     only cases whose name contains TEXT\n"
    "Exit status: 0 when all was done, 1 for a failure or other bits than the CPU's, 2 for bad usage.\n";

struct invocation {
  settings options;
  std::string json;
};

invocation parse(int argc, char** argv) {
  invocation i;
  settings& o = i.options;
  for (command_line line(argc, argv); line.next();) {
    constexpr std::size_t most = std::size_t{1} << 40;
    if (line.name() == "--json") {
      i.json = line.value();
    } else if (line.name() == "--seconds") {
      o.seconds = line.number<double>(0, 1e6);
    } else if (line.name() == "--rounds") {
      o.rounds = line.number<int>(1, 100000);
    } else if (line.name() == "--batch-us") {
      o.batch_seconds = 1e-6 * line.number<double>(0, 1e6);
    } else if (line.name() == "--graph") {
      o.graph_launches = line.number<std::uint64_t>(1, 4096);
    } else if (line.name() == "--min-bytes") {
      o.least = line.number<std::size_t>(1024, most);
    } else if (line.name() == "--max-bytes") {
      o.most = line.number<std::size_t>(1024, most);
    } else if (line.name() == "--step") {
      o.step = line.number<int>(1, 30);
    } else if (line.name() == "--filter") {
      o.filter = line.value();
    } else {
      line.unknown();
    }
  }
  // Powers of 2, so that every size is a whole number of all kinds of elements.
  o.least = std::bit_ceil(o.least);
  o.most = std::bit_floor(o.most);
  if (o.least > o.most) throw usage_error("--min-bytes is more than --max-bytes");
  return i;
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string machine(const context& c) {
  cudaDeviceProp properties{};
  succeed(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  int driver = 0, runtime = 0;
  succeed(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  succeed(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  return json::object()
      .add("gpu", json::text(properties.name))
      .add("compute_capability",
           json::text(std::to_string(properties.major) + "." + std::to_string(properties.minor)))
      .add("multiprocessors", json::number(c.multiprocessors))
      .add("clock_mhz", json::number(attribute(cudaDevAttrClockRate) / 1000))
      .add("memory_clock_mhz", json::number(attribute(cudaDevAttrMemoryClockRate) / 1000))
      .add("memory_bus_bits", json::number(attribute(cudaDevAttrGlobalMemoryBusWidth)))
      .add("memory_bytes", json::number(properties.totalGlobalMem))
      .add("l2_bytes", json::number(c.cache))
      .add("driver", json::text(version_text(driver)))
      .add("runtime", json::text(version_text(runtime)))
      .str();
}

std::string size_text(std::size_t bytes) {
  return std::has_single_bit(bytes) ? "2^" + std::to_string(std::countr_zero(bytes)) : std::to_string(bytes);
}

// One measurement to make.
struct row {
  const subject* what;
  std::size_t size;
  bool graphs;
};

class bench {
 public:
  explicit bench(const settings& options) {
    c_.options = options;
    add_ceilings(subjects_);
    add_fills(subjects_);
    add_reductions(subjects_);
    add_matmul(subjects_);
    plan();  // refuses a filter that nothing passes
    require_device();
    c_.multiprocessors = std::max(1, attribute(cudaDevAttrMultiProcessorCount));
    c_.cache = static_cast<std::size_t>(std::max(0, attribute(cudaDevAttrL2CacheSize)));
    std::size_t room = 0, total = 0;
    succeed(cudaMemGetInfo(&room, &total), "cudaMemGetInfo");
    // Twice the greatest size for input and for output, and as much again for what cases need.
    while (c_.options.most > c_.options.least && c_.options.most > room / 8) c_.options.most /= 2;
    succeed(cudaStreamCreateWithFlags(&c_.stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    const std::size_t bytes = c_.rotation(c_.options.most);
    c_.in.emplace(bytes);
    c_.out.emplace(bytes);
    const std::size_t period = std::min(bytes, std::size_t{1} << 20);
    rivus::cuda::fill(c_.stream, c_.in->place<float>(period, 0), period / sizeof(float),
                      rivus::stream::from_seed(42)["input"], rivus::uniform<float>{});
    succeed(cudaStreamSynchronize(c_.stream), "fill of the input");
    c_.in->repeat(period);
  }

  void run() {
    const auto start = std::chrono::steady_clock::now();
    const auto passed = [start] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    const std::vector<row> rows = plan();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double left = c_.options.seconds - passed();
      if (left < -0.25 * c_.options.seconds) {
        cut_short_ = "the last " + std::to_string(rows.size() - r) + " of " + std::to_string(rows.size()) +
                     " rows of rivus_cuda_bench: no time was left";
        break;
      }
      measure_row(rows[r], std::max(0.0, left) / static_cast<double>(rows.size() - r));
    }
    seconds_ = passed();
  }

  std::string json(const std::string& error) const {
    std::vector<std::string> left_out = missing_peers();
    for (const auto& [reason, kinds] : refused_) {
      std::string sentence = reason;
      for (const auto& [kind, ways] : kinds) {
        sentence += "; " + kind + ":";
        for (const std::string& way : ways) sentence += (way == *ways.begin() ? " " : ", ") + way;
      }
      left_out.push_back(sentence);
    }
    if (!cut_short_.empty()) left_out.push_back(cut_short_);
    for (std::string& sentence : left_out) sentence = json::text(sentence);
    json::object o;
    o.add("machine", machine(c_))
        .add("options", json::object()
                            .add("seconds", json::number(c_.options.seconds))
                            .add("min_bytes", json::number(c_.options.least))
                            .add("max_bytes", json::number(c_.options.most))
                            .add("rounds", json::number(c_.options.rounds))
                            .add("graph_launches", json::number(c_.options.graph_launches))
                            .add("batch_us", json::number(1e6 * c_.options.batch_seconds))
                            .str())
        .add("seconds", json::number(seconds_));
    if (!error.empty()) o.add("error", json::text(error));
    return o.add("left_out", json::array(left_out)).add("figures", json::array(figures_)).str();
  }

 private:
  std::vector<row> plan() const {
    std::vector<row> rows;
    for (const subject& s : subjects_) {
      if (s.name.find(c_.options.filter) == std::string::npos) continue;
      for (const std::size_t size : s.sizes) rows.push_back({&s, size, false});
      if (!s.sizes.empty()) continue;
      for (std::size_t size = c_.options.least; size <= c_.options.most; size <<= c_.options.step) {
        rows.push_back({&s, size, false});
        if (size <= std::size_t{1} << 20) rows.push_back({&s, size, true});
      }
    }
    if (rows.empty()) throw usage_error("--filter " + c_.options.filter + ": no such case");
    return rows;
  }

  void measure_row(const row& r, double budget) {
    const std::optional<group> g = r.what->at(c_, r.size);
    if (!g) return;
    // Setting a generator up takes its time at every size: a few sizes show it.
    const bool with_slow = !r.graphs && std::countr_zero(r.size) % 8 == 4;
    const std::vector<timing> timings = measure(c_, *g, r.graphs, with_slow, budget);
    double ceiling = std::nan(""), best_other = std::nan(""), ours = std::nan("");
    std::string best_other_name = "nothing else";
    const auto rate = [&](std::size_t w, double q) {
      const double amount = g->ways[w].amount > 0 ? g->ways[w].amount : g->amount;
      return 1e-9 * amount / timings[w].quantile(q);
    };
    for (std::size_t w = 0; w < timings.size(); ++w) {
      if (timings[w].seconds.empty()) continue;
      const role kind = g->ways[w].kind;
      double& best = kind == role::ceiling ? ceiling : kind == role::ours ? ours : best_other;
      if (best >= rate(w, 0.5)) continue;
      best = rate(w, 0.5);
      if (kind != role::ceiling && kind != role::ours) best_other_name = g->ways[w].name;
    }
    for (std::size_t w = 0; w < timings.size(); ++w) {
      const timing& t = timings[w];
      const way& what = g->ways[w];
      if (t.left_out == "not measured") continue;
      json::object o;
      o.add("case", json::text(r.what->name))
          .add(r.what->measure, json::number(r.size))
          .add("launches", json::text(r.graphs ? "graph" : "stream"))
          .add("way", json::text(what.name))
          .add("kind", json::text(name_of(what.kind)));
      if (!t.left_out.empty()) {
        refused_[t.left_out][name_of(what.kind)].insert(what.name);
        figures_.push_back(o.add("left_out", json::text(t.left_out)).str());
        continue;
      }
      // The quartiles of the time are those of the rate in the other order.
      o.add("unit", json::text(g->unit))
          .add("median", json::number(rate(w, 0.5)))
          .add("low", json::number(rate(w, 0.75)))
          .add("high", json::number(rate(w, 0.25)))
          .add("rounds", json::number(t.seconds.size()))
          .add("batch", json::number(t.batch))
          .add("of_ceiling", json::number(rate(w, 0.5) / ceiling))
          .add("to_best_other", json::number(rate(w, 0.5) / best_other));
      figures_.push_back(o.str());
    }
    std::printf(
        "%s, %s, %s: ours %.4g %s, ceiling %.4g, %s %.4g\n", r.what->name.c_str(),
        (r.what->measure == "n" ? "n " + std::to_string(r.size) : size_text(r.size) + " bytes").c_str(),
        r.graphs ? "graph" : "stream", ours, g->unit, ceiling, best_other_name.c_str(), best_other);
    std::fflush(stdout);
  }

  context c_;
  std::vector<subject> subjects_;
  std::vector<std::string> figures_;
  // Reasons, kinds, ways.
  std::map<std::string, std::map<std::string, std::set<std::string>>> refused_;
  std::string cut_short_;
  double seconds_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && (argv[1] == std::string_view("--help") || argv[1] == std::string_view("-h"))) {
    std::fputs(usage, stdout);
    return 0;
  }
  try {
    const invocation i = parse(argc, argv);
    std::ofstream file(i.json);
    if (!i.json.empty() && !file) throw std::runtime_error(i.json + ": cannot be written");
    bench b(i.options);
    std::string error;
    try {
      b.run();
    } catch (const usage_error&) {
      throw;
    } catch (const std::exception& e) {
      error = e.what();
    }
    if (!i.json.empty() && !(file << b.json(error) << '\n').flush()) {
      throw std::runtime_error(i.json + ": cannot be written");
    }
    if (!error.empty()) throw std::runtime_error(error);
  } catch (const usage_error& e) {
    std::fprintf(stderr, "rivus_cuda_bench: %s\n%s", e.what(), usage);
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "rivus_cuda_bench: %s\n", e.what());
    return 1;
  }
  return 0;
}
