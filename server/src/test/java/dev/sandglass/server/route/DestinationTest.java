package dev.sandglass.server.route;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What host names and paths mean, before anybody has looked whether that is there. */
class DestinationTest {
    @ParameterizedTest
    @CsvSource({
        "8080-heron,8080,heron", "1-a-b-8000-c,1,a-b-8000-c", "80-sbx,80,sbx", "80-sbx2isrswqdhj1,80,sbx2isrswqdhj1", "80-sbx2isrswqdhj180,80,sbx2isrswqdhj180", "80-sbx2isrswqdhj1-,80,sbx2isrswqdhj1-"
    })
    void whatIsBehindTheFirstDashIsAName(String label, int port, String name) {
        assertThat(Destination.ofHost(label, "/x")).isEqualTo(new Destination.Port(name, port, "/x"));
    }

    @Test
    void whatLooksLikeAnIdIsNoName() {
        assertThat(Destination.ofHost("8080-sbx2isrswqdhj18", "/")).isEqualTo(new Destination.Port("sbx-2isrswqdhj18", 8080, "/"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"heron", "0-heron", "70000-heron", "80-", "80--x", "80-a.b", "80-a_b"})
    void othersLeadNowhere(String label) {
        assertThat(Destination.ofHost(label, "/")).isEqualTo(new Destination.Nowhere());
    }
}
