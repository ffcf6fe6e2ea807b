// How times are taken.
#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace rivus::device_bench {

namespace {

constexpr int least_rounds = 3;
constexpr std::uint64_t most_launches = 4096;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What is launched as a whole: one run of a way, or a graph of several.
class launcher {
 public:
  launcher(const context& c, const way& w, bool graphs) : c_(c), way_(w) {
    if (graphs) capture();
  }
  ~launcher() {
    if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
  }
  launcher(const launcher&) = delete;
  launcher& operator=(const launcher&) = delete;

  std::uint64_t runs() const { return graph_ != nullptr ? c_.options.graph_launches : 1; }

  // Seconds of `batch` launches.
  double time(std::uint64_t batch, cudaEvent_t start, cudaEvent_t stop) {
    succeed(cudaEventRecord(start, c_.stream), "cudaEventRecord");
    for (std::uint64_t i = 0; i < batch; ++i) {
      if (graph_ != nullptr) {
        succeed(cudaGraphLaunch(graph_, c_.stream), "cudaGraphLaunch");
      } else {
        way_.run(c_.stream, next_++);
      }
    }
    succeed(cudaEventRecord(stop, c_.stream), "cudaEventRecord");
    succeed(cudaEventSynchronize(stop), "cudaEventSynchronize");
    float milliseconds = 0;
    succeed(cudaEventElapsedTime(&milliseconds, start, stop), "cudaEventElapsedTime");
    return std::max(1e-3 * static_cast<double>(milliseconds), 1e-9);
  }

 private:
  void capture() {
    // What is made at the first use cannot be made in a capture.
    way_.run(c_.stream, next_++);
    succeed(cudaStreamSynchronize(c_.stream), "cudaStreamSynchronize");
    cudaGraph_t graph = nullptr;
    succeed(cudaStreamBeginCapture(c_.stream, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
    std::string failed;
    try {
      for (std::uint64_t i = 0; i < c_.options.graph_launches; ++i) way_.run(c_.stream, next_++);
    } catch (const std::exception& error) {
      failed = error.what();
    }
    const cudaError_t ended = cudaStreamEndCapture(c_.stream, &graph);
    if (ended == cudaSuccess && failed.empty()) {
      const cudaError_t made = cudaGraphInstantiate(&graph_, graph, 0);
      cudaGraphDestroy(graph);
      succeed(made, "cudaGraphInstantiate");
      return;
    }
    if (graph != nullptr) cudaGraphDestroy(graph);
    cudaGetLastError();
    if (!failed.empty()) throw std::runtime_error("in a graph: " + failed);
    succeed(ended, "cudaStreamEndCapture");
  }

  const context& c_;
  const way& way_;
  cudaGraphExec_t graph_ = nullptr;
  std::uint64_t next_ = 0;
};

class event {
 public:
  event() { succeed(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~event() { cudaEventDestroy(event_); }
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace

const char* name_of(role r) {
  switch (r) {
    case role::ours:
      return "rivus";
    case role::ceiling:
      return "ceiling";
    case role::curand_generate:
      return "cuRAND host API";
    case role::curand_seed:
      return "cuRAND host API, seeded each time";
    case role::curand_create:
      return "cuRAND host API, created each time";
    case role::curand_loop:
      return "cuRAND in a kernel";
    case role::other:
      return "other";
  }
  return "";
}

void arena::repeat(std::size_t period) const {
  for (std::size_t done = period; done < size_;) {
    const std::size_t n = std::min(done, size_ - done);
    succeed(cudaMemcpy(memory_.get() + done, memory_.get(), n, cudaMemcpyDeviceToDevice), "cudaMemcpy");
    done += n;
  }
}

std::size_t context::rotation(std::size_t bytes) const { return std::max(2 * bytes, 4 * cache); }

double timing::quantile(double q) const {
  if (seconds.empty()) return std::nan("");
  const double at = q * static_cast<double>(seconds.size() - 1);
  const auto i = static_cast<std::size_t>(at);
  if (i + 1 >= seconds.size()) return seconds.back();
  return seconds[i] + (at - static_cast<double>(i)) * (seconds[i + 1] - seconds[i]);
}

std::vector<timing> measure(const context& c, const group& g, bool graphs, bool with_slow, double budget) {
  const double begin = now();
  const event start, stop;
  std::vector<timing> result(g.ways.size());
  std::vector<std::unique_ptr<launcher>> launchers(g.ways.size());
  for (std::size_t w = 0; w < g.ways.size(); ++w) {
    const way& candidate = g.ways[w];
    if ((graphs && !candidate.capturable) || (candidate.slow && !with_slow)) {
      result[w].left_out = "not measured";
      continue;
    }
    try {
      if (candidate.check) candidate.check();
      auto l = std::make_unique<launcher>(c, candidate, graphs);
      // The first is slower than the others: modules are loaded, memory is mapped.
      l->time(1, start, stop);
      double wanted = 1;
      if (!candidate.slow && c.options.batch_seconds > 0) {
        wanted = c.options.batch_seconds / std::min(l->time(1, start, stop), l->time(1, start, stop));
      }
      const std::uint64_t most = std::max<std::uint64_t>(most_launches / l->runs(), 1);
      result[w].batch =
          std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::min(std::ceil(wanted), 1e6)), 1, most);
      launchers[w] = std::move(l);
    } catch (const std::exception& error) {
      if (candidate.kind == role::ours) throw;
      result[w].left_out = error.what();
      launchers[w] = nullptr;
      cudaGetLastError();
      succeed(cudaStreamSynchronize(c.stream), "cudaStreamSynchronize after an error");
    }
  }
  for (int round = 0; round < c.options.rounds; ++round) {
    if (round >= least_rounds && now() - begin > budget) break;
    for (std::size_t w = 0; w < g.ways.size(); ++w) {
      if (launchers[w] == nullptr || (g.ways[w].slow && round >= least_rounds)) continue;
      const auto runs = static_cast<double>(result[w].batch * launchers[w]->runs());
      result[w].seconds.push_back(launchers[w]->time(result[w].batch, start, stop) / runs);
    }
  }
  for (std::size_t w = 0; w < g.ways.size(); ++w) {
    if (launchers[w] != nullptr) result[w].batch *= launchers[w]->runs();
    std::sort(result[w].seconds.begin(), result[w].seconds.end());
  }
  return result;
}

}  // namespace rivus::device_bench
