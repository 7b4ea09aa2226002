package dev.sandglass.server.e2b.envd;

import dev.sandglass.engine.command.Attachment;
import dev.sandglass.engine.command.CommandOutput;
import dev.sandglass.server.e2b.connect.Code;
import dev.sandglass.server.e2b.connect.Rpc;
import dev.sandglass.server.e2b.connect.RpcException;
import dev.sandglass.server.e2b.connect.ServerStream;
import dev.sandglass.wire.Command;
import java.io.IOException;

/** What a process prints, and its end. A client that leaves leaves the process running. */
final class ProcessFlow implements Rpc.Flow {
    private final Command command;
    private final Attachment attachment;
    private final boolean endsInTime;

    /** @param endsInTime whether the stream ends with the time of the call; else it is the process that does */
    ProcessFlow(Command command, Attachment attachment, boolean endsInTime) {
        this.command = command;
        this.attachment = attachment;
        this.endsInTime = endsInTime;
    }

    @Override
    public void run(ServerStream stream) throws IOException, InterruptedException {
        stream.send(ProcessEvents.started(command.pid()));
        while (true) {
            switch (stream.await(attachment::next)) {
                case CommandOutput.Data data -> stream.send(ProcessEvents.output(data.kind(), command.pty(), data.bytes()));
                case CommandOutput.Ended ended -> {
                    if ("timeout".equals(ended.exit().reason())) {
                        throw new RpcException(Code.DEADLINE_EXCEEDED, "the process was killed: its time was over");
                    }
                    stream.send(ProcessEvents.ended(ended.exit()));
                    return;
                }
                case CommandOutput.Dropped _ -> {} // this client was too slow for others
                case CommandOutput.End _ -> {
                    return;
                }
            }
        }
    }

    @Override
    public Object keepalive() {
        return ProcessEvents.KEEPALIVE;
    }

    @Override
    public boolean endsInTime() {
        return endsInTime;
    }

    @Override
    public void close() {
        attachment.close();
    }
}
