package dev.stagesim.io.hf;

import dev.stagesim.io.json.JsonBinder;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.card.LayerGroup;
import dev.stagesim.model.card.Precision;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.PatternSyntaxException;

/** Reads the rules for modules from {@code quantization_config} of config.json or from {@code hf_quant_config.json}. */
final class QuantMethods {
    /** Supported methods. */
    static final List<String> NAMES = List.of(
            "fp8",
            "fbgemm_fp8",
            "modelopt",
            "modelopt_fp4",
            "modelopt_mixed",
            "compressed-tensors",
            "gptq",
            "gptq_marlin",
            "awq",
            "awq_marlin",
            "auto-round",
            "bitsandbytes",
            "mxfp4",
            "quark",
            "torchao",
            "hqq",
            "w8a8_int8",
            "w8a8_fp8",
            "w4afp8");

    private static final List<String> EXCLUDING = List.of(
            "exclude_modules",
            "ignore",
            "modules_to_not_convert",
            "ignored_layers",
            "llm_int8_skip_modules",
            "skip_modules",
            "exclude");

    private final LocatedJson at;
    private Optional<Precision> standard = Optional.empty();
    private Precision excludedAs = Precision.BF16;
    private boolean isExpertsOnly;
    private boolean hasEmbeddings;
    private final List<ModulePattern> excluded = new ArrayList<>();
    private final Map<String, Precision> listed = new LinkedHashMap<>();
    private final List<Rule> rules = new ArrayList<>();
    private final List<String> limitations = new ArrayList<>();

    /** Precision of the modules of a pattern. */
    record Rule(ModulePattern modules, Precision precision) {}

    QuantMethods(LocatedJson at) {
        this.at = at;
        String method = at.text("quant_method", "").toLowerCase(Locale.ROOT);
        Optional<LocatedJson> algorithm = at.find("quant_algo").or(() -> at.find("moe_quant_algo"));
        for (String key : EXCLUDING) {
            at.find(key).ifPresent(list -> list.asStrings().forEach(this::exclude));
        }
        at.find("quantized_layers").ifPresent(this::quantisedLayers);
        if (method.equals("fp8") && algorithm.isPresent()) {
            // block-scaled original weights; some layers were quantized again
            standard = Optional.of(blockOrTensor());
            excludedAs = standard.get();
        } else if (algorithm.isPresent() && !method.startsWith("compressed")) {
            modelopt(algorithm.get());
        } else {
            byMethod(method);
        }
        if (at.find("sparsity_config", "format")
                .filter(f -> !f.asString().equals("dense"))
                .isPresent()) {
            limitations.add("weights are stored in a sparse format (sparsity_config); they are counted as dense");
        }
    }

    private void exclude(String name) {
        excluded.add(pattern(name));
    }

    private ModulePattern pattern(String name) {
        try {
            return ModulePattern.of(name);
        } catch (PatternSyntaxException e) {
            throw at.expected("regular expressions that can be read; '" + name + "' cannot");
        }
    }

    private void quantisedLayers(LocatedJson layers) {
        layers.members().forEach((name, value) -> {
            Precision precision = value.find("quant_algo")
                    .map(algorithm -> Encodings.modelopt(algorithm, algorithm.asString()))
                    .orElse(Precision.BF16);
            listed.put(ModulePattern.plain(name), precision);
        });
        listed.forEach((name, precision) -> rules.add(new Rule(pattern(name), precision)));
    }

    private void modelopt(LocatedJson algorithm) {
        String name = algorithm.asString();
        if (name.equalsIgnoreCase("MIXED_PRECISION")) {
            if (rules.isEmpty()) {
                throw algorithm.expected("quantized_layers with the storage of each layer for MIXED_PRECISION");
            }
            return;
        }
        standard = Optional.of(Encodings.modelopt(algorithm, name));
    }

    private Precision blockOrTensor() {
        return at.find("weight_block_size").isPresent() ? Precision.FP8_BLOCK : Precision.FP8;
    }

