package dev.sandglass.linux;

/**
 * What a directory says of an entry without a look at the file.
 *
 * @param type as in {@link FileFacts#type()}; 0 where the filesystem does not say
 */
@SuppressWarnings("ArrayRecordComponent") // there are many of them, and none is compared with another
public record DirectoryEntry(byte[] name, long inode, int type) {}
