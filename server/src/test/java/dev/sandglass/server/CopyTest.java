package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Snapshot;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Hazards of copying what runs: a copy is itself, in its own time, with its own randomness and files, and harms neither source nor siblings. */
@OnEveryRuntime
@Timeout(600)
class CopyTest {
    /** Answers questions from what it had when it was captured: descriptors, sockets, threads. */
    private static final String WITNESS =
            """
            import os, random, socket, sys, threading, time
            gone = open('/tmp/gone', 'w+'); os.unlink('/tmp/gone'); gone.write('kept'); gone.flush()
            log = open('/workspace/log', 'a')
            randomness = open('/dev/urandom', 'rb', buffering=0)
            listener = socket.create_server(('127.0.0.1', 8080))
            inward = socket.create_connection(('127.0.0.1', 8080)); answering, _ = listener.accept()
            def serve():
                while True:
                    guest, _ = listener.accept()
                    guest.sendall(b'served'); guest.close()
            threading.Thread(target=serve, daemon=True).start()
            random.seed(1); generation = None
            def drawn():
                global generation
                now = open('/run/sandglass/generation').read()
                if now != generation:
                    generation = now; random.seed(os.urandom(16))
                return random.getrandbits(64)
            drawn()
            print('ready', flush=True)
            for line in sys.stdin:
                word, _, argument = line.strip().partition(' ')
                answer = {
                    'time': lambda: '%d %d' % (time.time() * 1000, time.monotonic() * 1000),
                    'random': lambda: '%s %s %x' % (os.urandom(16).hex(), randomness.read(16).hex(), drawn()),
                    'seeded': lambda: '%x' % random.getrandbits(64),
                    'gone': lambda: (gone.seek(0), gone.read())[1],
                    'append': lambda: (log.write(argument + ' '), log.flush(), open('/workspace/log').read())[2],
                    'inward': lambda: (inward.settimeout(60), answering.sendall(b'x'), inward.recv(1).decode())[2],
                }[word]
                print(argument if word != 'append' else 'a', answer(), flush=True)
            """;

    private static final String CLIENT =
            """
            import socket
            guest = socket.create_connection(('127.0.0.1', 8080), 60)
            print(guest.recv(100).decode())
            """;

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final String runtime;
    private int questions;

    CopyTest(String runtime) {
        CapturedMemory.assumeOn(runtime);
        CapturedMemory.assumeSocketsOn(runtime);
        this.runtime = runtime;
    }

    @Test
    void aCopyIsItselfInItsOwnTimeWithItsOwnRandomness() {
        try (TestSandbox source = create()) {
            source.output("""
                    mkdir -p /etc/sandglass/on-resume.d
                    printf '#!/bin/sh\\n. /run/sandglass/identity.env; echo $SANDGLASS_NAME $SANDGLASS_GENERATION $SANDGLASS_TOKEN $(hostname) >> /workspace/resumed\\n' > /etc/sandglass/on-resume.d/tell
                    chmod 755 /etc/sandglass/on-resume.d/tell""");
            Command witness = witness(source);
            ask(source, witness, "append", "before");
            long monotonic = Long.parseLong(ask(source, witness, "time").split(" ")[1]);
            Snapshot snapshot = daemon.api().captureAll(source.id());
            Instant aWhile = Objects.requireNonNull(snapshot.createdAt()).plusSeconds(4);
            Eventually.get(Instant::now, now -> now.isAfter(aWhile));
            try (TestSandbox first = from(snapshot); TestSandbox second = from(snapshot)) {
                Set<String> random = new HashSet<>();
                Set<String> identities = new HashSet<>();
                for (TestSandbox box : List.of(source, first, second)) {
                    random.addAll(List.of(ask(box, witness, "random").split(" ")));
                    random.add(box.output("head -c 16 /dev/urandom | md5sum"));
                    identities.addAll(List.of(box.output("cat /etc/machine-id /run/sandglass/id /run/sandglass/token; hostname").split("\n")));
                    requireClock(box, witness, monotonic);
                    assertThat(ask(box, witness, "gone")).as("a deleted file in /tmp").isEqualTo("kept");
                    assertThat(ask(box, witness, "append", box.name())).as("an open file").isEqualTo("before " + box.name());
                    assertThat(box.output(Run.python(CLIENT))).as("a listener").isEqualTo("served");
                    assertThat(ask(box, witness, "inward")).as("a connection within the sandbox").isEqualTo("x");
                }
                assertThat(random).as("no two are alike").hasSize(3 * 4);
                assertThat(identities).hasSize(3 * 4);
                assertThat(ask(first, witness, "seeded")).isNotEqualTo(ask(second, witness, "seeded"));
                Set<String> generations = new HashSet<>(Set.of(source.output("cat /run/sandglass/generation")));
                for (TestSandbox copy : List.of(first, second)) {
                    String generation = copy.output("cat /run/sandglass/generation");
                    assertThat(generations.add(generation)).as("nobody else has generation " + generation).isTrue();
                    assertThat(copy.output("cat /workspace/resumed"))
                            .isEqualTo(copy.name() + " " + generation + " " + copy.output("cat /run/sandglass/token") + " " + copy.name());
                }
                assertThat(source.output("ls /workspace")).doesNotContain("resumed");
                first.signal(first.command(witness.id()), "KILL");
                assertThat(ended(first, witness)).isEqualTo(9);
                assertThat(ask(second, witness, "gone")).isEqualTo("kept");
                assertThat(ask(source, witness, "gone")).isEqualTo("kept");
            } finally {
                daemon.api().deleteSnapshot(snapshot.id());
            }
        }
    }

