package dev.stagesim.io.astra;

import dev.stagesim.io.chakra.EtReader;
import dev.stagesim.io.chakra.FeederFiles;
import dev.stagesim.io.chakra.TraceDigest;
import dev.stagesim.io.chakra.TraceInput;
import dev.stagesim.io.chakra.TraceRanks;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.sim.collective.Compat;
import dev.stagesim.sim.collective.CustomCollective;
import dev.stagesim.sim.collective.RankTrace;
import dev.stagesim.sim.collective.RankTraceBuilder;
import dev.stagesim.sim.collective.SharedArrays;
import dev.stagesim.sim.trace.feed.FeederVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the traces of all NPUs, {@code <prefix>.<rank>.et}, or {@code .eg} as they were named until 2023. Files with the same work are read once, and their ranks share
 * one object, also where only the ids of nodes begin elsewhere.
 */
public final class TraceFiles {
    private static final String ENDING = ".et";
    private static final String OLD_ENDING = ".eg";
    private static final int MOST_NAMED = 5;
    private static final int MOST_LISTED = 1 << 20;
    private static final long MOST_COMPARED = 1 << 20;
    private static final int MOST_AT_ONCE = 256;
    private static final int BYTES_AT_ONCE = 1 << 20;
    private static final byte[] NOTHING = {};

