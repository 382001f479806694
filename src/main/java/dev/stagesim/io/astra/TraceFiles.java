package dev.stagesim.io.astra;

import dev.stagesim.io.chakra.EtReader;
import dev.stagesim.io.chakra.FeederFiles;
import dev.stagesim.io.chakra.TraceDigest;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.sim.collective.Compat;
import dev.stagesim.sim.collective.CustomCollective;
import dev.stagesim.sim.collective.RankTrace;
import dev.stagesim.sim.collective.RankTraceBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the traces of all NPUs, {@code <prefix>.<rank>.et}. Files with the same work are read once, and their ranks share
 * one object, also where only the ids of nodes begin elsewhere.
 */
public final class TraceFiles {
    private static final String CATEGORY = "trace error";
    private static final int MOST_NAMED = 5;
    private static final long MOST_COMPARED = 1 << 20;
    private static final byte[] NOTHING = {};

    private final Compat compat;
    private final FeederFiles.Sequence feeder = new FeederFiles.Sequence();
    private final boolean areIdsKept;
    private final Map<String, Known> byDigest = new LinkedHashMap<>();
    private long idShift;
    private byte[] last = NOTHING;
    private @Nullable RankTrace lastTrace;

    /** A trace that was read, and where its ids begin. */
    private record Known(RankTrace trace, long firstId) {}

    /** The traces of all ranks, and by how much the ids of each exceed those of the object it shares. */
    public record Ranks(List<RankTrace> traces, long[] idShifts) {}

    /**
     * Prepares to read.
     *
     * @param compat with the reference's indulgence for files cut short, or strictly
     */
    public TraceFiles(Compat compat) {
        this(compat, false);
    }

    /**
     * Prepares to read.
     *
     * @param areIdsKept whether only traces with the same ids share an object
     */
    public TraceFiles(Compat compat, boolean areIdsKept) {
        this.compat = compat;
        this.areIdsKept = areIdsKept;
    }

    /** The file of a rank. */
    public static Path file(Path prefix, int rank) {
        return prefix.resolveSibling(prefix.getFileName() + "." + rank + ".et");
    }

    /**
     * The files of ranks 0 to {@code npus} exclusive.
     *
     * @throws StageException (input) when some are missing
     */
    public static List<Path> files(Path prefix, int npus) {
        List<Path> files =
                IntStream.range(0, npus).mapToObj(rank -> file(prefix, rank)).toList();
        refuseMissing(files);
        return files;
    }

    /** A listener to slow work. */
    public interface Progress {
        /** Files read so far. */
        void read(int files);
    }

    /**
     * Reads the traces of ranks 0 to {@code npus} exclusive.
     *
     * @throws StageException (input) when files are missing or damaged, or a trace can never start
     */
    public List<RankTrace> read(Path prefix, int npus, Progress progress) throws IOException {
        return readRanks(prefix, npus, progress).traces();
    }

    /** Reads as {@link #read} does, and tells ids that were shifted. */
    public Ranks readRanks(Path prefix, int npus, Progress progress) throws IOException {
        List<Path> files = files(prefix, npus);
        List<RankTrace> traces = new ArrayList<>(npus);
        long[] shifts = new long[npus];
        for (Path file : files) {
            traces.add(read(file));
            shifts[traces.size() - 1] = idShift;
            progress.read(traces.size());
        }
        return new Ranks(traces, shifts);
    }

    /**
     * Reads the traces of a collective: one for each position that has a file, from 0 on.
     *
     * @throws StageException (input) when there is none, or one is damaged
     */
    public CustomCollective collective(Path prefix) throws IOException {
        List<RankTrace> traces = new ArrayList<>();
        while (Files.isRegularFile(file(prefix, traces.size()))) {
            traces.add(read(file(prefix, traces.size())));
        }
        if (traces.isEmpty()) {
            throw StageException.input(Problem.of(
                    CATEGORY, file(prefix, 0).toString(), "the file does not exist: the collective has no traces"));
        }
        return new CustomCollective(traces);
    }

    /** Different traces read so far. */
    public int distinct() {
        return byDigest.size();
    }

    private static void refuseMissing(List<Path> files) {
        List<Path> missing =
                files.stream().filter(file -> !Files.isRegularFile(file)).toList();
        if (missing.isEmpty()) {
            return;
        }
        int there = files.size() - missing.size();
        if (there > 0 && missing.get(0).equals(files.get(there))) {
            throw StageException.input(Problem.of(
                            CATEGORY,
                            missing.get(0).toString(),
                            "there are traces for " + there + " NPUs, but the network has " + files.size())
                    .hint("give the network as many NPUs as there are traces, or make traces for all"));
        }
        List<Problem> problems = new ArrayList<>();
        for (Path file : missing.subList(0, Math.min(MOST_NAMED, missing.size()))) {
            problems.add(Problem.of(CATEGORY, file.toString(), "the trace does not exist"));
        }
        int more = missing.size() - problems.size();
        int last = problems.size() - 1;
        String all = missing.size() + " of " + files.size() + " traces are missing";
        problems.set(last, problems.get(last).hint(more > 0 ? all : "every NPU of the network needs a trace"));
        throw StageException.input(problems);
    }

    /** Reads one trace, or finds one with the same content; files that equal the one before cost no more than reading. */
    private RankTrace read(Path file) throws IOException {
        byte[] content = Files.size(file) <= MOST_COMPARED ? Files.readAllBytes(file) : NOTHING;
        if (content.length > 0 && lastTrace != null && Arrays.equals(content, last)) {
            return lastTrace;
        }
        RankTrace trace = find(file);
        last = content;
        lastTrace = trace;
        return trace;
    }

    private RankTrace find(Path file) throws IOException {
        TraceDigest digest = TraceDigest.of(file);
        String key = areIdsKept ? digest.firstId() + " " + digest.digest() : digest.digest();
        Known known = byDigest.get(key);
        if (known != null) {
            idShift = digest.firstId() - known.firstId();
            return known.trace();
        }
        idShift = 0;
        RankTraceBuilder builder = new RankTraceBuilder(file.toString(), compat == Compat.NONE);
        if (compat == Compat.NONE) {
            try (EtReader reader = EtReader.open(file)) {
                for (EtNode node = reader.next(); node != null; node = reader.next()) {
                    builder.add(node);
                }
            }
        } else {
            feeder.forEach(file, builder::add);
        }
        RankTrace trace = builder.build();
        byDigest.put(key, new Known(trace, digest.firstId()));
        return trace;
    }
}
