package dev.stagesim.io.measured.operations;

import static dev.stagesim.model.Nanos.NS_PER_US;

import dev.stagesim.io.json.JsonBinder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.measured.BandwidthRatios;
import dev.stagesim.io.measured.FormatProbe;
import dev.stagesim.io.measured.LogLines;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.MeasurementBuilder;
import dev.stagesim.io.measured.Operations.Collective;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.ResultFile;
import dev.stagesim.io.measured.ResultFormat;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Output of nccl-tests, as text or as JSON of {@code -J}: one line per message size, out of place and in place; times in
 * us, rates in GB/s of 10^9. Columns are found by the names in the header, because options add columns.
 *
 * <p>The size of an all-gather or a reduce-scatter is the size of the whole buffer. The number of ranks is the number of
 * {@code # Rank} lines.
 */
public final class NcclTestsFormat extends ResultFormat {
    private static final Pattern RANK = Pattern.compile("#\\s+Rank\\s+(\\d{1,9})\\b.*");
    private static final Pattern TEST = Pattern.compile("\\b(\\w+)_perf\\b");

    private static final Pattern OUT_OF_BOUNDS = Pattern.compile("Out of bounds values\\s*:\\s*(\\d+)\\s+(\\w+)");
    private static final Pattern MEAN_BANDWIDTH =
            Pattern.compile("Avg bus bandwidth\\s*:\\s*(\\d+(?:\\.\\d+)?(?:[eE][-+]?\\d+)?)");
    private static final double PRINTED_GBS = 0.01;
    private static final double MEAN_TOLERANCE = 0.05;

    private static final Pattern PROGRAM = Pattern.compile("(\\w+)_perf$");

    /** Columns before the first timing: size, count, type, redop, root. */
    private static final int BEFORE = 5;

    /** The option -S appends the time of day to each line. */
    private static final Pattern TIMESTAMP =
            Pattern.compile("(?<!\\s)\\s+\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\s*$");

    /** Columns of a log without header. */
    private static final List<String> DEFAULT_COLUMNS = List.of(
            "size", "count", "type", "redop", "root", "time", "algbw", "busbw", "#wrong", "time", "algbw", "busbw",
            "#wrong");

    public NcclTestsFormat() {
        super("nccl_tests", "text printed by nccl-tests, for example all_reduce_perf, or the JSON that -J writes");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return (file.head().contains("algbw") && file.head().contains("busbw")) || NcclJson.recognises(file);
    }

    @Override
    public Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(true, true, "nccl-tests have no requests");
        if (FormatProbe.at(file).head().stripLeading().startsWith("{")) {
            List<Collective> rows = NcclJson.rows(file);
            MeasurementBuilder builder = new MeasurementBuilder(name(), "nccl-tests", file.toString());
            return builder.collectives(rows, Collections.nCopies(rows.size(), file.toString()));
        }
        List<Problem> problems = new ArrayList<>();
        List<Table> tables = tables(file, problems);
        StageException.refuse(problems);
        List<Collective> rows = new ArrayList<>();
        List<String> places = new ArrayList<>();
        MeasurementBuilder builder = new MeasurementBuilder(name(), "nccl-tests", file.toString());
        for (Table table : tables) {
            rows.addAll(table.named(builder));
            table.failure.ifPresent(builder::warn);
            places.addAll(table.places);
        }
        builder.means("time_ns", "one call, mean over calls; which of the ranks' times counts is the option -a");
        return builder.collectives(rows, places);
    }

    /** Returns the tables of a log. A log may contain several tests, each with its ranks. */
    private static List<Table> tables(Path file, List<Problem> problems) throws IOException {
        List<String> lines = LogLines.read(file);
        List<Table> tables = new ArrayList<>();
        Table table = new Table();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            String where = file + ":" + (i + 1);
            Matcher test = TEST.matcher(line);
            Matcher rank = RANK.matcher(line);
            boolean isNamed = test.find();
            boolean isRank = rank.matches();
            if ((isNamed || isRank) && !table.rows.isEmpty()) {
                tables.add(table);
                table = new Table();
            }
            if (isNamed && table.test.equals(BandwidthRatios.UNKNOWN)) {
                table.test = test.group(1);
            }
            if (isRank && !table.ranks.add(Integer.parseInt(rank.group(1)))) {
                problems.add(Problem.artifact(
                                where,
                                "rank " + rank.group(1) + " is listed again: the log contains several"
                                        + " concurrent runs, expected sequential runs")
                        .hint("give the lines of one node, for example grep '^node01:'"));
            }
            List<String> words = List.of(line.replaceFirst("^#", "").strip().split("\\s+", 0));
            table.columns =
                    line.startsWith("#") && words.contains("algbw") && words.contains("count") ? words : table.columns;
            table.summary(line, where, problems);
            String[] fields = TIMESTAMP.matcher(line).replaceFirst("").strip().split("\\s+", 0);
            if (fields.length > BEFORE && fields[0].matches("\\d+")) {
                table.add(where, fields, problems);
            }
        }
        tables.add(table);
        tables.removeIf(each -> each.rows.isEmpty());
        tables.forEach(each -> each.checkRanks(file, problems));
        if (tables.isEmpty() && problems.isEmpty()) {
            problems.add(Problem.artifact(file.toString(), "there is no line of results"));
        }
        return tables;
    }

    /** The rows of one test. */
    private static final class Table {
        private String test = BandwidthRatios.UNKNOWN;
        private List<String> columns = DEFAULT_COLUMNS;
        private boolean reduces;
        private boolean isRooted;
        private Optional<String> failure = Optional.empty();
        private final Set<Integer> ranks = new TreeSet<>();
        private final List<Collective> rows = new ArrayList<>();
        private final List<String> places = new ArrayList<>();

        /**
         * Adds the times of each use of the buffers: time, algbw, busbw and #wrong. Tests that replay a trace omit the
         * first use.
         */
        void add(String where, String[] fields, List<Problem> problems) {
            int group = (columns.size() - BEFORE) / 2;
            boolean both = fields.length == BEFORE + 2 * group;
            if (!both && fields.length != BEFORE + group) {
                problems.add(Problem.artifact(where, "has " + fields.length + " columns")
                        .note("expected", String.join(" ", columns)));
                return;
            }
            int time = Math.max(columns.indexOf("time"), columns.indexOf("cputime")) - BEFORE;
            try {
                reduces = !fields[columns.indexOf("redop")].equals("none");
                isRooted = !fields[columns.indexOf("root")].equals("-1");
                for (int side = both ? 0 : 1; side < 2; side++) {
                    int at = BEFORE + (both ? side * group : 0);
                    String wrong = fields[at + columns.indexOf("#wrong") - BEFORE];
                    rows.add(new Collective(
                            BandwidthRatios.UNKNOWN,
                            1,
                            Long.parseLong(fields[0]),
                            side == 1,
                            Double.parseDouble(fields[at + time]) * NS_PER_US,
                            Double.parseDouble(fields[at + columns.indexOf("algbw") - BEFORE]),
                            Double.parseDouble(fields[at + columns.indexOf("busbw") - BEFORE]),
                            wrong.equals("N/A") ? -1 : Math.round(Double.parseDouble(wrong))));
                    places.add(where);
                }
            } catch (NumberFormatException e) {
                problems.add(Problem.artifact(where, "not a number: " + e.getMessage()));
            } catch (IndexOutOfBoundsException e) {
                problems.add(
                        Problem.artifact(where, "the header lacks one of redop, root, time, algbw, busbw and #wrong")
                                .note("found", String.join(" ", columns)));
            }
        }

        /** Reads the lines after the rows: the number of wrong values and the mean bus bandwidth. */
        void summary(String line, String where, List<Problem> problems) {
            Matcher wrong = OUT_OF_BOUNDS.matcher(line);
            if (wrong.find() && !wrong.group(2).equals("OK")) {
                failure =
                        Optional.of(where + ": '" + wrong.group() + "', expected '0 OK': the results of this test were"
                                + " wrong, so its times come from a broken run");
            }
            Matcher stated = MEAN_BANDWIDTH.matcher(line);
            if (stated.find() && !rows.isEmpty()) {
                double value = Double.parseDouble(stated.group(1));
                double mean = rows.stream().mapToDouble(Collective::busGbs).sum() / rows.size();
                if (Math.abs(value - mean) > PRINTED_GBS + MEAN_TOLERANCE * mean) {
                    problems.add(Problem.artifact(
                            where,
                            "states a mean bus bandwidth of " + value + " GB/s, expected " + mean
                                    + " GB/s, the mean of the " + rows.size() + " values in its rows"));
                }
            }
        }

        void checkRanks(Path file, List<Problem> problems) {
            int last = ranks.stream().mapToInt(rank -> rank).max().orElse(-1);
            if (ranks.isEmpty()) {
                problems.add(Problem.artifact(
                        file.toString(), "there is no '# Rank' line, so the number of ranks is unknown"));
            } else if (last + 1 != ranks.size()) {
                problems.add(Problem.artifact(
                        file.toString(),
                        "lists " + ranks.size() + " ranks up to rank " + last + ", expected all of them"));
            }
        }

        /** Returns the rows with their collective. If the log does not name it, the ratio of the bandwidths determines it. */
        List<Collective> named(MeasurementBuilder builder) {
            String name = BandwidthRatios.named(test);
            List<Collective> counted = with(name);
            if (!name.equals(BandwidthRatios.UNKNOWN)) {
                return counted;
            }
            List<String> candidates = BandwidthRatios.candidates(counted, reduces, isRooted);
            if (candidates.size() == 1) {
                builder.warn("the log does not name its test: the ratio of its bandwidths on " + ranks.size()
                        + " ranks belongs to " + candidates.get(0));
                return with(candidates.get(0));
            }
            builder.warn("the log does not name its test, and the ratio of its bandwidths belongs to "
                    + (candidates.isEmpty()
                            ? "no collective on " + ranks.size() + " ranks"
                            : String.join(" or ", candidates))
                    + ": its collective is called unknown");
            return counted;
        }

        private List<Collective> with(String collective) {
            return rows.stream()
                    .map(row -> new Collective(
                            collective,
                            ranks.size(),
                            row.bytes(),
                            row.inPlace(),
                            row.timeNs(),
                            row.algorithmGbs(),
                            row.busGbs(),
                            row.wrong()))
                    .toList();
        }
    }

    /** The JSON that nccl-tests write with {@code -J}: the columns of the text, rates in GB/s and times in us. */
    private record NcclJson(List<String> args, Optional<Config> config, List<Size> results) {
        private record Config(Optional<List<JsonValue>> devices) {}

        private record Size(long size, Optional<BufferTiming> outOfPlace, Optional<BufferTiming> inPlace) {}

        /**
         * The times of one use of the buffers.
         *
         * @param nwrong wrong results; text or null if they were not checked
         */
        private record BufferTiming(
                Optional<Double> time,
                Optional<Double> cpuTime,
                double algBw,
                double busBw,
                Optional<JsonValue> nwrong) {}

        static boolean recognises(FormatProbe file) {
            return file.hasMembers("nccl_version", "args", "results");
        }

        static List<Collective> rows(Path file) throws IOException {
            NcclJson json = JsonBinder.FOREIGN.bind(ResultFile.document(file), NcclJson.class);
            Matcher test = PROGRAM.matcher(json.args.isEmpty() ? "" : json.args.get(0));
            String collective = test.find() ? BandwidthRatios.named(test.group(1)) : BandwidthRatios.UNKNOWN;
            int ranks = json.config.flatMap(Config::devices).map(List::size).orElse(0);
            if (ranks == 0) {
                throw StageException.input(
                        Problem.artifact(file.toString(), "lists no devices, so the number of ranks is unknown"));
            }
            List<Collective> rows = new ArrayList<>();
            for (Size each : json.results) {
                each.outOfPlace.ifPresent(side -> rows.add(row(collective, ranks, each.size, false, side)));
                each.inPlace.ifPresent(side -> rows.add(row(collective, ranks, each.size, true, side)));
            }
            return rows;
        }

        private static Collective row(String collective, int ranks, long size, boolean inPlace, BufferTiming side) {
            double us = side.time.or(side::cpuTime).orElse(Double.NaN);
            return new Collective(
                    collective, ranks, size, inPlace, us * NS_PER_US, side.algBw, side.busBw, wrong(side.nwrong));
        }

        /** Returns the number of wrong results, or -1 if not checked. */
        private static long wrong(Optional<JsonValue> count) {
            JsonValue value = count.orElse(JsonValue.NULL);
            return value instanceof JsonValue.Real real
                    ? Math.round(real.value())
                    : value instanceof JsonValue.Int whole ? whole.value() : -1;
        }
    }
}
