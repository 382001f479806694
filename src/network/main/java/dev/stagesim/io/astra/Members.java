package dev.stagesim.io.astra;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reader of the members of a JSON object. Collects all problems and throws them at the end.
 *
 * <p>With {@code lenient}, conversions follow the reference: it truncates fractions to whole numbers, and members
 * without effect cause warnings. Otherwise both are problems.
 */
final class Members {
    private static final double INT_SPAN = 0x1p31;

    private final LocatedJson file;
    private final boolean isLenient;
    private final Set<String> known = new LinkedHashSet<>();
    private final List<Problem> problems = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

    Members(LocatedJson file, boolean isLenient) {
        this.file = file;
        this.isLenient = isLenient;
        file.object();
    }

    boolean isLenient() {
        return isLenient;
    }

    boolean has(String key) {
        known.add(key);
        return file.has(key);
    }

    /** True if no problem was found with a member so far. */
    boolean isSound(String key) {
        String where = file.source() + "#/" + key;
        return problems.stream().noneMatch(problem -> problem.where().equals(where));
    }

    /** Adds a problem of a member, located at the file if the member is absent. */
    void refuse(String key, String what) {
        refuse(key, what, List.of(), "");
    }

    void refuse(String key, String what, Collection<String> options, String typed) {
        String where = file.has(key) ? file.source() + "#/" + key : file.source();
        problems.add(Problem.config(where, what)
                .options(List.copyOf(options))
                .didYouMean(typed.isEmpty() ? List.of() : Suggest.near(typed, options)));
    }

    void warn(String text) {
        warnings.add(file.source() + ": " + text);
    }

    /** The file or prefix that a member names. */
    Path path(String key, String name) {
        return InputFile.beside(Path.of(key), name, file.source() + "#/" + key);
    }

    /** A word of a closed set, or {@code absent}. */
    <T> T word(String key, Map<String, T> words, T absent) {
        if (!has(key)) {
            return absent;
        }
        JsonValue value = file.get(key).value();
        if (value instanceof JsonValue.Str text && words.containsKey(text.value())) {
            return words.get(text.value());
        }
        String typed = value instanceof JsonValue.Str text ? text.value() : "";
        refuse(key, "found " + Json.describe(value), words.keySet(), typed);
        return absent;
    }

    String text(String key, String absent) {
        return convert(key, absent, "a string", value -> value instanceof JsonValue.Str text ? text.value() : null);
    }

    double number(String key, double absent, double minimum) {
        double number = convert(key, absent, "a number", Members::number);
        if (number < minimum) {
            refuse(key, "found " + number + ", expected at least " + bound(minimum));
        }
        return number;
    }

    /** A 32-bit whole number. */
    int whole(String key, int absent, int minimum) {
        double number = convert(key, (double) absent, "a whole number", this::truncated);
        if (Math.abs(number) >= INT_SPAN) {
            refuse(key, "found a number beyond 32 bits");
            return absent;
        }
        if (number < minimum) {
            refuse(key, "found " + (long) number + ", expected at least " + minimum);
            return Math.max(absent, minimum);
        }
        return (int) number;
    }

    /** A non-negative whole number, exact up to 2^53. The reference reads {@code true} as 1 for 32-bit members only. */
    long natural(String key, long absent) {
        double number = convert(
                key,
                (double) absent,
                "a whole number",
                value -> value instanceof JsonValue.Bool ? null : truncated(value));
        if (number < 0 || number >= 0x1p53) {
            refuse(key, "found " + number + ", expected an integer from 0 to 2^53");
            return absent;
        }
        return (long) number;
    }

    /**
     * A switch. In the reference everything except the number 0 turns it on, even {@code false}. In strict mode {@code
     * false} and 0 mean off, {@code true} and other numbers mean on.
     */
    boolean flag(String key) {
        if (!has(key)) {
            return false;
        }
        JsonValue value = file.get(key).value();
        Double number = number(value);
        if (number != null) {
            return number != 0;
        }
        if (isLenient) {
            if (value instanceof JsonValue.Bool bool && !bool.value()) {
                warn(key + " is false, which the reference takes for on; write 0 to turn it off");
            }
            return true;
        }
        if (value instanceof JsonValue.Bool bool) {
            return bool.value();
        }
        refuse(key, "found " + Json.describe(value) + ", expected true, false, 1 or 0");
        return false;
    }

    List<String> texts(String key) {
        return convert(key, List.of(), "a list of strings", value -> {
            if (!(value instanceof JsonValue.Arr list)) {
                return null;
            }
            List<String> texts = new ArrayList<>();
            for (JsonValue item : list.items()) {
                if (!(item instanceof JsonValue.Str text)) {
                    return null;
                }
                texts.add(text.value());
            }
            return texts;
        });
    }

    /**
     * Reports a member that the reference never reads: as a warning if lenient, otherwise as a problem with the reason
     * {@code why}.
     */
    void ignored(String key, String why) {
        if (!has(key)) {
            return;
        }
        if (isLenient) {
            warn(key + " has no effect, as in the reference");
        } else {
            refuse(key, why);
        }
    }

    /** Throws the collected problems, including unrecognised members. */
    List<String> finish() {
        for (String key : file.object().members().keySet()) {
            if (known.contains(key)) {
                continue;
            }
            if (isLenient) {
                warnings.add(file.source() + ": " + key + " is unknown and has no effect");
            } else {
                problems.add(Problem.config(file.source() + "#/" + key, "unknown key '" + key + "'")
                        .didYouMean(Suggest.near(key, known)));
            }
        }
        StageException.refuse(problems);
        return warnings;
    }

    private <T> T convert(String key, T absent, String expected, Function<JsonValue, @Nullable T> how) {
        if (!has(key)) {
            return absent;
        }
        JsonValue value = file.get(key).value();
        T converted = how.apply(value);
        if (converted == null) {
            refuse(key, "found " + Json.describe(value) + ", expected " + expected);
            return absent;
        }
        return converted;
    }

    private @Nullable Double truncated(JsonValue value) {
        Double number = number(value);
        if (number == null) {
            boolean isTrue = value instanceof JsonValue.Bool bool && bool.value();
            return isLenient && value instanceof JsonValue.Bool ? (isTrue ? 1.0 : 0.0) : null;
        }
        double cut = number < 0 ? Math.ceil(number) : Math.floor(number);
        return isLenient || cut == number ? Double.valueOf(cut) : null;
    }

    private static @Nullable Double number(JsonValue value) {
        if (value instanceof JsonValue.Int whole) {
            return (double) whole.value();
        }
        if (value instanceof JsonValue.Real real) {
            return real.value();
        }
        return value instanceof JsonValue.Big big ? Double.valueOf(big.value().doubleValue()) : null;
    }

    private static String bound(double minimum) {
        return minimum == Math.rint(minimum) ? Long.toString((long) minimum) : Double.toString(minimum);
    }
}
