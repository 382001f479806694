package dev.stagesim.serving;

import dev.stagesim.model.KeyNames;
import dev.stagesim.model.Problem;
import dev.stagesim.model.card.LayerGroup;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.card.StoredShare;
import dev.stagesim.model.hardware.DeviceArchitecture;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Number formats of weights and KV caches that engines support, by architecture. */
final class EngineFormats {
    /** Support of a format; all values except the first two are refused. */
    enum Support {
        NATIVE, // Products in the format, or attention that reads it.
        WEIGHT_ONLY, // Kernels that unpack weights to 16 bits.
        DENSE_ONLY, // Kernels that unpack weights to 16 bits, but none for experts.
        EMULATED, // Weights are dequantised in memory before each product.
        NONE;

        private static Support of(char mark) {
            return switch (mark) {
                case 'n' -> NATIVE;
                case 'w' -> WEIGHT_ONLY;
                case 'd' -> DENSE_ONLY;
                case 'e' -> EMULATED;
                default -> NONE;
            };
        }
    }

    /** Weights: a column for each architecture, in the order of {@link DeviceArchitecture}. Sources are in step-times.md. */
    static final String WEIGHTS =
            """
            format       engine         volta turing ampere ada hopper blackwell gddr cdna2 cdna3 cdna4
            fp8          vllm           -     w      w      n   n      n         n    -     n     n
            fp8          sglang         -     -      w      n   n      n         n    -     n     n
            fp8          trtllm         -     -      -      n   n      n         n    -     -     -
            fp8_block    vllm           -     w      w      n   n      n         n    -     n     n
            fp8_block    sglang         -     -      w      n   n      n         n    -     n     n
            fp8_block    trtllm         -     -      -      -   n      n         -    -     -     -
            int8         vllm           -     n      n      n   n      -         -    -     n     n
            int8         sglang         -     n      n      n   n      -         -    -     -     -
            int8         trtllm         -     -      -      -   -      -         -    -     -     -
            int8         trtllm_engine  -     -      n      n   n      -         -    -     -     -
            mxfp8        vllm           -     -      w      w   w      n         -    -     -     n
            mxfp8        sglang         -     -      -      -   -      n         -    -     -     -
            mxfp8        trtllm         -     -      -      -   -      -         -    -     -     -
            mxfp6        vllm           e     e      e      e   e      e         e    e     e     e
            mxfp6        sglang         -     -      -      -   -      -         -    -     -     -
            mxfp6        trtllm         -     -      -      -   -      -         -    -     -     -
            w8a16_fp8    vllm           -     n      n      n   n      n         n    -     -     -
            w8a16_fp8    sglang         -     -      n      n   n      n         n    -     -     -
            w8a16_fp8    trtllm         -     -      -      -   -      -         -    -     -     -
            w8a16_int8   vllm           n     n      n      n   n      n         n    n     n     n
            w8a16_int8   sglang         -     n      n      n   n      n         n    n     n     n
            w8a16_int8   trtllm         -     -      -      -   -      -         -    -     -     -
            w8a16_int8   trtllm_engine  -     -      n      n   n      -         -    -     -     -
            int4         vllm           n     n      n      n   n      n         n    n     n     n
            int4         sglang         -     n      n      n   n      n         n    n     n     n
            int4         trtllm         -     -      n      n   n      -         -    -     -     -
            w4a8         vllm           -     -      -      -   n      -         -    -     -     -
            w4a8         sglang         -     -      -      -   n      -         -    -     n     n
            w4a8         trtllm         -     -      -      n   n      -         -    -     -     -
            nf4          vllm           n     n      n      n   n      n         n    n     n     n
            nf4          sglang         -     n      n      n   n      n         n    n     n     n
            nf4          trtllm         -     -      -      -   -      -         -    -     -     -
            mxfp4        vllm           -     -      w      w   w      n         w    -     w     n
            mxfp4        sglang         -     -      w      w   w      n         w    -     w     n
            mxfp4        trtllm         -     -      -      -   w      n         n    -     -     -
            nvfp4        vllm           -     w      w      w   w      n         n    e     e     e
            nvfp4        sglang         -     w      w      w   w      n         n    d     d     -
            nvfp4        trtllm         -     -      -      -   -      n         n    -     -     -
            w4a16_nvfp4  vllm           -     n      n      n   n      n         n    -     -     -
            w4a16_nvfp4  sglang         -     n      n      n   n      n         n    -     -     -
            w4a16_nvfp4  trtllm         -     -      -      -   -      -         -    -     -     -
            q4_k_m       vllm           n     n      n      n   n      n         n    n     n     n
            q4_k_m       sglang         -     n      n      n   n      n         n    n     n     n
            q4_k_m       trtllm         -     -      -      -   -      -         -    -     -     -
            """;

