package dev.stagesim.stage.workload;

import dev.stagesim.io.trace.TraceRows;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.settings.ArrivalSettings;
import dev.stagesim.settings.Compat;
import dev.stagesim.settings.LengthSettings;
import dev.stagesim.settings.Overlong;
import dev.stagesim.settings.ServingWorkload;
import dev.stagesim.sim.workload.GapSource;
import dev.stagesim.sim.workload.LengthSource;
import dev.stagesim.sim.workload.RequestGenerator;
import dev.stagesim.sim.workload.RequestGenerator.End;
import dev.stagesim.sim.workload.RequestGenerator.Generated;
import dev.stagesim.sim.workload.RequestTable;
import dev.stagesim.sim.workload.StopRule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Makes a serving workload from checked settings: loads files, builds the sources, generates. */
final class ServingBuilder {
    private static final int MOST_PROBLEMS = 10;

    private final ServingWorkload workload;
    private final ArrivalSettings arrival;
    private final boolean vidur;
    private final TraceSource files;
    private final List<String> remarks = new ArrayList<>();

    private ServingBuilder(ServingWorkload workload, ArrivalSettings arrival, Compat compat, Path home) {
        this.workload = workload;
        this.arrival = arrival;
        this.vidur = compat == Compat.VIDUR;
        this.files = new TraceSource(workload, arrival, compat, home);
    }

    static Serving build(ServingWorkload workload, ArrivalSettings arrival, Compat compat, Path home)
            throws IOException {
        return new ServingBuilder(workload, arrival, compat, home).build();
    }

    private Serving build() throws IOException {
        Optional<TraceRows> rows = workload.file().isPresent()
                ? Optional.of(files.mainRows(workload.file().get()))
                : Optional.empty();
        Optional<TraceRows> times = times(rows);
        rows.ifPresent(r -> remarks.addAll(r.remarks()));
        if (times.isPresent()) {
            order(times.get());
        }
        Sources sources = vidur ? new VidurSources(workload, arrival) : new OwnSources(workload, arrival);
        LengthSource lengths = sources.lengths(rows);
        GapSource gaps = sources.gaps(times);
        StopRule rule = new StopRule(
                workload.numRequests().orElse(Integer.MAX_VALUE),
                workload.duration().orElse(Double.POSITIVE_INFINITY));
        Generated made = vidur
                ? RequestGenerator.generateVidur(gaps, lengths, rule)
                : RequestGenerator.generate(gaps, lengths, rule);
        checkEnd(made);
        checkLengths(made.requests());
        remarks.addAll(sources.remarks());
        return new Serving(
                made.requests(), rows.filter(TraceRows::hasText), Sentences.source(workload, arrival), remarks);
    }

    private Optional<TraceRows> times(Optional<TraceRows> rows) throws IOException {
        if (!(arrival instanceof ArrivalSettings.Trace trace)) {
            return Optional.empty();
        }
        if (trace.file().isEmpty()) {
            return rows;
        }
        TraceRows times = files.arrivalRows(trace, trace.file().get());
        remarks.addAll(times.remarks());
        return Optional.of(times);
    }

    private void order(TraceRows times) {
        if (times.isSorted()) {
            return;
        }
        times.sortByTime();
        remarks.add(
                "the rows of the trace were not in order of time; they are sorted, rows of equal time as in the file");
    }

    private void checkEnd(Generated made) {
        int size = made.requests().size();
        if (made.end() == End.CLOCK) {
            throw refuse("arrival", "request " + size + " would arrive after more than 290 years", "raise the rate");
        }
        String lacking = made.end() == End.GAPS ? "arrival times" : "lengths";
        if (made.end() != End.RULE
                && workload.numRequests().filter(n -> n > size).isPresent()) {
            throw refuse(
                    "workload.num_requests",
                    workload.numRequests().get() + " requests are asked for, but the file has " + lacking + " for "
                            + size,
                    enough(made.end()));
        }
        if (made.end() == End.LENGTHS && workload.duration().isPresent()) {
            remarks.add("lengths ran out after " + size + " requests, before the duration was over");
        }
        if (size == 0) {
            throw refuse("workload", "no request arrives", "raise workload.duration or the rate");
        }
    }

    /** What gives more requests than the file has rows. */
    private String enough(End end) {
        boolean timesEnd = arrival instanceof ArrivalSettings.Trace;
        if (vidur || (end == End.GAPS && !timesEnd)) {
            return "lower it";
        }
        boolean repeats = (workload.lengths() instanceof LengthSettings.Trace trace && trace.repeat())
                || (workload.lengths() instanceof LengthSettings.Prompts prompts && prompts.repeat())
                || !ServingChecks.lengthsFromFile(workload)
                || workload.lengths() instanceof LengthSettings.Empirical;
        String lengths = repeats ? "" : "workload.lengths.repeat = true";
        String times = timesEnd ? "arrivals that do not end, for example arrival=poisson" : "";
        return "lower it, or set " + lengths + (lengths.isEmpty() || times.isEmpty() ? "" : " and ") + times;
    }

    private void checkLengths(RequestTable requests) {
        int most = workload.overlong().filter(o -> o == Overlong.ERROR).isPresent()
                ? workload.maxTokens().orElse(Integer.MAX_VALUE)
                : Integer.MAX_VALUE;
        List<Problem> problems = new ArrayList<>();
        for (int i = 0; i < requests.size() && problems.size() < MOST_PROBLEMS; i++) {
            int prefill = requests.prefill(i);
            int decode = requests.decode(i);
            if ((long) prefill + decode > most) {
                problems.add(Problem.of(
                        "config error",
                        "workload.max_tokens",
                        "request " + i + " has " + prefill + " prompt and " + decode
                                + " output tokens, over the cap of " + most));
            } else if (prefill < 1 || decode < 1) {
                problems.add(Problem.of(
                        "config error",
                        "workload.lengths",
                        "request " + i + " has " + prefill + " prompt and " + decode
                                + " output tokens, expected at least 1 each"));
            }
        }
        if (!problems.isEmpty()) {
            throw StageException.input(problems);
        }
    }

    static StageException refuse(String key, String what, String hint) {
        return StageException.input(Problem.of("config error", key, what).hint(hint));
    }

    /** The text of lengths that prompts need but the file does not give. */
    static void requireOutputs(LengthSettings.Prompts prompts, TraceRows rows) {
        if (prompts.decodeTokens().isPresent()) {
            Arrays.fill(rows.decode(), prompts.decodeTokens().get());
            return;
        }
        for (int i = 0; i < rows.size(); i++) {
            if (rows.decode()[i] < 1) {
                throw refuse(
                        "workload.lengths.decode_tokens",
                        "prompt " + (i + 1) + " of the file says no output_tokens",
                        "set workload.lengths.decode_tokens, for all prompts alike");
            }
        }
    }
}
