package dev.sandglass.pool.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sandglass.engine.archive.Budget;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.linux.Trees;
import dev.sandglass.pool.OddTree;
import dev.sandglass.pool.PoolKind;
import dev.sandglass.pool.PoolOptions;
import dev.sandglass.pool.Pools;
import dev.sandglass.pool.Shell;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A tar archive of an overlay's upper directory becomes that directory again; one that nobody honest wrote is refused, and nothing lies outside. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TarUnpackingTest {
    private static final long ROOM = 64 << 20;
    /** Writes an archive, entry by entry. */
    private static final String WRITER =
            """
            import tarfile, io, sys
            tar = tarfile.open(sys.argv[1], 'w:gz', format=tarfile.PAX_FORMAT)
            def add(name, kind=tarfile.REGTYPE, data=b'', size=None, **more):
                entry = tarfile.TarInfo(name)
                entry.type, entry.size = kind, len(data)
                for key, value in more.items(): setattr(entry, key, value)
                tar.addfile(entry, io.BytesIO(data))
            def link(name, to): add(name, tarfile.SYMTYPE, linkname=to)
            def hard(name, to): add(name, tarfile.LNKTYPE, linkname=to)
            def dir(name, **more): add(name, tarfile.DIRTYPE, **more)
            def dev(name, kind, major, minor): add(name, kind, devmajor=major, devminor=minor)
            """;

    private final TreePacking packing = new TreePacking();
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
    void anOddTreeComesThroughAsItWas() throws IOException {
        Path source = tree();
        OddTree.fill(source);
        Shell.run(source, """
                rm block; truncate -s 20M hole; printf end >> hole; ln -s /etc/passwd out; mkdir -m 000 closed; printf secret > closed/file
                mkdir -m 2750 group; perl -e 'for (1..20) { mkdir q(deep-down) or die; chdir q(deep-down) or die }'
                python3 -c 'import os; s = os.setxattr; e = "sub/empty"; s(e, "trusted.overlay.opaque", b"y"); s(e, "trusted.overlay.origin", b"x"); s("sub", "user.a=b%c", bytes(range(256)))'
                head -c 700000 /dev/urandom > data; touch -d @-5 data; touch -d '2003-03-03 UTC' .; chown 5:6 .; chmod 751 .
                """);
        Path archive = scratch.resolve("odd.tar.gz");
        Shell.run(source, "tar --format=pax --xattrs --xattrs-include='*' --numeric-owner -cf - . | gzip -1 > \"$1\"", archive);
        Path target = tree();
        untar(Files.readAllBytes(archive), target);
        OddTree.assertSame(target, source);
        assertThat(Shell.run(target, "stat -c '%u %g %a %Y' .")).isEqualTo(Shell.run(source, "stat -c '%u %g %a %Y' .")).startsWith("5 6 751");
        String attributes = "python3 -c 'import os; print(os.listxattr(\"sub/empty\"), sorted((n, os.getxattr(\"sub\", n)) for n in os.listxattr(\"sub\")))'";
        assertThat(Shell.run(target, attributes)).isEqualTo(Shell.run(source, attributes).replace(", 'trusted.overlay.origin'", "").replace("'trusted.overlay.origin', ", ""));
        assertThat(Shell.run(target, "cmp data \"$1\" && echo same", source.resolve("data"))).isEqualTo("same");
        assertThat(Integer.parseInt(Shell.run(target, "stat -c %b hole"))).as("blocks of a hole").isLessThan(4096);
    }

    @Test
    void entriesMayComeInAnyOrderAndDirectoriesTwiceOrNever() throws IOException {
        Path target = tree();
        untar(written("""
                add('late/file', data=b'one')
                add('never/told/of', data=b'two')
                dir('late', mode=0o700, uid=7, mtime=1000)
                add('early/x')
                add('late/second', data=b'three')
                dir('./late/', mode=0o711, uid=8, mtime=2000)
                hard('again', 'late/file')
                add('.wh.name')
                """), target);
        assertThat(Shell.run(target, "stat -c '%n %F %a %u %Y %h' late never/told . again late/file .wh.name"))
                .isEqualTo("""
                        late directory 711 8 2000 1
                        never/told directory 755 0 0 1
                        . directory 755 0 0 1
                        again regular file 644 0 0 2
                        late/file regular file 644 0 0 2
                        .wh.name regular empty file 644 0 0 1""");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "add('../file')",
        "add('a/../../file')",
        "add('/etc/evil')",
        "add('..')",
        "add('.', data=b'x')",
        "link('a', '../../outside'); add('a/file')",
        "link('a', '../../outside'); dir('a', mode=0o777)",
        "link('a', '../../outside/file'); add('a', data=b'evil')",
        "link('a', '../../outside/file'); hard('b', 'a/../file')",
        "link('a', '../../outside'); hard('b', 'a/file')",
        "hard('a', '../../outside/file')",
        "hard('a', '/etc/passwd')",
        "hard('a', 'later'); add('later')",
        "dir('d'); hard('a', 'd')",
        "hard('a', '.')",
        "link('a', '')",
        "add('twice'); add('twice')",
        "add('file'); add('file/below')",
        "dev('null', tarfile.CHRTYPE, 1, 3)",
        "dev('zero', tarfile.CHRTYPE, 0, 1)",
        "dev('disk', tarfile.BLKTYPE, 0, 0)",
        "add('nobody', uid=4294967295)",
        "add('nobody', uid=1 << 40)",
        "add('long' * 64 + 'er')",
        "add('d/' * 1100 + 'deep')",
        "add('p/' * 140000 + 'deep')",
        "dir('a', pax_headers={'SCHILY.xattr.trusted.overlay.redirect': '/etc'})",
        "add('a', pax_headers={'SCHILY.xattr.trusted.overlay.metacopy': 'y'})",
        "add('a', pax_headers={'SCHILY.xattr.trusted.overlay.whiteout': 'y'})",
        "add('a', pax_headers={'SCHILY.xattr.user.big': 'x' * 100000})",
        "add('a', pax_headers={'SCHILY.xattr.user.%d' % i: 'x' * 1000 for i in range(400)})",
        "add('a', pax_headers={'GNU.sparse.major': '1'})",
        "add('a', b'S')",
        "add('a', data=bytes(80 << 20))",
        "add('a', pax_headers={'size': '999999999999'})",
        "add('a', pax_headers={'size': '9223372036854775807'})",
        "add('a', pax_headers={'size': '-1'})",
        "entry = tarfile.TarInfo('d'); entry.type, entry.size = tarfile.DIRTYPE, 700; tar.fileobj.write(entry.tobuf(tarfile.USTAR_FORMAT) + bytes(1024)); add('a')",
        "dir('d', pax_headers={'size': '512'}); tar.fileobj.write(bytes(512)); add('a')",
        "entry = tarfile.TarInfo('l'); entry.type, entry.size, entry.linkname = tarfile.SYMTYPE, 700, 'a'; tar.fileobj.write(entry.tobuf(tarfile.USTAR_FORMAT) + bytes(1024)); add('a')",
        "entry = tarfile.TarInfo('g'); entry.type, entry.size = b'g', 1 << 20; tar.fileobj.write(entry.tobuf(tarfile.USTAR_FORMAT) + bytes(1 << 20)); add('a')",
        "pass",
        "tar.fileobj.write(b'nothing of the kind' * 100)",
        "add('a'); tar.fileobj.write(bytes(3 << 20))"
    })
    void whatNobodyHonestWroteIsRefused(String entries) throws IOException {
        byte[] archive = written(entries);
        Path target = tree();
        SandglassException refusal = catchThrowableOfType(SandglassException.class, () -> untar(archive, target));
        assertThat(refusal).as("it is refused").isNotNull();
        assertThat(refusal.code()).as(refusal.what()).isIn(ErrorCode.ARCHIVE_REFUSED, ErrorCode.DISK_FULL);
        assertThat(outside).hasContent("untouched");
        Trees.remove(target);
    }

    @Test
    void whatIsNotWholeIsRefused() throws IOException {
        byte[] whole = written("add('a', data=b'x' * 100000); dir('b')");
        for (byte[] bad : new byte[][] {Arrays.copyOf(whole, 10), Arrays.copyOf(whole, whole.length / 2), Arrays.copyOf(whole, whole.length - 1)}) {
            SandglassException refusal = catchThrowableOfType(SandglassException.class, () -> untar(bad, tree()));
            assertThat(refusal).as("%s of %s bytes", bad.length, whole.length).isNotNull();
            assertThat(refusal.code()).isEqualTo(ErrorCode.ARCHIVE_REFUSED);
        }
    }

    /** What is skipped and what pads count too, so that little that expands to very much has an end. */
    @Test
    void whatExpandsToMoreThanItMayIsRefused() throws IOException {
        byte[] archive = expanded("add('a', data=bytes(9000)); dir('b'); add('c', data=bytes(600))");
        Path target = tree();
        TarUnpacking.run(new ByteArrayInputStream(archive), target, new Budget(ROOM), archive.length);
        assertThat(target.resolve("c")).hasSize(600);
        for (int most : new int[] {100, 9000, archive.length - 1}) {
            SandglassException refusal = catchThrowableOfType(
                    SandglassException.class, () -> TarUnpacking.run(new ByteArrayInputStream(archive), tree(), new Budget(ROOM), most));
            assertThat(refusal).as("at most %s bytes", most).isNotNull();
            assertThat(refusal.what()).contains("more than " + most + " bytes");
        }
    }

    @Test
    void namesAndTargetsOfLinksCountAsWhatTheyTake() throws IOException {
        byte[] links = written("dir('d')\nfor i in range(400): link('d/%d' % i, 'a/' * 2000 + str(i))");
        Path target = tree();
        assertThatThrownBy(() -> packing.untar(new ByteArrayInputStream(links), target, new Budget(1 << 20))).hasMessageContaining("more in it than there is room for");
        Trees.remove(target);
    }

    /** Any byte may be another, and the sums of headers fit, so that what is behind them is tried: what lies outside stays as it is, and no failure is one of the daemon's own. */
    @Test
    void mutationsAreRefusedOrHarmless() throws IOException {
        byte[] good = expanded("add('a', data=b'x'); dir('b'); link('c', 'a'); hard('b/d', 'a'); add('e' * 150, uid=1 << 22)");
        List<Integer> headers = headers(good);
        assertThat(headers).as("five entries, one with an extended header").hasSize(6);
        int behind = 0;
        Random random = new Random(42);
        for (int round = 0; round < 500; round++) {
            byte[] bad = good.clone();
            for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt(256);
            }
            headers.forEach(header -> sum(bad, header));
            Path target = tree();
            try {
                TarUnpacking.run(new ByteArrayInputStream(bad), target, new Budget(ROOM), ROOM);
            } catch (dev.sandglass.wire.tar.TarException | SandglassException expected) {
                behind += String.valueOf(expected.getMessage()).contains("checksum") ? 0 : 1;
                assertThat(expected).hasMessageNotContaining("Exception");
            } finally {
                Trees.remove(target);
            }
        }
        assertThat(outside).hasContent("untouched");
        assertThat(behind).as("refused for another reason than a sum").isGreaterThan(20);
    }

    /** Where headers are: what has the sum of one. */
    private static List<Integer> headers(byte[] archive) {
        List<Integer> headers = new ArrayList<>();
        for (int block = 0; block < archive.length; block += 512) {
            byte[] summed = archive.clone();
            sum(summed, block);
            if (archive[block] != 0 && Arrays.equals(archive, block, block + 512, summed, block, block + 512)) {
                headers.add(block);
            }
        }
        return headers;
    }

    /** Writes the sum that a header's other bytes have, as tar does. */
    private static void sum(byte[] archive, int header) {
        byte[] field = "        ".getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(field, 0, archive, header + 148, 8);
        int sum = 0;
        for (int i = 0; i < 512; i++) {
            sum += archive[header + i] & 0xff;
        }
        byte[] digits = "%06o\0 ".formatted(sum).getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(digits, 0, archive, header + 148, 8);
    }

    private byte[] expanded(String entries) throws IOException {
        try (GZIPInputStream plain = new GZIPInputStream(new ByteArrayInputStream(written(entries)))) {
            return plain.readAllBytes();
        }
    }

    private byte[] written(String entries) throws IOException {
        Path archive = scratch.resolve("written.tar.gz");
        Shell.run(scratch, "printf '%s' \"$1\" | python3 - \"$2\"", WRITER + entries + "\ntar.close()\n", archive);
        return Files.readAllBytes(archive);
    }

    private void untar(byte[] archive, Path target) throws IOException {
        packing.untar(new ByteArrayInputStream(archive), target, new Budget(ROOM));
    }

    private Path tree() throws IOException {
        return Files.createDirectory(pool.create("tar-" + trees++).resolve("upper"));
    }
}
