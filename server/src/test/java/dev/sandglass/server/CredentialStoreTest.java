package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.credential.BaseUrl;
import dev.sandglass.engine.credential.Credential;
import dev.sandglass.engine.credential.Credentials;
import dev.sandglass.engine.credential.Secret;
import dev.sandglass.engine.ledger.CredentialRecord;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.network.Attempt;
import dev.sandglass.engine.network.HostName;
import dev.sandglass.engine.network.Protocol;
import dev.sandglass.engine.network.Request;
import dev.sandglass.ledger.SqliteLedger;
import dev.sandglass.wire.CreateCredential;
import dev.sandglass.wire.CredentialBudget;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.RotateCredential;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Values are kept so that only the key opens them, and belong to the requests that were named with them. */
class CredentialStoreTest {
    private static final String VALUE = "tell-nobody-7f3a91";
    private static final Set<String> ALL = Set.of("api");

    @TempDir
    private Path directory;

    private Ledger ledger;
    private Credentials credentials;

    @BeforeEach
    void open() {
        ledger = SqliteLedger.open(directory.resolve("ledger.db"));
        credentials = Credentials.open(ledger, key());
    }

    @AfterEach
    void close() {
        ledger.close();
    }

    private void again() {
        close();
        open();
    }

    private Path key() {
        return directory.resolve("credentials.key");
    }

    private static CreateCredential bearer(String name, String value) {
        return of(name, value, null, null, "api.example.org");
    }

    private static CreateCredential of(String name, String value, @Nullable String kind, @Nullable String detail, String host) {
        return new CreateCredential(
                name, value, kind,
                "header".equals(kind) ? detail : null, "basic".equals(kind) ? detail : null, "query".equals(kind) ? detail : null, "placeholder".equals(kind) ? detail : null,
                host, null, null, null, null, null, null, null);
    }

    private static CreateCredential preset(@Nullable String preset, @Nullable String host, @Nullable String base) {
        return new CreateCredential("model", VALUE, null, null, null, null, null, host, null, null, null, null, preset, base, new CredentialBudget(10L, null));
    }

    private String value(String name) {
        return new String(credentials.secret(credentials.get(name)).bytes(), StandardCharsets.UTF_8);
    }

