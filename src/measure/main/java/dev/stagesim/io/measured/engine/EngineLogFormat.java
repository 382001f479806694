package dev.stagesim.io.measured.engine;

import static dev.stagesim.model.Nanos.NS_PER_MS;
import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.measured.FormatProbe;
import dev.stagesim.io.measured.LogLines;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.MeasurementBuilder;
import dev.stagesim.io.measured.Operations.Step;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.ResultFormat;
import dev.stagesim.io.measured.ToolUnits;
import dev.stagesim.model.Count;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Log of a serving engine. vLLM ({@code --enable-logging-iteration-details}) and TensorRT-LLM ({@code print_iter_log}) log
 * every step with its time. Throughput lines of vLLM and SGLang are means over some seconds or steps. Lines are found by
 * their text, so prefixes of launchers do not matter.
 */
public final class EngineLogFormat extends ResultFormat {
    private static final Pattern VLLM_STEP = Pattern.compile("\\bIteration\\(([^)]*)\\): (.*)");
    private static final Pattern TRT_STEP =
            Pattern.compile("\\biter = ([^,]*), (.*(?:host_step_time|elapsed_time) = .*)");
    private static final Pattern VLLM_RATE = Pattern.compile("Avg prompt throughput: .*");
    private static final Pattern SGLANG_DECODE =
            Pattern.compile("\\bDecode batch[.,].* gen throughput \\(token/s\\): .*");
    private static final Pattern SGLANG_PREFILL = Pattern.compile("\\bPrefill batch[.,] .*");
    private static final Pattern ENGINE = Pattern.compile(
            "\\bEngine (\\d+):|\\bEngineCore_DP(\\d+)|\\bglobal_rank = (\\d+)|\\[[^\\]]*?\\bDP(\\d+)\\b");
    private static final Pattern MODEL =
            Pattern.compile("(?:with config: model=|\\bmodel_path=|ServerArgs\\(model_path=)'([^']+)'");
    private static final Pattern START = Pattern.compile("\\b(?:Engine \\d+:|EngineCore|ServerArgs\\(|\\[TRT-LLM\\])");

    private static final Pattern TIME = Pattern.compile("([-+.\\d]+(?:[eE][-+]?\\d+)?)\\s*([a-zA-Z\u00b5]+)");
    private static final Pattern VLLM_CACHE = Pattern.compile("\\bKV cache size: ([\\d,]+) tokens");
    private static final double MAX_PERCENT = 100;

    public EngineLogFormat() {
        super("engine_log", "log of vLLM, SGLang or TensorRT-LLM with the lines of its steps or of its throughput");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return file.first().isEmpty()
                && !file.head().startsWith("{")
                && file.head()
                        .lines()
                        .anyMatch(line -> VLLM_STEP.matcher(line).find()
                                || TRT_STEP.matcher(line).find()
                                || VLLM_RATE.matcher(line).find()
                                || SGLANG_PREFILL.matcher(line).find()
                                || SGLANG_DECODE.matcher(line).find()
                                || START.matcher(line).find());
    }

