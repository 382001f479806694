package dev.stagesim.io.fabric;

import dev.stagesim.io.gzip.Directories;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonMode;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.yaml.Yaml;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.capacity.AcceleratorCoefficients;
import dev.stagesim.sim.capacity.CapacityFigures;
import dev.stagesim.sim.capacity.EnergyCost;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Reproduces Atlas Fabric on JSON trees: evaluates a workload on a target, and tunes one knob at a time. */
public final class AtlasTool {
    /** Knobs before the tuning of the workload. */
    static final JsonValue.Obj BASE_KNOBS = JsonValue.object()
            .put("microbatch", 1)
            .put("cuda_graphs", false)
            .put("gpudirect_rdma", false)
            .put("virt", "bare")
            .put("fabric", "IB")
            .build();

    private static final double MIN_GAIN = 1.03;

    private final Cards cards;
    private final String timestamp;

    /** Finds the card of a target. */
    private interface Cards {
        PlainRun.Card find(String target, String vendor) throws IOException;
    }

    private AtlasTool(Cards cards, String timestamp) {
        this.cards = cards;
        this.timestamp = timestamp;
    }

    /**
     * Creates the tool.
     *
     * @param cards directory of accelerator cards, or one card
     * @param timestamp creation time in records
     */
    public AtlasTool(Path cards, String timestamp) {
        this(
                (target, vendor) ->
                        PlainRun.card(CardFile.find(cards, target, vendor).orElse(JsonValue.EMPTY)),
                timestamp);
    }

    /** Creates a tool that uses the same coefficients for every target. */
    public static AtlasTool withCard(AcceleratorCoefficients card, String timestamp) {
        PlainRun.Card same = PlainRun.card(card);
        return new AtlasTool((target, vendor) -> same, timestamp);
    }

    /** Evaluates a workload over its schedule; {@code tuning} overrides the tuning of the workload. */
    public JsonValue.Obj run(
            JsonValue.Obj target, JsonValue.Obj workload, String track, Map<String, JsonValue> tuning, BigInteger seed)
            throws IOException {
        JsonValue.Obj tracked = workload.with("track", JsonValue.of(track));
        JsonValue tuningNode =
                tracked.get("runtime_tuning").filter(Plain::truth).orElse(JsonValue.EMPTY);
        if (!(tuningNode instanceof JsonValue.Obj given)) {
            throw PlainRun.wrongKnob("", tuningNode, "a mapping");
        }
        JsonValue.Obj knobs = BASE_KNOBS;
        for (Map.Entry<String, JsonValue> knob : given.members().entrySet()) {
            knobs = knobs.with(knob.getKey(), knob.getValue());
        }
        for (Map.Entry<String, JsonValue> knob : tuning.entrySet()) {
            knobs = knobs.with(knob.getKey(), knob.getValue());
        }
        JsonValue.Obj record = PlainSchedule.record(plainRun(target), tracked, knobs, seed);
        return document(target, tracked, JsonValue.of(track), knobs, record, "pre-opt");
    }

    /**
     * Tries each single change of a run's knobs. Among the changes with a gain above 3 %, the last one that improves
     * on the best is chosen.
     */
    public JsonValue.Obj optimise(LocatedJson recorded, double slaP99Ms, BigInteger seed) throws IOException {
        JsonValue.Obj target = recorded.get("target").object();
        JsonValue.Obj workload = recorded.get("workload").object();
        JsonValue.Obj base = recorded.get("knobs").object();
        PlainRun run = plainRun(target);
        boolean inference = PlainRun.isInference(workload);
        JsonValue.Obj bestKnobs = base;
        CapacityFigures best = run.figures(workload, base, seed);
        for (JsonValue.Obj trial : trials(base)) {
            CapacityFigures figures = run.figures(workload, trial, seed.add(BigInteger.ONE));
            boolean allowed = !inference || figures.p99Ms() <= Math.max(slaP99Ms, 1.0);
            if (allowed && figures.tokensPerSecond() > best.tokensPerSecond() * MIN_GAIN) {
                best = figures;
                bestKnobs = trial;
            }
        }
        JsonValue track = recorded.object().get("track").orElse(JsonValue.of("parity"));
        return document(target, workload, track, bestKnobs, PlainRecord.of(best), "post-opt");
    }

    private static List<JsonValue.Obj> trials(JsonValue.Obj base) {
        JsonValue microbatch = base.get("microbatch").orElse(JsonValue.of(1));
        return List.of(
                base.with("cuda_graphs", JsonValue.of(true)),
                base.with("gpudirect_rdma", JsonValue.of(true)),
                base.with("microbatch", times(microbatch, 2)),
                base.with("fabric", JsonValue.of("IB")),
                base.with("virt", JsonValue.of("bare")),
                base.with("microbatch", times(microbatch, 4)));
    }

