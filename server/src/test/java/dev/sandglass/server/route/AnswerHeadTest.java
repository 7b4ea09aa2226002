package dev.sandglass.server.route;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpVersion;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a program names is where its client finds it, whatever path the route puts in the place of another. */
class AnswerHeadTest {
    private static List<String> seen(Pass pass, String name, String value) {
        HttpFields.Mutable answer = HttpFields.build();
        new AnswerHead(HttpVersion.HTTP_1_1, 200, HttpFields.build().add(name, value)).copyTo(answer, pass, false);
        return answer.stream().map(HttpField::getValue).toList();
    }

    @ParameterizedTest
    @CsvSource({
        ",,/login,/login,/box/web/login",
        "/api,,/api/login,/api/login,/box/web/api/login",
        "/api,/,/login?next=/,/api/login?next=/,/box/web/api/login?next=/",
        "/api,/,/,/api/,/box/web/api/",
        "/api,/,/api/login,/api/login,/box/web/api/api/login",
        "/api,/,/box/web/api/login,/api/box/web/api/login,/box/web/api/login",
        "/v1,/inner,/inner/x,/v1/x,/box/web/v1/x",
        "/v1,/inner,/elsewhere,/elsewhere,/box/web/elsewhere",
        "/,/app,/app//evil.example,/.//evil.example,/box/web//evil.example",
        "/api,/,//other.example/x,//other.example/x,//other.example/x",
        "/api,/,https://other.example/x,https://other.example/x,https://other.example/x",
        "/api,/,next,next,next"
    })
    void redirectsStayBehindTheRoute(@Nullable String prefix, @Nullable String rewrite, String said, String byHost, String byPath) {
        for (String header : List.of("Location", "Content-Location")) {
            assertThat(seen(Passes.byHost(prefix, rewrite), header, said)).containsExactly(byHost);
            assertThat(seen(Passes.byPath(prefix, rewrite), header, said)).containsExactly(byPath);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "Refresh|0; url=/other/|0; url=/api/other/|0; url=/box/web/api/other/",
        "refresh|5;URL=\"/other\"|5;URL=\"/api/other\"|5;URL=\"/box/web/api/other\"",
        "Refresh|5|5|5",
        "Refresh|0; url=https://other.example/|0; url=https://other.example/|0; url=https://other.example/",
        "Link|</a.css>; rel=preload, <b.js>; rel=preload, </c>; rel=next|</api/a.css>; rel=preload, <b.js>; rel=preload, </api/c>; rel=next|"
                + "</box/web/api/a.css>; rel=preload, <b.js>; rel=preload, </box/web/api/c>; rel=next"
    })
    void soDoOtherAddresses(String header, String said, String byHost, String byPath) {
        assertThat(seen(Passes.byHost("/api", "/"), header, said)).containsExactly(byHost);
        assertThat(seen(Passes.byPath("/api", "/"), header, said)).containsExactly(byPath);
        assertThat(seen(Passes.byHost(null, null), header, said)).containsExactly(said);
    }

    @ParameterizedTest
    @CsvSource({
        "a=1,a=1,a=1; Path=/box/web/api",
        "a=1; Path=/,a=1; Path=/api,a=1; Path=/box/web/api",
        "a=1; Path=/deep; Secure,a=1; Secure; Path=/api/deep,a=1; Secure; Path=/box/web/api/deep",
        "a=1; Path=//deep,a=1; Path=/api,a=1; Path=/box/web/api"
    })
    void cookiesComeBackToWhoSetThem(String said, String byHost, String byPath) {
        assertThat(seen(Passes.byHost("/api", "/"), "Set-Cookie", said)).containsExactly(byHost);
        assertThat(seen(Passes.byPath("/api", "/"), "Set-Cookie", said)).containsExactly(byPath);
    }

    @Test
    void theProgramIsToldWhatStandsBeforeItsPaths() {
        assertThat(Passes.byHost(null, null).prefix()).isEmpty();
        assertThat(Passes.byHost("/api", null).prefix()).as("it sees the prefix itself").isEmpty();
        assertThat(Passes.byHost("/api", "/").prefix()).isEqualTo("/api");
        assertThat(Passes.byPath("/api", "/").prefix()).isEqualTo("/box/web/api");
        assertThat(Passes.byPath("/api", null).prefix()).isEqualTo("/box/web");
    }
}
