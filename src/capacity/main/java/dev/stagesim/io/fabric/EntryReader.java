package dev.stagesim.io.fabric;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.sim.capacity.QueueProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Reads a workload entry of {@code workloads.yaml} from its JSON tree. All missing or wrong values are reported at
 * once.
 */
public final class EntryReader {
    private static final List<String> NESTED =
            List.of(("params.hidden_size params.n_layers params.vocab_size parallelism.tp parallelism.pp"
                            + " parallelism.dp sequence.prompt sequence.generate precision.weights precision.activations")
                    .split(" ", 0));
    private static final List<String> PROFILES = List.of("steady_state", "peak", "spike", "low");
    private static final String SCHEDULE = "schedule";

    private final Fields fields = new Fields();
    private final Fields.Tree tree;

    private EntryReader(JsonValue.Obj tree, String source) {
        this.tree = new Fields.Tree(source, tree);
    }

    /**
     * Reads an entry.
     *
     * @param source name in messages, for example {@code workloads.yaml: workload chat}
     */
    public static CatalogEntry read(JsonValue.Obj tree, String source) {
        return new EntryReader(tree, source).read();
    }

    private CatalogEntry read() {
        fields.require(tree, Catalog.WORKLOAD_KEYS);
        fields.require(tree, NESTED);
        CatalogEntry.Parallelism parallelism = new CatalogEntry.Parallelism(
                atLeast("parallelism.tp", 1), atLeast("parallelism.pp", 1), atLeast("parallelism.dp", 1));
        long hidden = atLeast("params.hidden_size", 1);
        long layers = atLeast("params.n_layers", 1);
        String track = fields.text(tree, "track");
        if (!track.isEmpty() && !List.of("parity", "best").contains(track)) {
            fields.report(tree, "track", "found '" + track + "', expected parity or best");
        }
        CatalogEntry.Tuning tuning = tuning();
        List<CatalogEntry.Phase> phases = phases(parallelism.dp());
        boolean mixed =
                phases.stream().map(phase -> phase.generate() > 0).distinct().count() > 1;
        if (mixed) {
            fields.report(tree, SCHEDULE, "some phases generate tokens and some do not, expected serving or training");
        }
        String name = fields.text(tree, "name");
        fields.check();
        return new CatalogEntry(name, hidden, layers, parallelism, tuning, track.equals("best"), phases, tree.value());
    }

    private int atLeast(String path, int minimum) {
        return fields.find(tree, path)
                .map(value -> atLeast(path, value, minimum))
                .orElse(minimum);
    }

    private int atLeast(String path, JsonValue value, int minimum) {
        long number = value instanceof JsonValue.Int || value instanceof JsonValue.Str
                ? fields.integer(tree, path, value)
                : Long.MIN_VALUE;
        if (number == Long.MIN_VALUE || number < minimum || number > Integer.MAX_VALUE) {
            fields.report(tree, path, "found " + Json.describe(value) + ", expected an integer of at least " + minimum);
            return minimum;
        }
        return (int) number;
    }

    private CatalogEntry.Tuning tuning() {
        JsonValue.Obj given = section(tree.value(), "runtime_tuning", "runtime_tuning");
        String path = "runtime_tuning.";
        String virt = text(given, path, "virt").orElse("bare");
        if (!List.of("bare", "sriov").contains(virt)) {
            fields.report(tree, path + "virt", "found '" + virt + "', expected bare or sriov");
        }
        return new CatalogEntry.Tuning(
                present(given, "microbatch")
                        .map(value -> atLeast(path + "microbatch", value, 1))
                        .orElse(1),
                flag(given, path, "cuda_graphs"),
                flag(given, path, "gpudirect_rdma"),
                virt.equals("sriov"),
                text(given, path, "fabric").orElse("IB"));
    }

    private List<CatalogEntry.Phase> phases(int copies) {
        int prompt = atLeast("sequence.prompt", 1);
        int generate = atLeast("sequence.generate", 0);
        double minutes = fields.find(tree, "duration_minutes")
                .map(value -> positive("duration_minutes", value))
                .orElse(1.0);
        JsonValue.Obj schedule = section(tree.value(), SCHEDULE, SCHEDULE);
        JsonValue given = present(schedule, "phases").orElse(JsonValue.of(List.of()));
        QueueProfile defaultProfile = profile(
                        schedule, SCHEDULE + ".default_request_profile", "default_request_profile")
                .orElse(QueueProfile.STEADY_STATE);
        CatalogEntry.Phase base = new CatalogEntry.Phase(
                "whole run",
                minutes,
                prompt,
                generate,
                copies,
                defaultProfile,
                Optional.empty(),
                defaultProfile.variation(),
                Optional.empty(),
                Optional.empty(),
                1,
                1);
        if (!(given instanceof JsonValue.Arr list)) {
            fields.report(tree, SCHEDULE + ".phases", "found " + Json.describe(given) + ", expected a list of phases");
            return List.of(base);
        }
        List<CatalogEntry.Phase> phases = new ArrayList<>();
        for (int i = 0; i < list.items().size(); i++) {
            String path = SCHEDULE + ".phases." + i;
            if (list.items().get(i) instanceof JsonValue.Obj phase) {
                phases.add(phase(phase, path, i, base));
            } else {
                fields.report(tree, path, "found " + Json.describe(list.items().get(i)) + ", expected a mapping");
            }
        }
        return phases.isEmpty() ? List.of(base) : phases;
    }

