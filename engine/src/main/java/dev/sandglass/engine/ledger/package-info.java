/**
 * The Ledger port: what exists and what happened. Every change of a sandbox is written here before it is acted on, so a
 * daemon that starts finds out what an earlier one was about to do.
 */
@NullMarked
package dev.sandglass.engine.ledger;

import org.jspecify.annotations.NullMarked;