    @Override
    public Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(true, true, "the log of an engine has no requests of a client");
        Log log = new Log(file.toString());
        log.read(LogLines.withPrefixes(file));
        return log.measurement(name());
    }

    /** Values collected from the lines of a log. */
    private static final class Log {
        private final String file;
        private final List<Step> steps = new ArrayList<>();
        private final List<String> places = new ArrayList<>();
        private final Map<String, Map<Long, String>> seen = new HashMap<>();
        private final Map<String, Double> peaks = new TreeMap<>();
        private final List<Problem> problems = new ArrayList<>();
        private String tool = "engine";
        private boolean isProcessor;
        private Optional<String> model = Optional.empty();
        private long idle;
        private long means;
        private long rates;

        /** Size of the KV cache of vLLM in tokens; 0 if unknown. */
        private long cacheTokens;

        /** Cached tokens of the last decode line of SGLang. */
        private double cached;

        /** Running requests of the last decode line of SGLang, if only decode steps followed it. */
        private double decoding = -1;

        Log(String file) {
            this.file = file;
        }

        void read(List<String> lines) {
            for (int i = 0; i < lines.size(); i++) {
                line(lines.get(i), file + ":" + (i + 1));
            }
            StageException.refuse(problems.subList(0, Math.min(10, problems.size())));
        }

        private void line(String line, String where) {
            Matcher named = MODEL.matcher(line);
            if (model.isEmpty() && named.find()) {
                model = Optional.of(named.group(1));
            }
            Matcher cache = VLLM_CACHE.matcher(line);
            if (cache.find()) {
                cacheTokens = Long.parseLong(cache.group(1).replace(",", ""));
            }
            try {
                Matcher vllm = VLLM_STEP.matcher(line);
                Matcher trt = TRT_STEP.matcher(line);
                if (vllm.find() && line.contains("elapsed time")) {
                    tool = "vLLM";
                    vllmStep(line, vllm.group(1), vllm.group(2), where);
                } else if (trt.find()) {
                    tool = "TensorRT-LLM";
                    trtStep(line, trt.group(1), trt.group(2), where);
                } else if (VLLM_RATE.matcher(line).find()) {
                    tool = "vLLM";
                    vllmRates(line, where);
                } else if (SGLANG_DECODE.matcher(line).find()) {
                    tool = "SGLang";
                    sglangDecode(line, where);
                } else if (SGLANG_PREFILL.matcher(line).find()) {
                    tool = "SGLang";
                    sglangPrefill(line);
                }
            } catch (NumberFormatException e) {
                problems.add(Problem.artifact(
                        where, "is a line of " + tool + " with a value that is no number: " + e.getMessage()));
            }
        }

        private void vllmStep(String line, String id, String text, String where) {
            add(
                    new Step(
                            engine(line),
                            whole(id),
                            whole(before(text, "context requests")),
                            whole(before(text, "context tokens")),
                            whole(before(text, "generation requests")),
                            whole(before(text, "generation tokens")),
                            cachedTokens(text),
                            time(after(text, "elapsed time").orElse(""), NS_PER_MS)),
                    where);
            kvCache(text, where);
        }

        private long cachedTokens(String text) {
            return cacheUse(text)
                    .filter(use -> cacheTokens > 0)
                    .map(use -> Math.round(number(use) / MAX_PERCENT * cacheTokens))
                    .orElse(Step.UNKNOWN);
        }

        private static Optional<String> cacheUse(String text) {
            return after(text, "GPU KV cache usage").or(() -> after(text, "CPU KV cache usage"));
        }

        /** {@code num_generation_tokens} includes the padding of a CUDA graph, so the number of scheduled requests is used. */
        private void trtStep(String line, String id, String text, String where) {
            long prefill = whole(after(text, "num_ctx_requests").orElse("0"));
            long tokens = whole(after(text, "num_generation_tokens").orElse("0"));
            long decode = after(text, "num_scheduled_requests")
                    .map(all -> whole(all) - prefill)
                    .orElse(tokens);
            Optional<String> host = after(text, "host_step_time");
            double ns = host.isPresent()
                    ? time(host.get(), NS_PER_MS)
                    : time(after(text, "elapsed_time").orElse(""), NS_PER_S);
            add(
                    new Step(
                            engine(line),
                            whole(id),
                            prefill,
                            whole(after(text, "num_ctx_tokens").orElse("0")),
                            decode,
                            decode == 0 ? 0 : Math.max(decode, tokens),
                            Step.UNKNOWN,
                            ns),
                    where);
        }

        private void add(Step step, String where) {
            if (step.requests() == 0) {
                idle++;
                return;
            }
            Map<Long, String> of = seen.computeIfAbsent(step.engine(), engine -> new HashMap<>());
            boolean isRestart = step.iteration() <= 1 && of.size() > 2;
            if (isRestart) {
                of.clear();
            }
            String earlier = of.putIfAbsent(step.iteration(), where);
            if (earlier != null) {
                problems.add(Problem.artifact(
                                where,
                                "repeats iteration " + step.iteration() + " of engine " + step.engine() + " in "
                                        + earlier + ", expected each step once")
                        .hint("give the log of one rank and one server"));
            }
            steps.add(step);
            places.add(where);
        }

        private static String engine(String line) {
            Matcher engine = ENGINE.matcher(line);
            if (!engine.find()) {
                return "0";
            }
            for (int group = 1; group <= engine.groupCount(); group++) {
                if (engine.group(group) != null) {
                    return String.valueOf(Integer.parseInt(engine.group(group)));
                }
            }
            return "0";
        }

        private void vllmRates(String line, String where) {
            rates++;
            peak("max_prompt_tokens_per_s", after(line, "prompt throughput"));
            peak("max_output_tokens_per_s", after(line, "generation throughput"));
            peak("max_running_requests", after(line, "Running"));
            peak("max_waiting_requests", after(line, "Waiting").or(() -> after(line, "Pending")));
            kvCache(line, where);
            after(line, "Prefix cache hit rate")
                    .ifPresent(rate -> peaks.put("prefix_cache_hit_percent", percent(rate, where)));
        }

        /** Keeps the use of the KV cache. vLLM V1 names the device; on processors, it plans no step ahead. V0 names both. */
        private void kvCache(String line, String where) {
            isProcessor |= line.contains("CPU KV cache usage") && !line.contains("GPU KV cache usage");
            cacheUse(line).ifPresent(use -> peaks.merge("max_kv_cache_percent", percent(use, where), Math::max));
        }

        private double percent(String text, String where) {
            double percent = number(text);
            if (percent > MAX_PERCENT) {
                problems.add(Problem.artifact(where, "has a share of " + text + ", expected 0 % to 100 %"));
            }
            return percent;
        }

        private void sglangPrefill(String line) {
            rates++;
            decoding = -1;
            peak("max_waiting_requests", after(line, "#queue-req"));
        }

        /**
         * Computes the step time between two decode lines with equal numbers of requests and no prompt: the requests'
         * tokens over the rate.
         */
        private void sglangDecode(String line, String where) {
            rates++;
            double running = number(after(line, "#running-req").orElse(""));
            double rate = number(after(line, "gen throughput (token/s)").orElse(""));
            double tokens = after(line, "#token").map(Log::number).orElse(-1.0);
            double accepted = after(line, "accept len").map(Log::number).orElse(1.0);
            if (running == decoding && running > 0) {
                means++;
                steps.add(new Step(
                        engine(line),
                        means,
                        0,
                        0,
                        (long) running,
                        Math.max((long) running, Math.round(running * accepted)),
                        tokens < 0 || cached < 0 ? Step.UNKNOWN : Math.round((tokens + cached) / 2),
                        running * accepted / rate * NS_PER_S));
                places.add(where);
            }
            decoding = running;
            cached = tokens;
            peak("max_output_tokens_per_s", Optional.of(String.valueOf(rate)));
            peak("max_running_requests", Optional.of(String.valueOf(running)));
            peak("max_waiting_requests", after(line, "#queue-req"));
        }

        private void peak(String name, Optional<String> value) {
            value.ifPresent(text -> peaks.merge(name, number(text), Math::max));
        }

        /** Returns the value after a label, up to the next comma or bracket. */
        private static Optional<String> after(String text, String label) {
            int at = text.indexOf(label);
            if (at < 0) {
                return Optional.empty();
            }
            String rest = text.substring(at + label.length()).replaceFirst("^'?\\s*[:=]?\\s*", "");
            return Optional.of(rest.split("[,}]", 2)[0].strip());
        }

        /** The word before a label. */
        private static String before(String text, String label) {
            int at = text.indexOf(" " + label);
            if (at < 0) {
                throw new NumberFormatException("there are no " + label);
            }
            return text.substring(text.lastIndexOf(' ', at - 1) + 1, at);
        }

        /** Returns a time in ns. A time without a unit is in {@code unitNs}. */
        private static double time(String text, double unitNs) {
            Matcher time = TIME.matcher(text);
            if (!time.matches()) {
                return number(text) * unitNs;
            }
            try {
                return number(time.group(1)) * ToolUnits.ns(time.group(2));
            } catch (IllegalArgumentException unknown) {
                throw new NumberFormatException("'" + text + "', " + unknown.getMessage());
            }
        }

        private static double number(String text) {
            String value = text.replaceFirst("(?<=[\\d.a-z])\\s*(?:ms|s|tokens/s|reqs?|%)$", "");
            double number = Double.parseDouble(value);
            if (!(number >= 0) || Double.isInfinite(number)) {
                throw new NumberFormatException("'" + text + "', expected a finite number from 0");
            }
            return number;
        }

        private static long whole(String text) {
            long count = Long.parseLong(text.strip());
            if (count < 0) {
                throw new NumberFormatException("'" + text + "', expected a number from 0");
            }
            return count;
        }

        Measurement measurement(String format) {
            if (steps.isEmpty() && rates == 0) {
                throw StageException.input(
                        Problem.artifact(file, "has no line about steps or throughput of vLLM, SGLang or TensorRT-LLM")
                                .note(
                                        "vLLM",
                                        "\"Iteration(N): ...\" (--enable-logging-iteration-details), \"Avg prompt throughput: ...\"")
                                .note("SGLang", "\"Prefill batch, ...\", \"Decode batch, ...\"")
                                .note("TensorRT-LLM", "\"iter = N, ... host_step_time = ...\" (print_iter_log)"));
            }
            MeasurementBuilder builder = new MeasurementBuilder(format, tool + " log", file);
            model.ifPresent(builder::model);
            builder.engine("name", JsonValue.of(tool)).clock("the engine's");
            if (isProcessor) {
                builder.engine("async_scheduling", JsonValue.of(false));
            }
            peaks.forEach(builder::rate);
            builder.steps(steps, places);
            if (idle > 0) {
                builder.warn(Count.of(idle, "step") + " without requests left out");
            }
            if (means > 0) {
                builder.warn(
                        Count.of(means, "row") + " of engine_steps.csv are means between two lines of SGLang's log,"
                                + " which has no times of steps");
            }
            if (steps.isEmpty()) {
                builder.warn("the log has no times of steps: vLLM writes them with --enable-logging-iteration-details,"
                        + " TensorRT-LLM with print_iter_log");
            }
            if (rates > 0) {
                builder.warn(
                        "rates of the log are means over some seconds or steps; the highest is kept, and the load is"
                                + " unknown");
            }
            return builder.done();
        }
    }
}
