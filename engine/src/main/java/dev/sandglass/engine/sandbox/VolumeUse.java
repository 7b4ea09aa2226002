package dev.sandglass.engine.sandbox;

import dev.sandglass.wire.MountedVolume;

/**
 * A volume that a sandbox has, or had when a snapshot was taken of it.
 *
 * @param slot a number by which the sandbox's processes know it, whichever volume it is: captured ones go on with that
 * @param path where it is mounted
 */
public record VolumeUse(VolumeId volume, String name, int slot, String path, VolumeMode mode) {
    /** The most that a sandbox can have. */
    public static final int MOST = 16;

    /** The same place for another volume. */
    public VolumeUse with(VolumeId other, String itsName) {
        return new VolumeUse(other, itsName, slot, path, mode);
    }

    /** The same with another number. */
    public VolumeUse at(int other) {
        return new VolumeUse(volume, name, other, path, mode);
    }

    public MountedVolume toWire() {
        return new MountedVolume(volume.text(), name, path, mode.text());
    }
}
