package dev.stagesim.stage.astrasim;

import dev.stagesim.contract.TableSchema;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.io.packet.OutputNames;
import dev.stagesim.io.packet.PacketLogs;
import dev.stagesim.io.packet.PacketTables;
import dev.stagesim.io.packet.TopologyFiles;
import dev.stagesim.sim.network.packet.PacketNetwork;
import dev.stagesim.sim.network.packet.state.PacketListener;
import dev.stagesim.sim.network.packet.topology.PortUse;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** Additional files of a packet run: tables of flows, ports, pauses and queues, and the reference's files. */
final class PacketFiles implements Closeable {
    private final Path out;
    private final List<OutputStream> open = new ArrayList<>();
    private final PacketRecorder recorder;
    private final PacketNetwork network;

    PacketFiles(NetworkPlan.Packet plan, Path out) throws IOException {
        this.out = out;
        PacketListener next = PacketListener.NONE;
        if (plan.nativeFiles().isPresent()) {
            OutputNames names = plan.nativeFiles().get();
            Path folder = Files.createDirectories(out.resolve("native"));
            PacketLogs logs = new PacketLogs(
                    stream(folder.resolve(names.flows())),
                    stream(folder.resolve(names.pauses())),
                    stream(folder.resolve(names.queues())),
                    plan.spec().traced().isEmpty()
                            ? OutputStream.nullOutputStream()
                            : stream(folder.resolve(names.frames())));
            next = logs;
            recorder = new PacketRecorder(next);
            network = plan.make(recorder);
            logs.frames().head(plan.spec().topology(), network.largestProduct());
            Files.writeString(
                    folder.resolve(OutputNames.TOPOLOGY),
                    TopologyFiles.text(plan.spec().topology()));
        } else {
            recorder = new PacketRecorder(next);
            network = plan.make(recorder);
        }
    }

    private OutputStream stream(Path file) throws IOException {
        OutputStream stream = new BufferedOutputStream(Files.newOutputStream(file));
        open.add(stream);
        return stream;
    }

    PacketNetwork network() {
        return network;
    }

    PacketRecorder recorder() {
        return recorder;
    }

    List<PortUse> ports() {
        List<PortUse> ports = new ArrayList<>();
        network.ports(ports::add);
        return ports;
    }

    /** Writes the tables. */
    void tables(long durationNs) throws IOException {
        whole(PacketTables.FLOWS, recorder.flows(), recorder::flow);
        TableWriter.write(out, PacketTables.PORTS, ports(), (table, use) -> put(table, use, durationNs));
        whole(PacketTables.PAUSES, recorder.pauses(), recorder::pause);
        whole(PacketTables.QUEUES, recorder.samples(), recorder::sample);
    }

    /** Writes a table of whole numbers. */
    private void whole(TableSchema schema, int rows, IntFunction<long[]> row) throws IOException {
        try (TableWriter table = TableWriter.in(out, schema)) {
            for (int i = 0; i < rows; i++) {
                for (long cell : row.apply(i)) {
                    table.put(cell);
                }
                table.endRow();
            }
        }
    }

    private static void put(TableWriter table, PortUse use, long durationNs) throws IOException {
        table.put((long) use.at().node()).put((long) use.at().port()).put((long)
                use.at().peer());
        table.put(use.rate()).put(use.frames()).put(use.bytes()).put(use.busyNs());
        table.put(durationNs == 0 ? 0.0 : Math.min(1, (double) use.busyNs() / durationNs));
        table.put(use.waitedNs()).put((long) use.maxWaiting());
        table.put((long) use.pauses().count()).put(use.pauses().ns());
        table.put(use.marks()).put((long) use.drops());
    }

    @Override
    public void close() throws IOException {
        for (OutputStream stream : open) {
            stream.close();
        }
    }
}
