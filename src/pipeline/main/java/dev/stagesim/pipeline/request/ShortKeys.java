package dev.stagesim.pipeline.request;

import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.Stage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Short names of keys that have different paths in different stages, such as {@code tp}. They are replaced before
 * composition, so that run directories, sweeps and errors name the real keys. A list sweeps a key that takes one value.
 */
public final class ShortKeys {
    private static final String BURSTINESS = "burstiness";
    private static final String ARRIVAL = "arrival=";
    private static final String POISSON = "arrival=poisson";
    private static final String GAMMA = "arrival=gamma";
    private static final String CLOSED_LOOP = "arrival=closed_loop";
    private static final String MEASURED_CLIENTS = "real.concurrency";
    private static final String EP = "ep";
    private static final String RATE = "rate";
    private static final String SPEED = "speed";
    private static final String SPECULATIVE = "speculative";
    private static final Set<String> NO_DRAFTS = Set.of("none", "null", "off", "no", "false", "0");
    private static final String DP = "dp";
    private static final String POOLS = PoolKeys.EVERY;
    private static final String EP_DEGREES = "search.ep=[{}]";
    private static final String PREFIX = "prefix_tokens";
    private static final String SHARING = "workload.sharing.";
    private static final Pattern SESSIONS = Pattern.compile("turns=.*|workload\\.sharing\\.kind=(sessions|agents)");
    private static final String VALUE = "{}";
    private static final String LIST = "[{}]";
    private static final Pattern WORD = Pattern.compile("([+~]*)(\\w+)\\s*(\\+=|:=|=)(.*)", Pattern.DOTALL);
    private static final Pattern SEVERAL = Pattern.compile("[,(]");

    /** For each short key its overrides. The first alternative whose keys the stage has applies. */
    private static final Map<String, List<List<String>>> KEYS = new LinkedHashMap<>();

    static {
        KEYS.put("prompt_tokens", List.of(lengths("prefill_tokens")));
        KEYS.put("output_tokens", List.of(lengths("decode_tokens")));
        KEYS.put(PREFIX, List.of(List.of(SHARING + "kind=prefixes", SHARING + "groups=1", SHARING + "tokens={}")));
        KEYS.put("turns", List.of(List.of(SHARING + "kind=sessions", SHARING + "turns={}")));
        KEYS.put("think_time", List.of(List.of(SHARING + "kind=sessions", SHARING + "think_time_s={}")));
        KEYS.put(RATE, List.of(List.of("load={}"), List.of(POISSON, "arrival.qps={}")));
        KEYS.put(BURSTINESS, List.of(List.of(GAMMA, "arrival.cv={}", "arrival.exact_rate=true")));
        KEYS.put("concurrency", List.of(List.of(CLOSED_LOOP, "arrival.concurrency={}")));
        KEYS.put("requests", List.of(List.of("workload.num_requests={}")));
        KEYS.put(
                "max_model_len",
                List.of(
                        List.of("workload.max_tokens={}", "simulation.max_tokens={}"),
                        List.of("workload.max_tokens={}"),
                        List.of("simulation.max_tokens={}")));
        KEYS.put(
                "tp",
                List.of(
                        List.of("cluster.tensor_parallel_size={}"),
                        List.of("search.tp=[{}]"),
                        List.of(POOLS + "tp={}")));
        KEYS.put(
                "pp",
                List.of(
                        List.of("cluster.num_pipeline_stages={}"),
                        List.of("search.pp=[{}]"),
                        List.of(POOLS + "pp={}")));
        KEYS.put(DP, List.of(List.of("scheduler.data_parallel_size={}"), List.of("search.dp=[{}]")));
        KEYS.put(
                EP,
                List.of(
                        List.of(EP_DEGREES),
                        List.of("search.expert_parallel=[{}]"),
                        List.of("scheduler.enable_expert_parallel={}"),
                        List.of(POOLS + "expert_parallel={}")));
        KEYS.put(SPEED, List.of(List.of("arrival.time_scale={}")));
        KEYS.put(
                SPECULATIVE,
                List.of(
                        List.of("search.draft_method={}", "search.draft_tokens=[3]"),
                        List.of("scheduler.speculative.method={}", "scheduler.speculative.num_tokens=3")));
        KEYS.put("weights", List.of(List.of("search.weights=[{}]"), List.of("model.weights={}")));
        KEYS.put("kv_cache", List.of(List.of("search.kv_cache=[{}]"), List.of("model.kv_cache={}")));
        KEYS.put("engine", List.of(List.of("search.engines=[{}]"), List.of(POOLS + "engine={}")));
        KEYS.put("router", List.of(List.of("search.routers=[{}]"), List.of("cluster.router.kind={}")));
        KEYS.put("replicas", List.of(List.of("cluster.replicas={}"), List.of(POOLS + "replicas={}")));
    }

