package dev.stagesim.cli;

import dev.stagesim.cli.console.AlignedTable;
import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.cli.console.Subcommand;
import dev.stagesim.cli.run.ConfigOptions;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Count;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.report.Numbers;
import dev.stagesim.serving.ConditionText;
import dev.stagesim.serving.MemoryFit;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints the memory of a deployment, and the contexts and concurrency that fit. */
@Command(
        name = "fits",
        description = "Show what fits: memory per device, KV cache, largest context and concurrency of a deployment.",
        footer = {
            "",
            "Examples: stage fits model=qwen3_32b hardware=h100",
            "          stage fits model=llama3_3_70b hardware=h100 tp=4 max_model_len=32768 concurrency=8",
            "          stage fits model=qwen3_32b hardware=h200 engine=sglang model.weights=fp8 model.kv_cache=fp8"
        })
final class FitsCommand extends Subcommand {
    private static final List<Long> CONCURRENCIES = List.of(1L, 8L, 64L, 256L);
    private static final double BYTES_PER_GIB = 1L << 30;

    /** A context such as 32k. */
    private static final Pattern KILO = Pattern.compile("max_model_len=([1-9]\\d{0,5})[kK]");

    @Parameters(
            arity = "0..*",
            paramLabel = "KEY=VALUE",
            description = {
                "model, hardware, engine, tp, pp, dp, replicas and their keys, as in vidur_sim.",
                "max_model_len=N: context in tokens; the model's own by default.",
                "concurrency=N[,N...]: requests in flight; 1 by default."
            })
    private List<String> words = List.of();

    @Option(names = "--json", description = "Print one JSON object instead of tables.")
    private boolean json;

    @Option(
            names = "--confined",
            description = "Reject values that access resources outside the working directory, for the studio.")
    private boolean confined;

    private final ConfigOptions config = new ConfigOptions();

    @Mixin
    final CommandSpec configSpec = config.spec();

    /**
     * A question about a deployment.
     *
     * @param isAssumed true if the context is the context of the model, because no argument sets it
     */
    private record Query(
            ReplicaModel replica, MemoryFit fit, int context, boolean isAssumed, List<Long> concurrencies) {
        long concurrency() {
            return concurrencies.get(0);
        }

        /** Returns the context of the displayed memory: the wanted one, or the largest that one sequence can have. */
        int shown() {
            int largest = fit.plan(context).isPresent() ? context : fit.maxContext(1, context);
            return Math.max(1, largest);
        }

        boolean fits() {
            return largest() >= concurrency();
        }

        /** Returns the largest concurrency at the context, of the KV cache and of the engine. */
        long largest() {
            return Math.min(fit.maxConcurrency(context), fit.requestLimit(context));
        }

        /** Returns the largest context of each concurrency, in ascending order. */
        Map<Long, Integer> contexts() {
            Map<Long, Integer> contexts = new LinkedHashMap<>();
            new TreeSet<>(Stream.concat(concurrencies.stream(), CONCURRENCIES.stream())
                            .toList())
                    .forEach(requests -> contexts.put(
                            requests, fit.maxContext(requests, replica.model().maxPosition())));
            return contexts;
        }
    }

    @Override
    public Integer call() {
        DeploymentArguments arguments =
                new DeploymentArguments("fits", words, console()::warn, console()::note).confined(confined);
        Optional<String> context = arguments.take("max_model_len");
        Optional<String> concurrency = arguments.take("concurrency");
        ReplicaModel replica = DeploymentArguments.settings(arguments.request(home(), registry(), config))
                .replica();
        int own = replica.model().maxPosition();
        int wanted = context.map(text -> (int) number("max_model_len", text, Integer.MAX_VALUE))
                .orElse(own);
        if (wanted > own) {
            throw StageException.input(Problem.usage(
                            "max_model_len=" + wanted,
                            "the context of " + replica.model().name() + " ends at " + Numbers.count(own) + " tokens")
                    .hint("engines refuse a longer one. If the model is served with rope scaling such as YaRN, set"
                            + " model.max_position=" + wanted));
        }
        List<Long> concurrencies = Stream.of(concurrency.orElse("1").split(",", -1))
                .map(text -> number("concurrency", text, 1_000_000_000))
                .toList();
        Query query = new Query(replica, new MemoryFit(replica), wanted, context.isEmpty(), concurrencies);
        ServingSpec spec = query.fit().spec(wanted);
        if (json) {
            console().result(Json.compact(json(query, spec)));
        } else {
            lines(query, spec).forEach(console()::result);
        }
        return query.fits() ? ExitCode.DONE : ExitCode.CHECK;
    }

