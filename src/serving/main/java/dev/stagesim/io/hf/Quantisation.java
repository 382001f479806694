package dev.stagesim.io.hf;

import dev.stagesim.io.hf.Modules.Module;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.card.LayerGroup;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.card.StoredShare;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Precision of a model's weights and KV cache, from config.json and hf_quant_config.json. */
final class Quantisation {
    private static final double SMALLEST_SHARE = 1e-6;

    private final Optional<QuantMethods> methods;
    private final Precision plain;
    private final Optional<Precision> experts;
    private final Precision cache;
    private final List<String> limitations = new ArrayList<>();

    /** Contents of hf_quant_config.json, if config.json has a quantization section as well. */
    private Optional<Quantisation> other = Optional.empty();

    private Quantisation(
            Optional<QuantMethods> methods, Precision plain, Optional<Precision> experts, Precision cache) {
        this.methods = methods;
        this.plain = plain;
        this.experts = experts;
        this.cache = cache;
        methods.map(QuantMethods::limitations).ifPresent(limitations::addAll);
    }

    /**
     * Reads the sections.
     *
     * @param beside contents of hf_quant_config.json, if there is one
     */
    static Quantisation of(LocatedJson root, LocatedJson text, Optional<LocatedJson> beside) {
        Optional<LocatedJson> config = root.find("quantization_config")
                .or(() -> text.find("quantization_config"))
                .or(() -> root.find("quantization"));
        config.ifPresent(LocatedJson::object);
        Optional<LocatedJson> other = beside.map(at -> at.find("quantization").orElse(at));
        Optional<Precision> cache = config.flatMap(Quantisation::cache);
        Optional<Precision> otherCache = other.flatMap(Quantisation::cache);
        Quantisation used = of(root, text, config.or(() -> other), cache.or(() -> otherCache));
        if (config.isPresent() && other.isPresent()) {
            used.other = Optional.of(of(root, text, other, otherCache.or(() -> cache)));
        }
        return used;
    }

    private static Quantisation of(
            LocatedJson root, LocatedJson text, Optional<LocatedJson> section, Optional<Precision> cache) {
        Optional<Precision> experts =
                text.find("expert_dtype").or(() -> root.find("expert_dtype")).map(at -> expertType(at));
        boolean hasExperts =
                section.isPresent() && section.get().find("quantized_layers").isPresent();
        Optional<LocatedJson> type =
                section.isPresent() ? Optional.empty() : firstOf(text, root, "torch_dtype", "dtype");
        Precision plain = type.map(Encodings::torch).orElse(Precision.BF16);
        Quantisation storage = new Quantisation(
                section.map(QuantMethods::new),
                plain,
                hasExperts ? Optional.empty() : experts,
                cache.orElse(Precision.BF16));
        if (plain != Precision.BF16) {
            storage.limitations.add("the weights have the type " + type.get().asString()
                    + " and no quantization_config, so their scales are unknown; they are read as fp8");
        }
        return storage;
    }

