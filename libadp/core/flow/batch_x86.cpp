// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// AVX2 form of the batch loops. Compiled for every x86-64 build and entered only where
// the CPU has the instructions.
#include "flow/batch_block.h"
#include "flow/derivation.h"

#if defined(__x86_64__)

#include <immintrin.h>
#if __has_include(<sys/platform/x86.h>) && !defined(__clang__) // it has _Bool, which is C
#include <sys/platform/x86.h>
#endif

namespace adp::flow {

namespace {

// The rest of a job that does not fill a vector.
void tail(const batch_job &job, std::size_t first)
{
    batch_job rest = job;
    rest.in = job.in ? job.in + first : nullptr;
    rest.lqpn = job.lqpn ? job.lqpn + first : nullptr;
    rest.rqpn = job.rqpn ? job.rqpn + first : nullptr;
    rest.labels_out = job.labels_out ? job.labels_out + first : nullptr;
    rest.sports = job.sports ? job.sports + first : nullptr;
    rest.count = job.count - first;
    if (rest.count != 0)
        block_plain(rest);
}

// Eight values at a time.

[[gnu::target("avx2")]] inline __m256i load8(const std::uint32_t *p)
{
    return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p));
}

[[gnu::target("avx2")]] inline __m256i fold64(__m256i v)
{
    v = _mm256_xor_si256(v, _mm256_srli_epi64(v, 20));
    return _mm256_xor_si256(v, _mm256_srli_epi64(v, 40));
}

[[gnu::target("avx2")]] inline __m256i label8(__m256i l, __m256i r)
{
    const __m256i qpn = _mm256_set1_epi32(static_cast<int>(qpn_mask));
    l = _mm256_and_si256(l, qpn);
    r = _mm256_and_si256(r, qpn);
    const __m256i even = fold64(_mm256_mul_epu32(l, r));
    const __m256i odd =
        fold64(_mm256_mul_epu32(_mm256_srli_epi64(l, 32), _mm256_srli_epi64(r, 32)));
    const __m256i all = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
    return _mm256_and_si256(all, _mm256_set1_epi32(static_cast<int>(label_mask)));
}

[[gnu::target("avx2")]] inline __m256i sport8(__m256i label)
{
    const __m256i low = _mm256_and_si256(label, _mm256_set1_epi32(0x3fff));
    const __m256i high = _mm256_and_si256(_mm256_srli_epi32(label, 14), _mm256_set1_epi32(0x3f));
    return _mm256_or_si256(_mm256_xor_si256(low, high), _mm256_set1_epi32(sport_min));
}

// The label of eight flows by whichever rule the job has.
template <bool given, bool hashed>
[[gnu::target("avx2")]] inline __m256i rule8(const batch_job &job, std::size_t i)
{
    __m256i hash{};
    if constexpr (hashed)
        hash = label8(load8(job.lqpn + i), load8(job.rqpn + i));
    if constexpr (!given)
        return hash;
    const __m256i label = load8(job.in + i);
    if constexpr (!hashed)
        return label;
    const __m256i none = _mm256_cmpeq_epi32(label, _mm256_setzero_si256());
    return _mm256_blendv_epi8(label, hash, none);
}

template <bool given, bool hashed> [[gnu::target("avx2")]] void loop_avx2(const batch_job &job)
{
    std::size_t i = 0;
    for (; i + 16 <= job.count; i += 16) {
        const __m256i a = rule8<given, hashed>(job, i);
        const __m256i b = rule8<given, hashed>(job, i + 8);
        if (job.labels_out) {
            _mm256_storeu_si256(reinterpret_cast<__m256i *>(job.labels_out + i), a);
            _mm256_storeu_si256(reinterpret_cast<__m256i *>(job.labels_out + i + 8), b);
        }
        if (job.sports) {
            const __m256i lanes = _mm256_packus_epi32(sport8(a), sport8(b));
            _mm256_storeu_si256(reinterpret_cast<__m256i *>(job.sports + i),
                                _mm256_permute4x64_epi64(lanes, 0xd8));
        }
    }
    tail(job, i);
}

void block_avx2(const batch_job &job)
{
    if (job.in && job.lqpn)
        loop_avx2<true, true>(job);
    else if (job.in)
        loop_avx2<true, false>(job);
    else
        loop_avx2<false, true>(job);
}

// libc has asked the CPU already. The compiler's way asks again at each program's start, and in a virtual
// machine the question goes to the host.
bool has_avx2()
{
#ifdef CPU_FEATURE_ACTIVE
    return CPU_FEATURE_ACTIVE(AVX2);
#else
    return __builtin_cpu_supports("avx2");
#endif
}

} // namespace

batch_block batch_block_avx2()
{
    return has_avx2() ? block_avx2 : nullptr;
}

} // namespace adp::flow

#else

namespace adp::flow {

batch_block batch_block_avx2()
{
    return nullptr;
}

} // namespace adp::flow

#endif
