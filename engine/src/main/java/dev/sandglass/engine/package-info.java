/**
 * The domain of Sandglass. It talks to the world only through its ports (runtime, pool, ledger), which adapters implement,
 * and knows nothing of HTTP, SQL or OCI.
 */
@NullMarked
package dev.sandglass.engine;

import org.jspecify.annotations.NullMarked;
