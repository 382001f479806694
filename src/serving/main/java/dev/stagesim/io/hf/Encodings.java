package dev.stagesim.io.hf;

import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.Precision;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Names of encodings in quantization files. An unknown name is an error because there is no safe default. */
final class Encodings {
    private static final int EIGHT = 8;
    private static final int FOUR = 4;
    private static final int MX_GROUP = 32;

    /** Algorithms of ModelOpt. */
    private static final Map<String, Precision> MODELOPT = Map.ofEntries(
            Map.entry("FP8", Precision.FP8),
            Map.entry("FP8_PER_CHANNEL_PER_TOKEN", Precision.FP8),
            Map.entry("FP8_PB_WO", Precision.FP8_BLOCK),
            Map.entry("FP8_PB_REAL", Precision.FP8_BLOCK),
            Map.entry("FP8_BLOCK_SCALES", Precision.FP8_BLOCK),
            Map.entry("MXFP8", Precision.MXFP8),
            Map.entry("NVFP4", Precision.NVFP4),
            Map.entry("NVFP4_AWQ", Precision.NVFP4),
            Map.entry("W4A16_NVFP4", Precision.W4A16_NVFP4),
            Map.entry("MXFP4", Precision.MXFP4),
            Map.entry("W4A8_MXFP4_FP8", Precision.MXFP4),
            Map.entry("W4A8_NVFP4_FP8", Precision.NVFP4),
            Map.entry("W4A16", Precision.INT4),
            Map.entry("W4A16_AWQ", Precision.INT4),
            Map.entry("W4A16_GPTQ", Precision.INT4),
            Map.entry("INT4_AWQ", Precision.INT4),
            Map.entry("W4A8_AWQ", Precision.W4A8),
            Map.entry("W4A8_QSERVE_PER_GROUP", Precision.W4A8),
            Map.entry("W4A8_QSERVE_PER_CHANNEL", Precision.W4A8),
            Map.entry("W8A16", Precision.W8A16_INT8),
            Map.entry("W8A16_GPTQ", Precision.W8A16_INT8),
            Map.entry("INT8_SQ", Precision.INT8),
            Map.entry("W8A8_SQ_PER_CHANNEL", Precision.INT8),
            Map.entry("W8A8_SQ_PER_TENSOR_PLUGIN", Precision.INT8),
            Map.entry("W8A8_SQ_PER_CHANNEL_PER_TOKEN_PLUGIN", Precision.INT8));

    /** Types of torchao. */
    private static final Map<String, Precision> TORCHAO = Map.ofEntries(
            Map.entry("int4weightonly", Precision.INT4),
            Map.entry("int8weightonly", Precision.W8A16_INT8),
            Map.entry("int8dynamicactivationint8weight", Precision.INT8),
            Map.entry("int8dynamicactivationint4weight", Precision.W4A8),
            Map.entry("float8dynamicactivationfloat8weight", Precision.FP8),
            Map.entry("float8staticactivationfloat8weight", Precision.FP8),
            Map.entry("float8dynamicactivationint4weight", Precision.W4A8),
            Map.entry("float8weightonly", Precision.W8A16_FP8));

    private Encodings() {}

    static StageException unknown(LocatedJson at, String what, Iterable<String> known) {
        List<String> options = new ArrayList<>();
        known.forEach(options::add);
        Collections.sort(options);
        return StageException.input(at.problem(what)
                .options(options)
                .hint("the storage of the weights decides memory and times; remove the section and set the weights of"
                        + " the card yourself"));
    }

    /** Returns the precision of a ModelOpt algorithm. */
    static Precision modelopt(LocatedJson at, String name) {
        Precision precision = MODELOPT.get(name.toUpperCase(Locale.ROOT));
        if (precision == null) {
            throw unknown(at, "unknown quant_algo '" + name + "'", MODELOPT.keySet());
        }
        return precision;
    }

    /** Returns the precision of a torchao type or class name. */
    static Precision torchao(LocatedJson at, String name) {
        String plain = name.toLowerCase(Locale.ROOT).replace("_", "").replaceAll("config$", "");
        Precision precision = TORCHAO.get(plain);
        if (precision == null) {
            throw unknown(at, "unknown quant_type '" + name + "' of torchao", TORCHAO.keySet());
        }
        return precision;
    }

    /** Returns the precision of integer weights with 16-bit activations. */
    static Precision integers(LocatedJson at, int bits) {
        return switch (bits) {
            case FOUR -> Precision.INT4;
            case EIGHT -> Precision.W8A16_INT8;
            default -> throw unknown(at, "weights of " + bits + " bits are not supported", List.of("4", "8"));
        };
    }