    @Test
    void aValueIsInNoFileAsItIsAndComesBackAfterARestart() throws IOException {
        credentials.create(bearer("api", VALUE));
        assertThat(value("api")).isEqualTo(VALUE);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key()))).isEqualTo("rw-------");
        assertThatNoFileHas(VALUE);
        again();
        assertThat(value("api")).isEqualTo(VALUE);
        assertThatNoFileHas(VALUE);
    }

    /** As it is, and as the ledger would write it if it were not sealed. */
    private void assertThatNoFileHas(String value) throws IOException {
        String encoded = Base64.getEncoder().withoutPadding().encodeToString(value.getBytes(StandardCharsets.UTF_8));
        try (Stream<Path> files = Files.walk(directory)) {
            List<Path> regular = files.filter(Files::isRegularFile).toList();
            assertThat(regular).extracting(file -> file.getFileName().toString()).contains("ledger.db", "credentials.key");
            for (Path file : regular) {
                assertThat(Files.readString(file, StandardCharsets.ISO_8859_1)).as(file.toString()).doesNotContain(value, encoded);
            }
        }
    }

    @Test
    void nothingThatPrintsASecretShowsIt() {
        Credential credential = credentials.create(bearer("api", VALUE));
        Secret secret = credentials.secret(credential);
        assertThat(secret).hasToString("***").hasSameHashCodeAs(credentials.secret(credential)).isEqualTo(credentials.secret(credential));
        assertThat(credential.toString() + credential.toWire() + bearer("api", VALUE) + new RotateCredential(VALUE)).doesNotContain(VALUE);
        byte[] copy = secret.bytes();
        copy[0] = 0;
        assertThat(value("api")).as("what was given out is a copy").isEqualTo(VALUE);
    }

    @Test
    void theSameValueIsSealedAnewEachTime() {
        Set<String> sealed = new HashSet<>();
        credentials.create(bearer("api", VALUE));
        for (int i = 0; i < 20; i++) {
            credentials.rotate("api", new RotateCredential(VALUE));
            sealed.add(ledger.credentials().all().getFirst().sealed().substring(0, 16)); // the nonce
        }
        assertThat(sealed).hasSize(20);
    }

    @Test
    void afterARotationTheNextRequestGetsTheNewValue() {
        Credential before = credentials.create(bearer("api", VALUE));
        Credential after = credentials.rotate("api", new RotateCredential("another-9c1"));
        assertThat(after.createdAt()).isEqualTo(before.createdAt());
        assertThat(after.rotatedAt()).isAfterOrEqualTo(before.rotatedAt());
        assertThat(new String(credentials.secret(before).bytes(), StandardCharsets.UTF_8)).as("also for who found it before").isEqualTo("another-9c1");
        again();
        assertThat(value("api")).isEqualTo("another-9c1");
        refused(ErrorCode.CREDENTIAL_NOT_FOUND, () -> credentials.rotate("other", new RotateCredential(VALUE)));
    }

    @Test
    void whoFoundOneGetsNotTheValueOfAnotherOfItsName() {
        Credential found = credentials.create(bearer("api", VALUE));
        credentials.remove("api", _ -> {});
        refused(ErrorCode.CREDENTIAL_NOT_FOUND, () -> credentials.secret(found));
        credentials.create(of("api", "for-somebody-else", null, null, "other.example.org"));
        refused(ErrorCode.CREDENTIAL_NOT_FOUND, () -> credentials.secret(found));
    }

    @Test
    void aKeyThatIsGoneIsNotReplaced() throws IOException {
        credentials.create(bearer("api", VALUE));
        Path away = Files.move(key(), directory.resolve("away"));
        refused(ErrorCode.STORAGE_FAILED, () -> credentials.create(bearer("second", VALUE)));
        again();
        assertThat(credentials.list()).as("what may be shown is shown").hasSize(1);
        SandglassException refusal = refused(ErrorCode.STORAGE_FAILED, () -> value("api"));
        assertThat(refusal.what()).contains(key().toString(), "is not there");
        refused(ErrorCode.STORAGE_FAILED, () -> credentials.create(bearer("second", VALUE)));
        refused(ErrorCode.STORAGE_FAILED, () -> credentials.rotate("api", new RotateCredential(VALUE)));
        assertThat(key()).doesNotExist();
        Files.move(away, key());
        assertThat(value("api")).isEqualTo(VALUE);
    }

    @Test
    void whenAllCredentialsAreGoneANewKeyIsMade() throws IOException {
        credentials.create(bearer("api", VALUE));
        Files.delete(key());
        again();
        credentials.remove("api", _ -> {});
        credentials.create(bearer("api", VALUE));
        again();
        assertThat(value("api")).isEqualTo(VALUE);
    }

    @Test
    void anotherKeyOpensNothingAndSealsNothing() throws IOException {
        credentials.create(bearer("api", VALUE));
        Files.writeString(key(), "0123456789abcdef".repeat(4) + "\n");
        again();
        assertThat(refused(ErrorCode.STORAGE_FAILED, () -> value("api")).what()).contains("is not the one");
        refused(ErrorCode.STORAGE_FAILED, () -> credentials.create(bearer("second", VALUE)));
        refused(ErrorCode.STORAGE_FAILED, () -> credentials.rotate("api", new RotateCredential(VALUE)));
        Files.writeString(key(), "nonsense\n");
        refused(ErrorCode.STORAGE_FAILED, () -> value("api"));
    }

    @Test
    void aKeyThatOthersMayReadIsNotUsed() throws IOException {
        credentials.create(bearer("api", VALUE));
        Files.setPosixFilePermissions(key(), PosixFilePermissions.fromString("rw-r-----"));
        again();
        assertThat(refused(ErrorCode.STORAGE_FAILED, () -> value("api")).what()).contains("rw-r-----");
    }

    @Test
    void rowsThatAreSwappedOrChangedDoNotOpen() {
        credentials.create(bearer("api", VALUE));
        credentials.create(of("other", "not-for-api", "header", "X-Api-Key", "other.example.org"));
        credentials.create(bearer("third", "stays"));
        CredentialRecord api = row("api");
        CredentialRecord other = row("other");
        ledger.credentials().replace(new CredentialRecord("api", api.description(), other.sealed()));
        ledger.credentials().replace(new CredentialRecord("other", other.description().replace("other.example.org", "evil.example.org"), other.sealed()));
        again();
        assertThat(refused(ErrorCode.STORAGE_FAILED, () -> value("api")).what()).doesNotContain("not-for-api");
        refused(ErrorCode.STORAGE_FAILED, () -> value("other"));
        assertThat(value("third")).isEqualTo("stays");

        ledger.credentials().replace(new CredentialRecord("api", other.description(), other.sealed()));
        ledger.credentials().replace(new CredentialRecord("other", "{\"name\"", other.sealed()));
        again();
        assertThat(credentials.list()).as("those that are damaged are as good as not there").extracting(Credential::name).containsExactly("third");
        credentials.remove("api", _ -> {});
    }

    private CredentialRecord row(String name) {
        return ledger.credentials().all().stream().filter(row -> row.name().equals(name)).findFirst().orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "two\nlines", "\r", "nu\0l", "tab\t", "\u001b[2J", "\u007f", "\u0085", "b\u00fccher", " in front", "behind "})
    void whatCannotStandInAHeaderIsRefusedWithoutBeingShown(String value) {
        for (String kind : List.of("bearer", "placeholder")) {
            SandglassException refusal = refused(ErrorCode.INVALID_REQUEST, () -> credentials.create(of("api", value, kind, "PLACEHOLDER-1", "api.example.org")));
            assertThat(value.isEmpty() || !(refusal.what() + refusal.hint()).contains(value)).isTrue();
        }
        assertThat(credentials.list()).isEmpty();
        assertThat(key()).doesNotExist();
    }

    @Test
    void aValueHasItsBound() {
        credentials.create(bearer("api", "x".repeat(Secret.LONGEST)));
        assertThat(value("api")).hasSize(Secret.LONGEST);
        SandglassException refusal = refused(ErrorCode.INVALID_REQUEST, () -> credentials.rotate("api", new RotateCredential("x".repeat(Secret.LONGEST + 1))));
        assertThat(refusal.what()).contains("16385 bytes").doesNotContain("xx");
        credentials.create(of("b\u00fccher".replace("\u00fc", "ue"), "b\u00fccher", "basic", "somebody", "api.example.org"));
        refused(ErrorCode.INVALID_REQUEST, () -> credentials.create(of("query", "\u00fc".repeat(Secret.LONGEST / 2 + 1), "query", "key", "api.example.org")));
        refused(ErrorCode.INVALID_REQUEST, () -> credentials.create(of("query", "half \ud83d", "query", "key", "api.example.org")));
    }

    @ParameterizedTest
    @CsvSource({
        "header, Content-Length", "header, HOST", "header, 'a b'", "header, ''", "header,", "basic, 'a:b'", "basic,", "query, 'a=b'", "query,", "placeholder, short", "placeholder,", "cookie, x"
    })
    void kindsAreHeldToWhatARequestCanCarry(String kind, @Nullable String detail) {
        refused(ErrorCode.INVALID_REQUEST, () -> credentials.create(of("api", VALUE, kind, detail, "api.example.org")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "@npm", "203.0.113.7", "203.0.113.0/24", "api.example.org:443", "https://api.example.org", "", "*.*.org"})
    void onlyANameIsADestination(String host) {
        refused(ErrorCode.INVALID_REQUEST, () -> credentials.create(of("api", VALUE, null, null, host)));
    }

    @Test
    void aBaseUrlMayBeAnywhereAndHasOnePath() {
        BaseUrl local = credentials.create(preset("anthropic", null, "https://127.0.0.1:4000/team/a/")).baseUrl().orElseThrow();
        assertThat(local).isEqualTo(new BaseUrl("https://127.0.0.1:4000/team/a/", false, "127.0.0.1", 4000, "/team/a"));
        credentials.remove("model", _ -> {});
        assertThat(credentials.create(preset("openai", null, "https://models.example.org/v1")).servedBelow()).as("as its own clients write it").isEqualTo("/v1");
        credentials.remove("model", _ -> {});
        assertThat(credentials.create(preset("generic", null, "https://models.example.org/api/v2")).servedBelow()).as("it is called there by itself").isEqualTo("/api/v2");
        credentials.remove("model", _ -> {});
        for (String odd : List.of("https://models.example.org/a/../b", "https://models.example.org/%2e%2e/", "https://[::1]/", "https://127.1/", "ftp://models.example.org", "https://models.example.org/?a=b", "models.example.org")) {
            refused(ErrorCode.INVALID_REQUEST, () -> credentials.create(preset("anthropic", null, odd)));
        }
        refused(ErrorCode.INVALID_REQUEST, () -> credentials.create(preset("generic", null, "https://127.0.0.1:4000/v1"))); // no sandbox can call that
    }

    @Test
    void programsFindAPlaceholderAndWhereTheModelIs() {
        credentials.create(preset("anthropic", null, "https://models.example.org/v1"));
        assertThat(credentials.variables(Set.of("model"))).isEqualTo(Map.of("ANTHROPIC_API_KEY", "sandglass-adds-the-key-on-the-way"));
        assertThat(credentials.variables(Set.of("api"))).isEmpty();
        credentials.remove("model", _ -> {});
        credentials.create(preset("openai", "models.internal", "https://models.example.org/v1"));
        assertThat(credentials.variables(Set.of("model"))).containsEntry("OPENAI_BASE_URL", "https://models.internal/v1");
        assertThat(credentials.leadElsewhere(Set.of("model"), new HostName("models.internal"))).isTrue();
        assertThat(credentials.leadElsewhere(Set.of("model"), new HostName("models.example.org"))).isFalse();
        credentials.remove("model", _ -> {});
        credentials.create(preset("generic", "models.internal", "https://models.example.org/v1"));
        assertThat(credentials.variables(Set.of("model"))).isEmpty();
    }

    @Test
    void presetsTellKindAndHost() {
        Credential model = credentials.create(preset("anthropic", null, null));
        assertThat(List.of(model.toWire().kind(), String.valueOf(model.toWire().header()), model.toWire().host())).containsExactly("header", "x-api-key", "api.anthropic.com");
        again();
        assertThat(credentials.get("model")).isEqualTo(model);
        credentials.remove("model", _ -> {});
        assertThat(credentials.create(preset("openai", null, "https://models.example.org:8443/v1")).toWire().host()).isEqualTo("api.openai.com");
        credentials.remove("model", _ -> {});
        Credential generic = credentials.create(preset("generic", null, "https://models.example.org:8443/v1"));
        assertThat(generic.toWire().host() + ":" + generic.toWire().port()).isEqualTo("models.example.org:8443");
        credentials.remove("model", _ -> {});
        refused(ErrorCode.INVALID_REQUEST, () -> credentials.create(preset("generic", null, null)));
        refused(ErrorCode.INVALID_REQUEST, () -> credentials.create(preset("generic", null, "http://models.example.org")));
        refused(ErrorCode.INVALID_REQUEST, () -> credentials.create(preset("generic", null, "https://user:word@models.example.org")));
        refused(ErrorCode.INVALID_REQUEST, () -> credentials.create(preset("cohort", "api.example.org", null)));
        refused(ErrorCode.INVALID_REQUEST, () -> credentials.create(preset(null, null, null)));
    }

    private static Attempt request(String host, int port, Protocol protocol, String method, String path) {
        return connection(host, port, protocol).asking(Request.parse(method, path).orElseThrow());
    }

    private static Attempt connection(String host, int port, Protocol protocol) {
        return Attempt.to(new HostName(host)).on(port).speaking(protocol);
    }

    private boolean gets(Attempt attempt) {
        return !credentials.matching(ALL, attempt).isEmpty();
    }

    @Test
    void itBelongsToTheRequestsThatWereNamedAndToNoOthers() {
        credentials.create(new CreateCredential(
                "api", VALUE, null, null, null, null, null, "*.example.org", 8443, List.of("/v1/*"), List.of("GET", "POST"), null, null, null, null));
        assertThat(gets(request("api.example.org", 8443, Protocol.TLS, "GET", "/v1/models?x=1"))).isTrue();
        assertThat(gets(request("example.org", 8443, Protocol.TLS, "GET", "/v1/models"))).as("the name itself").isFalse();
        assertThat(gets(request("api.example.com", 8443, Protocol.TLS, "GET", "/v1/models"))).isFalse();
        assertThat(gets(request("api.example.org", 443, Protocol.TLS, "GET", "/v1/models"))).isFalse();
        assertThat(gets(request("api.example.org", 8443, Protocol.TLS, "PUT", "/v1/models"))).isFalse();
        assertThat(gets(request("api.example.org", 8443, Protocol.TLS, "GET", "/v2/models"))).isFalse();
        assertThat(gets(request("api.example.org", 8443, Protocol.TLS, "GET", "/v1%2fmodels"))).as("read in one of two ways").isFalse();
        assertThat(gets(request("api.example.org", 8443, Protocol.HTTP, "GET", "/v1/models"))).as("not encrypted").isFalse();
        assertThat(gets(connection("api.example.org", 8443, Protocol.TLS))).as("no request yet").isFalse();
        assertThat(credentials.matching(Set.of(), request("api.example.org", 8443, Protocol.TLS, "GET", "/v1/models"))).as("not granted").isEmpty();

        assertThat(credentials.concern(ALL, connection("api.example.org", 8443, Protocol.TLS))).isTrue();
        assertThat(credentials.concern(ALL, connection("api.example.org", 8443, Protocol.HTTP))).isFalse();
        assertThat(credentials.concern(ALL, connection("api.example.com", 8443, Protocol.TLS))).isFalse();
        assertThat(credentials.concern(Set.of(), connection("api.example.org", 8443, Protocol.TLS))).isFalse();
    }

    @Test
    void itGoesOverPlainHttpOnlyIfThatWasSaid() {
        credentials.create(new CreateCredential("api", VALUE, null, null, null, null, null, "api.example.org", 80, null, null, true, null, null, null));
        assertThat(gets(request("api.example.org", 80, Protocol.HTTP, "GET", "/"))).isTrue();
        assertThat(gets(request("api.example.org", 80, Protocol.TLS, "GET", "/"))).isTrue();
    }
}
