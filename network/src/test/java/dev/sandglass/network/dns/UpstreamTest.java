package dev.sandglass.network.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandglass.engine.network.HostName;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Section;

/** The resolvers of the host are asked, of which each is one on loopback here. */
class UpstreamTest {
    private static final HostName NAME = new HostName("example.com");
    private static final Duration LONG = Duration.ofMinutes(1);

    private final AtomicLong clock = new AtomicLong();
    private final List<PlayedResolver> resolvers = new ArrayList<>();

    @AfterEach
    void close() {
        resolvers.forEach(PlayedResolver::close);
    }

    @Test
    void tellsTheAddressesOfAName() throws Exception {
        PlayedResolver resolver = resolver(new Zone("example.com 60 A 192.0.2.1", "example.com 30 A 192.0.2.2"));
        assertThat(upstream(LONG, resolver).resolve(NAME)).isEqualTo(found(30, "192.0.2.1", "192.0.2.2"));
        assertThat(resolver.asked()).extracting(PlayedResolver.Asked::name).containsExactly("example.com");
    }

    @Test
    void keepsTheTimeToLiveWithinBounds() throws Exception {
        assertThat(upstream(LONG, resolver(new Zone("example.com 0 A 192.0.2.1"))).resolve(NAME)).isEqualTo(found(1, "192.0.2.1"));
        assertThat(upstream(LONG, resolver(new Zone("example.com 86400 A 192.0.2.1"))).resolve(NAME)).isEqualTo(found(300, "192.0.2.1"));
    }

    @Test
    void tellsANameThatIsNotThereFromOneWithoutAddresses() throws Exception {
        PlayedResolver resolver = resolver(new Zone("example.com 60 TXT text"));
        assertThat(upstream(LONG, resolver).resolve(NAME)).isEqualTo(new Resolution.NoAddresses());
        assertThat(upstream(LONG, resolver).resolve(new HostName("example.org"))).isEqualTo(new Resolution.NoSuchName());
    }

    @Test
    void asksOverTcpForWhatDoesNotFitIntoADatagram() throws Exception {
        String[] lines = IntStream.range(0, 60).mapToObj(each -> "example.com 60 A 192.0.2." + each).toArray(String[]::new);
        PlayedResolver resolver = resolver(new Zone(lines));
        assertThat(upstream(LONG, resolver).resolve(NAME)).isInstanceOfSatisfying(Resolution.Addresses.class, answer -> assertThat(answer.addresses())
                .hasSize(60));
        assertThat(resolver.asked()).extracting(PlayedResolver.Asked::overTcp).containsExactly(false, true);
    }

    @Test
    void takesNoMoreAddressesThanAnybodyNeeds() throws Exception {
        String[] lines = IntStream.range(0, 2000)
                .mapToObj(each -> "example.com 60 A 198.51." + each / 256 + "." + each % 256)
                .toArray(String[]::new);
        assertThat(upstream(LONG, resolver(new Zone(lines))).resolve(NAME)).isInstanceOfSatisfying(Resolution.Addresses.class, answer -> assertThat(
                        answer.addresses())
                .hasSize(64));
    }

    @Test
    void ignoresWhatDoesNotAnswerItsQuestion() throws Exception {
        PlayedResolver resolver = resolver((query, _) -> {
            Message right = new Zone("example.com 60 A 192.0.2.1").answer(query, false).getFirst();
            Message wrongId = new Zone("example.com 60 A 192.0.2.66").answer(query, false).getFirst();
            wrongId.getHeader().setID(query.getHeader().getID() ^ 1);
            Message wrongName = new Zone("example.com 60 A 192.0.2.66").answer(query, false).getFirst();
            wrongName.removeAllRecords(Section.QUESTION);
            wrongName.addRecord(query.getQuestion().withName(new Zone("example.org 1 A 192.0.2.1").records().getFirst().getName()), Section.QUESTION);
            Message noQuestion = new Zone("example.com 60 A 192.0.2.66").answer(query, false).getFirst();
            noQuestion.removeAllRecords(Section.QUESTION);
            Message noAnswer = new Zone("example.com 60 A 192.0.2.66").answer(query, false).getFirst();
            noAnswer.getHeader().unsetFlag(Flags.QR);
            return List.of(wrongId, wrongName, noQuestion, noAnswer, new Message(0), right);
        });
        assertThat(upstream(LONG, resolver).resolve(NAME)).isEqualTo(found(60, "192.0.2.1"));
        assertThat(resolver.asked()).hasSize(1);
    }