    /** Arguments of a compressed-tensors scheme. */
    record Scheme(
            Optional<Integer> numBits,
            Optional<String> type,
            Optional<String> strategy,
            Optional<Integer> groupSize,
            Optional<Boolean> dynamic) {}

    /** Returns the precision of a group of compressed-tensors. */
    static Precision compressed(LocatedJson at, Scheme weights, Optional<Scheme> inputs) {
        int bits = weights.numBits().orElse(0);
        boolean isFloat = weights.type().orElse("int").equals("float");
        int group = weights.groupSize().orElse(0);
        int input = inputs.flatMap(Scheme::numBits).orElse(0);
        if (bits == EIGHT && isFloat) {
            if (group == MX_GROUP) {
                return Precision.MXFP8;
            }
            boolean isBlock = weights.strategy().orElse("").equals("block");
            return input == 0 ? Precision.W8A16_FP8 : isBlock ? Precision.FP8_BLOCK : Precision.FP8;
        }
        if (bits == EIGHT) {
            return input == EIGHT ? Precision.INT8 : Precision.W8A16_INT8;
        }
        if (bits == FOUR && isFloat) {
            return group == MX_GROUP ? Precision.MXFP4 : input == 0 ? Precision.W4A16_NVFP4 : Precision.NVFP4;
        }
        if (bits == FOUR) {
            return input == EIGHT ? Precision.W4A8 : Precision.INT4;
        }
        throw unknown(
                at,
                "weights of " + bits + " bits (" + weights.type().orElse("int") + ") are not supported",
                List.of("4 int", "4 float", "8 int", "8 float"));
    }

    /** Returns the precision of a torch type in memory; engines convert 32-bit weights to 16 bits. */
    static Precision torch(LocatedJson at) {
        String name = at.asString().replace("torch.", "").toLowerCase(Locale.ROOT);
        return switch (name) {
            case "auto", "bfloat16", "bf16", "float16", "fp16", "half", "float32", "fp32", "float" -> Precision.BF16;
            case "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "fp8" -> Precision.FP8;
            default ->
                throw unknown(
                        at,
                        "weights of type '" + at.asString() + "' need a quantization_config",
                        List.of("bfloat16", "float16", "float32", "float8_e4m3fn", "float8_e5m2"));
        };
    }

    /** Returns the precision of a KV cache; 16 bits if the name is empty. */
    static Precision cache(LocatedJson at, String name) {
        String plain = name.toLowerCase(Locale.ROOT);
        if (plain.startsWith("fp8") || plain.startsWith("float8")) {
            return Precision.FP8;
        }
        return switch (plain) {
            case "", "none", "null", "auto", "bf16", "bfloat16", "fp16", "float16" -> Precision.BF16;
            case "int8" -> Precision.INT8;
            case "nvfp4" -> Precision.NVFP4;
            default ->
                throw unknown(at, "unknown encoding of the KV cache '" + name + "'", List.of("FP8", "INT8", "NVFP4"));
        };
    }

    /** Returns the precision of a Quark data type. */
    static Precision quark(LocatedJson at, Optional<LocatedJson> inputs) {
        String type = at.text("dtype", "");
        int group = (int) at.count("group_size", 0);
        boolean hasInputs = inputs.isPresent();
        return switch (type) {
            case "fp8_e4m3", "fp8" ->
                at.text("qscheme", "").equals("per_block")
                        ? Precision.FP8_BLOCK
                        : hasInputs ? Precision.FP8 : Precision.W8A16_FP8;
            case "fp4", "mx", "mxfp4" -> group == MX_GROUP || type.equals("mxfp4") ? Precision.MXFP4 : Precision.NVFP4;
            case "mx6", "fp6_e2m3", "fp6_e3m2" -> Precision.MXFP6;
            case "int8" -> hasInputs ? Precision.INT8 : Precision.W8A16_INT8;
            case "int4", "uint4" -> hasInputs ? Precision.W4A8 : Precision.INT4;
            default ->
                throw unknown(
                        at,
                        "unknown dtype '" + type + "' of quark",
                        List.of("fp8_e4m3", "fp4", "int8", "int4", "uint4", "fp6_e2m3"));
        };
    }

    /** Returns the error for an unsupported method. */
    static StageException method(LocatedJson at, String method) {
        return unknown(
                at,
                method.isEmpty()
                        ? "states no quant_method, quant_algo or bits"
                        : "unknown quant_method '" + method + "'",
                QuantMethods.NAMES);
    }
}
