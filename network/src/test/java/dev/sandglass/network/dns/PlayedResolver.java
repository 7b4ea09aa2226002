package dev.sandglass.network.dns;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;

/** A resolver on loopback that says what a test has it say, and keeps what it was asked. */
final class PlayedResolver implements AutoCloseable {
    /** What it says to a question: none, one or several messages. */
    interface Part {
        List<Message> answer(Message query, boolean overTcp);
    }

    /** One question as it came. */
    record Asked(String name, int id, int port, boolean overTcp) {}

    private static final int MOST_BINDS = 100;

    private final DatagramSocket datagrams;
    private final ServerSocket streams;
    private final Part part;
    private final InetSocketAddress address;
    private final List<Asked> asked = new CopyOnWriteArrayList<>();

    private PlayedResolver(DatagramSocket datagrams, ServerSocket streams, Part part) {
        this.datagrams = datagrams;
        this.streams = streams;
        this.part = part;
        this.address = new InetSocketAddress(InetAddress.getLoopbackAddress(), datagrams.getLocalPort());
    }

    static PlayedResolver start(Part part) throws IOException {
        for (int tries = 0; tries < MOST_BINDS; tries++) {
            DatagramSocket datagrams = new DatagramSocket(0, InetAddress.getLoopbackAddress());
            try {
                PlayedResolver resolver =
                        new PlayedResolver(datagrams, new ServerSocket(datagrams.getLocalPort(), 0, InetAddress.getLoopbackAddress()), part);
                Thread.ofVirtual().start(resolver::serveDatagrams);
                Thread.ofVirtual().start(resolver::serveStreams);
                return resolver;
            } catch (BindException taken) {
                datagrams.close();
            }
        }
        throw new BindException("no port that is free for both");
    }

    /** The answer to that question with these records and this code. */
    static Message answer(Message query, int rcode, List<Record> records) {
        Message answer = new Message(query.getHeader().getID());
        answer.getHeader().setFlag(Flags.QR);
        answer.getHeader().setFlag(Flags.RA);
        answer.getHeader().setRcode(rcode);
        answer.addRecord(query.getQuestion(), Section.QUESTION);
        records.forEach(each -> answer.addRecord(each, Section.ANSWER));
        return answer;
    }

    InetSocketAddress address() {
        return address;
    }

    List<Asked> asked() {
        return List.copyOf(asked);
    }

    private void serveDatagrams() {
        while (!datagrams.isClosed()) {
            DatagramPacket packet = new DatagramPacket(new byte[4096], 4096);
            try {
                datagrams.receive(packet);
            } catch (IOException closed) {
                return;
            }
            Thread.ofVirtual().start(() -> answerDatagram(packet));
        }
    }

    private void answerDatagram(DatagramPacket packet) {
        try {
            byte[] bytes = new byte[packet.getLength()];
            System.arraycopy(packet.getData(), 0, bytes, 0, bytes.length);
            for (Message answer : said(bytes, packet.getPort(), false)) {
                byte[] wire = answer.toWire();
                datagrams.send(new DatagramPacket(wire, wire.length, packet.getSocketAddress()));
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private void serveStreams() {
        while (!streams.isClosed()) {
            try {
                Socket client = streams.accept();
                Thread.ofVirtual().start(() -> answerStream(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    /** One that says nothing keeps the stream open until the client has enough. */
    private void answerStream(Socket client) {
        try (client) {
            DataInputStream input = new DataInputStream(client.getInputStream());
            DataOutputStream output = new DataOutputStream(client.getOutputStream());
            while (true) {
                for (Message answer : said(input.readNBytes(input.readUnsignedShort()), client.getPort(), true)) {
                    byte[] wire = answer.toWire();
                    output.writeShort(wire.length);
                    output.write(wire);
                }
                output.flush();
            }
        } catch (IOException left) {
            // That is the client's business.
        }
    }

    private List<Message> said(byte[] bytes, int port, boolean overTcp) throws IOException {
        Message query = new Message(bytes);
        asked.add(new Asked(query.getQuestion().getName().toString(true), query.getHeader().getID(), port, overTcp));
        return part.answer(query, overTcp);
    }

    @Override
    public void close() {
        datagrams.close();
        try {
            streams.close();
        } catch (IOException fault) {
            throw new UncheckedIOException(fault);
        }
    }
}
