/** Statistics and their looks; no engine runs here. */
@NullMarked
package dev.sandglass.bench.report;

import org.jspecify.annotations.NullMarked;
