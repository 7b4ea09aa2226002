/** What was measured, and how it is shown. */
@NullMarked
package dev.sandglass.bench.report;

import org.jspecify.annotations.NullMarked;
