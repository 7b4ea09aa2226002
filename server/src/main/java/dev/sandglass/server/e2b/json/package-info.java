/** What E2B clients send and get, field by field as they know it. Stateless. */
@NullMarked
package dev.sandglass.server.e2b.json;

import org.jspecify.annotations.NullMarked;