    @Test
    void timeHasPassedForOneThatRested() {
        try (TestSandbox box = create()) {
            Command witness = witness(box);
            long monotonic = Long.parseLong(ask(box, witness, "time").split(" ")[1]);
            box.pause(false);
            Instant aWhile = Instant.now().plusSeconds(4);
            Eventually.get(Instant::now, now -> now.isAfter(aWhile));
            box.resume(false);
            requireClock(box, witness, monotonic);
            assertThat(box.output(Run.python(CLIENT))).isEqualTo("served");
            box.signal(box.command(witness.id()), "TERM");
            assertThat(ended(box, witness)).isEqualTo(15);
        }
    }

    @Test
    void aDeletedFileOnTheDiskIsNamedWithItsProcessAndTheSourceGoesOn() {
        try (TestSandbox box = create()) {
            Command witness = witness(box);
            String content = runtime.equals("gvisor") ? ":" : "head -c 70000000 /dev/zero >&3"; // more than is kept of a deleted file
            Command holder = box.start(Run.shell("exec 3> /home/user/gone; " + content + "; rm /home/user/gone; echo held; exec sleep 1000"));
            Eventually.get(() -> box.said(holder), "held\n"::equals);
            assertThat(refused(ErrorCode.SNAPSHOT_BLOCKED, () -> daemon.api().captureAll(box.id())).what()).contains("/home/user/gone", "sleep 1000");
            refused(ErrorCode.SNAPSHOT_BLOCKED, () -> box.pause(false));
            assertThat(ask(box, witness, "gone")).as("the source goes on").isEqualTo("kept");
            assertThat(daemon.api().allSnapshots()).isEmpty();
            box.signal(holder, "KILL");
            box.await(holder);
            daemon.api().deleteSnapshot(daemon.api().captureAll(box.id()).id());
        }
    }

    /** As it is outside, by a new program and by one that was captured; and what only goes on has not gone back. */
    private void requireClock(TestSandbox box, Command witness, long monotonicBefore) {
        long before = System.currentTimeMillis();
        String[] inside = ask(box, witness, "time").split(" ");
        long fresh = Long.parseLong(box.output("date +%s%3N"));
        long after = System.currentTimeMillis();
        assertThat(Long.parseLong(inside[0])).as("the clock of a program that was captured").isBetween(before - 1000, after + 1000);
        assertThat(fresh).as("the clock of a new program").isBetween(before - 1000, after + 1000);
        assertThat(Long.parseLong(inside[1])).as("time that only goes on").isGreaterThanOrEqualTo(monotonicBefore);
    }

    /** By which signal. */
    private static @Nullable Integer ended(TestSandbox box, Command command) {
        return Objects.requireNonNull(box.await(command).exit()).signal();
    }

    private Command witness(TestSandbox box) {
        Command witness = box.start(Run.python(WITNESS).withInput());
        Eventually.get(() -> box.said(witness), text -> text.startsWith("ready\n"));
        return witness;
    }

    private String ask(TestSandbox box, Command witness, String question) {
        String mark = "q" + questions++;
        return answer(box, witness, question + " " + mark, mark);
    }

    private String ask(TestSandbox box, Command witness, String question, String argument) {
        return answer(box, witness, question + " " + argument, "a");
    }

    private static String answer(TestSandbox box, Command witness, String line, String mark) {
        Command here = box.command(witness.id());
        int said = box.said(here).length();
        box.input(here, line + "\n", false);
        String text = Eventually.get(() -> box.said(here).substring(said), answer -> answer.endsWith("\n"));
        assertThat(text).startsWith(mark + " ");
        return text.substring(mark.length() + 1).strip();
    }

    private TestSandbox create() {
        return daemon.api().create(SandboxRequest.on(runtime).memoryMb(256));
    }

    private TestSandbox from(Snapshot snapshot) {
        return daemon.api().create(SandboxRequest.on(runtime).from(snapshot.id()));
    }
}