    private static Optional<LocatedJson> firstOf(LocatedJson text, LocatedJson root, String... names) {
        return Stream.of(text, root)
                .flatMap(at -> Stream.of(names).map(at::find))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static Precision expertType(LocatedJson at) {
        return switch (at.asString()) {
            case "fp4", "mxfp4" -> Precision.MXFP4;
            case "nvfp4" -> Precision.NVFP4;
            case "fp8" -> Precision.FP8_BLOCK;
            case "bf16", "bfloat16" -> Precision.BF16;
            default ->
                throw Encodings.unknown(
                        at,
                        "unknown expert_dtype '" + at.asString() + "'",
                        List.of("fp4", "mxfp4", "nvfp4", "fp8", "bf16"));
        };
    }

    /** Returns the precision of the KV cache, if a section states it. */
    private static Optional<Precision> cache(LocatedJson at) {
        Optional<LocatedJson> algorithm = at.find("kv_cache_quant_algo").or(() -> at.find("kv_cache_quant_type"));
        if (algorithm.isPresent()) {
            return Optional.of(Encodings.cache(algorithm.get(), algorithm.get().asString()));
        }
        Optional<LocatedJson> scheme = at.find("kv_cache_scheme");
        if (scheme.isPresent() && scheme.get().isObject()) {
            long bits = scheme.get().count("num_bits", 0);
            String type = scheme.get().text("type", "float");
            return Optional.of(Encodings.cache(scheme.get(), (type.equals("float") ? "fp" : "int") + bits));
        }
        return scheme.map(at2 -> Encodings.cache(at2, at2.asString())).or(() -> quark(at));
    }

    private static Optional<Precision> quark(LocatedJson at) {
        return at.find("layer_quant_config")
                .filter(LocatedJson::isObject)
                .flatMap(layers -> layers.members().values().stream()
                        .map(layer -> layer.find("output_tensors", "dtype"))
                        .flatMap(Optional::stream)
                        .findFirst())
                .map(type -> Encodings.cache(type, type.asString()));
    }

    Precision kvCache() {
        return cache;
    }

    /** Returns unmodelled properties of the storage, and contradictions. */
    List<String> limitations(List<Module> modules) {
        boolean isEmpty = methods.filter(method -> !method.hasCache()).isPresent()
                && modules.stream().allMatch(module -> precision(module) == Precision.BF16);
        if (isEmpty) {
            limitations.add("its quantization section covers no weight of the model; all weights are read as BF16");
        }
        other.flatMap(beside -> contradiction(beside, modules))
                .ifPresent(what -> limitations.add("config.json and hf_quant_config.json disagree about " + what
                        + "; config.json is used, as vLLM does, whereas TensorRT-LLM uses hf_quant_config.json"));
        return limitations;
    }

    private Optional<String> contradiction(Quantisation beside, List<Module> modules) {
        boolean keepsOriginal = methods.filter(QuantMethods::keepsOriginal).isPresent();
        for (Module module : modules) {
            Precision theirs = beside.precision(module);
            if (theirs != precision(module) && !(keepsOriginal && theirs == Precision.BF16)) {
                return Optional.of(module.names().get(0) + " (" + precision(module) + " and " + theirs + ")");
            }
        }
        return cache == beside.cache
                ? Optional.empty()
                : Optional.of("the KV cache (" + cache + " and " + beside.cache + ")");
    }

    /** Returns the card components of the storage: the weights, and groups that differ. */
    Map<String, Object> components(List<Module> modules) {
        Map<LayerGroup, Map<Precision, Double>> groups = new EnumMap<>(LayerGroup.class);
        Map<Precision, Double> body = new EnumMap<>(Precision.class);
        for (Module module : modules) {
            Precision precision = precision(module);
            groups.computeIfAbsent(module.group(), group -> new EnumMap<>(Precision.class))
                    .merge(precision, module.weights(), Double::sum);
            if (module.group() != LayerGroup.EMBEDDING && module.group() != LayerGroup.HEAD) {
                body.merge(precision, module.weights(), Double::sum);
            }
        }
        Precision weights = methods.flatMap(QuantMethods::standard).orElseGet(() -> mostFrequent(body));
        Optional<Precision> routed = Optional.ofNullable(groups.get(LayerGroup.EXPERTS))
                .map(Quantisation::mostFrequent)
                .filter(precision -> precision != weights);
        List<StoredShare> storage = new ArrayList<>();
        groups.forEach((group, parts) -> {
            boolean isTable = group == LayerGroup.EMBEDDING || group == LayerGroup.HEAD;
            Precision standard =
                    isTable ? Precision.BF16 : group == LayerGroup.EXPERTS ? routed.orElse(weights) : weights;
            double sum =
                    parts.values().stream().mapToDouble(Double::doubleValue).sum();
            parts.forEach((precision, count) -> {
                if (precision != standard && count / sum > SMALLEST_SHARE) {
                    storage.add(new StoredShare(group, precision, count / sum));
                }
            });
        });
        Map<String, Object> components = new HashMap<>();
        components.put("weights", weights);
        components.put("expertWeights", routed);
        components.put("storage", List.copyOf(storage));
        return components;
    }

    private Precision precision(Module module) {
        if (experts.isPresent() && module.group() == LayerGroup.EXPERTS) {
            return experts.get();
        }
        return methods.map(method -> method.of(module)).orElse(plain);
    }

    private static Precision mostFrequent(Map<Precision, Double> parts) {
        return parts.entrySet().stream()
                .max(Comparator.comparingDouble(Map.Entry::getValue))
                .map(Map.Entry::getKey)
                .orElse(Precision.BF16);
    }
}
