@NullMarked
package dev.sandglass.ledger;

import org.jspecify.annotations.NullMarked;
