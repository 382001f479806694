package dev.stagesim.traces;

import dev.stagesim.io.background.Unchecked;
import dev.stagesim.io.chakra.EtTemplate;
import dev.stagesim.io.chakra.EtWriter;
import dev.stagesim.io.chakra.LegacyWriter;
import dev.stagesim.io.chakra.TraceRanks;
import dev.stagesim.io.gzip.OutputFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.trace.CommGroups;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.LegacyNode;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * A folder of traces, one per processor: {@code <prefix>.<npu>.et}, and {@code .eg} for schema 0.0.1.
 *
 * <p>Files are independent and are written in parallel.
 *
 * @param isShared whether processors with equal traces share a file, which {@link TraceRanks} lists
 */
public record TraceFolder(Path folder, String prefix, boolean isShared) {
    /** Number of processors per batch of digest comparisons; enough for all threads, without storing traces. */
    private static final int AT_ONCE = 64;

    /** File with the communicator groups of collectives. */
    static final String GROUPS = "comm_groups.json";

    /** Creates a folder with a file per processor. */
    public TraceFolder(Path folder, String prefix) {
        this(folder, prefix, false);
    }

    /** Writes one file. */
    @FunctionalInterface
    public interface Body {
        void write(int npu) throws IOException;
    }

    /** Processes processors 0 to {@code npus} exclusive in parallel. */
    public static void forEach(int npus, Body body) throws IOException {
        try {
            IntStream.range(0, npus).parallel().forEach(npu -> Unchecked.run(() -> body.write(npu)));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Writes copies of one trace, with node ids that continue from file to file. */
    public void copies(EtTemplate template, int npus) throws IOException {
        forEach(npus, npu -> copy(template, npu, (long) npu * template.nodes()));
    }

    /** Writes equal traces. */
    public void same(EtTemplate template, int npus) throws IOException {
        if (isShared) {
            copy(template, 0, 0);
            try (TraceRanks.Writer ranks = new TraceRanks.Writer(folder)) {
                ranks.add(npus, String.valueOf(file(0, "et").getFileName()));
            }
        } else {
            forEach(npus, npu -> copy(template, npu, 0));
        }
    }

    /** Writes the traces of all processors, and returns the number of nodes. */
    public long each(int npus, EtMetadata metadata, IntFunction<List<EtNode>> nodes) throws IOException {
        if (isShared) {
            return different(npus, metadata, nodes);
        }
        AtomicLong count = new AtomicLong();
        forEach(npus, npu -> {
            List<EtNode> made = nodes.apply(npu);
            write(npu, metadata, made);
            count.addAndGet(made.size());
        });
        return count.get();
    }

    /** Writes each distinct trace once, in the file of its first processor, and returns the total number of nodes. */
    private long different(int npus, EtMetadata metadata, IntFunction<List<EtNode>> nodes) throws IOException {
        AtomicLong count = new AtomicLong();
        Map<String, Integer> files = new ConcurrentHashMap<>();
        try (TraceRanks.Writer ranks = new TraceRanks.Writer(folder)) {
            for (int from = 0; from < npus; from += AT_ONCE) {
                String[] digests = new String[Math.min(AT_ONCE, npus - from)];
                int first = from;
                forEach(digests.length, i -> {
                    List<EtNode> made = nodes.apply(first + i);
                    count.addAndGet(made.size());
                    digests[i] = EtWriter.digest(metadata, made);
                    if (files.putIfAbsent(digests[i], first + i) == null) {
                        write(first + i, metadata, made);
                    }
                });
                for (int i = 0; i < digests.length; i++) {
                    int npu = first + i;
                    int written = files.getOrDefault(digests[i], npu);
                    if (written > npu) {
                        Files.move(file(written, "et"), file(npu, "et"));
                        files.put(digests[i], npu);
                    }
                    ranks.add(
                            1, String.valueOf(file(Math.min(npu, written), "et").getFileName()));
                }
            }
        }
        return count.get();
    }

    /** Writes a copy with shifted node ids. */
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

    /** Writes the groups, if any, with their members in ring order. */
    public void groups(Map<Integer, List<Integer>> groups) throws IOException {
        if (!groups.isEmpty()) {
            Json.write(folder.resolve(GROUPS), GroupFiles.json(new CommGroups(groups)));
        }
    }

    private Path file(int npu, String ending) throws IOException {
        return OutputFile.in(folder, prefix + "." + npu + "." + ending);
    }
}
