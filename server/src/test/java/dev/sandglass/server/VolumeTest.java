package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.CommandResult;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.MountedVolume;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.Volume;
import dev.sandglass.wire.VolumeList;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Volumes outlive what happens to the sandboxes that have them, and who may not write to one cannot. */
@OnEveryRuntime
@Timeout(600)
class VolumeTest {
    private final TestDaemon daemon = SharedDaemon.daemon();
    private final TestVolumes volumes = new TestVolumes(daemon.caller());
    private final String runtime;

    VolumeTest(String runtime) {
        this.runtime = runtime;
    }

    @AfterEach
    void removeAll() {
        volumes.removeAll();
    }

    private SandboxRequest box() {
        return SandboxRequest.on(runtime).memoryMb(256);
    }

    @Test
    void whatIsWrittenOutlivesTheSandbox() {
        Volume data = volumes.create("data", 64);
        assertThat(data.id()).matches("vol-[a-z0-9]{12}");
        try (TestSandbox first = daemon.api().create(box().volume("data", "/data", null))) {
            assertThat(first.now().volumes()).containsExactly(new MountedVolume(data.id(), "data", "/data", "rw"));
            first.output("echo kept > /data/file; chown 1234:567 /data/file; mkdir /data/deep");
            assertThat(volumes.get("data").usedBy()).singleElement().satisfies(user -> assertThat(user.sandboxName()).isEqualTo(first.name()));
        }
        try (TestSandbox second = daemon.api().create(box().volume(data.id(), "/srv/other/place", "rw"))) {
            assertThat(second.output("cat /srv/other/place/file; stat -c %u:%g /srv/other/place/file")).isEqualTo("kept\n1234:567");
            second.stop();
            Sandbox again = second.powerOn();
            assertThat(again.volumes()).hasSize(1);
            assertThat(second.output("cat /srv/other/place/file")).isEqualTo("kept");
        }
        assertThat(volumes.get("data").usedBy()).isEmpty();
    }

    @Test
    void whatMayOnlyBeReadCannotBeWrittenByRootEither() {
        volumes.create("shelf", 64);
        try (TestSandbox writer = daemon.api().create(box().volume("shelf", "/shelf", null));
                TestSandbox reader = daemon.api().create(box().volume("shelf", "/shelf", "ro").security("standard"))) {
            writer.output("echo one > /shelf/book; cp /bin/sh /shelf/sh; chmod u+s /shelf/sh");
            assertThat(reader.output("cat /shelf/book")).isEqualTo("one");
            for (String attempt : List.of(
                    "echo two > /shelf/book",
                    "mount -o remount,rw /shelf && echo two > /shelf/book",
                    "mount -o remount,rw,bind /shelf && echo two > /shelf/book",
                    "unshare -Urm sh -c 'mount -o remount,rw,bind /shelf && echo two > /shelf/book'",
                    "mkdir /other && mount --bind /shelf /other && mount -o remount,rw,bind /other && echo two > /other/book",
                    "umount /shelf && echo two > /shelf/book && false",
                    "echo two > /run/sandglass/volumes/1/book",
                    "touch /shelf/new",
                    "rm /shelf/book")) {
                assertThat(reader.run(Run.shell(attempt)).exit().code()).as(attempt).isNotEqualTo(0);
            }
            String facts = "stat -c '%a %u %g %Y' /shelf/book";
            String before = writer.output(facts);
            reader.run(Run.shell("chmod 777 /shelf/book; chown 9:9 /shelf/book; touch -d 2001-01-01 /shelf/book")); // some of it is said to have worked on gVisor
            assertThat(writer.output(facts)).isEqualTo(before);
            assertThat(writer.output("cat /shelf/book; ls /shelf")).isEqualTo("one\nbook\nsh");
            assertThat(reader.output("findmnt -no OPTIONS /shelf || grep ' /shelf ' /proc/mounts")).isNotEmpty();
            writer.output("echo three > /shelf/book");
            assertThat(reader.output("cat /shelf/book")).as("what is written is read at once").isEqualTo("three");
        }
    }

    @Test
    void nothingInAVolumeGivesPrivilegesOrDevices() {
        volumes.create("traps", 64);
        try (TestSandbox box = daemon.api().create(box().volume("traps", "/traps", null).security("standard"))) {
            box.output("cp /usr/bin/id /traps/id; chmod 4755 /traps/id");
            assertThat(box.output(Run.of("/traps/id", "-u").as("1234"))).as("no set-uid").isEqualTo("1234");
            box.run(Run.shell("mknod /traps/disk b 254 0; mknod /traps/null c 1 3"));
            assertThat(box.run(Run.shell("head -c1 /traps/disk")).exit().code()).isNotEqualTo(0);
        }
    }

