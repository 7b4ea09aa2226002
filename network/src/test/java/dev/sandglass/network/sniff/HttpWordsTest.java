package dev.sandglass.network.sniff;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.network.HostName;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that begins with HTTP, or with something that is neither that nor TLS. */
class HttpWordsTest {
    private static final FirstWords NEED_MORE = new FirstWords.NeedMore();
    private static final FirstWords OTHER = new FirstWords.Other();
    private static final String GET = "GET /path?query HTTP/1.1\r\nHost: Example.com:8080\r\nAccept: */*\r\n\r\n";

    @Test
    void namesTheHostTheMethodAndTheTarget() {
        assertThat(read(GET)).isEqualTo(http(named("example.com", 8080), "GET", "/path?query"));
        assertThat(read("POST /a HTTP/1.1\r\nhost:example.com.\r\nContent-Length: 3\r\n\r\nabc")).isEqualTo(http(named("example.com"), "POST", "/a"));
        assertThat(read("M-SEARCH * HTTP/1.1\r\nHost: example.com\r\n\r\n")).isInstanceOf(FirstWords.Malformed.class);
        assertThat(read("PROPFIND /x HTTP/1.1\r\nHost: example.com\r\n\r\n")).isEqualTo(http(named("example.com"), "PROPFIND", "/x"));
        assertThat(read("OPTIONS * HTTP/1.1\r\nHost: example.com\r\n\r\n")).isEqualTo(http(named("example.com"), "OPTIONS", "*"));
    }

    @Test
    void namesAnAddressInsteadOfAHost() {
        assertThat(read(withHost("192.0.2.1"))).isEqualTo(http(numbered("192.0.2.1", OptionalInt.empty()), "GET", "/"));
        assertThat(read(withHost("[2001:DB8::1]:81"))).isEqualTo(http(numbered("2001:db8::1", OptionalInt.of(81)), "GET", "/"));
    }

    @Test
    void needsNoHostInTheVersionThatHadNone() {
        assertThat(read("GET / HTTP/1.0\r\n\r\n")).isEqualTo(new FirstWords.Http(Optional.empty(), "GET", "/"));
        assertThat(read("GET / HTTP/1.0\r\nHost: example.com\r\n\r\n")).isEqualTo(http(named("example.com"), "GET", "/"));
    }

