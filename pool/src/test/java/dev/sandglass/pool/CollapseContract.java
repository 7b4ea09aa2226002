package dev.sandglass.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.engine.manifest.ManifestSource;
import dev.sandglass.engine.pool.Layers;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.linux.Mounts;
import dev.sandglass.linux.Overlay;
import dev.sandglass.pool.manifest.FileManifests;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Layers of every kind of pool, merged: the same to whoever looks through an overlay. */
interface CollapseContract {
    Pool pool();

    Path scratch();

    /** How many layers a chain has here. */
    default int chainLength() {
        return 8;
    }

    @Test
    default void oneLayerIsCollapsedToItself() throws IOException {
        Path upper = Files.createDirectory(pool().create("collapse-odd").resolve("upper"));
        OddTree.fill(upper);
        Shell.run(upper, """
                perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => "socket", Listen => 1) or die'
                python3 -c 'import os; os.setxattr("sub/file", "security.capability", bytes.fromhex("0100000200040000000000000000000000000000"))'
                mkdir -m 000 closed && touch closed/file && chmod 0500 .
                """);
        layers().snapshot("collapse-odd", "odd-1");
        layers().collapse(List.of("odd-1"), "odd-2");
        OddTree.assertSame(layers().lower("odd-2"), upper);
        assertThat(digest("odd-2")).isEqualTo(digest("odd-1"));
        assertThat(layers().path("odd-2")).isDirectoryNotContaining(entry -> !entry.endsWith("upper"));
    }

    @Test
    default void aCollapsedChainLooksTheSameOverEveryBase() throws IOException {
        Random random = new Random(42);
        List<Path> bases = List.of(base("base-1", random), base("base-2", random));
        List<String> chain = new ArrayList<>();
        for (int number = 0; number < chainLength(); number++) {
            String name = "chain-" + number;
            Path tree = tree(name);
            String changes = changes(random, 12);
            look(lowers(chain, bases.getFirst()), tree, root -> Shell.run(root, changes));
            layers().snapshot(name, name);
            pool().remove(name);
            chain.addFirst(name);
        }
        layers().collapse(chain, "collapsed");
        for (Path base : bases) {
            assertThat(listing(List.of("collapsed"), base)).isEqualTo(listing(chain, base)).isNotEmpty();
        }
        List<String> top = chain.subList(0, chain.size() / 2);
        List<String> bottom = chain.subList(chain.size() / 2, chain.size());
        layers().collapse(top, "collapsed-top");
        layers().collapse(bottom, "collapsed-bottom");
        for (Path base : bases) {
            assertThat(listing(List.of("collapsed-top", "collapsed-bottom"), base)).isEqualTo(listing(chain, base));
        }
        mapped(lowers(chain, bases.getFirst()));
    }

    /** Looks at a chain in another way, where the kind of pool has one. */
    default void mapped(List<Path> lowers) throws IOException {}

    @Test
    default void whatCannotBeCollapsedLeavesNothing() throws IOException {
        tree("uncollapsed");
        layers().snapshot("uncollapsed", "uncollapsed");
        assertThatThrownBy(() -> layers().collapse(List.of("uncollapsed", "missing"), "never")).isInstanceOf(SandglassException.class);
        assertThatThrownBy(() -> layers().collapse(List.of("uncollapsed"), "uncollapsed")).isInstanceOf(SandglassException.class);
        assertThatIllegalArgumentException().isThrownBy(() -> layers().collapse(List.of(), "never"));
        assertThatIllegalArgumentException().isThrownBy(() -> layers().collapse(List.of("../x"), "never"));
        assertThat(layers().names()).contains("uncollapsed").doesNotContain("never");
        assertThat(Shell.run(pool().path("any").resolve("..").normalize(), "ls -A | grep '^.layer' || true")).isEmpty();
    }

    /** What to do with a mounted root. */
    interface Looking {
        void at(Path root) throws IOException;
    }

    /** Mounts an overlay, does it, and unmounts. */
    static void look(List<Path> lowers, Path tree, Looking looking) throws IOException {
        Path root = Files.createTempDirectory("root");
        new Overlay(lowers, tree.resolve("upper"), tree.resolve("work")).mount(root, Set.of());
        try {
            looking.at(root);
        } finally {
            Mounts.detach(root);
            Files.delete(root);
        }
    }

    private String listing(List<String> chain, Path base) throws IOException {
        Path tree = tree("looking");
        StringBuilder seen = new StringBuilder();
        look(lowers(chain, base), tree, root -> seen.append(Shell.run(root, """
                find . -mindepth 1 -type d -printf '%p %y %m %U %G %T@\\n' -o -printf '%p %y %m %U %G %s %T@ %l|\\n' | sort
                find . -type f -print0 | sort -z | xargs -0 -r sha256sum
                """)));
        pool().remove("looking");
        return seen.toString();
    }

    private List<Path> lowers(List<String> chain, Path base) {
        List<Path> lowers = new ArrayList<>();
        chain.forEach(layer -> lowers.add(layers().lower(layer)));
        lowers.add(base);
        return lowers;
    }

    private Path base(String name, Random random) throws IOException {
        Path base = Files.createDirectory(scratch().resolve(name));
        Shell.run(base, changes(random, 60));
        return base;
    }

    private Path tree(String name) throws IOException {
        Path tree = pool().create(name);
        Files.createDirectory(tree.resolve("work"));
        Files.createDirectory(tree.resolve("upper"));
        return tree;
    }

    /** What a program might do to few names, so that it does much to each of them. */
    static String changes(Random random, int count) {
        StringBuilder script = new StringBuilder("set +e; exec 2>/dev/null\n");
        for (int number = 0; number < count; number++) {
            String one = path(random);
            String other = path(random);
            String change =
                    switch (random.nextInt(14)) {
                        case 0, 1 -> "mkdir -p " + one;
                        case 2, 3 -> "mkdir -p $(dirname " + one + "); [ -p " + one + " ] || echo " + random.nextInt() + " > " + one;
                        case 4 -> "rm -rf " + one;
                        case 5 -> "rm -rf " + one + "; mkdir " + one;
                        case 6 -> "mv -T " + one + " " + other;
                        case 7 -> "ln " + one + " " + other;
                        case 8 -> "ln -sfn " + other + " " + one;
                        case 9 -> "chmod " + (random.nextBoolean() ? "750 " : "1711 ") + one;
                        case 10 -> "touch -hd @" + random.nextInt(1_000_000) + " " + one;
                        case 11 -> "[ -p " + one + " ] || echo more >> " + one;
                        case 12 -> "rm -rf " + one + "; mkfifo " + one;
                        default -> "rm -f " + one + "; truncate -s 1M " + one + "; chown 1234 " + one;
                    };
            script.append(change).append('\n');
        }
        return script.append("true\n").toString();
    }

    private static String path(Random random) {
        StringBuilder path = new StringBuilder(".");
        for (int depth = random.nextInt(3); depth >= 0; depth--) {
            path.append('/').append((char) ('a' + random.nextInt(6)));
        }
        return path.toString();
    }

    private String digest(String layer) throws IOException {
        Path file = Files.createTempDirectory("manifest").resolve("manifest");
        try (FileManifests manifests = new FileManifests()) {
            ManifestSource source = new ManifestSource(Map.of("upper", layers().lower(layer)), Map.of());
            return manifests.write(source, file, Optional.empty()).digest();
        } finally {
            Files.deleteIfExists(file);
            Files.delete(file.getParent());
        }
    }

    private Layers layers() {
        return pool().layers();
    }
}