    @Test
    void asksTheNextServerWhenOneIsSilent() throws Exception {
        PlayedResolver silent = resolver((_, _) -> List.of());
        PlayedResolver resolver = resolver(new Zone("example.com 60 A 192.0.2.1"));
        assertThat(upstream(Duration.ofSeconds(6), silent, resolver, resolver).resolve(NAME)).isEqualTo(found(60, "192.0.2.1"));
        assertThat(silent.asked()).hasSize(1);
    }

    @Test
    void asksTheNextServerWhenOneIsGoneOrDoesNotKnow() throws Exception {
        PlayedResolver gone = resolver(new Zone());
        gone.close();
        PlayedResolver failing = resolver((query, _) -> List.of(PlayedResolver.answer(query, Rcode.SERVFAIL, List.of())));
        PlayedResolver resolver = resolver(new Zone("example.com 60 A 192.0.2.1"));
        assertThat(upstream(LONG, gone, failing, resolver).resolve(NAME)).isEqualTo(found(60, "192.0.2.1"));
        assertThat(failing.asked()).hasSize(1);
    }

    @Test
    void asksOnceWhoSaysThatItDoesNotKnow() throws Exception {
        PlayedResolver failing = resolver((query, _) -> List.of(PlayedResolver.answer(query, Rcode.REFUSED, List.of())));
        assertThat(upstream(LONG, failing).resolve(NAME)).isEqualTo(new Resolution.Failed("127.0.0.1: REFUSED"));
        assertThat(failing.asked()).hasSize(1);
    }

    @Test
    void givesUpOnAServerThatNeverAnswersOverUdp() throws Exception {
        PlayedResolver silent = resolver((_, _) -> List.of());
        assertThat(upstream(Duration.ofMillis(300), silent).resolve(NAME)).isInstanceOf(Resolution.Failed.class);
        assertThat(silent.asked()).hasSizeBetween(1, 3);
    }

    @Test
    void givesUpOnAServerThatNeverAnswersOverTcp() throws Exception {
        PlayedResolver silent = resolver((query, overTcp) -> {
            Message truncated = PlayedResolver.answer(query, Rcode.NOERROR, List.of());
            truncated.getHeader().setFlag(Flags.TC);
            return overTcp ? List.of() : List.of(truncated);
        });
        assertThat(upstream(Duration.ofMillis(900), silent).resolve(NAME)).isInstanceOf(Resolution.Failed.class);
    }

    @Test
    void failsWhenTheHostNamesNoResolver() {
        assertThat(upstream(LONG).resolve(NAME)).isEqualTo(new Resolution.Failed("the host names no resolver"));
    }

    @Test
    void followsOtherNamesWithinTheAnswer() throws Exception {
        PlayedResolver resolver = resolver(new Zone(
                "b.example.net 60 A 192.0.2.1",
                "unrelated.example.net 60 A 192.0.2.66",
                "a.example.net 20 CNAME b.example.net.",
                "example.com 90 CNAME A.example.NET."));
        assertThat(upstream(LONG, resolver).resolve(NAME)).isEqualTo(found(20, "192.0.2.1"));
        assertThat(resolver.asked()).hasSize(1);
    }

    @Test
    void followsNoNameOutOfTheAnswer() throws Exception {
        PlayedResolver resolver = resolver(new Zone("example.com 60 CNAME a.example.net.", "other.example.net 60 A 192.0.2.66"));
        assertThat(upstream(LONG, resolver).resolve(NAME)).isEqualTo(new Resolution.NoAddresses());
        assertThat(resolver.asked()).hasSize(1);
    }

