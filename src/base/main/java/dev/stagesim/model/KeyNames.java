package dev.stagesim.model;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Converts Java names to configuration names. */
public final class KeyNames {
    private KeyNames() {}

    /**
     * Converts to snake case: {@code maxNumSeqs} becomes {@code max_num_seqs}, {@code fp8Tflops} becomes {@code
     * fp8_tflops}.
     */
    public static String snake(String name) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean small = c >= 'a' && c <= 'z'; // fast path: most characters are lower case
            if (!small && Character.isUpperCase(c) && i > 0 && startsWord(name, i)) {
                out.append('_');
            }
            out.append(small ? c : Character.toLowerCase(c));
        }
        return out.toString();
    }

    private static boolean startsWord(String name, int i) {
        char before = name.charAt(i - 1);
        boolean lowerAfter = i + 1 < name.length() && Character.isLowerCase(name.charAt(i + 1));
        return before != '_' && (!Character.isUpperCase(before) || lowerAfter);
    }

    /** Returns the name of a constant: {@code round_robin} for {@code ROUND_ROBIN}, or its own {@link NamedConstant} name. */
    public static String constant(Enum<?> constant) {
        return constant instanceof NamedConstant named
                ? named.id()
                : constant.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the constant of an enumeration with this name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Object constant(Class<?> type, String name) {
        int index = constants(type).indexOf(name);
        if (index < 0) {
            throw new IllegalArgumentException(name + " is not one of " + constants(type));
        }
        return type.getEnumConstants()[index];
    }

    /** Returns the names of an enumeration's constants, or an empty list for other types. */
    public static List<String> constants(Class<?> type) {
        List<String> names = new ArrayList<>();
        for (Object value : type.isEnum() ? type.getEnumConstants() : new Object[0]) {
            names.add(constant((Enum<?>) value));
        }
        return names;
    }

    /** Returns the {@link AllowedValues} of a component, or an empty list. */
    public static List<String> allowedValues(RecordComponent component) {
        AllowedValues allowed = component.getAnnotation(AllowedValues.class);
        if (allowed == null || allowed.registry().isEmpty()) {
            return allowed == null ? List.of() : List.of(allowed.value());
        }
        List<String> all = new ArrayList<>(List.of(allowed.value()));
        try {
            List<?> names = (List<?>)
                    Class.forName(allowed.registry()).getMethod("names").invoke(null);
            names.forEach(name -> all.add((String) name));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(allowed.registry() + " does not list the values of " + component, e);
        }
        return List.copyOf(all);
    }

    /** Returns the dotted path of a key below a path. */
    public static String join(String path, String key) {
        return path.isEmpty() ? key : path + "." + key;
    }
}
