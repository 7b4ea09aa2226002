package dev.sandglass.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A data directory on an ext4 of its own that a test can fill or break, with the base image and the trees on the shared daemon's
 * pool, in a subvolume of their own.
 */
final class SmallDisk implements AutoCloseable {
    private static final String SUBVOLUME = "small-disk";

    private final TestDaemon shared;
    private final Path image;
    private final Path data;

    SmallDisk(TestDaemon shared) throws IOException {
        this.shared = shared;
        Path parent = Files.createTempDirectory(shared.data().getParent(), "small-disk");
        this.image = parent.resolve("disk.img");
        this.data = Files.createDirectory(parent.resolve("data"));
        Path pool = shared.data().resolve("pool");
        String base = Files.readString(shared.data().resolve("images/base")).strip();
        MountNamespace.inside(shared.run(), "btrfs subvolume create " + pool.resolve(SUBVOLUME) + " && btrfs subvolume snapshot -r "
                + pool.resolve("image-" + base) + " " + pool.resolve(SUBVOLUME).resolve("image-" + base));
        shell("truncate -s 48M " + image + " && mkfs.ext4 -q -m 0 -J size=4 " + image);
        mount();
        shell("mkdir " + data.resolve("images") + " && cp " + shared.data().resolve("images") + "/base " + shared.data().resolve("images") + "/"
                + base + ".json " + data.resolve("images") + " && sync -f " + data);
    }

    private void mount() throws IOException {
        shell("mount -o loop " + image + " " + data + " && mkdir -p " + data.resolve("pool") + " && " + mountOfPool());
    }

    private String mountOfPool() throws IOException {
        String device = MountNamespace.inside(shared.run(), "findmnt -n -o SOURCE " + shared.data().resolve("pool")).strip().replaceAll("\\[.*", "");
        return "mount -o subvol=" + SUBVOLUME + " " + device + " " + data.resolve("pool");
    }

    Path data() {
        return data;
    }

    /** Leaves not one block. */
    void fill() throws IOException {
        shell("for size in 64k 4k 1k; do dd if=/dev/zero of=" + data + "/fill-$size bs=$size 2> /dev/null || true; done; sync -f " + data);
    }

    void makeRoom() throws IOException {
        shell("rm -f " + data + "/fill-*");
    }

    /** From now on the disk refuses every write, as after an error of its hardware. */
    void fail() throws IOException {
        shell("mount -o remount,abort " + data);
    }

    /** What a repair and a restart of the machine do. The repaired disk is a copy: any mount namespace may still hold the broken one. */
    void repair() throws IOException {
        unmount();
        shell("cp " + image + " " + image + ".new && mv " + image + ".new " + image + " && { e2fsck -fp " + image + " || [ $? -le 2 ]; }");
        mount();
    }

    /** The same for a daemon whose sandboxes go on meanwhile, in a mount namespace that has the broken one. */
    void repairUnder(TestDaemon daemon) throws IOException {
        repair();
        String device = MountNamespace.output(new ProcessBuilder("findmnt", "-n", "-o", "SOURCE", data.toString())).strip();
        String both = data.resolve("pool") + " && umount -l " + data;
        MountNamespace.inside(daemon.run(), "umount -l " + both + " && mount " + device + " " + data + " && " + mountOfPool());
    }

    private void unmount() throws IOException {
        shell("umount " + data.resolve("pool") + " && umount " + data);
    }

    private static void shell(String script) throws IOException {
        MountNamespace.output(new ProcessBuilder("sh", "-ec", script));
    }

    @Override
    public void close() throws IOException {
        unmount();
        Path pool = shared.data().resolve("pool").resolve(SUBVOLUME);
        MountNamespace.inside(shared.run(), "for tree in " + pool + "/*; do btrfs subvolume delete $tree; done; btrfs subvolume delete " + pool);
        shell("rm " + image + " && rmdir " + data + " " + image.getParent());
    }
}
