package dev.sandglass.engine.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostNameTest {
    @ParameterizedTest
    @CsvSource({
        "example.org,example.org",
        "EXAMPLE.Org,example.org",
        "example.org.,example.org",
        "localhost,localhost",
        "_acme-challenge.example.org,_acme-challenge.example.org",
        "xn--bcher-kva.example,xn--bcher-kva.example",
        "r3---sn-x.example.org,r3---sn-x.example.org",
        "127.0.0.1.example.org,127.0.0.1.example.org",
        "1.2.3.x4,1.2.3.x4",
        "0x7f.example,0x7f.example",
    })
    void hasOneForm(String written, String canonical) {
        assertThat(HostName.parse(written)).contains(new HostName(canonical));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", ".", "..", ".example.org", "example..org", "example.org..", " example.org", "example.org ", "example .org", "exa\tmple.org", "example.org\n",
        "example.org\0", "exam\0ple.org", "\0", "example.org\0.evil.example", "-example.org", "example-.org", "exam/ple.org", "example.org:443", "user@example.org",
        "http://example.org", "*.example.org", "*", "%65xample.org", "example.org?", "example.org#", "example,org", "exam\\ple.org", "example.org\u007f"
    })
    void isNotWhatOnlySomeProgramsTakeForAName(String written) {
        assertThat(HostName.parse(written)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "127.0.0.1", "127.0.0.1.", "127.1", "1.2.3", "2130706433", "0", "017700000001", "0177.0.0.1", "0x7f.1", "0x7f.0x0.0x0.0x1", "0X7F000001", "0x", "1.2.3.0x",
        "1.2.3.4.5", "256.256.256.256", "1.2.3.08", "example.123", "::1", "[::1]", "fe80::1%eth0", "::ffff:127.0.0.1", "[::ffff:7f00:1]", "1::"
    })
    void isNoAddressHoweverItIsWritten(String written) {
        assertThat(HostName.parse(written)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "b\u00fccher.example", "\u212aernel.org", "git\u0130hub.com", "g\u0131thub.com", "\u017fsh.example", "example\u3002org", "example\uff0eorg", "example\uff61org",
        "\uff45xample.org", "exam\u00adple.org", "exam\u200bple.org", "\u202eexample.org", "e\u0301xample.org", "\ud835\udd04.example", "\ud800.example", "\u0661.example",
        "example.\u0661\u0662", "\ufb01le.example", "\u2460.example", "stra\u00dfe.example"
    })
    void hasNoLettersThatAreFoldedDifferentlyElsewhere(String written) {
        assertThat(HostName.parse(written)).isEmpty();
    }

    @Test
    void isBoundedWithAndWithoutTheDotAtItsEnd() {
        String label = "a".repeat(63);
        String longest = label + "." + label + "." + label + "." + "b".repeat(61);
        assertThat(longest).hasSize(253);
        assertThat(HostName.parse(longest)).isPresent();
        assertThat(HostName.parse(longest + ".")).contains(new HostName(longest));
        assertThat(HostName.parse(longest + "b")).isEmpty();
        assertThat(HostName.parse(longest + "..")).isEmpty();
        assertThat(HostName.parse("a" + label)).isEmpty();
        assertThat(HostName.parse("a.".repeat(1 << 20))).isEmpty();
    }

    @Test
    void isMadeOfACanonicalTextOnlyAndTheErrorDoesNotRepeatIt() {
        for (String text : new String[] {"Example.org", "example.org.", "\u212a", "\0", "1.2.3.4", ""}) {
            assertThatThrownBy(() -> new HostName(text)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("expected: a canonical name");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "a.example.org,example.org,true",
        "a.b.example.org,example.org,true",
        "example.org,example.org,false",
        "anexample.org,example.org,false",
        "org,example.org,false",
        "example.org.evil.example,example.org,false",
    })
    void isBelowAnotherOnlyAtADot(String name, String parent, boolean below) {
        assertThat(new HostName(name).isBelow(new HostName(parent))).isEqualTo(below);
    }
}
