package dev.stagesim.stage.workload;

import dev.stagesim.io.tokenizer.Tokenizer;
import dev.stagesim.io.trace.RowFilter;
import dev.stagesim.io.trace.Timestamps;
import dev.stagesim.io.trace.TraceCodec;
import dev.stagesim.io.trace.TraceLoader;
import dev.stagesim.io.trace.TraceRows;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.TraceFormat;
import dev.stagesim.serving.ServingWorkload;
import dev.stagesim.serving.workload.EmptyRows;
import dev.stagesim.serving.workload.RowSettings;
import dev.stagesim.serving.workload.UnsortedRows;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.CompatMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.ToIntFunction;

/** Loads the files of a serving workload. */
final class TraceSource {
    private final ServingWorkload workload;
    private final ArrivalSettings arrival;
    private final boolean vidur;
    private final Path home;

    TraceSource(ServingWorkload workload, ArrivalSettings arrival, CompatMode compat, Path home) {
        this.workload = workload;
        this.arrival = arrival;
        this.vidur = compat == CompatMode.VIDUR;
        this.home = home;
    }

    /** Returns the rows of workload.file. */
    TraceRows mainRows(Path given) throws IOException {
        Path file = UserFiles.text("workload.file", given, home);
        TraceFormat format = workload.source().format() == TraceFormat.AUTO
                ? TraceCodec.detect(file)
                : workload.source().format();
        boolean lengths = ServingChecks.lengthsFromFile(workload);
        RowFilter filter = rowFilter();
        if (ServingChecks.timesFromFile(arrival)) {
            filter = window(filter, (ArrivalSettings.Trace) arrival).inOrder(inOrder());
        }
        TraceRows rows = TraceLoader.load(file, format, tokenCounter(format), filter);
        if (lengths && !rows.hasLengths()) {
            throw refuse(
                    "workload.file",
                    file + " has no lengths, only arrival times",
                    "set it as arrival.file, and use another source of lengths");
        }
        if (ServingChecks.timesFromFile(arrival) && !rows.hasTimes()) {
            throw refuse(
                    "arrival.kind",
                    file + " has no arrival times",
                    "use another arrival process, for example arrival=poisson");
        }
        return requireRows(rows, file);
    }

    /** Returns the rows of arrival.file. */
    TraceRows arrivalRows(ArrivalSettings.Trace trace, Path given) throws IOException {
        Path file = UserFiles.text("arrival.file", given, home);
        TraceFormat format = TraceCodec.detect(file);
        if (format.needsTokenizer()) {
            throw refuse("arrival.file", file + " has text instead of arrival times", "");
        }
        RowFilter all = RowFilter.all(() -> 0).empty(RowFilter.Empty.KEEP);
        TraceRows rows =
                TraceLoader.load(file, format, text -> 0, window(all, trace).inOrder(inOrder()));
        if (!rows.hasTimes()) {
            throw refuse("arrival.file", file + " has no arrival times", "");
        }
        return requireRows(rows, file);
    }

    private RowFilter rowFilter() {
        RowSettings rows = workload.source().rows();
        RandomStream random = RandomStream.of(workload.drawSeed(), "rows");
        return new RowFilter(
                rows.skip(),
                rows.count().orElse(Long.MAX_VALUE),
                rows.model(),
                rows.sample().orElse(1.0),
                random::nextDouble,
                Long.MIN_VALUE,
                Long.MAX_VALUE,
                emptyRows(),
                false);
    }

    /** Returns the treatment of rows with a token count of 0. Vidur raises the counts to 1. Unused counts may be 0. */
    private RowFilter.Empty emptyRows() {
        if (workload.source().rows().empty() == EmptyRows.DROP) {
            return RowFilter.Empty.DROP;
        }
        return vidur || !ServingChecks.lengthsFromFile(workload) ? RowFilter.Empty.KEEP : RowFilter.Empty.REFUSE;
    }

    private boolean inOrder() {
        return workload.source().rows().unsorted() == UnsortedRows.ERROR;
    }

    /** The interval includes its start; in Vidur it excludes both ends. */
    private RowFilter window(RowFilter filter, ArrivalSettings.Trace trace) {
        long from = trace.start().map(Timestamps::nanos).orElse(Long.MIN_VALUE);
        long before = trace.end().map(Timestamps::nanos).orElse(Long.MAX_VALUE);
        return filter.window(vidur && trace.start().isPresent() ? from + 1 : from, before);
    }

    private ToIntFunction<String> tokenCounter(TraceFormat format) throws IOException {
        if (workload.source().tokenizer().isPresent() && !format.needsTokenizer()) {
            throw refuse(
                    "workload.tokenizer",
                    "the file has token counts instead of text, so a tokenizer has no effect",
                    "");
        }
        if (!format.needsTokenizer()) {
            return text -> 0;
        }
        if (workload.source().tokenizer().isEmpty()) {
            throw StageException.input(
                    Problem.config("workload.tokenizer", "the file has text, so a tokenizer is required")
                            .options(Tokenizer.BUILT_IN)
                            .hint("or the path of a Hugging Face tokenizer.json"));
        }
        return Tokenizer.open(workload.source().tokenizer().get(), home)::count;
    }

    private static TraceRows requireRows(TraceRows rows, Path file) {
        if (rows.size() == 0) {
            throw refuse(
                    "workload.rows",
                    "no row of " + file + " remains",
                    "check workload.rows, arrival.start and arrival.end"
                            + (rows.remarks().isEmpty() ? "" : "; " + String.join("; ", rows.remarks())));
        }
        return rows;
    }

    private static StageException refuse(String key, String what, String hint) {
        Problem problem = Problem.config(key, what);
        return StageException.input(hint.isEmpty() ? problem : problem.hint(hint));
    }
}
