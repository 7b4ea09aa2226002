package dev.sandglass.linux;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** What the kernel is told over netlink: a header of the family, then attributes, some with others in them. Not thread-safe. */
public final class NetlinkMessage {
    private static final int REQUEST = 1;
    /** The kernel is to answer. */
    private static final int ACKNOWLEDGE = 4;
    /** What it describes must not be there yet. */
    private static final int EXCLUSIVE = 0x200;

    private static final int CREATE = 0x400;
    private static final int APPEND = 0x800;
    private static final int MOST = 2048;
    private static final int ATTRIBUTE_HEADER = 4;
    private static final short NESTED = (short) 0x8000;

    private final ByteBuffer bytes = ByteBuffer.allocate(MOST).order(ByteOrder.nativeOrder());
    private final boolean answered;

    private NetlinkMessage(int type, int flags) {
        bytes.putInt(0).putShort((short) type).putShort((short) flags).putInt(0).putInt(0);
        answered = (flags & ACKNOWLEDGE) != 0;
    }

    /** Something that is to be made. */
    public static NetlinkMessage create(int type) {
        return new NetlinkMessage(type, REQUEST | ACKNOWLEDGE | CREATE | EXCLUSIVE);
    }

    /** Something that is to stand behind others of its kind. */
    public static NetlinkMessage append(int type) {
        return new NetlinkMessage(type, REQUEST | ACKNOWLEDGE | CREATE | APPEND);
    }

    /** A change of something that is there. */
    public static NetlinkMessage change(int type) {
        return new NetlinkMessage(type, REQUEST | ACKNOWLEDGE);
    }

    /** A mark between messages, which the kernel does not answer. */
    public static NetlinkMessage mark(int type) {
        return new NetlinkMessage(type, REQUEST);
    }

    /** A byte of the family's header. */
    public NetlinkMessage u8(int value) {
        bytes.put((byte) value);
        return this;
    }

    /** Two bytes of the family's header, in the order of the network. */
    public NetlinkMessage net16(int value) {
        bytes.put((byte) (value >> 8)).put((byte) value);
        return this;
    }

    /** Four bytes of the family's header, in the order of the machine. */
    public NetlinkMessage u32(int value) {
        bytes.putInt(value);
        return this;
    }

    public NetlinkMessage raw(int attribute, byte... value) {
        bytes.putShort((short) (ATTRIBUTE_HEADER + value.length)).putShort((short) attribute).put(value);
        pad();
        return this;
    }

    /** A number in the order of the machine. */
    public NetlinkMessage u32(int attribute, int value) {
        return raw(attribute, ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.nativeOrder()).putInt(value).array());
    }

    /** A number in the order of the network. */
    public NetlinkMessage net32(int attribute, int value) {
        return raw(attribute, ByteBuffer.allocate(Integer.BYTES).putInt(value).array());
    }

    public NetlinkMessage text(int attribute, String value) {
        return raw(attribute, (value + "\0").getBytes(StandardCharsets.US_ASCII));
    }

    /** An attribute of others. */
    public NetlinkMessage nest(int attribute, Consumer<NetlinkMessage> content) {
        int begin = bytes.position();
        bytes.putShort((short) 0).putShort((short) (attribute | NESTED));
        content.accept(this);
        bytes.putShort(begin, (short) (bytes.position() - begin));
        return this;
    }

    private void pad() {
        while (bytes.position() % ATTRIBUTE_HEADER != 0) {
            bytes.put((byte) 0);
        }
    }

    boolean isAnswered() {
        return answered;
    }

    /** As it is sent, with a number by which its answer is known. */
    byte[] numbered(int number) {
        byte[] all = new byte[bytes.position()];
        bytes.putInt(0, all.length).putInt(8, number);
        bytes.get(0, all);
        return all;
    }
}
