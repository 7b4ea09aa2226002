package dev.sandglass.network.dns;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.network.HostName;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Opcode;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** What a sandbox hears when it asks for a name. */
class NameServerTest {
    private static final HostName ALLOWED = new HostName("example.com");
    private final List<HostName> judged = new CopyOnWriteArrayList<>();
    private final Resolved resolved = new Resolved();
    private PlayedResolver resolver;

    @BeforeEach
    void start() throws Exception {
        String[] many = IntStream.range(0, 40).mapToObj(each -> "many.example.com 60 A 198.51.100." + each).toArray(String[]::new);
        String[] others = {
            "example.com 60 A 192.0.2.1",
            "example.com 60 A 10.0.0.5",
            "private.example.com 60 A 10.0.0.5",
            "text.example.com 60 TXT text",
            "_service.example.com 60 A 192.0.2.2",
            "forbidden.example.org 60 A 192.0.2.3"
        };
        resolver = PlayedResolver.start((query, overTcp) -> switch (query.getQuestion().getName().toString(true)) {
            case "broken.example.com" -> List.of(PlayedResolver.answer(query, Rcode.SERVFAIL, List.of()));
            case "many.example.com" -> new Zone(many).answer(query, overTcp);
            default -> new Zone(others).answer(query, overTcp);
        });
    }

    @AfterEach
    void stop() {
        resolver.close();
    }

    @Test
    void tellsTheAddressesOfANameThatIsAllowed() throws Exception {
        Message answer = ask("example.com", Type.A);
        assertThat(answer.getRcode()).isEqualTo(Rcode.NOERROR);
        assertThat(addresses(answer)).containsExactly("192.0.2.1");
        assertThat(answer.getSection(Section.ANSWER)).allSatisfy(each -> assertThat(each.getTTL()).isBetween(1L, 60L));
        assertThat(answer.getHeader().getFlag(Flags.QR)).isTrue();
        assertThat(answer.getHeader().getFlag(Flags.RA)).isTrue();
        assertThat(answer.getHeader().getFlag(Flags.RD)).isTrue();
        assertThat(answer.getHeader().getFlag(Flags.AA)).isFalse();
    }

    @Test
    void remembersWhatTheSandboxWasTold() throws Exception {
        ask("Example.com", Type.A);
        assertThat(resolved.names(address("192.0.2.1"))).containsExactly(ALLOWED);
        assertThat(resolved.names(address("10.0.0.5"))).isEmpty();
    }

    @Test
    void asksNobodyForANameThatIsForbidden() throws Exception {
        for (int type : new int[] {Type.A, Type.AAAA, Type.TXT, Type.HTTPS}) {
            assertThat(ask("secret-in-a-name.forbidden.example.org", type).getRcode()).isEqualTo(Rcode.REFUSED);
        }
        assertThat(resolver.asked()).isEmpty();
        assertThat(judged).hasSize(4).containsOnly(new HostName("secret-in-a-name.forbidden.example.org"));
    }

    @Test
    void saysWithoutAskingThatAnAllowedNameHasNothingButAddresses() throws Exception {
        for (int type : new int[] {Type.AAAA, Type.HTTPS, Type.SVCB, Type.TXT, Type.MX, Type.PTR, Type.ANY, Type.AXFR, Type.NULL, 65280}) {
            Message answer = ask("example.com", type);
            assertThat(answer.getRcode()).as(Type.string(type)).isEqualTo(Rcode.NOERROR);
            assertThat(answer.getSection(Section.ANSWER)).isEmpty();
            assertThat(answer.getSection(Section.AUTHORITY)).isEmpty();
        }
        assertThat(resolver.asked()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ".",
                "1.2.3.4.",
                "0x7f.1.",
                "a\\.example.com.",
                "\\000.example.com.",
                "ex\\097mple\\000.com.",
                "\\195\\164.example.com.",
                "*.example.com.",
                "a b.example.com.",
                "-a.example.com."
            })
    void refusesWhatIsNoNameOfAHost(String name) throws Exception {
        Message query = query(name, Type.A);
        assertThat(new Message(server(_ -> true).answer(query.toWire(), false).orElseThrow()).getRcode()).isEqualTo(Rcode.REFUSED);
        assertThat(judged).isEmpty();
        assertThat(resolver.asked()).isEmpty();
    }

