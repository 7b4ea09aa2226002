package dev.sandglass.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.network.Cidr;
import dev.sandglass.engine.network.DottedQuad;
import dev.sandglass.engine.network.Endpoint;
import dev.sandglass.engine.network.HostName;
import dev.sandglass.engine.network.RegistryKind;
import dev.sandglass.engine.network.ReservedAddresses;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The doctor says when sandboxes do not reach a registry of the host, and what opens it. */
class RegistryChecksTest {
    private static Finding finding(String address, String... opened) {
        ReservedAddresses reserved = new ReservedAddresses(() -> Set.of(DottedQuad.parse("10.20.0.1").orElseThrow()), List.of(opened).stream().map(Cidr::parse).toList());
        Endpoint mirror = new Endpoint(HostName.parse("mirror.example.org").orElseThrow(), 443);
        return RegistryChecks.finding(RegistryKind.PIP, Set.of(mirror), reserved, _ -> List.of(DottedQuad.parse(address).orElseThrow()));
    }

    @Test
    void aMirrorAtAPrivateAddressIsNamedWithTheSettingThatOpensIt() {
        Finding closed = finding("10.20.0.5");
        assertThat(closed.verdict()).isEqualTo("warn");
        assertThat(closed.detail()).contains("mirror.example.org is at 10.20.0.5 (private)");
        assertThat(closed.remedy()).contains("network_private: 10.20.0.5");
        assertThat(finding("10.20.0.5", "10.20.0.0/16").verdict()).isEqualTo("pass");
        assertThat(finding("203.0.113.5").verdict()).isEqualTo("pass");
    }

    @Test
    void oneThatNoSettingOpensIsSaidToBeThat() {
        assertThat(finding("127.0.0.1", "10.20.0.0/16").remedy()).startsWith("No setting opens it");
        assertThat(finding("10.20.0.1", "10.20.0.0/16").remedy()).startsWith("No setting opens it");
    }
}
