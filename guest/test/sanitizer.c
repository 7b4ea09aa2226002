/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled into checked binaries: commands start with an environment of their own, so options cannot come from there. Leaks are not
 * looked for: most processes here end by _exit, and looking needs ptrace. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "detect_leaks=0";
}
