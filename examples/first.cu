#include <cstdio>
#include <rivus/rivus.hpp>

__global__ void draw(rivus::stream s, rivus::normal<float> gauss) {
  std::printf("%08x\n", __float_as_uint(gauss(s, threadIdx.x)));
}

int main() {
  draw<<<1, 4>>>(rivus::stream::from_seed(42)["weights"], rivus::normal<float>{0, 1});
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