    @Test
    void aVolumeHoldsWhatItsSizeSays() {
        volumes.create("small", 16);
        try (TestSandbox box = daemon.api().create(box().volume("small", "/small", null))) {
            CommandResult full = box.run(Run.shell("dd if=/dev/urandom of=/small/big bs=1M count=64 conv=fsync"));
            assertThat(full.exit().code()).isNotEqualTo(0);
            assertThat(full.stderr()).containsIgnoringCase("quota");
            assertThat(Long.parseLong(box.output("stat -c %s /small/big"))).isLessThanOrEqualTo(17L << 20);
            assertThat(refused(ErrorCode.DISK_FULL, () -> box.files().write("/small/more", "", BodyPublishers.ofByteArray(new byte[32 << 20]))).what()).isNotEmpty();
            box.output("rm -f /small/big; sync; echo small > /small/fits");
            box.output("dd if=/dev/urandom of=/root/elsewhere bs=1M count=32");
        }
    }

    @Test
    void twoWriteToOneOnlyIfBothSaySo() {
        volumes.create("desk", 64);
        try (TestSandbox first = daemon.api().create(box().name("first-at-desk").volume("desk", "/desk", null))) {
            assertThat(refused(ErrorCode.CONFLICT, () -> daemon.api().create(box().volume("desk", "/desk", null))).what()).contains("first-at-desk");
            assertThat(refused(ErrorCode.CONFLICT, () -> daemon.api().create(box().volume("desk", "/desk", "shared"))).what()).contains("first-at-desk");
            assertThat(refused(ErrorCode.CONFLICT, () -> volumes.delete("desk")).what()).contains("first-at-desk");
            first.stop();
            assertThat(refused(ErrorCode.CONFLICT, () -> daemon.api().create(box().volume("desk", "/desk", null))).what()).as("also while it is stopped").contains("first-at-desk");
            volumes.detach(first, "desk");
            try (TestSandbox one = daemon.api().create(box().volume("desk", "/desk", "shared"));
                    TestSandbox other = daemon.api().create(box().volume("desk", "/mine", "shared"))) {
                one.output("echo note > /desk/note");
                assertThat(other.output("cat /mine/note; echo answer >> /mine/note")).isEqualTo("note");
                assertThat(one.output("cat /desk/note")).isEqualTo("note\nanswer");
                refused(ErrorCode.CONFLICT, () -> volumes.attach(first, "desk", "/desk", "rw"));
            }
        }
    }

    @Test
    void volumesComeAndGoWhileASandboxRuns() {
        volumes.create("one", 64);
        volumes.create("two", 64);
        try (TestSandbox box = daemon.api().create(box())) {
            box.output("mkdir -p /mnt/one && echo below > /mnt/one/hidden");
            assertThat(volumes.attach(box, "one", "/mnt/one", null).volumes()).extracting(MountedVolume::name).containsExactly("one");
            assertThat(volumes.attach(box, "two", "/mnt/two", "ro").volumes()).extracting(MountedVolume::mode).containsExactly("rw", "ro");
            assertThat(box.output("ls /mnt/one; echo first > /mnt/one/file; cat /mnt/one/file")).isEqualTo("first");
            assertThat(box.run(Run.shell("touch /mnt/two/file")).exit().code()).isNotEqualTo(0);
            refused(ErrorCode.INVALID_REQUEST, () -> volumes.attach(box, "one", "/again", null));

            box.start(Run.shell("cd /mnt/one && exec sleep 1000"));
            Eventually.get(() -> box.count("sleep 1000"), count -> count == 1);
            assertThat(refused(ErrorCode.CONFLICT, () -> volumes.detach(box, "one")).what()).contains("use");
            assertThat(box.output("cat /mnt/one/file")).as("it stays").isEqualTo("first");
            box.output("pkill sleep; while pgrep sleep; do :; done");
            assertThat(volumes.detach(box, "one").volumes()).extracting(MountedVolume::name).containsExactly("two");
            assertThat(box.output("cat /mnt/one/hidden; ls /mnt/one")).isEqualTo("below\nhidden");
            volumes.detach(box, "two");
            refused(ErrorCode.VOLUME_NOT_FOUND, () -> volumes.detach(box, "two"));
            volumes.delete("one");
            volumes.attach(box, "two", "/mnt/one", null);
            assertThat(box.output("echo other > /mnt/one/file; ls /mnt/one")).isEqualTo("file");
            box.stop();
            box.powerOn();
            assertThat(box.output("cat /mnt/one/file")).isEqualTo("other");
        }
    }

    /** Whoever is root may give a directory above the mount another name: then it is not where the daemon put it. */
    @Test
    void whatWasMovedComesOffAllTheSame() {
        volumes.create("notes", 64);
        try (TestSandbox box = daemon.api().create(box().volume("notes", "/w/notes", null))) {
            box.output("echo mine > /w/notes/file; mv /w /x; mkdir -p /w/notes; cat /x/notes/file");
            volumes.detach(box, "notes");
            assertThat(box.run(Run.shell("cat /x/notes/file /w/notes/file")).exit().code()).isNotEqualTo(0);
            try (TestSandbox other = daemon.api().create(box().volume("notes", "/notes", null))) {
                other.output("echo theirs > /notes/file");
                assertThat(box.output("find / -xdev -name file -newer /etc/hostname -path '*notes*' 2> /dev/null; echo end")).isEqualTo("end");
            }
        }
    }