    /** KV caches, like {@link #WEIGHTS}. Formats without a row are refused. */
    static final String CACHES =
            """
            format       engine         volta turing ampere ada hopper blackwell gddr cdna2 cdna3 cdna4
            fp8          vllm           -     -      n      n   n      n         n    -     n     n
            fp8          sglang         -     -      n      n   n      n         n    -     n     n
            fp8          trtllm         -     -      n      n   n      n         n    -     -     -
            int8         vllm           -     n      n      n   n      n         n    n     n     n
            int8         sglang         -     n      n      n   n      n         n    n     n     n
            int8         trtllm_engine  -     -      n      n   n      n         n    -     -     -
            int4         vllm           -     n      n      n   n      n         n    n     n     n
            nvfp4        vllm           -     -      -      -   -      n         -    -     -     -
            nvfp4        sglang         -     -      -      -   -      n         -    -     -     -
            nvfp4        trtllm         -     -      -      -   -      n         -    -     -     -
            """;

    private static final Map<String, Map<DeviceArchitecture, Support>> WEIGHT_ROWS = rows(WEIGHTS);
    private static final Map<String, Map<DeviceArchitecture, Support>> CACHE_ROWS = rows(CACHES);

    private final String engine;
    private final String name;
    private final HardwareCard hardware;
    private final DeviceArchitecture architecture;

    /** @param engine name in the tables: {@code vllm}, {@code sglang}, {@code trtllm} or {@code trtllm_engine} */
    EngineFormats(String engine, HardwareCard hardware) {
        this.engine = engine;
        this.hardware = hardware;
        name = EngineChoice.Kind.of(engine).orElseThrow().words();
        architecture = hardware.device().architecture();
    }

    private static Map<String, Map<DeviceArchitecture, Support>> rows(String table) {
        Map<String, Map<DeviceArchitecture, Support>> rows = new HashMap<>();
        table.lines().skip(1).forEach(line -> {
            String[] cells = line.split(" +", -1);
            Map<DeviceArchitecture, Support> row = new HashMap<>();
            for (DeviceArchitecture column : DeviceArchitecture.values()) {
                if (column != DeviceArchitecture.OTHER) {
                    row.put(column, Support.of(cells[2 + column.ordinal()].charAt(0)));
                }
            }
            rows.put(cells[0] + " " + cells[1], row);
        });
        return rows;
    }

    /** Returns the formats of a replica's engine; empty for policies of Vidur, other vendors and devices that the tables lack. */
    static Optional<EngineFormats> of(ReplicaModel replica) {
        HardwareCard hardware = replica.hardware();
        Optional<String> vendor = replica.engine().vendor();
        if (hardware.device().architecture() == DeviceArchitecture.OTHER
                || !vendor.orElse(hardware.device().vendor())
                        .equals(hardware.device().vendor())) {
            return Optional.empty();
        }
        if (replica.scheduler() instanceof SchedulerSettings.Sglang) {
            return Optional.of(new EngineFormats("sglang", hardware));
        }
        if (!(replica.scheduler() instanceof SchedulerSettings.VllmV1 engine)) {
            return Optional.empty();
        }
        boolean isBuilt = replica.engine()
                .versions()
                .filter(version -> version.startsWith("TensorRT-LLM") && !version.endsWith("PyTorch"))
                .isPresent();
        return Optional.of(
                new EngineFormats(engine.isTensorRt() ? isBuilt ? "trtllm_engine" : "trtllm" : "vllm", hardware));
    }