    /** Multiplies, with a minimum of 1; keeps the type of the number. */
    private static JsonValue times(JsonValue microbatch, int factor) {
        if (microbatch instanceof JsonValue.Real real) {
            double product = real.value() * factor;
            return product > 1 ? JsonValue.of(product) : JsonValue.of(1);
        }
        boolean counts = microbatch instanceof JsonValue.Int
                || microbatch instanceof JsonValue.Big
                || microbatch instanceof JsonValue.Bool;
        if (!counts) {
            throw PlainRun.wrongKnob("microbatch", microbatch, "a number");
        }
        BigInteger product = Plain.integer(microbatch)
                .orElseThrow()
                .multiply(BigInteger.valueOf(factor))
                .max(BigInteger.ONE);
        return product.bitLength() < Long.SIZE ? JsonValue.of(product.longValueExact()) : new JsonValue.Big(product);
    }

    private PlainRun plainRun(JsonValue.Obj target) throws IOException {
        String name = Plain.text(target, "name").orElse("");
        String vendor = Plain.text(target, "vendor").orElse("");
        return new PlainRun(target, cards.find(name, vendor));
    }

    private JsonValue.Obj document(
            JsonValue.Obj target,
            JsonValue.Obj workload,
            JsonValue track,
            JsonValue.Obj knobs,
            JsonValue.Obj record,
            String label) {
        return JsonValue.object()
                .put("ts", timestamp)
                .put("target", target)
                .put("workload", workload)
                .put("track", track)
                .put("knobs", knobs)
                .put("record", record)
                .put("dollar_per_1k_tokens", usdPerThousandTokens(target, record))
                .put("label", label)
                .build();
    }

    static double usdPerThousandTokens(JsonValue.Obj target, JsonValue.Obj record) {
        Fields fields = new Fields();
        Fields.Tree from = new Fields.Tree("target", target);
        Fields.Tree figures = new Fields.Tree("record", record);
        double usd = EnergyCost.perThousandTokens(
                fields.number(from, "cost.hourly_usd"),
                fields.number(figures, "node_power_w"),
                fields.number(from, "cost.pue"),
                fields.number(figures, "tokens_per_sec"));
        fields.check();
        return usd;
    }

    public static LocatedJson read(Path record) throws IOException {
        return Json.read(record, JsonMode.NON_FINITE);
    }

    public static void write(Path file, JsonValue document) throws IOException {
        Files.writeString(file, Json.python(document), StandardCharsets.UTF_8);
    }

    /** Parses a number from the command line. */
    public static BigInteger seed(String text) {
        return Plain.integer(JsonValue.of(text))
                .orElseThrow(() -> StageException.input(
                        Problem.of("usage error", "seed", "found '" + text + "', expected an integer")));
    }

    /** Rounds half to even on the exact binary value. */
    static double rounded(double value, int decimals) {
        return new BigDecimal(value)
                .setScale(decimals, java.math.RoundingMode.HALF_EVEN)
                .doubleValue();
    }

    /** Finds the accelerator card of a target among YAML files, as Atlas Fabric does. */
    private static final class CardFile {
        private CardFile() {}

        /**
         * Returns the card: in a directory, the file named after the target, otherwise after its vendor, otherwise the
         * first by name that states a match; or the given file. Empty if there is none or the given file cannot be
         * read; Atlas Fabric then uses defaults that lack half of the keys.
         */
        static Optional<JsonValue.Obj> find(Path place, String target, String vendor) throws IOException {
            if (!Files.isDirectory(place)) {
                return tolerant(place);
            }
            for (String name : List.of(normalised(target), vendor.toLowerCase(Locale.ROOT))) {
                Path file = place.resolve(name + ".yaml");
                if (Files.exists(file)) {
                    return Optional.of(read(file));
                }
            }
            return matching(place, target, vendor);
        }

        private static Optional<JsonValue.Obj> matching(Path place, String target, String vendor) throws IOException {
            for (Path file : Directories.list(place, CardFile::isYaml)) {
                JsonValue.Obj card = read(file);
                JsonValue.Obj match = Plain.object(card, "match").orElse(JsonValue.EMPTY);
                boolean isNamed =
                        Plain.text(match, "name").filter(target::equals).isPresent();
                if (isNamed || Plain.text(match, "vendor").orElse("").equalsIgnoreCase(vendor)) {
                    return Optional.of(card);
                }
            }
            return Optional.empty();
        }

        private static boolean isYaml(Path file) {
            String name = String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT);
            return name.endsWith(".yaml") || name.endsWith(".yml");
        }

        private static Optional<JsonValue.Obj> tolerant(Path file) throws IOException {
            try {
                return Optional.of(read(file));
            } catch (StageException unreadable) {
                return Optional.empty();
            }
        }

        private static JsonValue.Obj read(Path file) throws IOException {
            return Yaml.read(file, Yaml.Rules.PYTHON).object();
        }

        private static String normalised(String name) {
            StringBuilder out = new StringBuilder();
            name.codePoints().forEach(c -> {
                if (Character.isLetterOrDigit(c)) {
                    out.appendCodePoint(Character.toLowerCase(c));
                } else {
                    out.append('_');
                }
            });
            return out.toString();
        }
    }
}