    private ShortKeys() {}

    private static List<String> lengths(String key) {
        return List.of("workload.lengths.kind=fixed", "workload.lengths." + key + "={}");
    }

    /**
     * Replaces the short keys of a stage's arguments.
     *
     * @throws StageException (input) if a short key has no effect in the stage, or is not set with {@code =}
     */
    public static List<String> expand(Stage<?> stage, List<String> words) {
        SettingsSchema schema = SettingsSchema.of(stage.spec().settings());
        List<String> expanded = new ArrayList<>();
        for (String word : words) {
            Matcher parts = WORD.matcher(word);
            String key = parts.matches() ? parts.group(2) : "";
            if (KEYS.containsKey(key) && !schema.isKnown(key)) {
                for (String override :
                        replacement(word, parts, schema, stage.spec().name(), words)) {
                    expanded.remove(override); // the last one counts, so a repeated one moves
                    expanded.add(override);
                }
            } else {
                expanded.add(word);
            }
        }
        if (expanded.contains(CLOSED_LOOP)) {
            expanded.remove(GAMMA); // a closed loop has the key as well
        }
        if (expanded.stream().anyMatch(word -> word.startsWith(ARRIVAL) && !word.equals(POISSON))) {
            expanded.remove(POISSON); // the process that was chosen has a rate as well, or rejects it
        }
        return expanded;
    }

    private static List<String> replacement(
            String word, Matcher parts, SettingsSchema schema, String stage, List<String> words) {
        String key = parts.group(2);
        List<String> overrides =
                overrides(key, schema).orElseThrow(() -> withoutEffect(word, names(key), schema, stage));
        if (!parts.group(1).isEmpty() || !parts.group(3).equals("=")) {
            throw StageException.input(Problem.usage(word, "a short key is set with =")
                    .hint("use the whole key: " + String.join(" ", overrides).replace(VALUE, "...")));
        }
        String given = parts.group(4).strip();
        if (key.equals(RATE) && UnlimitedRate.isIn(given)) {
            if (!overrides.contains(POISSON)) {
                throw StageException.input(Problem.usage(word, stage + " requires a finite rate")
                        .hint("set a number of requests per second, or only concurrency"));
            }
            return UnlimitedRate.overrides(word, given, words);
        }
        if (key.equals(PREFIX)
                && words.stream().anyMatch(other -> SESSIONS.matcher(other).matches())) {
            return List.of(SHARING + "shared_prefix_tokens=" + given);
        }
        if (key.equals("concurrency")
                && schema.isKnown(MEASURED_CLIENTS)
                && words.stream().anyMatch(other -> other.startsWith("real.file="))) {
            return List.of(MEASURED_CLIENTS + "=" + given);
        }
        if (key.equals(SPECULATIVE) && NO_DRAFTS.contains(given.toLowerCase(Locale.ROOT))) {
            return List.of(
                    overrides.get(0).startsWith("search.")
                            ? "search.draft_tokens=[0]"
                            : overrides.get(0).replace(VALUE, "none"));
        }
        if (key.endsWith("_tokens") && !key.equals(PREFIX)) {
            LoadValues.checkLength(word, key, given);
            if (LoadValues.hasDistribution(words)) {
                return LoadValues.distribution(key, given);
            }
        }
        return filled(word, key, given, overrides, stage, words);
    }

    /** Returns the overrides of a short key with its value, and those that it implies and that no argument sets. */
    private static List<String> filled(
            String word, String key, String given, List<String> overrides, String stage, List<String> words) {
        if (overrides.get(0).equals(EP_DEGREES) && ExpertDegree.isSwitch(given)) {
            throw StageException.input(Problem.usage(word, "expected degrees of expert parallelism in " + stage)
                    .hint("set for example ep=8, or leave it out to try all degrees"));
        }
        String value = isInverse(key)
                ? inverse(word, given)
                : overrides.get(0).contains("expert_parallel")
                        ? ExpertDegree.isParallel(
                                word, given, words, overrides.get(0).startsWith(POOLS))
                        : given;
        boolean isList = value.startsWith("[") && value.endsWith("]");
        if (overrides.stream().filter(override -> override.contains(VALUE)).count() > 1
                && (isList || SEVERAL.matcher(value).find())) {
            throw StageException.input(Problem.usage(word, "sets two keys in " + stage + ", so it takes one value")
                    .hint("sweep one of " + String.join(" ", overrides).replace("=" + VALUE, "")));
        }
        return overrides.stream()
                .filter(override -> !Set.of(SPECULATIVE, PREFIX, BURSTINESS).contains(key)
                        || override.contains(VALUE)
                        || override.equals(GAMMA)
                        || isOpen(override, words))
                .map(override -> !isList
                        ? override.replace(VALUE, value)
                        : override.contains(LIST)
                                ? override.replace(LIST, value)
                                : override.replace(VALUE, value.substring(1, value.length() - 1)))
                .toList();
    }

