/**
 * The Connect protocol as E2B clients speak it: JSON only, unary calls and streams from the server. A stream is a sequence of
 * envelopes in an answer of status 200 ({@code ServerStream}), the last of which tells how it ended; what is no such end broke off.
 */
@NullMarked
package dev.sandglass.server.e2b.connect;

import org.jspecify.annotations.NullMarked;
