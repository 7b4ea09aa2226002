package dev.sandglass.server.route;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No sandbox makes a browser send something for the cookie of a link, and nothing of that cookie reaches a sandbox. */
class CookiesTest {
    private static final String LINK = "1900000000." + "a".repeat(43);

    @ParameterizedTest
    @ValueSource(strings = {"sandglass_link=x", "sandglass_link =x", " sandglass_link\t= x; Path=/", "=sandglass_link=x", " =sandglass_link=x; HttpOnly", "sandglass_link", "", "; Path=/"})
    void aSandboxSetsNoneThatCouldBeOurs(String cookie) {
        assertThat(Cookies.confined(cookie, Passes.byHost(null, null))).isEqualTo(Optional.empty());
    }

    @Test
    void othersStay() {
        assertThat(Cookies.confined("sandglass_linked=x; Domain=a; Path=/", Passes.byHost(null, null))).contains("sandglass_linked=x; Path=/");
        assertThat(Cookies.withoutOurs("a=b; sandglass_link =" + LINK + "; sandglass_link=y; c")).contains("a=b; c");
    }

    @Test
    void whatIsNoLinkDoesNotCrowdOutOneThatIs() {
        String many = String.join("; ", Collections.nCopies(50, "sandglass_link=x"));
        assertThat(Cookies.links(HttpFields.build().add(HttpHeader.COOKIE, many + "; sandglass_link=" + LINK))).isEqualTo(List.of(LINK));
    }
}