    private static long number(String key, String text, long max) {
        try {
            long value = Long.parseLong(text.strip());
            if (value >= 1 && value <= max) {
                return value;
            }
        } catch (NumberFormatException notANumber) {
            // reported below
        }
        Problem problem = Problem.usage(key + "=" + text, "expected a whole number from 1 to " + Numbers.count(max));
        Matcher kilo = KILO.matcher(key + "=" + text.strip());
        throw StageException.input(
                kilo.matches() ? problem.hint("write " + 1024 * Integer.parseInt(kilo.group(1))) : problem);
    }

    private static Stream<String> lines(Query query, ServingSpec spec) {
        Stream<String> head = Stream.of(
                ConditionText.model(query.replica().model(), query.replica().hardware()),
                ConditionText.devices(query.fit().devices(), query.replica().hardware()) + ", "
                        + ConditionText.engine(ConditionText.engineName(spec.scheduler()), query.replica()) + ", "
                        + ConditionText.parallelism(spec),
                "",
                verdict(query),
                "");
        Stream<String> warnings =
                query.fit().warnings().stream().flatMap(text -> Stream.of("Warning: " + text + ".", ""));
        return Stream.of(head, warnings, memory(query, spec), Stream.of(""), contexts(query))
                .flatMap(part -> part);
    }

    /** Returns whether the requests fit; otherwise the missing bytes and the tensor parallelism that suffices. */
    private static String verdict(Query query) {
        String requests = Count.of(query.concurrency(), "request") + " of " + Numbers.count(query.context()) + " tokens"
                + (query.isAssumed() ? " (the context of the model; max_model_len= sets another)" : "");
        long most = query.fit().maxConcurrency(query.context());
        if (query.fits()) {
            return "Fits: " + requests + ". Largest concurrency at this context: "
                    + Numbers.count(query.largest())
                    + (query.largest() < most
                            ? ", the engine's limit of running requests; the KV cache has room for "
                                    + Numbers.count(most)
                            : ", limited by the KV cache")
                    + "." + excess(query);
        }
        if (most >= query.concurrency()) {
            return "Does not fit: " + requests + ". The engine runs at most " + Numbers.count(query.largest())
                    + " requests at a time; the KV cache has room for " + Numbers.count(most) + ".";
        }
        long missing = query.fit().missingBytes(query.context(), query.concurrency());
        int smaller = query.fit().maxContext(query.concurrency(), query.context());
        OptionalInt tensor = query.fit().fittingTensorParallel(query.context(), query.concurrency());
        return "Does not fit: " + requests + ". Each device lacks " + gib(missing) + " GiB (" + Numbers.count(missing)
                + " bytes). Largest concurrency at this context: " + Numbers.count(most)
                + (smaller > 0 ? "; largest context at this concurrency: " + Numbers.count(smaller) : "") + ". "
                + (tensor.isPresent()
                        ? "The smallest tensor parallelism with which it fits is tp=" + tensor.getAsInt() + "."
                        : "No tensor parallelism with which it fits was found.");
    }

    /** Returns a sentence if the parts exceed the device, which the engine finds out after it reserved its KV cache. */
    private static String excess(Query query) {
        long reserve = query.fit().parts(query.shown()).getOrDefault(MemoryFit.Part.RESERVE, 0L);
        return reserve >= 0
                ? ""
                : " The parts exceed the device by " + gib(-reserve)
                        + " GiB, so the engine may run out of memory when it captures CUDA graphs.";
    }

    private static String gib(long bytes) {
        return Numbers.fixed(bytes / BYTES_PER_GIB, 2);
    }