    @Test
    void readsATargetWithAHostThatAgreesWithTheOther() {
        String target = "http://EXAMPLE.com:80/path";
        assertThat(read("GET " + target + " HTTP/1.1\r\nHost: example.com\r\n\r\n")).isEqualTo(http(named("example.com", 80), "GET", target));
        assertThat(read("GET http://example.com HTTP/1.0\r\n\r\n")).isEqualTo(http(named("example.com"), "GET", "http://example.com"));
        assertThat(read("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n"))
                .isEqualTo(http(named("example.com", 443), "CONNECT", "example.com:443"));
        assertThat(read("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n"))
                .isEqualTo(http(named("example.com", 443), "CONNECT", "example.com:443"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET http://example.org/ HTTP/1.1\r\nHost: example.com\r\n\r\n",
                "GET http://example.com:81/ HTTP/1.1\r\nHost: example.com\r\n\r\n",
                "GET http://example.com@example.org/ HTTP/1.1\r\nHost: example.com\r\n\r\n",
                "GET http://example.com#@example.org/ HTTP/1.1\r\nHost: example.com\r\n\r\n",
                "GET http://example.com\\@example.org/ HTTP/1.1\r\nHost: example.com\r\n\r\n",
                "GET http:///path HTTP/1.1\r\nHost: example.com\r\n\r\n",
                "GET https://example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n",
                "GET ftp://example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n",
                "GET path HTTP/1.1\r\nHost: example.com\r\n\r\n",
                "GET * HTTP/1.1\r\nHost: example.com\r\n\r\n",
                "CONNECT example.org:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n",
                "CONNECT example.com HTTP/1.1\r\nHost: example.com\r\n\r\n",
                "CONNECT /path HTTP/1.1\r\nHost: example.com\r\n\r\n",
            })
    void refusesATargetThatSaysSomethingElseThanHost(String head) {
        assertThat(read(head)).isInstanceOf(FirstWords.Malformed.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", ".", "127.1", "0x7f.0.0.1", "0177.0.0.1", "2130706433", "256.0.0.1", "1.2.3.4.", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[fe80::1%25eth0]",
                "[::1", "::1", "[]", "a..b", "example.com:", "example.com:0", "example.com:65536", "example.com:+80", "example.com:8 0", "user@example.com",
                "example.com/path", "example.com, example.org", "b\u00fccher.example", "*.example.com", "example.com\0", "example.com..", "http://example.com"
            })
    void refusesAHostThatIsNone(String host) {
        assertThat(read(withHost(host))).isInstanceOf(FirstWords.Malformed.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: example.com\r\nHost: example.com\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: example.com\r\nHost: example.org\r\n\r\n",
                "GET / HTTP/1.0\r\nHost: example.com\r\nHost: example.org\r\n\r\n",
                "GET / HTTP/1.1\r\n Host: example.org\r\nHost: example.com\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: example.com\r\nX: a\r\n b\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: example.com\r\n\tb\r\n\r\n",
                "GET / HTTP/1.1\r\nHost : example.com\r\n\r\n",
                "GET / HTTP/1.1\r\nHost\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: example.com\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: example.com\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: example.com\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: example.com\r\nContent-Length: +1\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: example.com\r\nTransfer-Encoding: chunked, identity\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: example.com\r\nTransfer-Encoding: xchunked\r\n\r\n",
                "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: example.com\r\nX: a\rHost: example.org\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: example.com\r\nX: a\0b\r\n\r\n",
                "GET / HTTP/1.1\nHost: example.com\n\n",
                "GET / HTTP/1.1\r\nHost: example.com\n\r\n",
                "GET  / HTTP/1.1\r\nHost: example.com\r\n\r\n",
                "GET\t/ HTTP/1.1\r\nHost: example.com\r\n\r\n",
                "GET /  HTTP/1.1\r\nHost: example.com\r\n\r\n",
                "GET / HTTP/1.1 \r\nHost: example.com\r\n\r\n",
                "GET / http/1.1\r\nHost: example.com\r\n\r\n",
                "GET / HTTP/1.2\r\nHost: example.com\r\n\r\n",
                "GET / HTTP/2.0\r\nHost: example.com\r\n\r\n",
                "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n",
                "GET /\u00e4 HTTP/1.1\r\nHost: example.com\r\n\r\n",
                "GET /\0 HTTP/1.1\r\nHost: example.com\r\n\r\n",
                "GET /\r\n",
                "\r\nGET / HTTP/1.1\r\nHost: example.com\r\n\r\n",
                "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\nGET / HTTP/1.1\r\nHost: example.com\r\n\r\n"
            })
    void refusesWhatTwoServersWouldReadDifferently(String head) {
        assertThat(read(head)).isInstanceOf(FirstWords.Malformed.class);
    }

    @Test
    void needsMoreAsLongAsTheHeadIsNotWhole() {
        for (int length = 0; length < GET.length(); length++) {
            assertThat(read(GET.substring(0, length))).as("%s bytes", length).isEqualTo(NEED_MORE);
        }
    }

    @Test
    void refusesAHeadThatIsTooLong() {
        String begin = "GET / HTTP/1.1\r\nHost: example.com\r\nX: ";
        String end = "\r\n\r\n";
        int room = FirstWords.ENOUGH - begin.length() - end.length();
        assertThat(read(begin + "a".repeat(room) + end + "body")).isEqualTo(http(named("example.com"), "GET", "/"));
        assertThat(read(begin + "a".repeat(room + 1) + end)).isInstanceOf(FirstWords.Malformed.class);
        assertThat(read(begin + "a".repeat(FirstWords.ENOUGH))).isInstanceOf(FirstWords.Malformed.class);
        assertThat(read("GET /" + "a".repeat(FirstWords.ENOUGH))).isInstanceOf(FirstWords.Malformed.class);
        assertThat(read("\r\n".repeat(FirstWords.ENOUGH))).isInstanceOf(FirstWords.Malformed.class);
    }

    @Test
    void knowsHttp2WithoutTls() {
        String preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
        for (int length = 0; length < preface.length(); length++) {
            assertThat(read(preface.substring(0, length))).isEqualTo(NEED_MORE);
        }
        assertThat(read(preface + "\0\0\0\4")).isEqualTo(new FirstWords.Http2Clear());
    }

    @Test
    void knowsSsh() {
        assertThat(read("S")).isEqualTo(NEED_MORE);
        assertThat(read("SSH")).isEqualTo(NEED_MORE);
        assertThat(read("SSH-2.0-OpenSSH_9.2\r\n")).isEqualTo(new FirstWords.Ssh());
    }

    @Test
    void takesForSomethingElseWhatCannotBecomeAnyOfThese() {
        for (String words : List.of(
                "\0",
                "\u0080",
                "(",
                "PING\r\n",
                "*1\r\n$4\r\nPING\r\n",
                "EHLO example.com\r\n",
                "USER name\r\n",
                "hello, world",
                "SSH 2\r\n",
                "\r\n\r\nhello\r\n",
                "A".repeat(8193),
                "A b c" + "d".repeat(8192),
                "git-upload-pack /project\0host=example.com\0",
                "\u0013BitTorrent protocol")) {
            assertThat(read(words)).as(words).isEqualTo(OTHER);
        }
    }

    @Test
    void needsMoreOfWhatMayStillBecomeOneOfThese() {
        for (String words : List.of("", "P", "PING", "EHLO example.com", "\r\n", "\r\nGET", "SSHX", "GET / HTTP/1.", "foo bar HTTP/1.1\r", "A".repeat(33), "FOO  ", "FOO /x h", "USER name and more")) {
            assertThat(read(words)).as(words).isEqualTo(NEED_MORE);
        }
    }

    /** Who sends a line in pieces chooses where they end, and some server forgives each of these. */
    @Test
    void isNotTalkedIntoSomethingElseByAPiece() {
        for (String line : List.of("PROPFIND  /x HTTP/1.1\r\n", "FOO  /x HTTP/1.1\r\n", "FOO /x http/1.1\r\n", "FOO\t/x HTTP/1.1\r\n", "FOO /\u00e9 HTTP/1.1\r\n", "A".repeat(40) + "  /x HTTP/1.1\r\n")) {
            for (int length = 1; length < line.length(); length++) {
                assertThat(read(line.substring(0, length))).as(line.substring(0, length)).isNotEqualTo(OTHER);
            }
            assertThat(read(line)).as(line).isInstanceOf(FirstWords.Malformed.class);
        }
    }

    @Test
    void survivesEveryChangeOfARequest() {
        List<String> heads = List.of(
                GET,
                "GET http://example.com/a HTTP/1.1\r\nHost: example.com\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                "SSH-2.0-x\r\n");
        byte[] often = "\r\n \t:/@[]%\0HTP1".getBytes(StandardCharsets.ISO_8859_1);
        Random random = new Random(9);
        for (int round = 0; round < 30_000; round++) {
            byte[] head = heads.get(random.nextInt(heads.size())).getBytes(StandardCharsets.ISO_8859_1);
            byte[] changed = Arrays.copyOf(head, random.nextInt(4) == 0 ? random.nextInt(head.length * 2) : head.length);
            for (int changes = random.nextInt(5); changes >= 0 && changed.length > 0; changes--) {
                byte value = random.nextBoolean() ? often[random.nextInt(often.length)] : (byte) random.nextInt(256);
                changed[random.nextInt(changed.length)] = value;
            }
            FirstWords words = FirstWords.read(ByteBuffer.wrap(changed));
            if (words instanceof FirstWords.Http(Optional<Authority> host, _, String target)) {
                assertThat(target).matches("[!-~]+");
                assertThat(host.isPresent() || new String(changed, StandardCharsets.ISO_8859_1).contains("HTTP/1.0")).isTrue();
            }
        }
    }

    private static FirstWords read(String words) {
        return FirstWords.read(ByteBuffer.wrap(words.getBytes(StandardCharsets.ISO_8859_1)));
    }

    private static String withHost(String host) {
        return "GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
    }

    private static FirstWords http(Authority host, String method, String target) {
        return new FirstWords.Http(Optional.of(host), method, target);
    }

    private static Authority named(String name) {
        return new Authority.Named(new HostName(name), OptionalInt.empty());
    }

    private static Authority named(String name, int port) {
        return new Authority.Named(new HostName(name), OptionalInt.of(port));
    }

    private static Authority numbered(String address, OptionalInt port) {
        return new Authority.Numbered(InetAddress.ofLiteral(address), port);
    }
}
