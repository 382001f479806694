package dev.stagesim.pipeline.request;

import dev.stagesim.model.KeyNames;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.Precision;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Replaces names of number formats and quantisation methods by the precisions of weights and KV caches. A name that
 * several precisions can mean is rejected with these precisions.
 */
final class PrecisionNames {
    private static final Pattern WORD =
            Pattern.compile("((?:\\w+\\.)*(?<!precision\\.)(?:expert_)?(weights|kv_cache))=(.*)", Pattern.DOTALL);
    private static final Pattern ITEM = Pattern.compile("[^\\[\\],\\s\"']+");

    /** Names of one precision, after the precision. */
    private static final String NAMES =
            """
            bf16 fp16 half float16 bfloat16 f16 16bit
            fp8 fp8_e4m3 fp8_e4m3fn fp8_e5m2 e4m3 e5m2 float8 float8_e4m3fn float8_e5m2 w8a8_fp8 fp8_w8a8
            fp8_block fp8_blockwise block_fp8
            int8 w8a8_int8 int8_w8a8
            w8a16_int8 int8_w8a16
            w8a16_fp8 fp8_w8a16
            int4 awq gptq w4a16 int4_w4a16 w4a16_int4 awq_marlin gptq_marlin awq_int4 gptq_int4
            w4a8 w4a8_int8
            nf4 bnb bitsandbytes bnb_nf4 bnb_4bit
            nvfp4 modelopt_fp4
            q4_k_m gguf_q4_k_m
            """;

    /** Names that several precisions can mean, and these precisions. */
    private static final Map<String, List<String>> AMBIGUOUS = Map.of(
            "q4", List.of("int4", "q4_k_m", "nf4"),
            "4bit", List.of("int4", "nf4", "mxfp4", "nvfp4"),
            "fp4", List.of("mxfp4", "nvfp4"),
            "gguf", List.of("q4_k_m"),
            "q8", List.of("int8", "w8a16_int8"),
            "8bit", List.of("int8", "fp8"),
            "w8a8", List.of("int8", "fp8"),
            "w8a16", List.of("w8a16_int8", "w8a16_fp8"),
            "mxfp4_moe", List.of("mxfp4"),
            "auto", List.of("bf16", "fp8"));

    private static final Map<String, String> MEANT = meant();

    private PrecisionNames() {}

    private static Map<String, String> meant() {
        Map<String, String> meant = new HashMap<>();
        NAMES.lines().map(line -> line.split(" ")).forEach(names -> Arrays.stream(names)
                .forEach(name -> meant.put(name, names[0])));
        return meant;
    }

    /**
     * Returns the override with the names of precisions.
     *
     * @param notice receives each name that was replaced
     * @throws StageException (input) if a name can mean several precisions
     */
    static String expand(String word, Consumer<String> notice) {
        Matcher parts = WORD.matcher(word);
        return parts.matches()
                ? parts.group(1) + "="
                        + ITEM.matcher(parts.group(3))
                                .replaceAll(item -> precision(word, parts.group(2), item.group(), notice))
                : word;
    }

    private static String precision(String word, String key, String typed, Consumer<String> notice) {
        String name = typed.toLowerCase(Locale.ROOT).replace('-', '_');
        boolean isKnown =
                Arrays.stream(Precision.values()).map(KeyNames::constant).anyMatch(typed::equals);
        String meant = MEANT.getOrDefault(name, "");
        List<String> several = AMBIGUOUS.getOrDefault(name, List.of());
        if (!isKnown && !several.isEmpty()) {
            throw StageException.input(Problem.config(key, "'" + word + "' does not name one precision")
                    .didYouMean(several));
        }
        if (isKnown || meant.isEmpty()) {
            return Matcher.quoteReplacement(typed);
        }
        notice.accept(key + "=" + typed + " is read as " + key + "=" + meant);
        return meant;
    }
}
