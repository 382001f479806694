package dev.stagesim.io.astra;

import dev.stagesim.io.chakra.EtReader;
import dev.stagesim.io.chakra.FeederFiles;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.sim.collective.Compat;
import dev.stagesim.sim.collective.CustomCollective;
import dev.stagesim.sim.collective.RankTrace;
import dev.stagesim.sim.collective.RankTraceBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Reads the traces of all NPUs, {@code <prefix>.<rank>.et}. Files with the same content are read once, and their ranks
 * share one object.
 */
public final class TraceFiles {
    private static final String CATEGORY = "trace error";
    private static final int MOST_NAMED = 5;

    private final Compat compat;
    private final FeederFiles.Sequence feeder = new FeederFiles.Sequence();
    private final Map<String, RankTrace> byDigest = new LinkedHashMap<>();

    /**
     * Prepares to read.
     *
     * @param compat with the reference's indulgence for files cut short, or strictly
     */
    public TraceFiles(Compat compat) {
        this.compat = compat;
    }

    /** The file of a rank. */
    public static Path file(Path prefix, int rank) {
        return prefix.resolveSibling(prefix.getFileName() + "." + rank + ".et");
    }

    /** The files of ranks 0 to {@code npus} exclusive. */
    public static List<Path> files(Path prefix, int npus) {
        return IntStream.range(0, npus).mapToObj(rank -> file(prefix, rank)).toList();
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
        List<Path> files = files(prefix, npus);
        refuseMissing(files);
        List<RankTrace> traces = new ArrayList<>(npus);
        for (Path file : files) {
            traces.add(read(file));
            progress.read(traces.size());
        }
        return traces;
    }

    /**
     * Reads the traces of a collective: one for each position that has a file, from 0 on.
     *
     * @throws StageException (input) when there is none, or one is damaged
     */
    public CustomCollective collective(Path prefix) throws IOException {
        List<RankTrace> traces = new ArrayList<>();
        while (Files.exists(file(prefix, traces.size()))) {
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
        List<Path> missing = files.stream().filter(file -> !Files.exists(file)).toList();
        if (missing.isEmpty()) {
            return;
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

    /** Reads one trace, or finds one with the same content. */
    private RankTrace read(Path file) throws IOException {
        String digest = digest(file);
        RankTrace known = byDigest.get(digest);
        if (known != null) {
            return known;
        }
        RankTraceBuilder builder = new RankTraceBuilder(file.toString());
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
        byDigest.put(digest, trace);
        return trace;
    }

    private static String digest(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] buffer = new byte[1 << 16];
            for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
                digest.update(buffer, 0, count);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
