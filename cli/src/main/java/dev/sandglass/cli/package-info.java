/**
 * The command line: one class per verb, and what turns outcomes into text, JSON and exit codes.
 *
 * <p>A verb reads its options, calls the daemon through {@code client} and prints; standard output is data, standard
 * error is messages and progress. Only the verb that was asked for is loaded, because every call starts a new process.
 */
@NullMarked
package dev.sandglass.cli;

import org.jspecify.annotations.NullMarked;
