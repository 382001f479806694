package dev.stagesim.io.trace;

import dev.stagesim.model.Count;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.TraceFormat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/** Reads the rows of a trace that a filter keeps, in one pass; memory grows with the kept rows only. */
public final class TraceLoader {
    private static final int MAX_PROBLEMS = 10;
    private static final double YEAR_NS = 365 * 86_400e9;

    private final RowFilter filter;
    private final TraceReader reader;
    private final TraceRows rows;
    private final List<Problem> problems = new ArrayList<>();
    private long others;
    private long empties;
    private long earliestNs = Long.MAX_VALUE;
    private long latestNs = Long.MIN_VALUE;

    private TraceLoader(TraceReader reader, RowFilter filter) {
        this.reader = reader;
        this.filter = filter;
        this.rows = new TraceRows(reader.traits);
    }

    /**
     * Loads a file.
     *
     * @param tokens counts the tokens of a text, for formats that contain text
     */
    public static TraceRows load(Path file, TraceFormat format, ToIntFunction<String> tokens, RowFilter filter)
            throws IOException {
        try (TraceReader reader = TraceCodec.open(format, file, tokens)) {
            if (filter.model().isPresent() && !reader.traits.models()) {
                throw StageException.input(
                        Problem.config("workload.rows.model", "rows of this format name no model: it has no effect"));
            }
            return new TraceLoader(reader, filter).load();
        }
    }

    private TraceRows load() throws IOException {
        long seen = 0;
        long end = filter.skip() > Long.MAX_VALUE - filter.count() ? Long.MAX_VALUE : filter.skip() + filter.count();
        while (seen < end && problems.size() < MAX_PROBLEMS) {
            try {
                TraceReader.Step step = reader.next();
                if (step == TraceReader.Step.END) {
                    break;
                }
                if (seen++ >= filter.skip()) {
                    consider(step);
                }
            } catch (TraceReader.BadRow bad) {
                if (seen++ >= filter.skip()) {
                    problems.add(bad.problem());
                }
            } catch (StageException broken) {
                problems.addAll(broken.problems());
                break;
            }
        }
        StageException.refuse(problems);
        finish();
        return rows;
    }

    private void consider(TraceReader.Step step) {
        if (step == TraceReader.Step.OTHER) {
            others++;
            return;
        }
        boolean inWindow = reader.timeNs >= filter.fromNs() && reader.timeNs < filter.beforeNs();
        if (!inWindow || filter.model().filter(m -> !m.equals(reader.model)).isPresent()) {
            return;
        }
        boolean empty = filter.empty() != RowFilter.Empty.KEEP && reader.traits.lengths() && isEmpty();
        if (empty && filter.empty() == RowFilter.Empty.DROP) {
            empties++;
            return;
        }
        if (filter.share() < 1 && filter.random().getAsDouble() >= filter.share()) {
            return;
        }
        if (empty) {
            problems.add(noTokens());
        } else if (filter.inOrder() && reader.traits.times() && rows.size() > 0 && reader.timeNs < rows.lastTimeNs()) {
            throw new TraceReader.BadRow(reader.problem("this row is earlier than the one before it")
                    .hint("sort the file by time, or set workload.rows.unsorted=sort"));
        } else if (reader.traits.times() && rows.size() > 0 && isBeyondAYear()) {
            problems.add(reader.problem("this row is more than a year from another, expected arrivals within a year")
                    .hint("check the unit of its times, or select rows with workload.rows"));
        } else {
            rows.add(reader);
            earliestNs = Math.min(earliestNs, reader.timeNs);
            latestNs = Math.max(latestNs, reader.timeNs);
        }
    }

    private boolean isBeyondAYear() {
        return (double) reader.timeNs - earliestNs > YEAR_NS || (double) latestNs - reader.timeNs > YEAR_NS;
    }

    private Problem noTokens() {
        return reader.problem("a request of " + reader.prefill + " prompt and " + reader.decode
                        + " output tokens, expected at least 1 of each")
                .hint("fix the row, or drop such rows, which are failed requests in many logs, with"
                        + " workload.rows.empty=drop");
    }

    private boolean isEmpty() {
        return reader.prefill < 1 || (reader.decode < 1 && !reader.traits.outputOptional());
    }

    private void finish() {
        rows.trim();
        reader.remark().ifPresent(rows::remark);
        reader.layout().ifPresent(rows::layout);
        if (empties > 0) {
            rows.remark("left out: " + Count.of(empties, "row") + " without prompt or output tokens (failed requests)");
        }
        if (others > 0) {
            rows.remark("left out, being no single request to a language model: " + Count.of(others, "row"));
        }
    }
}
