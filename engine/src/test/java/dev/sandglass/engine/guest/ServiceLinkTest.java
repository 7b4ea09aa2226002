package dev.sandglass.engine.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What agents say of services, honest ones, older ones and hostile ones. */
@Timeout(60)
class ServiceLinkTest {
    private static final byte[] FACTS = new Fields().text(1, "1").u32(3, 0).u32(5, 1).toByteArray();
    private static final byte[] EXIT = new byte[48];

    @Test
    void anAgentThatKnowsOfNoServicesIsNotAsked() throws IOException, InterruptedException {
        byte[] older = new Fields().text(1, "0.0.1").u32(3, 0).toByteArray();
        try (PlayedAgent agent = new PlayedAgent(head -> GuestProcessesTest.welcome(head, older)); GuestLink link = agent.link()) {
            assertThatThrownBy(() -> link.service(ServiceRequest.of(ServiceRequest.Operation.LIST)))
                    .isInstanceOfSatisfying(SandglassException.class, refusal -> {
                        assertThat(refusal.code()).isEqualTo(ErrorCode.CONFLICT);
                        assertThat(refusal.hint()).contains("Stop and start");
                    });
        }
    }

    @Test
    void whatAnAgentTellsIsBounded() throws IOException, InterruptedException {
        Fields fields = new Fields().text(1, "n".repeat(1000)).u8(2, 2).u64(3, -1).u64(4, Long.MAX_VALUE).u32(5, 7).text(7, "d".repeat(50_000)).u64(9, -5).text(17, "");
        for (int i = 0; i < 500; i++) {
            fields.text(13, "Nice=" + i);
        }
        ServiceFacts facts = answered(record(fields.toByteArray()));
        assertThat(facts.name()).hasSize(256);
        assertThat(facts.description().orElseThrow()).hasSize(4096);
        assertThat(facts.unsupported()).hasSize(64);
        assertThat(facts.pid()).isZero();
        assertThat(facts.port()).isZero();
        assertThat(facts.health()).isEmpty();
        assertThat(facts.since()).isBefore(Instant.parse("9999-12-31T23:59:59.999Z"));
    }

    @Test
    void aStateThatThereIsNotBreaksTheAnswer() {
        assertThatThrownBy(() -> answered(record(new Fields().text(1, "web").u8(2, 99).toByteArray()))).isInstanceOf(IOException.class).hasMessageContaining("service state: 99");
        assertThatThrownBy(() -> answered(record(new Fields().text(1, "web").u8(2, 2).u8(10, 9).toByteArray()))).hasMessageContaining("service health: 9");
        assertThatThrownBy(() -> answered(ByteBuffer.allocate(4).putInt(Integer.MAX_VALUE).array())).hasMessageContaining("record length");
    }

    @Test
    void whatIsRefusedHasACode() {
        assertThat(refusal(2, "no service web").code()).isEqualTo(ErrorCode.SERVICE_NOT_FOUND);
        assertThat(refusal(22, "masked").code()).isEqualTo(ErrorCode.SERVICE_REFUSED);
        assertThat(refusal(11, "too many").code()).isEqualTo(ErrorCode.LIMIT_REACHED);
    }

    @Test
    void changesAreToldAndBrokenOnesEndTheLinkOnly() throws IOException, InterruptedException {
        byte[] change = PlayedAgent.frame(Protocol.SERVICE_CHANGED, 0, new Fields().text(1, "web").u8(2, 2).u32(3, 7).toByteArray());
        byte[] broken = PlayedAgent.frame(Protocol.SERVICE_CHANGED, 0, new byte[] {1, 2, 3});
        BlockingQueue<ServiceFacts> told = new LinkedBlockingQueue<>();
        try (PlayedAgent agent = new PlayedAgent(head -> GuestProcessesTest.welcome(head, FACTS), joined(change, change, broken)); GuestLink link = agent.link()) {
            link.beginServices(told::add);
            for (int i = 0; i < 2; i++) {
                ServiceFacts facts = told.poll(30, TimeUnit.SECONDS);
                assertThat(facts).isNotNull();
                assertThat(facts.name()).isEqualTo("web");
                assertThat(facts.pid()).isEqualTo(7);
            }
            assertThatThrownBy(() -> {
                        while (true) {
                            link.requireOpen();
                            Thread.onSpinWait();
                        }
                    })
                    .isInstanceOfSatisfying(UnsentException.class, lost -> assertThat(lost.code()).isEqualTo(ErrorCode.GUEST_PROTOCOL));
        }
    }

    /** What the daemon makes of the first record of an answer. */
    private static ServiceFacts answered(byte[] output) throws IOException, InterruptedException {
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        long offset = 0;
        for (int at = 0; at < output.length; at += 4000) {
            byte[] part = Arrays.copyOfRange(output, at, Math.min(output.length, at + 4000));
            frames.writeBytes(PlayedAgent.frame(Protocol.OUTPUT, 1, ByteBuffer.allocate(9).put((byte) 1).putLong(offset).array(), part));
            offset += part.length;
        }
        frames.writeBytes(PlayedAgent.frame(Protocol.EXIT, 1, EXIT));
        try (PlayedAgent agent = new PlayedAgent(head -> GuestProcessesTest.welcome(head, FACTS), frames.toByteArray()); GuestLink link = agent.link();
                GuestFile answer = link.service(ServiceRequest.of(ServiceRequest.Operation.LIST))) {
            return ServiceFacts.of(answer.record());
        }
    }

    private static SandglassException refusal(int errno, String text) {
        return Errno.serviceRefused(errno, text);
    }

    private static byte[] record(byte[] fields) {
        return ByteBuffer.allocate(4 + fields.length).putInt(fields.length).put(fields).array();
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        List.of(parts).forEach(all::writeBytes);
        return all.toByteArray();
    }
}
