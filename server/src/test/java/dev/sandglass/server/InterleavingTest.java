package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.server.ModelState.Answer;
import dev.sandglass.server.ModelState.Content;
import dev.sandglass.wire.CommandResult;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.Forked;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Snapshot, fork, rewind, pause, resume, stop, start and delete meet each other at random: all answers are those of some order in which they
 * could have come one after the other, and nothing is left over.
 */
@ExtendWith(SharedDaemon.class)
@Timeout(36_000)
class InterleavingTest {
    private static final int HISTORIES = Integer.getInteger("sandglass.histories", Soak.on() ? 2000 : Integer.MAX_VALUE);
    private static final Duration USUAL = Duration.ofSeconds(20);
    private static final int LANES = 3;
    private static final int THREADS = 3;
    private static final int STEPS = 3;
    private static final List<String> OPERATIONS = List.of(
            "snapshot", "snapshot", "fork", "fork", "rewind", "rewind", "rewind", "rewind", "undo", "undo", "pause", "pause", "pause", "resume", "resume", "resume",
            "stop", "stop", "start", "start", "delete", "delete", "read", "read", "read", "destroy");

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final long seed = Long.getLong("sandglass.seed", System.nanoTime());
    private final long begun = System.nanoTime();
    private final Map<String, Integer> answers = new ConcurrentHashMap<>();

    @Test
    void allAnswersAreThoseOfSomeOrder() throws IOException {
        List<Callable<Integer>> lanes = IntStream.range(0, LANES).<Callable<Integer>>mapToObj(lane -> () -> lane(lane)).toList();
        int histories = AtOnce.all(lanes).stream().mapToInt(Integer::intValue).sum();
        System.out.printf("%d histories, seed %d, answers %s%n", histories, seed, new TreeMap<>(answers));
        assertThat(Leftovers.of(daemon).strays()).isEmpty();
        assertThat(daemon.api().allSnapshots()).isEmpty();
        assertThat(MountNamespace.inside(daemon.run(), "ls " + daemon.data().resolve("pool")).lines().filter(name -> name.matches("(layer|memory).*")))
                .isEmpty();
        assertThat(isWorthAWord()).as("what happened at all: " + answers).isTrue();
    }

    /** Whether that has happened for which this is played; a slow machine plays longer. */
    private boolean isWorthAWord() {
        return answers.keySet().containsAll(List.of("rewind fine", "undo fine", "fork fine"))
                && answers.keySet().stream().anyMatch(answer -> answer.endsWith("CONFLICT"));
    }

    private int lane(int lane) {
        int done = 0;
        while (done * LANES + lane < HISTORIES && (Soak.on() || System.nanoTime() - begun < USUAL.toNanos() || !isWorthAWord())) {
            long own = seed + lane + (long) done * LANES;
            new Round(own, "meet-" + lane, new Random(own).nextBoolean() ? "gvisor" : "container").play();
            done++;
        }
        return done;
    }

    /** One sandbox with two snapshots, and what is done to it. */
    private final class Round {
        private final long own;
        private final boolean keepsMemory;
        private final TestSandbox box;
        private final Map<String, String> ids = new ConcurrentHashMap<>();

        Round(long own, String name, String runtime) {
            this.own = own;
            this.keepsMemory = runtime.equals("gvisor");
            this.box = daemon.api().create(SandboxRequest.on(runtime).name(name).memoryMb(256));
        }

        /** Leaves nothing that other tests would find, also when it fails. */
        void play() {
            try (box) {
                meet();
            } finally {
                ids.values().forEach(daemon.api()::deleteSnapshot);
            }
        }