    private CatalogEntry.Phase phase(JsonValue.Obj phase, String path, int index, CatalogEntry.Phase base) {
        JsonValue.Obj arrival = section(phase, "arrival", path + ".arrival");
        JsonValue.Obj overrides = section(phase, "overrides", path + ".overrides");
        JsonValue.Obj sequence = section(overrides, "sequence", path + ".overrides.sequence");
        JsonValue.Obj parallelism = section(overrides, "parallelism", path + ".overrides.parallelism");
        QueueProfile profile =
                profile(phase, path + ".request_profile", "request_profile").orElse(base.profile());
        int copies = present(arrival, "dp_override")
                .map(value -> atLeast(path + ".arrival.dp_override", value, 1))
                .orElse(integer(parallelism, path + ".overrides.parallelism.", "dp", 1, base.copies()));
        return new CatalogEntry.Phase(
                text(phase, path + ".", "name").orElse("phase_" + (index + 1)),
                number(phase, path, "duration_minutes").orElse(base.minutes()),
                integer(sequence, path + ".overrides.sequence.", "prompt", 1, base.prompt()),
                integer(sequence, path + ".overrides.sequence.", "generate", 0, base.generate()),
                copies,
                profile,
                number(arrival, path + ".arrival", "requests_per_sec"),
                number(arrival, path + ".arrival", "arrival_cv").orElse(profile.variation()),
                number(arrival, path + ".arrival", "service_cv"),
                present(arrival, "servers").map(value -> (long) atLeast(path + ".arrival.servers", value, 1)),
                number(phase, path, "tokens_scale").orElse(1.0),
                number(phase, path, "autoscale_factor").orElse(1.0));
    }

    private int integer(JsonValue.Obj from, String path, String key, int minimum, int fallback) {
        return present(from, key)
                .map(value -> atLeast(path + key, value, minimum))
                .orElse(fallback);
    }

    private Optional<Double> number(JsonValue.Obj from, String path, String key) {
        return present(from, key).map(value -> positive(path + "." + key, value));
    }

    private double positive(String path, JsonValue value) {
        double number =
                value instanceof JsonValue.Bool ? Double.NaN : Plain.real(value).orElse(Double.NaN);
        if (!(number > 0) || Double.isInfinite(number)) {
            fields.report(tree, path, "found " + Json.describe(value) + ", expected a number above 0");
            return 1;
        }
        return number;
    }

    private Optional<QueueProfile> profile(JsonValue.Obj from, String path, String key) {
        Optional<String> name = text(from, path.substring(0, path.length() - key.length()), key)
                .map(text -> text.toLowerCase(Locale.ROOT));
        if (name.isPresent() && !PROFILES.contains(name.get())) {
            fields.report(tree, path, "found '" + name.get() + "', expected one of " + String.join(", ", PROFILES));
        }
        return name.map(QueueProfile::of);
    }

    private boolean flag(JsonValue.Obj from, String path, String key) {
        Optional<JsonValue> value = present(from, key);
        if (value.isPresent() && !(value.get() instanceof JsonValue.Bool)) {
            fields.report(tree, path + key, "found " + Json.describe(value.get()) + ", expected true or false");
        }
        return value.filter(JsonValue.of(true)::equals).isPresent();
    }

    private Optional<String> text(JsonValue.Obj from, String path, String key) {
        Optional<JsonValue> value = present(from, key);
        if (value.isPresent() && !(value.get() instanceof JsonValue.Str)) {
            fields.report(tree, path + key, "found " + Json.describe(value.get()) + ", expected a string");
        }
        return value.filter(JsonValue.Str.class::isInstance).map(text -> ((JsonValue.Str) text).value());
    }

    private JsonValue.Obj section(JsonValue.Obj from, String key, String path) {
        Optional<JsonValue> value = present(from, key);
        if (value.isPresent() && !(value.get() instanceof JsonValue.Obj)) {
            fields.report(tree, path, "found " + Json.describe(value.get()) + ", expected a mapping");
        }
        return value.filter(JsonValue.Obj.class::isInstance)
                .map(JsonValue.Obj.class::cast)
                .orElse(JsonValue.EMPTY);
    }

    /** Returns a member that is present and not null. */
    private static Optional<JsonValue> present(JsonValue.Obj from, String key) {
        return from.get(key).filter(value -> !(value instanceof JsonValue.Null));
    }
}
