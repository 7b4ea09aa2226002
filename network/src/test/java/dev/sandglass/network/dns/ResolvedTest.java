package dev.sandglass.network.dns;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.network.HostName;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What a sandbox was told. */
class ResolvedTest {
    private static final HostName NAME = new HostName("example.com");
    private static final HostName OTHER = new HostName("example.org");
    private final AtomicLong clock = new AtomicLong();
    private final Resolved resolved = new Resolved(clock::get);

    @Test
    void knowsEveryNameThatAnAddressStoodFor() {
        resolved.remember(NAME, List.of(address(1), address(2)), Duration.ofSeconds(1));
        resolved.remember(OTHER, List.of(address(2)), Duration.ofSeconds(1));
        assertThat(resolved.names(address(1))).containsExactly(NAME);
        assertThat(resolved.names(address(2))).as("the last before the others").containsExactly(OTHER, NAME);
        assertThat(resolved.names(address(3))).isEmpty();
    }

    @Test
    void knowsANameForFiveMinutesLongerThanItWasGood() {
        resolved.remember(NAME, List.of(address(1)), Duration.ofSeconds(60));
        clock.addAndGet(Duration.ofSeconds(359).toNanos());
        assertThat(resolved.names(address(1))).containsExactly(NAME);
        resolved.remember(OTHER, List.of(address(1)), Duration.ofSeconds(60));
        clock.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(resolved.names(address(1))).containsExactly(OTHER);
    }

    @Test
    void forgetsTheOldestAddressesOfVeryMany() {
        for (int number = 0; number < 1024; number++) {
            resolved.remember(NAME, List.of(address(number)), Duration.ofSeconds(1));
        }
        resolved.remember(NAME, List.of(address(0)), Duration.ofSeconds(1));
        resolved.remember(NAME, List.of(address(1024)), Duration.ofSeconds(1));
        assertThat(resolved.names(address(0))).containsExactly(NAME);
        assertThat(resolved.names(address(1))).isEmpty();
        assertThat(resolved.names(address(2))).containsExactly(NAME);
        assertThat(resolved.names(address(1024))).containsExactly(NAME);
    }

    @Test
    void forgetsTheOldestNamesOfMany() {
        for (int number = 0; number <= 8; number++) {
            resolved.remember(new HostName("n" + number + ".example.com"), List.of(address(1)), Duration.ofSeconds(1));
        }
        assertThat(resolved.names(address(1))).hasSize(8).doesNotContain(new HostName("n0.example.com"));
    }

    private static Inet4Address address(int number) {
        return (Inet4Address) InetAddress.ofLiteral("198.51." + number / 256 + "." + number % 256);
    }
}
