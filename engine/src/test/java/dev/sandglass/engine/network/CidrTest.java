package dev.sandglass.engine.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.net.Inet4Address;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CidrTest {
    @ParameterizedTest
    @CsvSource({
        "203.0.113.0/24,203.0.113.0/24",
        "203.0.113.7,203.0.113.7",
        "203.0.113.7/32,203.0.113.7",
        "0.0.0.0/0,0.0.0.0/0",
        "128.0.0.0/1,128.0.0.0/1",
        "255.255.255.254/31,255.255.255.254/31",
    })
    void isWrittenInOneWay(String written, String canonical) {
        assertThat(Cidr.parse(written)).hasToString(canonical).isEqualTo(Cidr.parse(canonical));
    }

    @ParameterizedTest
    @CsvSource({
        "203.0.113.0/24,203.0.113.0,true",
        "203.0.113.0/24,203.0.113.255,true",
        "203.0.113.0/24,203.0.114.0,false",
        "203.0.113.0/24,203.0.112.255,false",
        "0.0.0.0/0,255.255.255.255,true",
        "128.0.0.0/1,127.255.255.255,false",
        "128.0.0.0/1,200.1.2.3,true",
        "203.0.113.7,203.0.113.7,true",
        "203.0.113.7,203.0.113.6,false",
    })
    void containsWhatHasItsPrefix(String network, String address, boolean contains) {
        assertThat(Cidr.parse(network).contains(address(address))).isEqualTo(contains);
        assertThat(Cidr.parse(network).contains(Cidr.of(address(address)))).isEqualTo(contains);
    }

    @Test
    void containsNetworksThatAreWhollyInIt() {
        assertThat(Cidr.parse("203.0.113.0/24").contains(Cidr.parse("203.0.113.128/25"))).isTrue();
        assertThat(Cidr.parse("203.0.113.0/24").contains(Cidr.parse("203.0.112.0/23"))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "1.2.3", "1.2.3.4.5", "127.1", "2130706433", "0177.0.0.1", "0x7f.0.0.1", "01.2.3.4", "1.2.3.256", "1.2.3.-4", "1.2.3.+4", "1.2.3.4.", ".1.2.3.4", "1..2.3", " 1.2.3.4",
        "1.2.3.4 ", "1.2.3.4\0", "1.2.3.\u0664", "::1", "::ffff:1.2.3.4", "1.2.3.4294967297", "1.2.3.99999999999999999999", "/8", "a.b.c.d"
    })
    void hasNoOtherSpellings(String text) {
        assertThat(DottedQuad.parse(text)).isEmpty();
        assertThatThrownBy(() -> Cidr.parse(text))
                .isInstanceOfSatisfying(SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
                .hasMessageContaining("expected: an IPv4 address of four decimal numbers");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.2.3.0/", "1.2.3.0/33", "1.2.3.0/-1", "1.2.3.0/08", "1.2.3.0/255.255.255.0", "1.2.3.0/24/24", "1.2.3.0/ 24", "1.2.3.0/\u0662"})
    void hasAPrefixUpTo32(String text) {
        assertThatThrownBy(() -> Cidr.parse(text)).isInstanceOf(SandglassException.class).hasMessageContaining("expected: 0 to 32");
    }

    @Test
    void thatHasBitsBeyondItsPrefixIsToldTheRightSpelling() {
        assertThatThrownBy(() -> Cidr.parse("203.0.113.7/24"))
                .hasMessage("network: 203.0.113.7/24 (expected: 203.0.113.0/24, or 203.0.113.7 for the one address)");
        assertThatThrownBy(() -> new Cidr(1, 24)).isInstanceOf(IllegalArgumentException.class);
    }

    private static Inet4Address address(String text) {
        return DottedQuad.parse(text).orElseThrow();
    }
}