    @Test
    void leavesOutWhatMayNeverBeReached() throws Exception {
        Message answer = ask("private.example.com", Type.A);
        assertThat(answer.getRcode()).isEqualTo(Rcode.NOERROR);
        assertThat(answer.getSection(Section.ANSWER)).isEmpty();
    }

    @Test
    void passesOnThatThereIsNothing() throws Exception {
        assertThat(ask("missing.example.com", Type.A).getRcode()).isEqualTo(Rcode.NXDOMAIN);
        assertThat(ask("broken.example.com", Type.A).getRcode()).isEqualTo(Rcode.SERVFAIL);
        Message empty = ask("text.example.com", Type.A);
        assertThat(empty.getRcode()).isEqualTo(Rcode.NOERROR);
        assertThat(empty.getSection(Section.ANSWER)).isEmpty();
    }

    @Test
    void writesTheNameAsItWasAsked() throws Exception {
        Message answer = ask("eXaMpLe.CoM", Type.A);
        assertThat(answer.getQuestion().getName()).hasToString("eXaMpLe.CoM.");
        assertThat(answer.getSection(Section.ANSWER).getFirst().getName()).hasToString("eXaMpLe.CoM.");
        assertThat(judged).containsExactly(ALLOWED);
        assertThat(resolver.asked()).extracting(PlayedResolver.Asked::name).containsExactly("example.com");
    }

    @Test
    void saysInADatagramThatTheAnswerIsLongerThanIt() throws Exception {
        byte[] query = query("many.example.com.", Type.A).toWire();
        NameServer server = server(_ -> true);
        byte[] cut = server.answer(query, false).orElseThrow();
        assertThat(cut).hasSizeLessThanOrEqualTo(512);
        assertThat(new Message(cut).getHeader().getFlag(Flags.TC)).isTrue();
        Message whole = new Message(server.answer(query, true).orElseThrow());
        assertThat(whole.getHeader().getFlag(Flags.TC)).isFalse();
        assertThat(addresses(whole)).hasSize(40);
    }

    @Test
    void usesTheSizeThatTheClientOffers() throws Exception {
        Message large = query("many.example.com.", Type.A);
        large.addRecord(new OPTRecord(1232, 0, 0, 0x8000), Section.ADDITIONAL);
        Message answer = new Message(server(_ -> true).answer(large.toWire(), false).orElseThrow());
        assertThat(addresses(answer)).hasSize(40);
        assertThat(answer.getOPT().getPayloadSize()).isEqualTo(1232);
        assertThat(answer.getOPT().getFlags()).isEqualTo(0x8000);

        Message tiny = query("many.example.com.", Type.A);
        tiny.addRecord(new OPTRecord(1, 0, 0), Section.ADDITIONAL);
        byte[] bytes = server(_ -> true).answer(tiny.toWire(), false).orElseThrow();
        assertThat(bytes).hasSizeLessThanOrEqualTo(512);
        assertThat(new Message(bytes).getHeader().getFlag(Flags.TC)).isTrue();
        assertThat(new Message(bytes).getOPT()).isNotNull();
    }

    @Test
    void addsAnExtensionOnlyWhereTheQuestionHasOne() throws Exception {
        assertThat(ask("example.com", Type.A).getOPT()).isNull();
    }

    @Test
    void refusesAVersionOfTheExtensionThatIsNotThereYet() throws Exception {
        Message query = query("example.com.", Type.A);
        query.addRecord(new OPTRecord(1232, 0, 1), Section.ADDITIONAL);
        Message answer = new Message(server(_ -> true).answer(query.toWire(), false).orElseThrow());
        assertThat(answer.getRcode()).isEqualTo(Rcode.BADVERS);
        assertThat(resolver.asked()).isEmpty();
    }