    @Test
    void followsNoNamesInACircle() throws Exception {
        PlayedResolver resolver = resolver(new Zone("example.com 60 CNAME a.example.net.", "a.example.net 60 CNAME example.com."));
        assertThat(upstream(LONG, resolver).resolve(NAME)).isInstanceOf(Resolution.Failed.class);
    }

    @Test
    void remembersAnAnswerForAsLongAsItIsGood() throws Exception {
        PlayedResolver resolver = resolver(new Zone("example.com 60 A 192.0.2.1"));
        Upstream upstream = upstream(LONG, resolver);
        upstream.resolve(NAME);
        clock.addAndGet(Duration.ofSeconds(45).toNanos());
        assertThat(upstream.resolve(NAME)).isEqualTo(found(15, "192.0.2.1"));
        assertThat(resolver.asked()).hasSize(1);
        clock.addAndGet(Duration.ofSeconds(15).toNanos());
        assertThat(upstream.resolve(NAME)).isEqualTo(found(60, "192.0.2.1"));
        assertThat(resolver.asked()).hasSize(2);
    }

    @Test
    void remembersForAMomentThatThereIsNothing() throws Exception {
        PlayedResolver resolver = resolver(new Zone());
        Upstream upstream = upstream(LONG, resolver);
        upstream.resolve(NAME);
        clock.addAndGet(Duration.ofSeconds(4).toNanos());
        upstream.resolve(NAME);
        assertThat(resolver.asked()).hasSize(1);
        clock.addAndGet(Duration.ofSeconds(1).toNanos());
        upstream.resolve(NAME);
        assertThat(resolver.asked()).hasSize(2);
    }

    @Test
    void remembersNoFailure() throws Exception {
        AtomicInteger questions = new AtomicInteger();
        PlayedResolver resolver = resolver((query, overTcp) -> questions.incrementAndGet() == 1
                ? List.of(PlayedResolver.answer(query, Rcode.SERVFAIL, List.of()))
                : new Zone("example.com 60 A 192.0.2.1").answer(query, overTcp));
        Upstream upstream = upstream(LONG, resolver);
        assertThat(upstream.resolve(NAME)).isInstanceOf(Resolution.Failed.class);
        assertThat(upstream.resolve(NAME)).isEqualTo(found(60, "192.0.2.1"));
    }

    @Test
    void remembersTheLatestOfVeryManyNames() throws Exception {
        PlayedResolver resolver = resolver((query, _) -> List.of(PlayedResolver.answer(query, Rcode.NXDOMAIN, List.of())));
        Upstream upstream = upstream(LONG, resolver);
        for (int number = 0; number <= 4096; number++) {
            upstream.resolve(new HostName("n" + number + ".example.com"));
        }
        upstream.resolve(new HostName("n4096.example.com"));
        upstream.resolve(new HostName("n1.example.com"));
        assertThat(resolver.asked()).hasSize(4097);
        upstream.resolve(new HostName("n0.example.com"));
        assertThat(resolver.asked()).hasSize(4098);
    }

