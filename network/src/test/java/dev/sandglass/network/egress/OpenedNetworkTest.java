package dev.sandglass.network.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.engine.network.Cidr;
import dev.sandglass.engine.network.Endpoint;
import dev.sandglass.engine.network.HostName;
import dev.sandglass.engine.network.Journey;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.network.Verdict;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Private addresses that the host's owner opens are reached by policies that name them; all else stays closed. */
class OpenedNetworkTest extends GatewayFixture {
    private static final String MIRROR = "10.20.0.5";
    private static final String NAME = "mirror.example.org";

    @Override
    Outside outside() {
        Outside plain = super.outside();
        return new Outside(plain.namespace(), plain.resolvers(), plain.trusted(), List.of(Cidr.parse("10.20.0.0/16"), Cidr.parse("10.0.0.0/24"), Cidr.parse("100.64.0.0/10")));
    }

    @BeforeEach
    void serve() throws IOException {
        world.name(NAME, MIRROR);
        world.echo(MIRROR, 7, "");
        world.http(MIRROR, 80);
    }

    private void assertClosed(String address) {
        journeys.clear();
        assertThatThrownBy(() -> exchange(address, 7, "hello")).as(address).isInstanceOf(IOException.class);
        assertThat(journeys).extracting(Journey::verdict).doesNotContain(Verdict.ALLOW);
    }

    @Test
    void aRuleThatNamesTheHostOrTheNetworkOpensIt() throws IOException {
        change(allowing("allow mirror.example.org:7"));
        assertThat(resolve(NAME)).containsExactly(MIRROR);
        assertThat(exchange(MIRROR, 7, "hello")).isEqualTo("hello");
        change(allowing("allow *.example.org"));
        assertThat(exchange(MIRROR, 7, "hello")).isEqualTo("hello");
        change(allowing("allow 10.20.0.0/24"));
        assertThat(exchange(MIRROR, 7, "hello")).isEqualTo("hello");
    }

    @Test
    void soDoesARegistryOfTheHostThatIsThere() throws IOException {
        change(Policy.PACKAGE_REGISTRIES.resolved(_ -> Set.of(new Endpoint(HostName.parse(NAME).orElseThrow(), 7))));
        assertThat(resolve(NAME)).containsExactly(MIRROR);
        assertThat(exchange(MIRROR, 7, "hello")).isEqualTo("hello");
    }

    @Test
    void requestsToItAreJudgedOneByOneToo() throws IOException {
        change(allowing("allow mirror.example.org:80 GET /open", "allow *"));
        resolve(NAME);
        String both = exchange(MIRROR, 80, "GET /open HTTP/1.1\r\nHost: " + NAME + "\r\n\r\nGET /secret HTTP/1.1\r\nHost: " + NAME + "\r\nConnection: close\r\n\r\n");
        assertThat(both).contains("GET /open of").contains("403").doesNotContain("GET /secret of");
    }

    @Test
    void whatAllowsEverythingDoesNotOpenIt() throws IOException {
        for (Policy policy : List.of(Policy.OPEN, allowing("allow *"), allowing("allow *:7"))) {
            change(policy);
            resolve(NAME);
            assertClosed(MIRROR);
        }
    }

    @Test
    void aRuleThatDeniesStandsBeforeItAsEver() throws IOException {
        change(allowing("deny *:7", "allow mirror.example.org"));
        resolve(NAME);
        assertClosed(MIRROR);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.20.0.1", "10.21.0.5", "10.0.0.2", "127.0.0.1", "169.254.169.254", "100.100.100.200", "192.168.0.1", "224.0.0.1"})
    void othersStayClosed(String address) {
        change(allowing("allow " + address, "allow 0.0.0.0/0", "allow *"));
        assertClosed(address);
    }

    @Test
    void aNameThatTurnsToAnotherPrivateAddressIsNotFollowed() throws IOException {
        world.name(NAME, "10.21.0.5");
        change(allowing("allow mirror.example.org"));
        assertThat(resolve(NAME)).isEmpty();
    }
}
