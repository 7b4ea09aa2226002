package dev.sandglass.network.dns;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file in which a host names its resolvers. */
class HostResolversTest {
    @TempDir
    Path directory;

    @Test
    void namesTheResolversAndNothingElse() throws Exception {
        Path file = Files.writeString(
                directory.resolve("resolv.conf"),
                """
                # nameserver 192.0.2.9
                search example.com
                options edns0 trust-ad
                nameserver 192.0.2.1
                  nameserver\t2001:db8::1   # a second one
                nameserver
                nameserver some.name.example
                nameserver 127.0.0.53
                nameserver 192.0.2.4
                """);
        assertThat(new HostResolvers(file).get())
                .extracting(each -> each.getAddress().getHostAddress() + " " + each.getPort())
                .containsExactly("192.0.2.1 53", "2001:db8:0:0:0:0:0:1 53", "127.0.0.53 53");
    }

    @Test
    void seesThatTheFileHasChanged() throws Exception {
        Path file = directory.resolve("resolv.conf");
        HostResolvers resolvers = new HostResolvers(file);
        assertThat(resolvers.get()).isEmpty();
        Files.writeString(file, "nameserver 192.0.2.1\n");
        assertThat(resolvers.get()).hasSize(1);
    }
}
