package dev.sandglass.pool.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sandglass.engine.archive.Budget;
import dev.sandglass.engine.manifest.Bytes;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.pool.PoolKind;
import dev.sandglass.pool.PoolOptions;
import dev.sandglass.pool.Pools;
import dev.sandglass.pool.Shell;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Sha256;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A layer of an image becomes what an overlay has for it, and a layer of an image again; one that nobody honest wrote is refused, and nothing lies outside. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LayerUnpackingTest {
    private static final long ROOM = 64 << 20;
    private static final String WRITER =
            """
            import tarfile, io, sys
            tar = tarfile.open(sys.argv[1], sys.argv[2], format=tarfile.PAX_FORMAT)
            def add(name, kind=tarfile.REGTYPE, data=b'', **more):
                entry = tarfile.TarInfo(name)
                entry.type, entry.size = kind, len(data)
                for key, value in more.items(): setattr(entry, key, value)
                tar.addfile(entry, io.BytesIO(data))
            def link(name, to): add(name, tarfile.SYMTYPE, linkname=to)
            def hard(name, to): add(name, tarfile.LNKTYPE, linkname=to)
            def dir(name, **more): add(name, tarfile.DIRTYPE, **more)
            def dev(name, kind, major, minor): add(name, kind, devmajor=major, devminor=minor)
            """;

    private final OciLayers layers = new OciLayers();
    private Path scratch;
    private Path outside;
    private Pool pool;
    private int trees;

    @BeforeAll
    void openPool(@TempDir Path directory) throws IOException {
        scratch = directory;
        pool = Pools.open(directory, PoolOptions.of(PoolKind.BTRFS_LOOP).imageBytes(2L << 30));
        outside = Files.writeString(pool.create("outside").resolve("file"), "untouched");
    }

    @AfterAll
    void closePool() throws IOException {
        assertThat(outside).hasContent("untouched");
        try (var names = Files.list(outside.getParent())) {
            assertThat(names).containsExactly(outside);
        }
        pool.trees().forEach(pool::remove);
        Pools.unmount(scratch);
    }

    @Test
    void whatIsGoneIsWhatAnOverlayHasForIt() throws IOException {
        Path target = tree();
        unpack("""
                dir('kept', mode=0o1777, uid=7, gid=8, mtime=1000)
                add('kept/.wh.gone'); add('kept/.wh..wh.plnk')
                dir('hidden'); add('hidden/.wh..wh..opq'); add('hidden/new', data=b'new', mode=0o4755, uid=5)
                add('.wh.both'); dir('both'); add('both/x')
                dir('first'); add('.wh.first')
                add('.wh.file'); add('file', data=b'here')
                """, target);
        assertThat(Shell.run(target, "stat -c '%n %F %a %u %g %Y %t:%T' kept kept/gone hidden/new file"))
                .isEqualTo("""
                        kept directory 1777 7 8 1000 0:0
                        kept/gone character special file 600 0 0 0 0:0
                        hidden/new regular file 4755 5 0 0 0:0
                        file regular file 644 0 0 0 0:0""".replace("kept/gone character special file 600 0 0 0", Shell.run(target, "stat -c '%n %F %a %u %g %Y' kept/gone")));
        assertThat(Shell.run(target, "find . -mindepth 1 | sort | tr '\\n' ' '")).isEqualTo("./both ./both/x ./file ./first ./hidden ./hidden/new ./kept ./kept/gone");
        assertThat(Shell.run(target, "python3 -c 'import os; print([d for d in (\"both\", \"first\", \"hidden\", \"kept\") if \"trusted.overlay.opaque\" in os.listxattr(d)])'"))
                .isEqualTo("['both', 'first', 'hidden']");
    }

    @Test
    void aLaterEntryTakesThePlaceOfAnEarlierOneAndOddNamesAndDevicesDoNoHarm() throws IOException {
        Path target = tree();
        unpack("""
                add('file', data=b'one', mode=0o600); add('file', data=b'two', mode=0o640); add('./file', data=b'three', mode=0o644)
                link('to', 'nowhere'); link('to', 'file'); hard('again', 'file')
                add('/absolute', data=b'inside'); add('//x', data=b'x')
                dir('dev'); dev('dev/null', tarfile.CHRTYPE, 1, 3); dev('dev/sda', tarfile.BLKTYPE, 8, 0); dev('fake', tarfile.CHRTYPE, 0, 0)
                add('cap', pax_headers={'SCHILY.xattr.user.note': 'yes', 'SCHILY.xattr.trusted.overlay.redirect': '/etc', 'SCHILY.xattr.trusted.overlay.opaque': 'y'})
                """, target);
        assertThat(Shell.run(target, "find . -mindepth 1 | sort | tr '\\n' ' '; cat file; readlink to; stat -c '%h %a' again")).isEqualTo("./absolute ./again ./cap ./dev ./file ./to ./x threefile\n2 644");
        assertThat(Shell.run(target, "python3 -c 'import os; print(os.listxattr(\"cap\"))'")).isEqualTo("['user.note']");
    }

    @Test
    void directoriesOfWhichNothingIsToldAreAsBelow() throws IOException {
        Path lowest = tree();
        unpack("dir('tmp', mode=0o1777); dir('home', uid=3); dir('home/dev', mode=0o700, uid=1000, gid=1000); dir('opt', uid=9)", lowest);
        Path middle = tree();
        unpack("dir('opt'); add('opt/.wh..wh..opq'); add('.wh.home')", middle);
        Path top = tree();
        List<List<Bytes>> untold = unpack("add('tmp/a'); add('home/dev/b'); add('opt/deep/c'); dir('told'); add('told/d')", top);
        assertThat(untold.stream().map(path -> String.join("/", path.stream().map(Bytes::toString).toList()))).containsExactly("", "tmp", "home", "home/dev", "opt", "opt/deep");
        layers.inherit(top, untold, List.of(middle, lowest));
        assertThat(Shell.run(top, "stat -c '%n %a %u' tmp home home/dev opt")).isEqualTo("tmp 1777 0\nhome 755 0\nhome/dev 755 0\nopt 644 0");
        layers.inherit(top, untold, List.of(lowest));
        assertThat(Shell.run(top, "stat -c '%n %a %u' home/dev opt")).isEqualTo("home/dev 700 1000\nopt 644 9");
    }

    @Test
    void theRootIsAsTheLayerSaysOrElseAsBelow() throws IOException {
        Path lower = tree();
        assertThat(unpack("dir('./', mode=0o555, uid=3, gid=4, mtime=1000)", lower)).isEmpty();
        Path upper = tree();
        List<List<Bytes>> untold = unpack("add('./file')", upper);
        assertThat(untold).containsExactly(List.of());
        layers.inherit(upper, untold, List.of(lower));
        assertThat(Shell.run(upper, "stat -c '%a %u %g %Y' .")).isEqualTo("555 3 4 1000");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "add('../file')",
        "add('a/../../file')",
        "add('..')",
        "link('a', '../../outside'); add('a/file')",
        "link('a', '/'); add('a/.wh.etc')",
        "hard('a', '../outside/file')",
        "hard('a', 'missing')",
        "add('.wh.')",
        "add('.wh...')",
        "add('.wh..')",
        "add('.wh..wh..opq')",
        "dir('a'); add('a')",
        "add('a'); dir('a')",
        "add('a'); add('a/b')",
        "add('a' * 300)",
        "add('/'.join(['d'] * 2000))",
        "[add('/'.join([str(i)] + ['d'] * 500) + '/f') for i in range(9)]",
        "add('a', tarfile.GNUTYPE_SPARSE)",
        "add('a', data=b'x' * (65 << 20))",
    })
    void whatNobodyHonestWroteIsRefused(String script) {
        SandglassException refused = catchThrowableOfType(SandglassException.class, () -> unpack(script, tree()));
        assertThat(refused.code()).isIn(ErrorCode.IMAGE_REFUSED, ErrorCode.DISK_FULL);
    }

    @Test
    void oneThatIsCutOffOrNoneIsRefused() throws IOException {
        byte[] whole = Files.readAllBytes(written("add('file', data=b'x' * 100000)", "w:gz"));
        for (int length : new int[] {1, 10, whole.length / 2, whole.length - 4}) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThat(catchThrowableOfType(SandglassException.class, () -> layers.unpack(new ByteArrayInputStream(cut), tree(), new Budget(ROOM), OutputStream.nullOutputStream())).code())
                    .isEqualTo(ErrorCode.IMAGE_REFUSED);
        }
    }

    @Test
    void whatIsTakenIsToldInTheMiddleOfAFileToo() throws IOException {
        AtomicLong told = new AtomicLong();
        Path archive = written("add('a', data=b'x' * (8 << 20))", "w:gz");
        Budget budget = new Budget(ROOM, bytes -> {
            if (told.addAndGet(bytes) > 4 << 20) {
                throw new SandglassException(ErrorCode.DISK_FULL, "Others took the room.", "Make some.");
            }
        });
        try (InputStream layer = Files.newInputStream(archive)) {
            SandglassException refused = catchThrowableOfType(SandglassException.class, () -> layers.unpack(layer, tree(), budget, OutputStream.nullOutputStream()));
            assertThat(refused.code()).isEqualTo(ErrorCode.DISK_FULL);
        }
        assertThat(told.get()).isLessThan(6 << 20);
    }

    @ParameterizedTest
    @ValueSource(strings = {"add(('n' * 200 + '/') * 30 + 'f', data=b'x')", "link('a', 'n/' * 3000)", "hard('a', 'n/' * 3000)"})
    void anArchiveWithNamesThatAreTooLongIsRefused(String script) throws IOException {
        try (InputStream archive = Files.newInputStream(written(script, "w"))) {
            SandglassException refused = catchThrowableOfType(SandglassException.class, () -> layers.archive(archive, tree(), new Budget(ROOM)));
            assertThat(refused.code()).isEqualTo(ErrorCode.IMAGE_REFUSED);
            assertThat(refused.what()).contains("more than 4096 characters");
        }
    }

    @Test
    void oneWithNothingInItIsFine() throws IOException {
        Path target = tree();
        unpack("", target);
        assertThat(Shell.run(target, "find . -mindepth 1")).isEmpty();
    }

    @Test
    void whatIsPackedIsTheSameAgain() throws IOException {
        Path source = tree();
        unpack("""
                dir('.', mode=0o711, uid=3, gid=4, mtime=2000); dir('run'); dir('run/sandglass')
                dir('d', mode=0o2750, uid=70000, gid=5, mtime=1000); add('d/.wh.gone'); add('d/' + 'long' * 60, data=b'x' * 5000, mtime=5)
                dir('o'); add('o/.wh..wh..opq'); link('l', '/etc/passwd'); hard('h', 'd/' + 'long' * 60); add('suid', data=b'', mode=0o4755)
                add('cap', pax_headers={'SCHILY.xattr.user.note': 'yes'}); add('etc/machine-id', data=b'secret')
                """, source);
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        layers.pack(source, packed);
        Path target = tree();
        layers.unpack(new ByteArrayInputStream(packed.toByteArray()), target, new Budget(ROOM), OutputStream.nullOutputStream());
        String look = "find . ! -path './etc/*' ! -path './run/sandglass' -printf '%p %y %m %U %G %n %l\\n' | sort; python3 -c 'import os; print(os.listxattr(\"o\"), os.listxattr(\"cap\"))'; cmp h d/long* && stat -c %Y . d d/long*";
        assertThat(Shell.run(target, look)).isEqualTo(Shell.run(source, look));
        assertThat(target.resolve("etc/machine-id")).doesNotExist();
        assertThat(target.resolve("run/sandglass")).doesNotExist();
        ByteArrayOutputStream again = new ByteArrayOutputStream();
        layers.pack(target, again);
        assertThat(Sha256.of(again.toByteArray())).isEqualTo(Sha256.of(packed.toByteArray()));
    }

    /** As a program in a sandbox makes it in a moment. */
    @Test
    void aFileThatIsLargerThanAnyDiskIsRefusedBeforeItIsRead() throws IOException {
        Path source = tree();
        Shell.run(source, "truncate -s 1P zeros");
        AtomicLong written = new AtomicLong();
        OutputStream target = new OutputStream() {
            @Override
            public void write(int value) {
                write(new byte[1], 0, 1);
            }

            @Override
            public void write(byte[] bytes, int from, int length) {
                assertThat(written.addAndGet(length)).isLessThan(1 << 20);
            }
        };
        SandglassException refused = catchThrowableOfType(SandglassException.class, () -> layers.pack(source, target));
        assertThat(refused.code()).isEqualTo(ErrorCode.IMAGE_REFUSED);
    }

    @Test
    void manyFilesThatAreTooMuchTogetherAreRefusedToo() throws IOException {
        Path source = tree();
        Shell.run(source, "for i in 1 2 3 4; do truncate -s 300K $i; touch empty-$i; done");
        LayerPacking.run(source, OutputStream.nullOutputStream(), 2 << 20);
        for (long most : new long[] {1 << 20, 1024, 0}) {
            SandglassException refused = catchThrowableOfType(SandglassException.class, () -> LayerPacking.run(source, OutputStream.nullOutputStream(), most));
            assertThat(refused.code()).isEqualTo(ErrorCode.IMAGE_REFUSED);
        }
    }

    private Path tree() throws IOException {
        return Files.createDirectory(pool.create("tree-" + ++trees).resolve("upper"));
    }

    private List<List<Bytes>> unpack(String script, Path target) throws IOException {
        try (InputStream archive = Files.newInputStream(written(script, trees % 2 == 0 ? "w" : "w:gz"))) {
            return layers.unpack(archive, target, new Budget(ROOM), OutputStream.nullOutputStream());
        }
    }

    private Path written(String script, String mode) {
        Path archive = scratch.resolve("layer.tar");
        Shell.run(scratch, "python3 -c \"$1\" \"$2\" \"$3\"", WRITER + script + "\ntar.close()", archive, mode);
        return archive;
    }
}
