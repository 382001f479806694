package dev.stagesim.io.chakra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.ChildJava;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNames;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writes, reads and prints ten million nodes in a process of 256 MiB. */
@Tag("long")
class LargeTraceTest {
    private static final long NODES = 10_000_000;
    private static final long MAX_KIB = 256 * 1024;

    @Test
    void streamsTenMillionNodes(@TempDir Path folder) throws Exception {
        List<String> command = new ArrayList<>(ChildJava.command(LargeTraceTest.class, "-Xmx96m"));
        command.add(folder.resolve("large.et").toString());
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }

    /** Child process: writes, reads and prints a trace, then checks its peak memory if the system reports it. */
    public static void main(String[] args) throws IOException {
        Path file = Path.of(args[0]);
        try (EtWriter writer = EtWriter.create(file, EtMetadata.EMPTY)) {
            for (long id = 0; id < NODES; id++) {
                writer.write(node(id));
            }
        }
        long count = 0;
        try (EtReader reader = EtReader.open(file)) {
            for (EtNode node = reader.next(); node != null; node = reader.next()) {
                if (node.id() != count++) {
                    throw new IllegalStateException("node " + count + " is " + node);
                }
            }
        }
        if (count != NODES) {
            throw new IllegalStateException(count + " nodes");
        }
        try (EtReader reader = EtReader.open(file)) {
            EtJson.write(reader, OutputStream.nullOutputStream());
        }
        Path status = Path.of("/proc/self/status");
        if (Files.exists(status)) {
            long kib = Files.readAllLines(status).stream()
                    .filter(line -> line.startsWith("VmHWM"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                    .findFirst()
                    .orElse(0);
            if (kib > MAX_KIB) {
                throw new IllegalStateException("the process took " + kib + " KiB");
            }
        }
    }

    private static EtNode node(long id) {
        EtNode node = EtNode.of(
                id,
                "COMM_COLL_NODE_layer" + id % 100,
                NodeType.COMM_COLL_NODE,
                EtAttribute.ofLong(EtNames.COMM_SIZE, id));
        return id == 0 ? node : node.withDataDeps(id - 1);
    }
}
