package dev.stagesim.io.measured.operations;

import static dev.stagesim.model.Nanos.NS_PER_US;

import dev.stagesim.io.background.Unchecked;
import dev.stagesim.io.gzip.Directories;
import dev.stagesim.io.json.ChromeEvents;
import dev.stagesim.io.measured.BandwidthRatios;
import dev.stagesim.io.measured.FormatProbe;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.MeasurementBuilder;
import dev.stagesim.io.measured.Operations.Collective;
import dev.stagesim.io.measured.Operations.Operator;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.RejectedRecords;
import dev.stagesim.io.measured.ResultFormat;
import dev.stagesim.io.measured.ToolUnits;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Chrome traces of the PyTorch (Kineto), TensorFlow and JAX profilers, plain or gzip, read as a stream of events.
 *
 * <p>Times are in us for every {@code displayTimeUnit}. A truncated trace is read up to its last complete event.
 */
public final class ChromeTraceFormat extends ResultFormat {
    private static final String EVENTS = "\"traceEvents\"";

    /** A trace with this many events may have been truncated: TensorFlow and JAX write at most a million. */
    private static final long CAPPED = 999_000;

    public ChromeTraceFormat() {
        super(
                "chrome_trace",
                "trace JSON of the PyTorch, TensorFlow or JAX profiler, plain or gzip, or a directory with one per rank");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return file.isDirectory()
                ? !Unchecked.get(() -> traces(file.path())).isEmpty()
                : file.head().contains(EVENTS);
    }

    @Override
    public Measurement read(Path path, ReadOptions options) throws IOException {
        options.refuse(true, true, "a trace has no requests");
        MeasurementBuilder builder = new MeasurementBuilder(name(), "profiler trace", path.toString());
        builder.clock("us of the profiler");
        List<Path> files = Files.isDirectory(path) ? traces(path) : List.of(path);
        OperatorSums sums = new OperatorSums();
        TraceCollectives collectives = new TraceCollectives();
        RejectedRecords leftOut = new RejectedRecords("event");
        long[] events = {0};
        for (Path file : files) {
            collectives.nextRank();
            read(file, builder, event -> {
                events[0] += event.phase().equals("X") ? 1 : 0;
                if (event.phase().equals("X") && isTimed(event, file, leftOut)) {
                    sums.add(key(event), event.durationUs() * NS_PER_US);
                    collectives.take(event);
                }
            });
        }
        leftOut.among(events[0]).ifPresent(builder::warn);
        List<Operator> rows = sums.rows(files.size());
        if (files.size() > 1) {
            builder.warn("calls and times of operators are means over " + files.size()
                    + " ranks; the shortest kernel of a collective counts, because the other ranks wait in it");
        } else if (rows.stream().anyMatch(row -> row.name().startsWith("nccl"))) {
            builder.warn("a communication kernel's time includes waiting for the slowest rank");
        }
        List<Collective> timed = collectives.rows(builder);
        return builder.operations(rows, timed, Collections.nCopies(rows.size() + timed.size(), path.toString()))
                .done();
    }

    private static boolean isTimed(ChromeEvents.Event event, Path file, RejectedRecords leftOut) {
        boolean isTimed = ToolUnits.isDuration(event.durationUs() * NS_PER_US);
        if (!isTimed) {
            leftOut.add(
                    file.toString(),
                    "event '" + event.name() + "' takes " + event.durationUs()
                            + " us, expected from 0 to below a year");
        }
        return isTimed;
    }

    private static void read(Path file, MeasurementBuilder builder, Consumer<ChromeEvents.Event> taken)
            throws IOException {
        long[] events = {0};
        boolean kineto = FormatProbe.at(file).head().contains("\"schemaVersion\"");
        try (InputStream in = FormatProbe.open(file)) {
            boolean whole = ChromeEvents.read(in, file.toString(), event -> {
                events[0]++;
                taken.accept(event);
            });
            if (!whole) {
                builder.warn("the trace is truncated: only complete events are counted");
            }
        }
        if (!kineto && events[0] >= CAPPED) {
            builder.warn("the trace has " + events[0]
                    + " events: TensorFlow's and JAX's profilers keep about a million and drop the"
                    + " rest without a word, so sums may be too small");
        }
    }

    private static List<Path> traces(Path directory) throws IOException {
        List<Path> traces = new ArrayList<>();
        for (Path file : Directories.list(directory, Files::isRegularFile)) {
            String name = file.getFileName().toString();
            if ((name.endsWith(".json") || name.endsWith(".json.gz"))
                    && FormatProbe.at(file).head().contains(EVENTS)) {
                traces.add(file);
            }
        }
        return traces;
    }

