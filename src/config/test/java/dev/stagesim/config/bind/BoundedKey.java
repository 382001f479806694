package dev.stagesim.config.bind;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A key with bounded numbers.
 *
 * @param path dotted path from the root
 * @param kinds the variants that have the key, each as {@code workload.kind=serving}
 * @param required overrides for other keys that these variants require
 * @param values its bounds, and extreme values if it has no upper bound
 */
public record BoundedKey(String path, List<String> kinds, List<String> required, List<String> values) {
    private static final Pattern NUMBER = Pattern.compile("-?[0-9][0-9.]*(?:[eE][-+]?[0-9]+)?");

    /** Returns all keys of a settings record except the ones in lists. */
    public static List<BoundedKey> of(Class<? extends Record> settings) {
        List<KeyDoc> keys =
                KeyDocs.list(settings).stream().filter(BoundedKey::isBounded).toList();
        return keys.stream()
                .map(key -> new BoundedKey(key.path(), key.kinds(), required(key, keys), values(key)))
                .toList();
    }

    private static List<String> required(KeyDoc key, List<KeyDoc> keys) {
        return keys.stream()
                .filter(other -> other.required() && !other.path().equals(key.path()))
                .filter(other -> !key.kinds().isEmpty() && other.kinds().equals(key.kinds()))
                .map(other -> other.path() + "=" + typicalValue(other))
                .toList();
    }

    private static boolean isBounded(KeyDoc key) {
        return !key.range().isEmpty()
                && !key.path().contains("<n>")
                && key.type().matches("(integer|number)( or null)?");
    }

    private static List<String> values(KeyDoc key) {
        List<String> bounds = new ArrayList<>(
                NUMBER.matcher(key.range()).results().map(MatchResult::group).toList());
        boolean isInteger = key.type().startsWith("integer");
        if (key.range().startsWith("> ") && !isInteger) {
            bounds.set(0, "1e-300");
        }
        if (bounds.size() == 1) {
            bounds.addAll(isInteger ? List.of(Integer.MAX_VALUE + "", Long.MAX_VALUE + "") : List.of("1e12", "1e300"));
        }
        return bounds;
    }

    /** Returns 1, or the nearest legal value. */
    private static String typicalValue(KeyDoc key) {
        List<String> bounds = values(key);
        BigDecimal one = BigDecimal.ONE.max(new BigDecimal(bounds.get(0)));
        return one.min(new BigDecimal(bounds.get(bounds.size() - 1))).toPlainString();
    }
}