    private final Compat compat;
    private final FeederFiles.Sequence feeder = new FeederFiles.Sequence();
    private final boolean areIdsKept;
    private final FeederVersion version;
    private final Map<String, Known> byDigest = new LinkedHashMap<>();
    private final SharedArrays arrays = new SharedArrays();
    private int made;
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
        this(compat, FeederVersion.V3, false);
    }

    /**
     * Prepares to read.
     *
     * @param version which dependencies count
     * @param areIdsKept whether only traces with the same ids share an object
     */
    public TraceFiles(Compat compat, FeederVersion version, boolean areIdsKept) {
        this.compat = compat;
        this.version = version;
        this.areIdsKept = areIdsKept;
    }

    public static Path file(Path prefix, int rank) {
        return file(prefix, rank, ENDING);
    }

    private static Path file(Path prefix, int rank, String ending) {
        return prefix.resolveSibling(prefix.getFileName() + "." + rank + ending);
    }

    /** How the names of traces end: as they do now, or where there are only such, as until 2023. */
    private static String ending(Path prefix) {
        boolean isOld = !Files.exists(file(prefix, 0)) && Files.isRegularFile(file(prefix, 0, OLD_ENDING));
        return isOld ? OLD_ENDING : ENDING;
    }

    /** The traces of ranks that share files; none where each has its own. */
    private static Optional<TraceRanks> shared(Path prefix) throws IOException {
        return TraceRanks.of(prefix.resolveSibling(""), prefix.getFileName() + ".");
    }

    /** How many traces there are with this prefix, counted from rank 0 on and from {@code least} that are known to be. */
    public static int count(Path prefix, int least) throws IOException {
        Optional<TraceRanks> shared = shared(prefix);
        if (shared.isPresent()) {
            return shared.get().size();
        }
        String ending = ending(prefix);
        int count = least;
        while (Files.exists(file(prefix, count, ending))) {
            count++;
        }
        return count;
    }

    /** The files that ranks 0 to {@code npus} exclusive are read from, each once. */
    public static List<Path> inputs(Path prefix, int npus) throws IOException {
        List<Path> files = files(prefix, npus);
        Optional<TraceRanks> shared = shared(prefix);
        return shared.isEmpty()
                ? files
                : Stream.concat(Stream.of(shared.get().table()), files.stream().distinct())
                        .toList();
    }

    /** The files of ranks 0 to {@code npus} exclusive, one of several ranks for each of them. */
    private static List<Path> files(Path prefix, int npus) throws IOException {
        Optional<TraceRanks> shared = shared(prefix);
        if (shared.isPresent()) {
            if (shared.get().size() < npus) {
                throw tooFew(shared.get().table(), shared.get().size(), npus);
            }
            return shared.get().subList(0, npus);
        }
        String ending = ending(prefix);
        if (npus > MOST_LISTED && !Files.isRegularFile(file(prefix, npus - 1, ending))) {
            throw tooFew(file(prefix, npus - 1, ending), count(prefix, 0), npus);
        }
        List<Path> files = IntStream.range(0, npus)
                .mapToObj(rank -> file(prefix, rank, ending))
                .toList();
        // One that is missing in between is found when it is read.
        if (!Files.isRegularFile(files.get(0)) || !Files.isRegularFile(files.get(npus - 1))) {
            refuseMissing(prefix, files);
        }
        return files;
    }

    /** A listener to slow work. */
    public interface Progress {
        void read(int files);
    }

    /** Reads the traces of ranks 0 to {@code npus} exclusive. */
    public List<RankTrace> read(Path prefix, int npus, Progress progress) throws IOException {
        return readRanks(prefix, npus, progress).traces();
    }

    /** Reads as {@link #read} does, and tells ids that were shifted. */
    public Ranks readRanks(Path prefix, int npus, Progress progress) throws IOException {
        List<Path> files = files(prefix, npus);
        if (shared(prefix).isEmpty()) {
            return read(files, progress);
        }
        List<Path> different = files.stream().distinct().toList();
        Ranks read = read(different, progress);
        Map<Path, Integer> at = new HashMap<>();
        different.forEach(file -> at.put(file, at.size()));
        int[] places = files.stream().mapToInt(at::get).toArray();
        return new Ranks(
                Arrays.stream(places).mapToObj(read.traces()::get).toList(),
                Arrays.stream(places).mapToLong(place -> read.idShifts()[place]).toArray());
    }

    private Ranks read(List<Path> files, Progress progress) throws IOException {
        int npus = files.size();
        List<RankTrace> traces = new ArrayList<>(npus);
        long[] shifts = new long[npus];
        for (int from = 0, to; from < npus; from = to) {
            to = Math.min(npus, from + filesAtOnce());
            List<byte[]> contents = contents(files.subList(from, to));
            for (int rank = from; rank < to; rank++) {
                traces.add(trace(files.get(rank), contents.get(rank - from)));
                shifts[rank] = idShift;
            }
            progress.read(to);
        }
        return new Ranks(traces, shifts);
    }

    /** How many files are read side by side: the last one's size decides; the first one, and large ones, are read alone. */
    private int filesAtOnce() {
        return last.length == 0 ? 1 : Math.max(1, Math.min(MOST_AT_ONCE, BYTES_AT_ONCE / last.length));
    }

    /** Reads the traces of a collective: one for each position that has a file, from 0 on. */
    public CustomCollective collective(Path prefix) throws IOException {
        int positions = count(prefix, 0);
        if (positions == 0) {
            throw StageException.input(
                    Problem.trace(file(prefix, 0).toString(), "the file does not exist: the collective has no traces"));
        }
        return new CustomCollective(read(prefix, positions, count -> {}));
    }

    /** Different traces read so far. */
    public int distinct() {
        return made;
    }

    private static StageException tooFew(Path where, int there, int npus) {
        return StageException.input(
                Problem.trace(where.toString(), "there are traces for " + there + " NPUs, but the network has " + npus)
                        .hint("give the network as many NPUs as there are traces, or make traces for all"));
    }

    private static void refuseMissing(Path prefix, List<Path> files) {
        List<Path> missing =
                files.stream().filter(file -> !Files.isRegularFile(file)).toList();
        if (missing.isEmpty()) {
            return;
        }
        int there = files.size() - missing.size();
        if (there == 0) {
            refuseFile(prefix);
        }
        if (there > 0 && missing.get(0).equals(files.get(there))) {
            throw tooFew(missing.get(0), there, files.size());
        }
        List<Problem> problems = new ArrayList<>();
        for (Path file : missing.subList(0, Math.min(MOST_NAMED, missing.size()))) {
            problems.add(Problem.trace(file.toString(), "the trace does not exist"));
        }
        int more = missing.size() - problems.size();
        int last = problems.size() - 1;
        String all = missing.size() + " of " + files.size() + " traces are missing";
        problems.set(last, problems.get(last).hint(more > 0 ? all : "every NPU of the network needs a trace"));
        throw StageException.input(problems);
    }

    /** Says what a prefix is where the name of a file was given. */
    private static void refuseFile(Path prefix) {
        if (!Files.isRegularFile(prefix)) {
            return;
        }
        String name = String.valueOf(prefix.getFileName());
        String meant = name.replaceFirst("(\\.\\d+)?\\.(et|eg)$", "");
        throw StageException.input(
                Problem.trace(prefix.toString(), "this is a file, expected what the names of the traces begin with")
                        .hint("the trace of NPU i is <prefix>.<i>.et"
                                + (meant.equals(name) ? "" : "; here the prefix is " + prefix.resolveSibling(meant))));
    }

    /** Contents of small files, read side by side; nothing of large ones. */
    private static List<byte[]> contents(List<Path> files) throws IOException {
        try {
            return files.parallelStream()
                    .map(file -> {
                        try {
                            return content(file);
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    })
                    .toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static byte[] content(Path file) throws IOException {
        try {
            return Files.size(file) <= MOST_COMPARED ? Files.readAllBytes(file) : NOTHING;
        } catch (NoSuchFileException gone) {
            throw StageException.input(Problem.trace(file.toString(), "the trace does not exist"), gone);
        }
    }

    /** Makes a trace, or finds one with the same content; files that equal the one before cost no more than reading. */
    private RankTrace trace(Path file, byte[] content) throws IOException {
        if (content.length > 0 && lastTrace != null && Arrays.equals(content, last)) {
            return lastTrace;
        }
        RankTrace trace = file.toString().endsWith(OLD_ENDING) ? make(file, NOTHING) : find(file, content);
        last = content;
        lastTrace = trace;
        return trace;
    }

    private RankTrace find(Path file, byte[] content) throws IOException {
        TraceDigest digest = content.length > 0 ? TraceDigest.of(content) : TraceDigest.of(file);
        String key = areIdsKept ? digest.firstId() + " " + digest.digest() : digest.digest();
        Known known = byDigest.get(key);
        if (known != null) {
            idShift = digest.firstId() - known.firstId();
            return known.trace();
        }
        RankTrace trace = make(file, content);
        byDigest.put(key, new Known(trace, digest.firstId()));
        return trace;
    }

    private RankTrace make(Path file, byte[] content) throws IOException {
        idShift = 0;
        made++;
        String name = file.toString();
        RankTraceBuilder builder = new RankTraceBuilder(name, version, compat == Compat.NONE);
        if (compat != Compat.NONE && version == FeederVersion.V3 && !name.endsWith(OLD_ENDING)) {
            if (content.length > 0) {
                feeder.forEach(content, name, builder::add);
            } else {
                feeder.forEach(file, builder::add);
            }
        } else if (content.length > 0) {
            try (EtReader reader = EtReader.of(content, name)) {
                for (EtNode node = reader.next(); node != null; node = reader.next()) {
                    builder.add(node);
                }
            }
        } else {
            try (TraceInput reader = TraceInput.open(file)) {
                for (EtNode node = reader.next(); node != null; node = reader.next()) {
                    builder.add(node);
                }
            }
        }
        return builder.build(arrays);
    }
}