    /** A subvolume in a volume would be charged to no limit, and no snapshot of the volume would have it. */
    @Test
    void nobodyMakesSubvolumesInAVolume() {
        volumes.create("plain", 64);
        try (TestSandbox box = daemon.api().create(box().volume("plain", "/plain", null))) {
            assertThat(box.output("""
                    python3 - <<'END'
                    import fcntl, os
                    directory = os.open("/plain", os.O_RDONLY)
                    for request, place in (0x5000940e, 8), (0x50009418, 56):
                        arguments = bytearray(4096)
                        arguments[place:place + 3] = b"sub"
                        try:
                            fcntl.ioctl(directory, request, arguments)
                        except OSError:
                            pass
                    print(os.listdir("/plain"))
                    END
                    """)).isEqualTo("[]");
        }
    }

    @Test
    void placesThatAreLinksLeadNowhereElse() {
        volumes.create("lost", 64);
        try (TestSandbox box = daemon.api().create(box())) {
            box.output("ln -s /proc/1/root/etc /trap; ln -s ../../../../../../../../tmp/elsewhere /up; ln -s /proc /procs; mkdir /tmp/elsewhere; ln -s /nowhere/at/all /dangling; echo x > /file");
            for (String place : List.of("/file", "/file/below", "/dangling", "/procs", "/procs/sys")) {
                assertThat(refused(ErrorCode.CONFLICT, () -> volumes.attach(box, "lost", place, null)).what()).contains("be mounted at " + place);
            }
            assertThat(box.now().volumes()).isEmpty();
            volumes.attach(box, "lost", "/up", null);
            assertThat(box.output("echo here > /up/file; cat /tmp/elsewhere/file")).as("a link stays inside").isEqualTo("here");
            volumes.detach(box, "lost");
            assertThat(box.output("ls /tmp/elsewhere")).isEmpty();
            for (String place : List.of("/", "relative", "/proc/x", "/sys", "/dev/shm", "/run/sandglass", "/a/../b", "/a//b", "/.")) {
                assertThat(refused(ErrorCode.INVALID_REQUEST, () -> volumes.attach(box, "lost", place, null)).what()).contains("path");
            }
        }
        assertThat(volumes.get("lost").usedBy()).isEmpty();
    }

    @Test
    void snapshotsAndForksOfVolumesAreApart() {
        Volume notes = volumes.create("notes", 64);
        try (TestSandbox box = daemon.api().create(box().volume("notes", "/notes", null))) {
            box.output("echo early > /notes/page; sync");
            Volume early = volumes.snapshot("notes", "notes-early");
            assertThat(early.kind()).isEqualTo("snapshot");
            assertThat(early.source()).isEqualTo(notes.id());
            box.output("echo late > /notes/page; sync");
            Volume late = volumes.fork("notes", null);
            assertThat(late.name()).startsWith("notes-");
            refused(ErrorCode.INVALID_REQUEST, () -> volumes.attach(box, "notes-early", "/early", "rw"));
            volumes.attach(box, "notes-early", "/early", null);
            volumes.attach(box, late.name(), "/late", null);
            assertThat(box.output("cat /early/page /late/page; touch /early/x || echo refused")).isEqualTo("early\nlate\nrefused");
            box.output("echo mine > /late/page");
            assertThat(box.output("cat /notes/page")).isEqualTo("late");
            Volume again = volumes.fork("notes-early", "again");
            volumes.attach(box, "again", "/again", null);
            assertThat(again.kind()).isEqualTo("volume");
            assertThat(box.output("cat /again/page; echo new > /again/page; cat /again/page")).isEqualTo("early\nnew");
        }
        volumes.delete("notes");
        assertThat(volumes.get("again").source()).as("copies need nothing of it").isNotNull();
    }

    @Test
    void namesAreUniqueAndPagesWhole() {
        volumes.create("page-1", 1);
        assertThat(refused(ErrorCode.NAME_TAKEN, () -> volumes.create("page-1", 1)).hint()).contains("volume rm");
        volumes.create("page-2", 1);
        volumes.create("page-3", 1);
        VolumeList first = daemon.caller().get("/v1/volumes?limit=2").as(VolumeList.class);
        VolumeList rest = daemon.caller().get("/v1/volumes?limit=2&cursor=" + first.nextCursor()).as(VolumeList.class);
        assertThat(first.volumes()).extracting(Volume::name).containsExactly("page-1", "page-2");
        assertThat(rest.volumes()).extracting(Volume::name).containsExactly("page-3");
        assertThat(rest.nextCursor()).isNull();
        refused(ErrorCode.AMBIGUOUS_PREFIX, () -> volumes.get("page-"));
        refused(ErrorCode.VOLUME_NOT_FOUND, () -> volumes.delete("page"));
        refused(ErrorCode.VOLUME_NOT_FOUND, () -> daemon.api().create(box().volume("nothing", "/data", null)));
        refused(ErrorCode.INVALID_REQUEST, () -> volumes.create("vol-aaaaaaaaaaaa", 1));
        refused(ErrorCode.INVALID_REQUEST, () -> volumes.create("large", 1L << 40));
    }
}
