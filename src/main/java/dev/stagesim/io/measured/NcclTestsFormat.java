package dev.stagesim.io.measured;

import dev.stagesim.io.measured.Operations.Collective;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Text that nccl-tests print: a line for each message size, out of place and in place; times in us, rates in GB/s of 10^9.
 *
 * <p>The size of an all-gather or a reduce-scatter is that of the whole buffer. The number of ranks is that of the {@code
 * # Rank} lines.
 */
final class NcclTestsFormat implements ResultFormat {
    private static final Pattern RANK = Pattern.compile("#\\s+Rank\\s+\\d+.*");
    private static final Pattern TEST = Pattern.compile("(\\w+)_perf\\b");
    private static final double NS_PER_US = 1e3;

    /** Columns before the first timing: size, count, type, redop, root. */
    private static final int BEFORE = 5;

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

    @Override
    public String name() {
        return "nccl_tests";
    }

    @Override
    public String describe() {
        return "text printed by nccl-tests, for example all_reduce_perf";
    }

    @Override
    public boolean recognises(Glimpse file) {
        return file.head().contains("algbw") && file.head().contains("busbw");
    }

    @Override
    public Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(true, true, "nccl-tests have no requests");
        List<String> lines = Files.readAllLines(file);
        String test = "unknown";
        int ranks = 0;
        for (String line : lines) {
            Matcher named = TEST.matcher(line);
            test = test.equals("unknown") && named.find() ? named.group(1) : test;
            ranks += RANK.matcher(line).matches() ? 1 : 0;
        }
        List<Collective> rows = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String[] fields = lines.get(i).strip().split("\\s+");
            if (fields.length > BEFORE && fields[0].matches("\\d+")) {
                row(file + ":" + (i + 1), NAMES.getOrDefault(test, test), ranks, fields, rows, problems);
            }
        }
        if (ranks == 0) {
            problems.add(Problem.of(
                    "artifact error", file.toString(), "there is no '# Rank' line, so the number of ranks is unknown"));
        }
        if (rows.isEmpty() && problems.isEmpty()) {
            problems.add(Problem.of("artifact error", file.toString(), "there is no line of results"));
        }
        if (!problems.isEmpty()) {
            throw StageException.input(problems);
        }
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

    /** Two groups of time, algbw, busbw and #wrong end a line; columns of newer versions may stand between. */
    private static void row(
            String where,
            String collective,
            int ranks,
            String[] fields,
            List<Collective> rows,
            List<Problem> problems) {
        int group = (fields.length - BEFORE) / 2;
        if (group < 4 || (fields.length - BEFORE) % 2 != 0) {
            problems.add(Problem.of("artifact error", where, "has " + fields.length + " columns")
                    .note("expected", "size count type redop root, then twice time algbw busbw #wrong"));
            return;
        }
        try {
            long bytes = Long.parseLong(fields[0]);
            for (int side = 0; side < 2; side++) {
                int at = BEFORE + side * group;
                String wrong = fields[at + 3];
                rows.add(new Collective(
                        collective,
                        ranks,
                        bytes,
                        side == 1,
                        Double.parseDouble(fields[at]) * NS_PER_US,
                        Double.parseDouble(fields[at + 1]),
                        Double.parseDouble(fields[at + 2]),
                        wrong.equals("N/A") ? -1 : Math.round(Double.parseDouble(wrong))));
            }
        } catch (NumberFormatException e) {
            problems.add(Problem.of("artifact error", where, "not a number: " + e.getMessage()));
        }
    }
}
