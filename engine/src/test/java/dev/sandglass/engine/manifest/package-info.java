/** What a manifest says, and what no manifest says. */
@NullMarked
package dev.sandglass.engine.manifest;

import org.jspecify.annotations.NullMarked;
