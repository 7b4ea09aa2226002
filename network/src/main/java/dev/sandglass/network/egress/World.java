package dev.sandglass.network.egress;

import dev.sandglass.engine.network.ReservedAddresses;
import dev.sandglass.network.dns.Upstream;
import dev.sandglass.network.intercept.Interception;
import java.time.Duration;

/**
 * What all gateways share: the way to the world, and what of it is closed to every sandbox.
 *
 * @param silence for how long a client may say nothing before it is taken for one that waits for the server to speak first
 */
public record World(Dialer dialer, Upstream upstream, ReservedAddresses reserved, Capacity capacity, Interception interception, Duration silence) {}