    private static OperatorSums.Key key(ChromeEvents.Event event) {
        String category = event.category();
        boolean gpu = category.equals("kernel") || category.startsWith("gpu_");
        return new OperatorSums.Key(gpu ? "gpu" : "cpu", category, event.name().replace('\t', ' '));
    }

    /**
     * Communication kernels of profiler traces, one trace per rank. A kernel's time includes the wait for the slowest
     * rank. If several ranks have the same call, the shortest kernel counts, and the difference to the longest is the
     * skew.
     */
    private static final class TraceCollectives {
        private static final Map<String, Integer> BYTES = Map.ofEntries(
                Map.entry("float", 4),
                Map.entry("half", 2),
                Map.entry("bfloat16", 2),
                Map.entry("double", 8),
                Map.entry("int", 4),
                Map.entry("long", 8),
                Map.entry("byte", 1),
                Map.entry("char", 1),
                Map.entry("bool", 1),
                Map.entry("float8_e4m3fn", 1),
                Map.entry("float8_e5m2", 1));

        /** Larger messages are overflows. */
        private static final long MAX_ELEMENTS = 1L << 50;

        private record Key(String name, int ranks, long bytes) implements Comparable<Key> {
            @Override
            public int compareTo(Key other) {
                int byName = name.compareTo(other.name);
                int byRanks = byName != 0 ? byName : Integer.compare(ranks, other.ranks);
                return byRanks != 0 ? byRanks : Long.compare(bytes, other.bytes);
            }
        }

        /** Times of the calls of one collective on one rank, in their order. */
        private static final class Calls {
            private double[] us = new double[16];
            private int count;

            void add(double time) {
                us = count == us.length ? Arrays.copyOf(us, 2 * count) : us;
                us[count++] = time;
            }
        }

        private final List<TreeMap<Key, Calls>> ranks = new ArrayList<>();

        /** Starts the events of another rank. */
        void nextRank() {
            ranks.add(new TreeMap<>());
        }

        void take(ChromeEvents.Event event) {
            if (event.collective().isEmpty() || !event.category().equals("kernel")) {
                return;
            }
            ChromeEvents.Collective said = event.collective().get();
            Integer size = BYTES.get(said.type().toLowerCase(Locale.ROOT));
            if (size != null && said.elements() > 0 && said.elements() < MAX_ELEMENTS && said.ranks() > 0) {
                Key key = new Key(name(said.name()), said.ranks(), said.elements() * size);
                ranks.get(ranks.size() - 1)
                        .computeIfAbsent(key, k -> new Calls())
                        .add(event.durationUs());
            }
        }

        private static String name(String theirs) {
            return BandwidthRatios.named(
                    theirs.toLowerCase(Locale.ROOT).replaceAll("_base|_tensor|coalesced|_|single|into", ""));
        }

        /** Returns one row for each collective and size, and adds the skew between ranks to {@code builder}. */
        List<Collective> rows(MeasurementBuilder builder) {
            List<Collective> rows = new ArrayList<>();
            double skew = 0;
            long calls = 0;
            TreeMap<Key, Boolean> keys = new TreeMap<>();
            ranks.forEach(rank -> rank.keySet().forEach(key -> keys.put(key, true)));
            for (Key key : keys.keySet()) {
                List<Calls> all = ranks.stream()
                        .filter(rank -> rank.containsKey(key))
                        .map(rank -> rank.get(key))
                        .toList();
                int common = all.stream().mapToInt(c -> c.count).min().orElse(0);
                double sum = 0;
                for (int i = 0; i < common; i++) {
                    double min = Double.POSITIVE_INFINITY;
                    double max = 0;
                    for (Calls one : all) {
                        min = Math.min(min, one.us[i]);
                        max = Math.max(max, one.us[i]);
                    }
                    sum += min;
                    skew += max - min;
                }
                calls += common;
                double ns = sum / common * NS_PER_US;
                double rate = key.bytes() / ns;
                rows.add(new Collective(
                        key.name(),
                        key.ranks(),
                        key.bytes(),
                        false,
                        ns,
                        rate,
                        rate
                                * BandwidthRatios.busFactor(key.name(), key.ranks())
                                        .orElse(1),
                        -1));
            }
            if (ranks.size() > 1 && calls > 0) {
                builder.rate("collective_skew_us", skew / calls);
            }
            return rows;
        }
    }
}
