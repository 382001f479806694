package dev.stagesim.io.measured.engine;

import static dev.stagesim.model.Nanos.NS_PER_MS;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.measured.FormatProbe;
import dev.stagesim.io.measured.LogLines;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.MeasurementBuilder;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.io.measured.ResultFormat;
import dev.stagesim.io.measured.ToolUnits;
import dev.stagesim.model.Count;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Log of llama.cpp, server or command line, with the times of each prompt and its output. The lines have no dates, so the
 * requests become aggregates.
 */
public final class LlamaTimingsFormat extends ResultFormat {
    private static final Pattern TIMES =
            Pattern.compile("(prompt eval|\\beval) time =\\s*(\\d+(?:\\.\\d+)?) ms /\\s*(\\d{1,9}) (?:tokens|runs)");
    private static final Pattern TASK = Pattern.compile("\\btask (\\d+)");
    private static final Pattern MODEL = Pattern.compile("\\bgeneral\\.name str\\s*= (.+)");

    /** Prefixes of the command line tool, which counts the decode steps after the first token. */
    private static final Pattern COUNTS_STEPS = Pattern.compile("llama_(?:perf_context_print|print_timings)");

    public LlamaTimingsFormat() {
        super("llama_log", "log of llama.cpp with the times of prompts and outputs");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return file.first().isEmpty() && TIMES.matcher(file.head()).find();
    }

    @Override
    public Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(true, true, "the lines have no dates");
        MeasurementBuilder builder = new MeasurementBuilder(name(), "llama.cpp log", file.toString());
        builder.engine("name", JsonValue.of("llama.cpp")).derive("ttft", "tpot", "e2e");
        builder.means("ttft", "time of the prompt, without a wait for a slot");
        Timings timings = new Timings(file.toString(), builder);
        List<String> lines = LogLines.withPrefixes(file);
        for (int i = 0; i < lines.size(); i++) {
            timings.line(lines.get(i), i + 1);
        }
        timings.end();
        return builder.done();
    }

    /** Pairs the two lines of each request by its task. A log without tasks has the lines of one request in sequence. */
    private static final class Timings {
        private final String file;
        private final MeasurementBuilder builder;
        private final Map<String, Prompt> open = new HashMap<>();
        private String task = "";
        private long single;
        private long unanswered;
        private double prompts;
        private double outputs;

        Timings(String file, MeasurementBuilder builder) {
            this.file = file;
            this.builder = builder;
        }

        private record Prompt(double ms, long tokens) {}

        void line(String line, int number) {
            Matcher model = MODEL.matcher(line);
            if (model.find()) {
                builder.model(model.group(1).strip());
            }
            Matcher named = TASK.matcher(line);
            if (named.find()) {
                task = named.group(1);
            }
            Matcher times = TIMES.matcher(line);
            if (!times.find()) {
                return;
            }
            double ms = Double.parseDouble(times.group(2));
            long count = Long.parseLong(times.group(3));
            if (times.group(1).startsWith("prompt")) {
                unanswered += open.put(task, new Prompt(ms, count)) == null ? 0 : 1;
                return;
            }
            boolean countsSteps = COUNTS_STEPS.matcher(line).find();
            Prompt prompt = open.remove(task);
            if (prompt == null) {
                builder.warn(file + ":" + number + " has the time of an output without its prompt: left out");
                return;
            }
            add(file + ":" + number, prompt, ms, countsSteps ? count + 1 : count);
        }

        private void add(String where, Prompt prompt, double ms, long tokens) {
            long first = ToolUnits.round(prompt.ms * NS_PER_MS);
            long last = first + ToolUnits.round(ms * NS_PER_MS);
            builder.undated(where, Request.completed(where, 0, first, last, prompt.tokens, tokens, new long[0]));
            prompts += prompt.tokens;
            outputs += tokens;
            single += tokens < 2 ? 1 : 0;
        }

        void end() {
            long requests = builder.undated();
            if (requests == 0) {
                throw StageException.input(
                        Problem.artifact(file, "has no time of an output, which follows its prompt"));
            }
            builder.load(requests, prompts / requests, outputs / requests);
            unanswered += open.size();
            if (unanswered > 0) {
                builder.warn(Count.of(unanswered, "prompt") + " without the time of an output left out");
            }
            if (single > 0) {
                builder.warn(Count.of(single, "request") + " with one token in no time per token");
            }
            builder.warn("prompt tokens are those that were computed, without cached ones");
        }
    }
}