    @Test
    void answersOneQuestionOfOneKind() throws Exception {
        Message two = query("example.com.", Type.A);
        two.addRecord(question("example.com.", Type.A, DClass.IN), Section.QUESTION);
        Message none = new Message(7);
        Message twice = query("example.com.", Type.A);
        twice.addRecord(new OPTRecord(1232, 0, 0), Section.ADDITIONAL);
        twice.addRecord(new OPTRecord(1232, 0, 0), Section.ADDITIONAL);
        Message answered = query("example.com.", Type.A);
        answered.addRecord(new ARecord(Name.fromString("example.com."), DClass.IN, 1, address("192.0.2.1")), Section.ANSWER);
        for (Message query : List.of(two, none, twice, answered)) {
            assertThat(rcode(query)).as(query.toString()).isEqualTo(Rcode.FORMERR);
        }
        for (int opcode : new int[] {Opcode.IQUERY, Opcode.STATUS, Opcode.NOTIFY, Opcode.UPDATE}) {
            Message other = query("example.com.", Type.A);
            other.getHeader().setOpcode(opcode);
            assertThat(rcode(other)).isEqualTo(Rcode.NOTIMP);
        }
        for (int other : new int[] {DClass.CHAOS, DClass.HESIOD, DClass.ANY}) {
            Message query = new Message(7);
            query.addRecord(question("example.com.", Type.A, other), Section.QUESTION);
            assertThat(rcode(query)).isEqualTo(Rcode.REFUSED);
        }
        assertThat(resolver.asked()).isEmpty();
    }

    @Test
    void saysNothingToWhatIsNoQuestion() {
        Message answer = PlayedResolver.answer(query("example.com.", Type.A), Rcode.NOERROR, List.of());
        assertThat(server(_ -> true).answer(answer.toWire(), false)).isEmpty();
        assertThat(server(_ -> true).answer(new byte[0], false)).isEmpty();
        assertThat(server(_ -> true).answer(new byte[11], true)).isEmpty();
    }

    @Test
    void survivesEveryChangeOfAQuestionAndAsksForNothingElse() throws Exception {
        Random random = new Random(5);
        Message query = query("example.com.", Type.A);
        query.addRecord(new OPTRecord(1232, 0, 0), Section.ADDITIONAL);
        byte[] whole = query.toWire();
        NameServer server = server(Set.of(ALLOWED)::contains);
        for (int round = 0; round < 20_000; round++) {
            byte[] changed = Arrays.copyOf(whole, random.nextInt(4) == 0 ? random.nextInt(whole.length + 20) : whole.length);
            for (int changes = random.nextInt(4); changes >= 0 && changed.length > 0; changes--) {
                changed[random.nextInt(changed.length)] = (byte) random.nextInt(256);
            }
            Optional<byte[]> answer = server.answer(changed, random.nextBoolean());
            if (answer.isPresent()) {
                assertThat(new Message(answer.get()).getHeader().getFlag(Flags.QR)).isTrue();
            }
        }
        assertThat(resolver.asked()).extracting(PlayedResolver.Asked::name).containsOnly("example.com");
    }

    private int rcode(Message query) throws Exception {
        return new Message(server(_ -> true).answer(query.toWire(), false).orElseThrow()).getRcode();
    }

    private Message ask(String name, int type) throws Exception {
        NameServer server = server(each -> each.equals(ALLOWED) || each.isBelow(ALLOWED));
        Message query = query(name + ".", type);
        Message answer = new Message(server.answer(query.toWire(), false).orElseThrow());
        assertThat(answer.getHeader().getID()).isEqualTo(query.getHeader().getID());
        return answer;
    }

    private NameServer server(Predicate<HostName> isAllowed) {
        Predicate<HostName> kept = name -> {
            judged.add(name);
            return isAllowed.test(name);
        };
        Upstream upstream = new Upstream(() -> List.of(resolver.address()), Sockets.PLAIN);
        return new NameServer(kept, upstream::resolve, each -> !each.isSiteLocalAddress(), resolved);
    }

    private static Message query(String name, int type) {
        return Message.newQuery(question(name, type, DClass.IN));
    }

    private static Record question(String name, int type, int dclass) {
        return Record.newRecord(Name.fromConstantString(name), type, dclass);
    }

    private static List<String> addresses(Message answer) {
        return answer.getSection(Section.ANSWER).stream().map(Record::rdataToString).toList();
    }

    private static Inet4Address address(String text) {
        return (Inet4Address) InetAddress.ofLiteral(text);
    }
}