    private void byMethod(String method) {
        switch (method) {
            case "fp8", "fbgemm_fp8", "w8a8_fp8", "finegrained_fp8" -> standard = Optional.of(blockOrTensor());
            case "w8a8_int8" -> standard = Optional.of(Precision.INT8);
            case "w4afp8" -> {
                standard = Optional.of(Precision.FP8_BLOCK);
                rules.add(new Rule(pattern("experts"), Precision.W4A8));
            }
            case "gptq",
                    "gptq_marlin",
                    "gptqmodel",
                    "awq",
                    "awq_marlin",
                    "auto-round",
                    "auto_round",
                    "inc",
                    "intel/auto-round" -> bits(method);
            case "mxfp4" -> {
                standard = Optional.of(Precision.MXFP4);
                isExpertsOnly = true;
            }
            case "modelopt_mixed", "modelopt_fp4", "modelopt" -> schemes();
            case "compressed-tensors", "compressed_tensors" -> schemes();
            case "bitsandbytes" -> bitsandbytes();
            case "quark" -> quark();
            case "torchao" -> torchao();
            case "hqq" -> hqq();
            case "" -> untitled();
            default -> throw Encodings.method(at.find("quant_method").orElse(at), method);
        }
    }

    private void bits(String method) {
        Optional<LocatedJson> bits = at.find("bits").or(() -> at.find("w_bit"));
        LocatedJson found = bits.orElseThrow(() -> at.expected("bits, the width of " + method + " weights"));
        String type = at.text("data_type", "int");
        if (type.startsWith("mx_fp") && found.asInt() == 4) {
            standard = Optional.of(Precision.MXFP4);
        } else if (type.startsWith("nv_fp")) {
            standard = Optional.of(Precision.NVFP4);
        } else if (!type.startsWith("int")) {
            throw Encodings.unknown(at, "unknown data_type '" + type + "'", List.of("int", "mx_fp", "nv_fp4"));
        } else {
            standard = Optional.of(Encodings.integers(found, found.asInt()));
        }
        if (at.flag("lm_head")) {
            rules.add(new Rule(pattern("lm_head"), standard.get()));
        }
        at.find("extra_config").filter(LocatedJson::isObject).ifPresent(this::ownBits);
        at.find("dynamic").filter(LocatedJson::isObject).ifPresent(this::ownBits);
    }

    /** Reads bits of single modules; a minus before a pattern excludes them. */
    private void ownBits(LocatedJson config) {
        config.members().forEach((name, value) -> {
            boolean isSigned = name.startsWith("+:") || name.startsWith("-:");
            ModulePattern modules = pattern(isSigned ? "re:" + name.substring(2) : name);
            int bits = value.isObject() ? (int) value.count("bits", 0) : 0;
            if (name.startsWith("-:") || bits >= 16) {
                excluded.add(modules);
            } else if (bits > 0) {
                rules.add(new Rule(modules, Encodings.integers(value, bits)));
            }
        });
    }

    private void schemes() {
        Optional<LocatedJson> groups = at.find("config_groups").filter(LocatedJson::isObject);
        if (groups.isEmpty()) {
            throw at.expected("config_groups, the storage of groups of modules");
        }
        groups.get().members().values().forEach(this::scheme);
    }

    private void scheme(LocatedJson group) {
        Optional<LocatedJson> weights = group.find("weights");
        if (weights.isEmpty()) {
            if (at.find("kv_cache_scheme").isEmpty()) {
                throw group.expected("weights, the storage of the group");
            }
            return;
        }
        Optional<Encodings.Scheme> inputs =
                group.find("input_activations").map(input -> JsonBinder.FOREIGN.bind(input, Encodings.Scheme.class));
        Precision precision = Encodings.compressed(
                weights.get(), JsonBinder.FOREIGN.bind(weights.get(), Encodings.Scheme.class), inputs);
        List<String> targets = group.find("targets").map(LocatedJson::asStrings).orElse(List.of("Linear"));
        if (targets.isEmpty()) {
            throw group.expected("targets, the modules of the group");
        }
        for (String target : targets) {
            if (target.matches("(\\w*Linear|\\w*MoE\\w*|\\w*Experts?)")) {
                if (standard.isEmpty()) {
                    standard = Optional.of(precision);
                }
            } else {
                rules.add(new Rule(pattern(target), precision));
            }
        }
    }

