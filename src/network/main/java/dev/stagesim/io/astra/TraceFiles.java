package dev.stagesim.io.astra;

import dev.stagesim.io.background.Unchecked;
import dev.stagesim.io.chakra.EtReader;
import dev.stagesim.io.chakra.FeederFiles;
import dev.stagesim.io.chakra.NodeMemo;
import dev.stagesim.io.chakra.TraceDigest;
import dev.stagesim.io.chakra.TraceInput;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.collective.trace.CustomCollective;
import dev.stagesim.sim.collective.trace.RankTrace;
import dev.stagesim.sim.collective.trace.RankTraceBuilder;
import dev.stagesim.sim.collective.trace.SharedArrays;
import dev.stagesim.sim.trace.feed.FeederVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Reads the traces of all NPUs, {@code <prefix>.<rank>.et} (or {@code .eg}, the name until 2023). Files with equal work
 * are read once and their ranks share one object, even if the ids of their nodes have different offsets.
 */
public final class TraceFiles {
    private static final long MAX_COMPARED_BYTES = 1 << 20;
    private static final int MAX_CONCURRENT_FILES = 256;
    private static final int BYTES_AT_ONCE = 1 << 20;
    private static final byte[] NOTHING = {};

    private final AstraCompat compat;
    private final NodeMemo<RankTraceBuilder.Row> memo = new NodeMemo<>(RankTraceBuilder::row);
    private final FeederFiles.Sequence<RankTraceBuilder.Row> feeder = new FeederFiles.Sequence<>(memo);
    private final boolean areIdsKept;
    private final FeederVersion version;
    private final Map<String, Known> byDigest = new LinkedHashMap<>();
    private final SharedArrays arrays = new SharedArrays();
    private int made;
    private long idShift;
    private byte[] last = NOTHING;
    private @Nullable RankTrace lastTrace;

    /** True if files have different first ids, so that files with equal work may differ in all their bytes. */
    private boolean hasOffsets;

    /** A trace, the file it was read from, and the offset of its ids. */
    private record Known(RankTrace trace, Path file, long firstId) {}

    /** Traces of all ranks, and the offset of each rank's ids from the ids of the shared object. */
    public record Ranks(List<RankTrace> traces, long[] idShifts) {}

    /**
     * Creates a reader.
     *
     * @param compat whether to accept truncated files like the reference
     */
    TraceFiles(AstraCompat compat) {
        this(compat, FeederVersion.V3, false);
    }

    /**
     * Creates a reader.
     *
     * @param version dependencies that count
     * @param areIdsKept whether only traces with equal ids share an object
     */
    public TraceFiles(AstraCompat compat, FeederVersion version, boolean areIdsKept) {
        this.compat = compat;
        this.version = version;
        this.areIdsKept = areIdsKept;
    }

    /** Listener to slow work. */
    public interface Progress {
        void read(int files, int of);
    }

    /** Reads the traces of ranks 0 to {@code npus} exclusive. */
    public List<RankTrace> read(Path prefix, int npus, Progress progress) throws IOException {
        return readRanks(RankFiles.of(prefix), npus, progress).traces();
    }

    /** Reads like {@link #read}, and also returns the id offsets. */
    public Ranks readRanks(RankFiles source, int npus, Progress progress) throws IOException {
        List<Path> files = source.files(npus);
        if (!source.isShared()) {
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
            progress.read(to, npus);
        }
        return new Ranks(traces, shifts);
    }

    /**
     * Number of files to read concurrently, from the size of the last one. The first file and large files are read
     * individually.
     */
    private int filesAtOnce() {
        return last.length == 0 ? 1 : Math.max(1, Math.min(MAX_CONCURRENT_FILES, BYTES_AT_ONCE / last.length));
    }

    /** Reads the traces of a collective: one per position with a file, from 0. */
    CustomCollective collective(Path prefix) throws IOException {
        RankFiles files = RankFiles.of(prefix);
        int positions = files.count(0);
        if (positions == 0) {
            throw StageException.input(Problem.trace(
                    RankFiles.file(prefix, 0).toString(), "the file does not exist: the collective has no traces"));
        }
        return new CustomCollective(
                readRanks(files, positions, (count, of) -> {}).traces());
    }

    /** Distinct traces read so far. */
    public int distinct() {
        return made;
    }

    /** Contents of small files, read concurrently; empty for large ones. */
    private static List<byte[]> contents(List<Path> files) throws IOException {
        return Unchecked.parallel(files, TraceFiles::content);
    }

    private static byte[] content(Path file) throws IOException {
        try {
            return Files.size(file) <= MAX_COMPARED_BYTES ? InputFile.rawBytes(file) : NOTHING;
        } catch (NoSuchFileException gone) {
            throw StageException.input(Problem.trace(file.toString(), "the trace does not exist"), gone);
        }
    }

    /** Builds a trace, or finds an equal one. A file equal to its predecessor costs only its reading. */
    private RankTrace trace(Path file, byte[] content) throws IOException {
        if (content.length > 0 && lastTrace != null && Arrays.equals(content, last)) {
            return lastTrace;
        }
        RankTrace trace = file.toString().endsWith(RankFiles.OLD_ENDING) ? make(file, NOTHING) : find(file, content);
        last = content;
        lastTrace = trace;
        return trace;
    }

    private RankTrace find(Path file, byte[] content) throws IOException {
        TraceDigest digest = digest(file, content);
        Known known = byDigest.get(key(digest));
        if (known != null) {
            idShift = digest.firstId() - known.firstId();
            return known.trace();
        }
        RankTrace trace = make(file, content);
        byDigest.put(key(digest), new Known(trace, file, digest.firstId()));
        return trace;
    }

    private String key(TraceDigest digest) {
        return areIdsKept ? digest.firstId() + " " + digest.digest() : digest.digest();
    }

    /** Digests bytes as long as all files have the same first id. */
    private TraceDigest digest(Path file, byte[] content) throws IOException {
        OptionalLong first = hasOffsets ? OptionalLong.empty() : TraceDigest.firstId(content);
        if (first.isPresent() && byDigest.values().stream().limit(1).allMatch(k -> k.firstId() == first.getAsLong())) {
            return TraceDigest.ofBytes(content, first.getAsLong());
        }
        if (!hasOffsets) {
            hasOffsets = true;
            List<Known> before = List.copyOf(byDigest.values());
            byDigest.clear();
            for (Known known : before) {
                TraceDigest parsed = TraceDigest.of(known.file());
                byDigest.putIfAbsent(key(parsed), new Known(known.trace(), known.file(), parsed.firstId()));
            }
        }
        return content.length > 0 ? TraceDigest.of(content) : TraceDigest.of(file);
    }

    private RankTrace make(Path file, byte[] content) throws IOException {
        idShift = 0;
        made++;
        String name = file.toString();
        RankTraceBuilder builder = new RankTraceBuilder(name, version, compat == AstraCompat.NONE);
        if (compat != AstraCompat.NONE && version == FeederVersion.V3 && !name.endsWith(RankFiles.OLD_ENDING)) {
            if (content.length > 0) {
                feeder.forEach(content, name, builder::add);
            } else {
                feeder.forEach(file, builder::add);
            }
        } else if (content.length > 0) {
            try (EtReader reader = EtReader.of(content, name)) {
                reader.forEach(memo, builder::add);
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
