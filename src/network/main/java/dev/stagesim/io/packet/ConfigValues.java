package dev.stagesim.io.packet;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Key;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.KeyText;
import dev.stagesim.model.Problem;
import dev.stagesim.model.Suggest;
import dev.stagesim.sim.network.packet.congestion.CongestionSpec;
import dev.stagesim.sim.network.packet.state.Ns3;
import dev.stagesim.sim.network.packet.state.TransportSpec;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Values of a configuration file by key with their locations. Collects the problems found. */
final class ConfigValues {
    static final String RATE = "Mbit/s";
    static final double MEGA = 1e6;
    private static final Pattern KEY = Pattern.compile("[A-Z][A-Z0-9_]*");

    private final Map<String, List<String>> values = new LinkedHashMap<>();
    private final Map<String, String> places = new LinkedHashMap<>();
    private final String source;
    private final boolean isLenient;
    final List<Problem> problems = new ArrayList<>();
    final List<String> warnings = new ArrayList<>();

    private ConfigValues(String source, boolean isLenient) {
        this.source = source;
        this.isLenient = isLenient;
    }

    /** Reads {@code KEY value} pairs, or the groups of a JSON object when the text starts with a brace. */
    static ConfigValues of(String text, String source, boolean isLenient) {
        ConfigValues values = new ConfigValues(source, isLenient);
        if (text.stripLeading().startsWith("{")) {
            values.readGroups(Json.parse(text, source));
        } else {
            values.readPairs(new Words(text, source));
        }
        return values;
    }

    private void readPairs(Words words) {
        while (words.hasNext()) {
            String key = words.next();
            String where = words.where();
            if (!ConfigKeys.ALL.contains(key)) {
                unknown(key, where);
                if (KEY.matcher(key).matches() && words.hasNext()) {
                    words.next();
                }
                continue;
            }
            List<String> value = new ArrayList<>();
            int wanted = key.equals("LINK_DOWN") ? 3 : 1;
            for (int i = 0; i < wanted && words.hasNext(); i++) {
                value.add(words.next());
            }
            if (ConfigKeys.MAPS.contains(key) && !value.isEmpty()) {
                int pairs = parse(value.remove(0), where, key, Integer::parseInt, "a number of pairs", 0);
                for (int i = 0; i < 2 * pairs && words.hasNext(); i++) {
                    value.add(words.next());
                }
            }
            put(key, value, where);
        }
    }

    private void readGroups(LocatedJson file) {
        for (Map.Entry<String, JsonValue> group : file.object().members().entrySet()) {
            if (group.getValue() instanceof JsonValue.Obj members) {
                members.members().forEach((name, value) -> readMember(group.getKey() + "/" + name, name, value));
            } else {
                readMember(group.getKey(), group.getKey(), group.getValue());
            }
        }
    }

    private void readMember(String path, String name, JsonValue value) {
        String key = name.toUpperCase(Locale.ROOT);
        String where = source + "#/" + path;
        if (!ConfigKeys.ALL.contains(key)) {
            unknown(name, where);
            return;
        }
        List<String> words = new ArrayList<>();
        if (value instanceof JsonValue.Obj map) {
            map.members().forEach((rate, number) -> {
                words.add(rate);
                words.add(word(number));
            });
        } else if (value instanceof JsonValue.Arr list) {
            list.items().forEach(item -> words.add(word(item)));
        } else {
            words.addAll(List.of(word(value).split(" ")));
        }
        put(key, words, where);
    }

    private static String word(JsonValue value) {
        if (value instanceof JsonValue.Str text) {
            return text.value();
        }
        if (value instanceof JsonValue.Bool bool) {
            return bool.value() ? "1" : "0";
        }
        return value instanceof JsonValue.Real real ? Double.toString(real.value()) : Json.compact(value);
    }

    private void unknown(String key, String where) {
        if (isLenient) {
            warnings.add(where + ": " + key + " is unknown and has no effect");
        } else {
            problems.add(
                    Problem.config(where, "unknown key '" + key + "'").didYouMean(Suggest.near(key, ConfigKeys.ALL)));
        }
    }

    private void put(String key, List<String> value, String where) {
        if (value.isEmpty() && !ConfigKeys.MAPS.contains(key)) {
            problems.add(Problem.config(where, key + " has no value"));
            return;
        }
        String earlier = places.put(key, where);
        if (earlier != null && !isLenient) {
            problems.add(Problem.config(where, key + " appears twice, first at " + earlier));
        }
        values.put(key, value);
    }

    boolean has(String key) {
        return values.containsKey(key);
    }

    void refuse(String key, String what) {
        problems.add(Problem.config(places.getOrDefault(key, source), what));
    }

    List<String> words(String key) {
        return values.getOrDefault(key, List.of());
    }

    String text(String key, String absent) {
        return has(key) ? words(key).get(0) : absent;
    }

    boolean flag(String key, boolean absent) {
        return whole(key, absent ? 1 : 0, 0) != 0;
    }

    /** A whole number of at least {@code minimum}; a fraction of zeros is accepted. */
    long whole(String key, long absent, long minimum) {
        if (!has(key)) {
            return absent;
        }
        String word = words(key).get(0);
        long value = parse(word, places.getOrDefault(key, source), key, ConfigValues::longOf, "a whole number", absent);
        if (value < minimum) {
            refuse(key, key + " is " + value + ", expected at least " + minimum);
            return absent;
        }
        return value;
    }

