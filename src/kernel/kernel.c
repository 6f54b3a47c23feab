/*
 * Which loops there are, and the state of the processor they need.
 */
#include "kernel.h"
#include "row.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

extern const kernel kernel_scalar;
#ifdef KERNEL_X86
extern const kernel kernel_avx2, kernel_avx512;
#endif

int32_t kernel_integer(float v)
{
    return one_integer(v);
}

static int has_avx2(void)
{
#ifdef KERNEL_X86
    return __builtin_cpu_supports("avx2");
#else
    return 0;
#endif
}

static int has_avx512(void)
{
#ifdef KERNEL_X86
    return __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl");
#else
    return 0;
#endif
}

const kernel *kernel_get(kernel_isa isa)
{
    if (isa == KERNEL_AUTO)
        isa = has_avx512() ? KERNEL_AVX512
              : has_avx2() ? KERNEL_AVX2
                           : KERNEL_SCALAR;
    if (isa == KERNEL_SCALAR)
        return &kernel_scalar;
#ifdef KERNEL_X86
    if (isa == KERNEL_AVX2 && has_avx2())
        return &kernel_avx2;
    if (isa == KERNEL_AVX512 && has_avx512())
        return &kernel_avx512;
#endif
    return NULL;
}

/* All exceptions masked, to nearest, denormals kept: what IEEE has. */
kernel_mode kernel_enter(void)
{
    kernel_mode before;
#if defined(__x86_64__)
    before.control = _mm_getcsr();
    _mm_setcsr(0x1f80);
#else
    fegetenv(&before.all);
    fesetenv(FE_DFL_ENV);
#endif
    return before;
}

void kernel_leave(kernel_mode before)
{
#if defined(__x86_64__)
    _mm_setcsr(before.control);
#else
    fesetenv(&before.all);
#endif
}
