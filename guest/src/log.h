/* SPDX-License-Identifier: Apache-2.0 */
/* One line on standard error. Never blocks: a line that does not fit is lost. */
#ifndef LOG_H
#define LOG_H

__attribute__((format(printf, 1, 2))) void log_line(const char *format, ...);

#endif