    /** Returns true if a short key sets the inverse of its value. */
    private static boolean isInverse(String key) {
        return key.equals(BURSTINESS) || key.equals(SPEED);
    }

    private static String inverse(String word, String given) {
        return LoadValues.inverse(word, given, Sections.key(word).equals(BURSTINESS) ? 0.5 : 1);
    }

    /** Returns the typed item of a short key that sets the inverse of its value; empty for other words and values. */
    static Optional<String> inverted(String word, String value) {
        if (!isInverse(Sections.key(word))) {
            return Optional.empty();
        }
        String items = word.substring(word.indexOf('=') + 1).replaceAll("^\\[|]$", "");
        return Arrays.stream(items.split(",", -1))
                .map(String::strip)
                .filter(item -> inverse(word, item).equals(value))
                .findFirst();
    }

    private static StageException withoutEffect(
            String word, Stream<String> names, SettingsSchema schema, String stage) {
        if (Sections.key(word).equals(DP) && schema.isKnown(POOLS + "replicas")) {
            return StageException.input(PoolKeys.engines(word, stage));
        }
        List<String> similar = names.flatMap(name -> schema.named(name).stream())
                .filter(path -> isUsed(path, schema))
                .distinct()
                .toList();
        Problem problem = Problem.usage(word, "has no effect in " + stage);
        return StageException.input(similar.isEmpty() ? problem : problem.hint("set " + String.join(" or ", similar)));
    }

    /** Returns true if no argument sets the key of an override. */
    private static boolean isOpen(String override, List<String> words) {
        return words.stream().noneMatch(word -> word.startsWith(path(override) + "="));
    }

    /** Returns the overrides that a short key stands for in a stage; empty if the stage has none of its keys. */
    private static Optional<List<String>> overrides(String key, SettingsSchema schema) {
        return KEYS.getOrDefault(key, List.of()).stream()
                .filter(all -> all.stream().allMatch(override -> isUsed(path(override), schema)))
                .findFirst();
    }

    /** Returns true if a stage has a key; the workload's keys of requests require a stage with arrivals. */
    private static boolean isUsed(String path, SettingsSchema schema) {
        return schema.isKnown(path) && (!path.startsWith("workload.") || schema.isKnown("arrival"));
    }

    /** Returns true if a typed short key implies an override, whatever its value, and no typed word sets the same key. */
    static boolean isImplied(String override, List<String> words) {
        List<String> keys = words.stream().map(Sections::key).toList();
        boolean isConstant = keys.stream()
                .flatMap(key -> KEYS.getOrDefault(key, List.of()).stream())
                .anyMatch(all -> all.contains(override));
        return !keys.contains(path(override))
                && (isConstant || (override.equals(LoadValues.KIND) && LoadValues.hasDistribution(words)));
    }

    /** Returns the last segments of all keys that a short key can stand for, and its own name. */
    private static Stream<String> names(String key) {
        return Stream.concat(
                Stream.of(key),
                KEYS.getOrDefault(key, List.of()).stream()
                        .flatMap(List::stream)
                        .filter(override -> override.contains(VALUE))
                        .map(override -> path(override).substring(path(override).lastIndexOf('.') + 1)));
    }

    private static String path(String override) {
        return override.substring(0, override.indexOf('='));
    }

    /** Returns the short keys of a stage with the keys that they set, for its help. */
    public static Map<String, String> of(Stage<?> stage) {
        Map<String, String> keys = new LinkedHashMap<>();
        for (String key : KEYS.keySet()) {
            List<String> paths = paths(key, stage);
            if (!paths.isEmpty()) {
                keys.put(key, String.join(" ", paths));
            }
        }
        return keys;
    }

    /** Returns the keys that a short key sets in a stage; empty if it is no short key of the stage. */
    static List<String> paths(String key, Stage<?> stage) {
        SettingsSchema schema = SettingsSchema.of(stage.spec().settings());
        return !KEYS.containsKey(key) || schema.isKnown(key)
                ? List.of()
                : overrides(key, schema).orElse(List.of()).stream()
                        .map(override -> path(override).replace(POOLS, "cluster.pools.<name>."))
                        .toList();
    }
}
