package dev.stagesim.config.hocon;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Resolves native substitutions of one file.
 *
 * <p>A file that is included below {@code prefix} refers to its own keys without the prefix. Keys that it does not
 * define are resolved from the root.
 *
 * @param prefix the path of the include; empty at the root
 * @param rootKeys the file's root keys
 */
record References(List<String> prefix, Set<String> rootKeys) {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_$-]+");

    References {
        prefix = List.copyOf(prefix);
        rootKeys = Set.copyOf(rootKeys);
    }

    static References root() {
        return new References(List.of(), Set.of());
    }

    List<String> absolute(List<String> path) {
        if (prefix.isEmpty() || !rootKeys.contains(path.get(0))) {
            return path;
        }
        List<String> all = new ArrayList<>(prefix);
        all.addAll(path);
        return all;
    }

    /**
     * Returns the equivalent interpolation: {@code ${a.b}}, with brackets around names that contain other characters.
     */
    String interpolation(List<String> path, boolean optional) {
        StringBuilder out = new StringBuilder(optional ? "${?" : "${");
        boolean first = true;
        for (String name : absolute(path)) {
            boolean plain = PLAIN.matcher(name).matches();
            if (!first && plain) {
                out.append('.');
            }
            out.append(plain ? name : "[" + name + "]");
            first = false;
        }
        return out.append('}').toString();
    }
}