    /** Returns the support of weights in a format. */
    Support weights(Precision format) {
        return format == Precision.BF16 ? Support.NATIVE : support(WEIGHT_ROWS, format);
    }

    /** Returns the support of a KV cache in a format. */
    Support cache(Precision format) {
        return format == Precision.BF16 ? Support.NATIVE : support(CACHE_ROWS, format);
    }

    private Support support(Map<String, Map<DeviceArchitecture, Support>> rows, Precision format) {
        String key = KeyNames.constant(format) + " ";
        Map<DeviceArchitecture, Support> row = rows.getOrDefault(key + engine, Map.of());
        if (row.isEmpty()) {
            row = rows.getOrDefault(
                    key + EngineChoice.Kind.of(engine).orElseThrow().beginning(), Map.of());
        }
        return row.getOrDefault(architecture, Support.NONE);
    }

    /** Returns the refused formats of a model. */
    List<Problem> problems(ModelCard model) {
        List<Problem> problems = new ArrayList<>();
        Stream.of(LayerGroup.values())
                .flatMap(group -> model.stored(group).stream())
                .filter(part -> isRefused(part, model))
                .findFirst()
                .map(part -> refusal(part, model))
                .ifPresent(problems::add);
        Precision cache = model.formats().kvCache();
        if (cache(cache) != Support.NATIVE) {
            problems.add(Problem.config("model.kv_cache", refused(cache, "KV cache in this format"))
                    .hint("use " + options(format -> cache(format) == Support.NATIVE)));
        } else if (model.isLatentAttention() && (cache == Precision.INT8 || cache == Precision.INT4)) {
            problems.add(Problem.config(
                            "model.kv_cache",
                            "is " + KeyNames.constant(cache) + ", and " + name
                                    + " has integer caches only for attention with heads, not for the latent attention"
                                    + " of " + model.name())
                    .hint("use fp8 or bf16"));
        }
        return problems;
    }

    /** Returns a warning about experts that the engine unpacks although the device can multiply them; empty if none. */
    Optional<String> warning(ModelCard model) {
        Precision format = model.expertPrecision();
        boolean isUnpacked = model.isMixtureOfExperts()
                && weights(format) == Support.WEIGHT_ONLY
                && hardware.productRate(format) != Precision.Rate.BITS16;
        return isUnpacked
                ? Optional.of(name + " unpacks " + KeyNames.constant(format) + " experts to 16 bits on " + device()
                        + ", whose units could multiply them")
                : Optional.empty();
    }

    private boolean isRefused(StoredShare part, ModelCard model) {
        boolean isUsed = part.group() != LayerGroup.EXPERTS || model.isMixtureOfExperts();
        return isUsed
                && switch (weights(part.precision())) {
                    case NATIVE, WEIGHT_ONLY -> false;
                    case DENSE_ONLY -> part.group() == LayerGroup.EXPERTS;
                    case EMULATED, NONE -> true;
                };
    }

    private Problem refusal(StoredShare part, ModelCard model) {
        Precision format = part.precision();
        boolean isExperts = part.group() == LayerGroup.EXPERTS;
        String key = format == model.formats().weights()
                ? "model.weights"
                : isExperts ? "model.expert_weights" : "model.storage";
        String what = weights(format) == Support.EMULATED
                ? "is " + KeyNames.constant(format) + ", which " + name + " only emulates on " + device()
                        + ": it dequantises the weights in memory before each product, which step times do not model"
                : refused(format, isExperts ? "kernels for such experts" : "kernels for such weights");
        return Problem.config(key, what)
                .hint("use " + options(other -> !isRefused(new StoredShare(part.group(), other, 1), model)));
    }

    private String refused(Precision format, String what) {
        return "is " + KeyNames.constant(format) + ", and " + name + " has no " + what + " on " + device();
    }

    private String device() {
        return hardware.name() + " (" + hardware.device().generation() + ")";
    }

    private static String options(Predicate<Precision> isTaken) {
        List<String> names = Stream.of(Precision.values())
                .filter(isTaken)
                .map(KeyNames::constant)
                .toList();
        return names.size() == 1
                ? names.get(0)
                : String.join(", ", names.subList(0, names.size() - 1)) + " or " + names.get(names.size() - 1);
    }
}