    private static Stream<String> memory(Query query, ServingSpec spec) {
        AlignedTable table = new AlignedTable().row("Memory per device", "GiB", "Share");
        int context = query.shown();
        Map<MemoryFit.Part, Long> parts = query.fit().parts(context);
        long total = parts.values().stream().mapToLong(Long::longValue).sum();
        String missing = parts.containsKey(MemoryFit.Part.KV_CACHE) ? "  missing" : "  missing without KV";
        parts.forEach((part, bytes) -> table.row(
                bytes < 0 ? missing : "  " + part.words(),
                gib(Math.abs(bytes)),
                Numbers.share(100.0 * Math.abs(bytes) / total, 1)));
        boolean exceeds = parts.values().stream().anyMatch(bytes -> bytes < 0);
        table.row(exceeds ? "  device" : "  total", gib(total));
        String cache = query.fit()
                .plan(context)
                .map(plan -> "KV cache: " + Numbers.count(query.fit().kvTokens(context)) + " tokens with max_model_len="
                        + context + ", " + Numbers.count(plan.numBlocks()) + " blocks of "
                        + spec.scheduler().limits().blockSize() + " per engine")
                .orElse("KV cache: no room for any sequence");
        Stream<String> logged = query
                .fit()
                .engineConcurrency(context)
                .map(value -> "vLLM logs a maximum concurrency of " + Numbers.fixed(value, 2)
                        + "x per engine: it reserves the attention window and the tokens of a step for every request,"
                        + " whereas the requests share the tokens of a step")
                .stream();
        return Stream.of(table.lines().stream(), Stream.of("", cache), logged).flatMap(part -> part);
    }

    private static Stream<String> contexts(Query query) {
        AlignedTable table = new AlignedTable().row("Concurrency", "Largest context");
        query.contexts()
                .forEach((requests, context) -> table.row(
                        Numbers.count(requests),
                        Numbers.count(context)
                                + (context == query.replica().model().maxPosition() ? " (limit of the model)" : "")));
        return table.lines().stream();
    }

    private static JsonValue json(Query query, ServingSpec spec) {
        Map<String, JsonValue> all = new LinkedHashMap<>();
        all.put("model", new JsonValue.Str(query.replica().model().name()));
        all.put("hardware", new JsonValue.Str(query.replica().hardware().name()));
        all.put("engine", new JsonValue.Str(ConditionText.engineName(spec.scheduler())));
        all.put("devices", new JsonValue.Int(query.fit().devices()));
        Map<String, JsonValue> parts = new LinkedHashMap<>();
        query.fit()
                .parts(query.shown())
                .forEach((part, bytes) -> parts.put(KeyNames.constant(part), new JsonValue.Int(bytes)));
        all.put("bytes_per_device", new JsonValue.Obj(parts));
        all.put("kv_tokens", new JsonValue.Int(query.fit().kvTokens(query.shown())));
        all.put("kv_blocks", new JsonValue.Int(blocks(query)));
        all.put("block_size", new JsonValue.Int(spec.scheduler().limits().blockSize()));
        all.put("max_model_len", new JsonValue.Int(query.shown()));
        all.put("context", new JsonValue.Int(query.context()));
        all.put("concurrency", new JsonValue.Int(query.concurrency()));
        all.put("fits", new JsonValue.Bool(query.fits()));
        all.put("missing_bytes", new JsonValue.Int(query.fit().missingBytes(query.context(), query.concurrency())));
        if (query.fit().maxConcurrency(query.context()) < query.concurrency()) {
            query.fit()
                    .fittingTensorParallel(query.context(), query.concurrency())
                    .ifPresent(tensor -> all.put("fitting_tensor_parallel_size", new JsonValue.Int(tensor)));
        }
        all.put("max_concurrency", new JsonValue.Int(query.fit().maxConcurrency(query.context())));
        all.put("request_limit", new JsonValue.Int(query.fit().requestLimit(query.context())));
        Map<String, JsonValue> contexts = new LinkedHashMap<>();
        query.contexts().forEach((requests, context) -> contexts.put("" + requests, new JsonValue.Int(context)));
        all.put("max_context", new JsonValue.Obj(contexts));
        all.put("warnings", JsonValue.strings(query.fit().warnings()));
        return new JsonValue.Obj(all);
    }

    private static long blocks(Query query) {
        return query.fit().plan(query.shown()).map(MemoryPlan::numBlocks).orElse(0L);
    }
}
