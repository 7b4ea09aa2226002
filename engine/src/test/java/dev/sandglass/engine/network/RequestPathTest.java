package dev.sandglass.engine.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.SandglassException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestPathTest {
    @ParameterizedTest
    @CsvSource({
        "/,/,/",
        "/v1/models,/v1/models,/v1/models",
        "/v1/models?a=../b,/v1/models,/v1/models",
        "/%76%31/a%2db,/v1/a-b,/v1/a-b",
        "/@scope%2fname,/@scope%2Fname,/@scope/name",
        "/a%252fb,/a%252fb,/a/b",
        "/a%25%32%66b,/a%252fb,/a/b",
        "/a//b/,/a//b/,/a/b/",
        "/a///,/a///,/a/",
        "/a;x=1/b;y,/a;x=1/b;y,/a/b",
        "/a\\b,/a\\b,/a/b",
        "/caf%c3%a9,/caf%C3%A9,/caf%C3%A9",
        "/100%25,/100%25,/100%",
        "/.git/...,/.git/...,/.git/...",
    })
    void hasAPlainReadingAndALooseOne(String target, String plain, String loose) {
        RequestPath path = RequestPath.parse(target).orElseThrow();
        assertThat(path.plain()).isEqualTo(plain);
        assertThat(path.loose()).isEqualTo(loose);
        assertThat(RequestPath.parse(plain)).as("the plain reading parses to itself").contains(path);
        assertThat(RequestPath.parse(plain).orElseThrow().loose()).as("and is as loose").isEqualTo(loose);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "v1", "*", "//", "//a", "//x/admin", "///admin", "//x/admin?a", "http://example.org/", "?a", "/.", "/..", "/a/../b", "/a/./b", "/a/..", "/%2e%2e/b", "/%2E./b", "/a/..%2fb", "/a%2f../b", "/a/%252e%252e/b", "/a/..;x/b", "/a\\..\\b",
        "/a/..%5cb", "/%25%32e./b", "/a b", "/a\tb", "/a\0b", "/a%00b", "/a%0ab", "/a%2500b", "/a%7fb", "/%", "/%2", "/%zz", "/%u002e", "/\u00e9", "/a#b", "/%c0%ae%c0%ae/b", "/%25c0%25ae/b", "/\uff0e\uff0e/b"
    })
    void isRefusedWhereServersReadItDifferently(String target) {
        assertThat(RequestPath.parse(target)).isEmpty();
    }

    @Test
    void isBounded() {
        assertThat(RequestPath.parse("/" + "a".repeat(8191))).isPresent();
        assertThat(RequestPath.parse("/" + "a".repeat(8192))).isEmpty();
        assertThat(RequestPath.parse("/" + "%25".repeat(2700))).isPresent();
    }

    @ParameterizedTest
    @CsvSource({
        "/v1/*,/v1/models,true",
        "/v1/*,/v1/,true",
        "/v1/*,/v1/a/b/c,true",
        "/v1/*,/v1,false",
        "/v1/*,/v10/a,false",
        "/v1,/v1,true",
        "/v1,/v1/,false",
        "/v1,/V1,false",
        "/*,/,true",
        "/*/b,/a/b,true",
        "/*/b,/a/b/b,true",
        "/*/b,/a/bb,false",
        "/a*b*c,/aXbXbXc,true",
        "/a*b*c,/aXbXbX,false",
        "/a**,/a,true",
        "/a.c,/abc,false",
    })
    void isMatchedByPatterns(String pattern, String target, boolean matches) {
        RequestPath path = RequestPath.parse(target).orElseThrow();
        assertThat(PathPattern.parse(pattern).matchesPlain(path)).isEqualTo(matches);
        assertThat(PathPattern.parse(pattern).matchesLoose(path)).isEqualTo(matches);
    }

    @ParameterizedTest
    @CsvSource({
        "/admin%2fusers,false,true",
        "/;x/admin/users,false,true",
        "/admin;x/users,false,true",
        "/%61dmin/users,true,true",
        "/admin%252fusers,false,true",
        "/public,false,false",
    })
    void isDeniedInOneReadingAndAllowedInBoth(String target, boolean allowed, boolean denied) {
        assertThat(matches("allow example.org /admin/*", target)).isEqualTo(allowed ? Match.YES : Match.NO);
        assertThat(matches("deny example.org /admin/*", target)).isEqualTo(denied ? Match.YES : Match.NO);
    }

    @Test
    void isNotAllowedByWhatAServerCutsOff() {
        assertThat(matches("allow example.org /*.json", "/list.json")).isEqualTo(Match.YES);
        assertThat(matches("allow example.org /*.json", "/secret;.json")).isEqualTo(Match.NO);
        assertThat(matches("deny example.org /*.json", "/list;.json")).isEqualTo(Match.YES);
    }

    @Test
    void withASlashThatIsEscapedIsAllowedWhenWrittenSo() {
        assertThat(matches("allow example.org /@scope%2fname", "/@scope%2Fname")).isEqualTo(Match.YES);
        assertThat(matches("allow example.org /@scope%2fname", "/@scope/name")).isEqualTo(Match.NO);
        assertThat(matches("deny example.org /@scope%2fname", "/@scope/name")).isEqualTo(Match.YES);
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1", "", "/a/../b", "/a?b", "/a b", "/\u00e9"})
    void patternsAreOfPathsThatCanBe(String text) {
        assertThatThrownBy(() -> PathPattern.parse(text)).isInstanceOf(SandglassException.class).hasMessageContaining("expected: a path like /v1/*");
    }

    @ParameterizedTest
    @ValueSource(strings = {"get", "Get", "", "GE T", "GET\0", "1GET", "\u212aEEP", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})
    void comesWithAMethodThatCanBeReadInOneWay(String method) {
        assertThat(Request.parse(method, "/")).isEmpty();
        assertThat(Request.parse("GET", "/")).isPresent();
    }

    private static Match matches(String rule, String target) {
        Attempt attempt = Attempt.to(new HostName("example.org")).speaking(Protocol.TLS).asking(Request.parse("GET", target).orElseThrow());
        return Rule.parse(rule).match(attempt);
    }
}
