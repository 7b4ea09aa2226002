/**
 * What the client of a connection says first: which protocol it speaks, and which host it names in it. Nothing here reads from a connection; whoever has its first bytes
 * asks, and asks again when there are more. The bytes are hostile: every look at them is bounded and none of them makes it fail.
 */
@NullMarked
package dev.sandglass.network.sniff;

import org.jspecify.annotations.NullMarked;