        private void meet() {
            box.start(Run.of("sleep", "100000"));
            box.output("echo one > /workspace/marker");
            ids.put("first", daemon.api().captureAll(box.id()).id());
            box.output("echo two > /workspace/marker");
            ids.put("second", daemon.api().captureAll(box.id()).id());
            box.output("echo three > /workspace/marker");
            ModelState state = new ModelState(keepsMemory, ModelState.Life.RUNNING, new Content("three", true), false, Optional.empty(), Map.of())
                    .with("first", new Content("one", keepsMemory))
                    .with("second", new Content("two", keepsMemory));
            List<Callable<List<Interleaving.Done>>> threads =
                    IntStream.range(0, THREADS).<Callable<List<Interleaving.Done>>>mapToObj(thread -> () -> steps(thread)).toList();
            List<Interleaving.Done> all = new ArrayList<>(AtOnce.all(threads).stream().flatMap(List::stream).toList());
            Stream.of("resume", "start", "read").map(operation -> done(operation, "")).forEach(all::add);
            String told = "-Dsandglass.seed=" + own + " " + box.info().runtime() + "\n" + String.join("\n", all.stream().map(Object::toString).toList());
            assertThat(new Interleaving(all).isPossible(state)).as(told).isTrue();
        }

        private List<Interleaving.Done> steps(int thread) {
            Random random = new Random(own * 31 + thread);
            List<Interleaving.Done> done = new ArrayList<>();
            for (int i = 0; i < STEPS; i++) {
                String operation = OPERATIONS.get(random.nextInt(OPERATIONS.size()));
                List<String> known = operation.equals("snapshot") ? List.of("taken-" + thread + "-" + i) : ids.keySet().stream().sorted().toList();
                done.add(done(operation, known.get(random.nextInt(known.size()))));
            }
            return done;
        }

        private Interleaving.Done done(String operation, String argument) {
            long start = System.nanoTime();
            Answer answer;
            try {
                answer = new Answer(null, act(operation, argument));
            } catch (SandglassException refusal) {
                assertThat(refusal.code()).as("-Dsandglass.seed=" + own + " " + operation + ": " + refusal.what())
                        .isIn(ErrorCode.CONFLICT, ErrorCode.SANDBOX_NOT_FOUND, ErrorCode.SNAPSHOT_NOT_FOUND, ErrorCode.SANDBOX_NOT_RUNNING);
                answer = new Answer(refusal.code(), null);
            }
            answers.merge(operation + " " + (answer.refusal() == null ? "fine" : answer.refusal()), 1, Integer::sum);
            return new Interleaving.Done(operation, argument, answer, start, System.nanoTime());
        }

        private @Nullable Content act(String operation, String argument) {
            switch (operation) {
                case "snapshot" -> ids.put(argument, daemon.api().captureAll(box.id()).id());
                case "rewind" -> box.rewind(id(argument));
                case "undo" -> box.undo();
                case "pause" -> box.pause(!keepsMemory);
                case "resume" -> box.resume(false);
                case "stop" -> box.stop(0);
                case "start" -> box.powerOn();
                case "delete" -> daemon.api().deleteSnapshot(id(argument));
                case "destroy" -> box.close();
                case "fork" -> {
                    return fork();
                }
                case "read" -> {
                    return content(box);
                }
                default -> throw new IllegalArgumentException(operation);
            }
            return null;
        }

        private String id(String name) {
            return Objects.requireNonNull(ids.get(name));
        }

        private Content fork() {
            ForkSandbox request = new ForkSandbox(1, null, null, null, null, null, null, null);
            Forked forked = daemon.caller().post(box.path() + "/fork", request).as(Forked.class);
            try (TestSandbox copy = new TestSandbox(daemon.caller(), forked.sandboxes().getFirst())) {
                return content(copy);
            }
        }

        /** Both at once, because it may be turned back in between. */
        private Content content(TestSandbox of) {
            CommandResult result = of.run(Run.shell("pgrep -cfx 'sleep 100000'; cat /workspace/marker"));
            if (result.exit().signal() != null) {
                throw new SandglassException(ErrorCode.SANDBOX_NOT_RUNNING, "It was stopped while somebody looked at it.", "Look again.");
            }
            String[] seen = result.stdout().split("\n");
            assertThat(seen).as("-Dsandglass.seed=" + own + " " + result).hasSize(2);
            return new Content(seen[1], seen[0].equals("1"));
        }
    }
}
