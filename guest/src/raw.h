/* SPDX-License-Identifier: Apache-2.0 */
/* System calls without libc: no errno, which a child that shares the agent's memory would write under the agent's feet, and no wrapper
 * that means all threads of a program when it says `self`. The result is the kernel's: a negative errno when it failed. */
#ifndef RAW_H
#define RAW_H

#include <sys/syscall.h>

#if defined(__x86_64__)

static inline long raw_call(long number, long a, long b, long c, long d, long e) {
    long result;
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = e;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth)
                     : "rcx", "r11", "memory");
    return result;
}

#elif defined(__aarch64__)

static inline long raw_call(long number, long a, long b, long c, long d, long e) {
    register long which __asm__("x8") = number;
    register long first __asm__("x0") = a;
    register long second __asm__("x1") = b;
    register long third __asm__("x2") = c;
    register long fourth __asm__("x3") = d;
    register long fifth __asm__("x4") = e;
    __asm__ volatile("svc 0" : "+r"(first) : "r"(which), "r"(second), "r"(third), "r"(fourth), "r"(fifth) : "memory");
    return first;
}

#else
#error "raw system calls are written for x86-64 and arm64 only"
#endif

#define RAW_ARGUMENT(value) ((long)(value))
#define raw5(number, a, b, c, d, e) \
    raw_call(number, RAW_ARGUMENT(a), RAW_ARGUMENT(b), RAW_ARGUMENT(c), RAW_ARGUMENT(d), RAW_ARGUMENT(e))
#define raw4(number, a, b, c, d) raw5(number, a, b, c, d, 0)
#define raw3(number, a, b, c) raw5(number, a, b, c, 0, 0)
#define raw2(number, a, b) raw5(number, a, b, 0, 0, 0)
#define raw1(number, a) raw5(number, a, 0, 0, 0, 0)

#endif