    private void bitsandbytes() {
        boolean isFour = at.flag("load_in_4bit") || at.flag("_load_in_4bit");
        boolean isEight = at.flag("load_in_8bit") || at.flag("_load_in_8bit");
        if (isFour == isEight) {
            throw at.expected("either load_in_4bit or load_in_8bit");
        }
        standard = Optional.of(isFour ? Precision.NF4 : Precision.W8A16_INT8);
    }

    private void quark() {
        at.find("layer_quant_config").filter(LocatedJson::isObject).ifPresent(layers -> layers.members()
                .forEach((name, value) ->
                        quarkWeights(value).ifPresent(precision -> rules.add(new Rule(pattern(name), precision)))));
        standard = at.find("global_quant_config").flatMap(QuantMethods::quarkWeights);
        if (standard.isEmpty() && rules.isEmpty()) {
            throw at.expected("global_quant_config with weights");
        }
    }

    private static Optional<Precision> quarkWeights(LocatedJson config) {
        return config.find("weight")
                .map(weight -> weight.isArray() && !weight.items().isEmpty()
                        ? weight.items().get(0)
                        : weight)
                .map(weight -> Encodings.quark(weight, config.find("input_tensors")));
    }

    private void torchao() {
        LocatedJson type = at.get("quant_type");
        LocatedJson inner = type.isObject() ? type.find("default").orElse(type) : type;
        String name = inner.isObject() ? inner.text("_type", "") : inner.asString();
        standard = Optional.of(Encodings.torchao(inner, name));
    }

    private void hqq() {
        LocatedJson bits = at.find("quant_config", "weight_quant_params", "nbits")
                .or(() -> at.find("nbits"))
                .orElseThrow(() -> at.expected("nbits, the width of the weights"));
        standard = Optional.of(Encodings.integers(bits, bits.asInt()));
    }

    /** Reads files without a method: ModelOpt files have config_groups, MLX files the bits of all matrices. */
    private void untitled() {
        if (at.find("config_groups").isPresent()) {
            schemes();
            return;
        }
        if (hasCache() && at.find("bits").isEmpty()) {
            return;
        }
        LocatedJson bits = at.find("bits").orElseThrow(() -> Encodings.method(at, ""));
        standard = Optional.of(Encodings.integers(bits, bits.asInt()));
        hasEmbeddings = true;
    }

    /** True if the section states the precision of the KV cache, which some sections do alone. */
    boolean hasCache() {
        return at.find("kv_cache_quant_algo").isPresent()
                || at.find("kv_cache_scheme").isPresent();
    }

    /** Returns the precision of a module. */
    Precision of(Modules.Module module) {
        if (module.isWide()) {
            return Precision.BF16;
        }
        for (Rule rule : rules) {
            if (rule.modules().matches(module)) {
                return rule.precision();
            }
        }
        boolean isTable = module.group() == LayerGroup.EMBEDDING || module.group() == LayerGroup.HEAD;
        if (isTable && !hasEmbeddings) {
            return Precision.BF16;
        }
        if (isExpertsOnly && module.group() != LayerGroup.EXPERTS) {
            return Precision.BF16;
        }
        for (ModulePattern pattern : excluded) {
            if (pattern.matches(module)) {
                return isTable ? Precision.BF16 : excludedAs;
            }
        }
        return standard.orElse(Precision.BF16);
    }

    /** True if excluded modules keep the low precision of the original weights instead of 16 bits. */
    boolean keepsOriginal() {
        return excludedAs != Precision.BF16;
    }

    /** Returns the precision of most matrices, if the file states it for all of them. */
    Optional<Precision> standard() {
        return isExpertsOnly ? Optional.of(Precision.BF16) : standard;
    }

    List<String> limitations() {
        return limitations;
    }
}