    @Test
    void asksOnceForAllWhoAskAtOnce() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        PlayedResolver resolver = resolver((query, overTcp) -> {
            awaitQuietly(released);
            return new Zone("example.com 60 A 192.0.2.1").answer(query, overTcp);
        });
        Upstream upstream = upstream(LONG, resolver);
        List<Resolution> answers = new CopyOnWriteArrayList<>();
        List<Thread> askers = IntStream.range(0, 100)
                .mapToObj(_ -> Thread.ofVirtual().start(() -> answers.add(upstream.resolve(NAME))))
                .toList();
        await().atMost(LONG).until(() -> askers.stream().allMatch(each -> each.getState() == Thread.State.TIMED_WAITING));
        await().atMost(LONG).until(() -> resolver.asked().size() == 1);
        released.countDown();
        for (Thread asker : askers) {
            asker.join();
        }
        assertThat(answers).hasSize(100).containsOnly(found(60, "192.0.2.1"));
        assertThat(resolver.asked()).hasSize(1);
    }

    @Test
    void failsAtOnceWhenVeryManyQuestionsAreOpen() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        PlayedResolver resolver = resolver((query, overTcp) -> {
            awaitQuietly(released);
            return new Zone().answer(query, overTcp);
        });
        Upstream upstream = upstream(LONG, resolver);
        List<Thread> askers = new ArrayList<>();
        while (askers.size() < Upstream.MOST_AT_ONCE) {
            // Not all at once: the kernel drops datagrams that nobody has taken yet.
            for (int number = 0; number < 64; number++) {
                HostName name = new HostName("n" + askers.size() + ".example.com");
                askers.add(Thread.ofVirtual().start(() -> upstream.resolve(name)));
            }
            await().atMost(LONG).until(() -> resolver.asked().stream().map(PlayedResolver.Asked::name).distinct().count() == askers.size());
        }
        assertThat(upstream.resolve(NAME)).isInstanceOf(Resolution.Failed.class);
        released.countDown();
        for (Thread asker : askers) {
            asker.join();
        }
        assertThat(upstream.resolve(NAME)).isEqualTo(new Resolution.NoSuchName());
    }

    @Test
    void answersOthersWhenTheFirstWhoAskedIsInterrupted() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        PlayedResolver resolver = resolver((query, overTcp) -> {
            awaitQuietly(released);
            return new Zone("example.com 60 A 192.0.2.1").answer(query, overTcp);
        });
        Upstream upstream = upstream(LONG, resolver);
        Thread first = Thread.ofVirtual().start(() -> upstream.resolve(NAME));
        await().atMost(LONG).until(() -> resolver.asked().size() == 1);
        first.interrupt();
        first.join();
        released.countDown();
        assertThat(upstream.resolve(NAME)).isEqualTo(found(60, "192.0.2.1"));
        assertThat(resolver.asked()).hasSize(1);
    }

    @Test
    void asksEachQuestionFromAnotherPortWithAnotherId() throws Exception {
        PlayedResolver resolver = resolver(new Zone());
        Upstream upstream = upstream(LONG, resolver);
        for (int number = 0; number < 20; number++) {
            upstream.resolve(new HostName("n" + number + ".example.com"));
        }
        assertThat(resolver.asked().stream().map(PlayedResolver.Asked::id).distinct()).hasSizeGreaterThan(15);
        assertThat(resolver.asked().stream().map(PlayedResolver.Asked::port).distinct()).hasSizeGreaterThan(10);
    }

    @Test
    void usesTheSocketsThatItIsGiven() throws Exception {
        AtomicInteger opened = new AtomicInteger();
        Sockets counted = new Sockets() {
            @Override
            public DatagramChannel datagram() throws IOException {
                opened.incrementAndGet();
                return PLAIN.datagram();
            }

            @Override
            public SocketChannel stream() throws IOException {
                return PLAIN.stream();
            }
        };
        PlayedResolver resolver = resolver(new Zone("example.com 60 A 192.0.2.1"));
        new Upstream(() -> List.of(resolver.address()), counted).resolve(NAME);
        assertThat(opened).hasValue(1);
    }

    private PlayedResolver resolver(PlayedResolver.Part part) throws IOException {
        PlayedResolver resolver = PlayedResolver.start(part);
        resolvers.add(resolver);
        return resolver;
    }

    private Upstream upstream(Duration patience, PlayedResolver... asked) {
        List<InetSocketAddress> addresses = Arrays.stream(asked).map(PlayedResolver::address).toList();
        return new Upstream(() -> addresses, Sockets.PLAIN, patience, clock::get);
    }

    private static Resolution found(long seconds, String... addresses) {
        return new Resolution.Addresses(
                Arrays.stream(addresses).map(each -> (Inet4Address) InetAddress.ofLiteral(each)).toList(), Duration.ofSeconds(seconds));
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
