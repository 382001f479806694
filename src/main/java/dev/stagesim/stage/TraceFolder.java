package dev.stagesim.stage;

import dev.stagesim.io.astra.GroupFiles;
import dev.stagesim.io.chakra.EtTemplate;
import dev.stagesim.io.chakra.EtWriter;
import dev.stagesim.io.chakra.LegacyWriter;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.LegacyNode;
import dev.stagesim.sim.collective.CommGroups;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * A folder of traces, one per processor: {@code <prefix>.<npu>.et}, and {@code .eg} for schema 0.0.1.
 *
 * <p>Files are independent of each other and are written by as many threads as there are processors to run them.
 */
public record TraceFolder(Path folder, String prefix) {
    /** File with the groups that collectives name. */
    public static final String GROUPS = "comm_groups.json";

    /** Writes one file. */
    @FunctionalInterface
    public interface Body {
        void write(int npu) throws IOException;
    }

    /** Does something for processors 0 to {@code npus} exclusive, several at a time. */
    public static void forEach(int npus, Body body) throws IOException {
        try {
            IntStream.range(0, npus).parallel().forEach(npu -> {
                try {
                    body.write(npu);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Writes copies of one trace, identities going on from file to file. */
    public void copies(EtTemplate template, int npus) throws IOException {
        forEach(npus, npu -> copy(template, npu, (long) npu * template.nodes()));
    }

    /** Writes equal traces. */
    public void same(EtTemplate template, int npus) throws IOException {
        forEach(npus, npu -> copy(template, npu, 0));
    }

    /** Writes a copy whose identities are moved. */
    public void copy(EtTemplate template, int npu, long shift) throws IOException {
        try (OutputStream out = Files.newOutputStream(file(npu, "et"))) {
            template.write(out, shift);
        }
    }

    public void write(int npu, EtMetadata metadata, List<EtNode> nodes) throws IOException {
        try (EtWriter writer = EtWriter.create(file(npu, "et"), metadata)) {
            for (EtNode node : nodes) {
                writer.write(node);
            }
        }
    }

    public void writeLegacy(int npu, List<LegacyNode> nodes) throws IOException {
        try (LegacyWriter writer = new LegacyWriter(Files.newOutputStream(file(npu, "eg")))) {
            for (LegacyNode node : nodes) {
                writer.write(node);
            }
        }
    }

    /** Writes the groups, where there are any, with their members in the order of the ring. */
    public void groups(Map<Integer, List<Integer>> groups) throws IOException {
        if (!groups.isEmpty()) {
            Json.write(folder.resolve(GROUPS), GroupFiles.json(new CommGroups(groups)));
        }
    }

    private Path file(int npu, String ending) {
        return folder.resolve(prefix + "." + npu + "." + ending);
    }
}
