package dev.stagesim.io.measured;

import static dev.stagesim.model.Nanos.NS_PER_US;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonMode;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.measured.Operations.Collective;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What nccl-tests print, or write with {@code -J}: a line for each message size, out of place and in place; times in us, rates in GB/s
 * of 10^9. Columns are found by the names in the header, for options add some.
 *
 * <p>The size of an all-gather or a reduce-scatter is that of the whole buffer. The number of ranks is that of the {@code
 * # Rank} lines.
 */
final class NcclTestsFormat extends ResultFormat {
    private static final Pattern RANK = Pattern.compile("#\\s+Rank\\s+\\d+.*");
    private static final Pattern TEST = Pattern.compile("\\b(\\w+)_perf\\b");

    /** Columns before the first timing: size, count, type, redop, root. */
    private static final int BEFORE = 5;

    /** The option -S ends lines with the time of day. */
    private static final Pattern TIMESTAMP =
            Pattern.compile("(?<!\\s)\\s+\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\s*$");

    /** The columns when the header is missing. */
    private static final List<String> USUAL = List.of(
            "size", "count", "type", "redop", "root", "time", "algbw", "busbw", "#wrong", "time", "algbw", "busbw",
            "#wrong");

    private static final Map<String, String> NAMES = Map.of(
            "all_reduce",
            "all_reduce",
            "all_gather",
            "all_gather",
            "reduce_scatter",
            "reduce_scatter",
            "alltoall",
            "all_to_all",
            "broadcast",
            "broadcast",
            "reduce",
            "reduce",
            "sendrecv",
            "send_recv");

    NcclTestsFormat() {
        super("nccl_tests", "text printed by nccl-tests, for example all_reduce_perf, or the JSON that -J writes");
    }

    @Override
    boolean recognises(Glimpse file) {
        return (file.head().contains("algbw") && file.head().contains("busbw")) || NcclJson.recognises(file);
    }

    @Override
    Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(true, true, "nccl-tests have no requests");
        if (Glimpse.at(file).head().stripLeading().startsWith("{")) {
            return done(file, NcclJson.collective(file), NcclJson.rows(file));
        }
        List<String> lines = InputFile.text(file).lines().toList();
        String test = "unknown";
        int ranks = 0;
        List<String> columns = USUAL;
        for (String line : lines) {
            List<String> words = List.of(line.replaceFirst("^#", "").strip().split("\\s+", 0));
            columns = line.startsWith("#") && words.contains("algbw") && words.contains("count") ? words : columns;
            Matcher named = TEST.matcher(line);
            test = test.equals("unknown") && named.find() ? named.group(1) : test;
            ranks += RANK.matcher(line).matches() ? 1 : 0;
        }
        List<Collective> rows = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String[] fields =
                    TIMESTAMP.matcher(lines.get(i)).replaceFirst("").strip().split("\\s+", 0);
            if (fields.length > BEFORE && fields[0].matches("\\d+")) {
                row(file + ":" + (i + 1), NAMES.getOrDefault(test, test), ranks, columns, fields, rows, problems);
            }
        }
        if (ranks == 0) {
            problems.add(
                    Problem.artifact(file.toString(), "there is no '# Rank' line, so the number of ranks is unknown"));
        }
        if (rows.isEmpty() && problems.isEmpty()) {
            problems.add(Problem.artifact(file.toString(), "there is no line of results"));
        }
        StageException.refuse(problems);
        return done(file, test, rows);
    }

    private Measurement done(Path file, String test, List<Collective> rows) {
        Draft draft = new Draft(name(), "nccl-tests", file.toString());
        draft.means("time_ns", "one call, mean over calls; which of the ranks' times counts is the option -a");
        if (test.equals("unknown")) {
            draft.warn("the text does not say which test it is: its collective is called unknown");
        }
        if (rows.stream().anyMatch(row -> row.wrong() > 0)) {
            draft.warn("some results were wrong: the times are of a broken run");
        }
        return draft.operations(new Operations(List.of(), rows)).done();
    }

    static String named(String test) {
        return NAMES.getOrDefault(test, test);
    }

    /** A group of time, algbw, busbw and #wrong for each use of the buffers; tests that replay a trace leave the first one blank. */
    private static void row(
            String where,
            String collective,
            int ranks,
            List<String> columns,
            String[] fields,
            List<Collective> rows,
            List<Problem> problems) {
        int group = (columns.size() - BEFORE) / 2;
        boolean both = fields.length == BEFORE + 2 * group;
        if (!both && fields.length != BEFORE + group) {
            problems.add(Problem.artifact(where, "has " + fields.length + " columns")
                    .note("expected", String.join(" ", columns)));
            return;
        }
        int time = Math.max(columns.indexOf("time"), columns.indexOf("cputime")) - BEFORE;
        try {
            long bytes = Long.parseLong(fields[0]);
            for (int side = both ? 0 : 1; side < 2; side++) {
                int at = BEFORE + (both ? side * group : 0);
                String wrong = fields[at + columns.indexOf("#wrong") - BEFORE];
                rows.add(new Collective(
                        collective,
                        ranks,
                        bytes,
                        side == 1,
                        Double.parseDouble(fields[at + time]) * NS_PER_US,
                        Double.parseDouble(fields[at + columns.indexOf("algbw") - BEFORE]),
                        Double.parseDouble(fields[at + columns.indexOf("busbw") - BEFORE]),
                        wrong.equals("N/A") ? -1 : Math.round(Double.parseDouble(wrong))));
            }
        } catch (NumberFormatException e) {
            problems.add(Problem.artifact(where, "not a number: " + e.getMessage()));
        } catch (IndexOutOfBoundsException e) {
            problems.add(Problem.artifact(where, "the header lacks one of time, algbw, busbw and #wrong")
                    .note("found", String.join(" ", columns)));
        }
    }

    /** The JSON that nccl-tests write with {@code -J}: the same figures as the text, rates in GB/s and times in us. */
    private static final class NcclJson {
        private static final Pattern TEST = Pattern.compile("(\\w+)_perf$");

        private NcclJson() {}

        static boolean recognises(Glimpse file) {
            return file.hasMembers("nccl_version", "args", "results");
        }

        /** Our name of the collective, by the program that was run. */
        static String collective(Path file) throws IOException {
            List<JsonAt> arguments =
                    Json.read(file, JsonMode.NON_FINITE).get("args").items();
            Matcher test =
                    TEST.matcher(arguments.isEmpty() ? "" : arguments.get(0).asString());
            return test.find() ? NcclTestsFormat.named(test.group(1)) : "unknown";
        }

        static List<Collective> rows(Path file) throws IOException {
            JsonAt json = Json.read(file, JsonMode.NON_FINITE);
            String collective = collective(file);
            int ranks =
                    json.find("config", "devices").map(at -> at.items().size()).orElse(0);
            if (ranks == 0) {
                throw StageException.input(
                        Problem.artifact(file.toString(), "lists no devices, so the number of ranks is unknown"));
            }
            List<Collective> rows = new ArrayList<>();
            for (JsonAt result : json.get("results").items()) {
                for (String side : List.of("out_of_place", "in_place")) {
                    result.find(side)
                            .ifPresent(at -> rows.add(new Collective(
                                    collective,
                                    ranks,
                                    result.get("size").asLong(),
                                    side.equals("in_place"),
                                    at.find("time")
                                                    .orElseGet(() -> at.get("cpu_time"))
                                                    .asDouble()
                                            * NS_PER_US,
                                    at.get("alg_bw").asDouble(),
                                    at.get("bus_bw").asDouble(),
                                    wrong(at.find("nwrong")))));
                }
            }
            return rows;
        }

        /** -1 when it was not checked. */
        private static long wrong(Optional<JsonAt> count) {
            return count.filter(at -> !(at.value() instanceof JsonValue.Str))
                    .map(at -> Math.round(at.asDouble()))
                    .orElse(-1L);
        }
    }
}