    private static long longOf(String word) {
        double value = Double.parseDouble(word);
        if (value != Math.rint(value)) {
            throw new NumberFormatException(word);
        }
        return word.contains(".") || word.contains("e") || word.contains("E") ? (long) value : Long.parseLong(word);
    }

    double number(String key, double absent, double minimum, double maximum) {
        if (!has(key)) {
            return absent;
        }
        double value = parse(
                words(key).get(0), places.getOrDefault(key, source), key, Double::parseDouble, "a number", absent);
        if (!(value >= minimum && value <= maximum)) {
            refuse(key, key + " is " + value + ", expected " + minimum + " to " + maximum);
            return absent;
        }
        return value;
    }

    /** A rate in bits per second. */
    long rate(String key, long absent) {
        if (!has(key)) {
            return absent;
        }
        OptionalLong rate = Quantities.rate(words(key).get(0));
        if (rate.isEmpty()) {
            refuse(key, "found '" + words(key).get(0) + "', expected a rate such as 50Mb/s");
        }
        return rate.orElse(absent);
    }

    /**
     * A record of parameters. Each has the value of its word or the word's default; parameters without a word have
     * their key's default.
     */
    <R extends Record> R read(Class<R> type) {
        return KeyRecord.make(type, this::value);
    }

    private Object value(RecordComponent component) {
        Ns3 ns3 = component.getAnnotation(Ns3.class);
        if (ns3 == null) {
            return KeyRecord.defaultValue(component);
        }
        String[] parts = ns3.value().split(" \\| ", -1);
        String word = parts[0];
        if (parts.length == 1 && !has(word)) {
            refuse(word, word + " is missing; without it the reference reads uninitialised memory");
        }
        String absent = parts.length == 1 ? "0" : parts[1];
        KeyText key = KeyText.of(component.getAnnotation(Key.class));
        Class<?> type = component.getType();
        if (type == boolean.class) {
            return flag(word, Boolean.parseBoolean(absent));
        }
        if (key.unit().equals(RATE)) {
            return rate(word, Math.round(Double.parseDouble(absent) * MEGA)) / MEGA;
        }
        double maximum = key.max().isEmpty() ? Double.MAX_VALUE : Double.parseDouble(key.max());
        if (type == double.class) {
            return number(word, Double.parseDouble(absent), Double.parseDouble(key.min()), maximum);
        }
        long whole = whole(word, Long.parseLong(absent), Long.parseLong(parts.length < 3 ? key.min() : parts[2]));
        if (whole > maximum) {
            refuse(word, word + " is " + whole + ", expected at most " + key.max());
            whole = Long.parseLong(absent);
        }
        return type == int.class ? (Object) (int) whole : (Object) whole;
    }

    /** Pairs of a rate in bits per second and a number. */
    Map<Long, Double> map(String key) {
        Map<Long, Double> map = new LinkedHashMap<>();
        List<String> words = words(key);
        String where = places.getOrDefault(key, source);
        for (int i = 0; i + 1 < words.size(); i += 2) {
            long rate = parse(words.get(i), where, key, ConfigValues::longOf, "a rate in bits per second", 0L);
            map.put(rate, parse(words.get(i + 1), where, key, Double::parseDouble, "a number", 0.0));
        }
        return map;
    }

    private <T> T parse(String word, String where, String key, Function<String, T> how, String expected, T absent) {
        try {
            return how.apply(word);
        } catch (NumberFormatException e) {
            problems.add(Problem.config(where, key + ": found '" + word + "', expected " + expected));
            return absent;
        }
    }

    /** The keys of configuration files. */
    private static final class ConfigKeys {
        /** Keys with a count and as many pairs of a rate and a number. */
        static final Set<String> MAPS = Set.of("KMIN_MAP", "KMAX_MAP", "PMAX_MAP");

        /** Words that no record component declares. */
        private static final String OTHERS = "ENABLE_QCN USE_DYNAMIC_PFC_THRESHOLD TOPOLOGY_FILE FLOW_FILE TRACE_FILE "
                + "TRACE_OUTPUT_FILE FCT_OUTPUT_FILE PFC_OUTPUT_FILE SIMULATOR_STOP_TIME CC_MODE "
                + "ERROR_RATE_PER_LINK LINK_DOWN ENABLE_TRACE KMAX_MAP KMIN_MAP PMAX_MAP "
                + "BUFFER_SIZE HEADROOM_FACTOR QLEN_MON_FILE QLEN_MON_START QLEN_MON_END PAUSE_TIME "
                + "DATA_RATE LINK_DELAY";

        /** Every word. */
        static final List<String> ALL = Stream.concat(
                        Stream.of(OTHERS.split(" ", 0)),
                        Stream.concat(
                                        Stream.of(TransportSpec.class),
                                        Stream.of(CongestionSpec.class.getPermittedSubclasses()))
                                .flatMap(type -> KeyRecord.components(type).stream())
                                .map(component -> component.getAnnotation(Ns3.class))
                                .filter(Objects::nonNull)
                                .map(ns3 -> ns3.value().split(" ", 2)[0]))
                .distinct()
                .toList();

        private ConfigKeys() {}
    }
}
