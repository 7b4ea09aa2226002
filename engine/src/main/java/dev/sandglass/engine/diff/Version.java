package dev.sandglass.engine.diff;

import java.util.Optional;

/** A file as one state has it. */
public interface Version {
    /** The kind's word: file, directory, link, fifo, socket, device. */
    String kind();

    /** With set-uid, set-gid and sticky. */
    int permissions();

    long uid();

    long gid();

    /** Of a regular file, else 0. */
    long size();

    /** Of a link. */
    Optional<String> target();

    /** The first bytes of a regular file; nothing of any other. */
    byte[] read(int most);
}
