package dev.stagesim.io.hf;

import dev.stagesim.io.hf.Modules.Module;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;

/**
 * One entry of a list of modules in a quantization file: a name or the name of a parent, a pattern with asterisks, or a
 * regular expression after {@code re:}. Prefixes before the layer number differ between files and are ignored.
 */
final class ModulePattern {
    private static final Pattern LAYERS = Pattern.compile("^(?:.*\\.)?(?:layers|h|blocks)\\.");
    /** Prefixes of the layers of the text part; other layers belong to multi-token prediction or to towers. */
    private static final Pattern TEXT = Pattern.compile(
            "(?:(?:model|language_model|text_model|transformer|backbone|decoder|gpt_neox|llm|thinker|\\*)\\.?)*");

    private static final List<String> PREFIXES = List.of(
            "model.layers.", "model.language_model.layers.", "language_model.model.layers.", "backbone.layers.");
    private static final Pattern EXPERT = Pattern.compile("experts\\.(?:\\d+|\\*)(?=\\.|$)");

    /** Layer number that occurs in no name. */
    private final int layer;

    private final boolean isOfLayer;
    private final String plain;
    private final Pattern glob;
    private final Pattern regex;

    private ModulePattern(int layer, boolean isOfLayer, String plain, Pattern glob, Pattern regex) {
        this.layer = layer;
        this.isOfLayer = isOfLayer;
        this.plain = plain;
        this.glob = glob;
        this.regex = regex;
    }

    private static final Pattern NOTHING = Pattern.compile("(?!)");

    /**
     * Returns a name without its prefix and without the number of an expert, so that all experts have the same name.
     */
    static String plain(String name) {
        Matcher before = LAYERS.matcher(name);
        boolean isText = before.find() && TEXT.matcher(prefix(before.group())).matches();
        String rest = isText ? before.replaceFirst("layers.") : name;
        return EXPERT.matcher(rest).replaceAll("experts");
    }

    /** @throws PatternSyntaxException if a regular expression is invalid */
    static ModulePattern of(String text) {
        if (text.startsWith("re:")) {
            return new ModulePattern(-1, false, "", NOTHING, Pattern.compile(text.substring(3)));
        }
        Matcher before = LAYERS.matcher(text);
        boolean hasLayers = before.find();
        if (hasLayers && !TEXT.matcher(prefix(before.group())).matches()) {
            return new ModulePattern(-1, true, "", NOTHING, NOTHING);
        }
        String rest = EXPERT.matcher(LAYERS.matcher(text).replaceFirst("")).replaceAll("experts");
        if (!hasLayers) {
            String name = rest.replaceFirst("^(model|language_model|transformer|backbone)\\.", "");
            return rest.indexOf('*') < 0
                    ? new ModulePattern(-1, false, name, NOTHING, NOTHING)
                    : new ModulePattern(-1, false, "", globbed(rest), NOTHING);
        }
        int dot = rest.indexOf('.');
        String number = dot < 0 ? rest : rest.substring(0, dot);
        if (number.matches("\\d{1,6}")) {
            String name = dot < 0 ? "" : rest.substring(dot + 1);
            return name.indexOf('*') < 0
                    ? new ModulePattern(Integer.parseInt(number), true, name, NOTHING, NOTHING)
                    : new ModulePattern(Integer.parseInt(number), true, "", globbed(name), NOTHING);
        }
        return new ModulePattern(-1, true, "", globbed(rest), NOTHING);
    }

    private static String prefix(String layers) {
        return layers.substring(0, layers.lastIndexOf('.', layers.length() - 2) + 1);
    }

    /** Converts a text with asterisks; the pattern also matches the contents of a module. */
    private static Pattern globbed(String text) {
        String parts = Arrays.stream(text.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*"));
        return Pattern.compile(parts + "(?:\\..*)?");
    }

    /** True if the entry matches one of the module's spellings or a parent. */
    boolean matches(Module module) {
        if (layer >= 0 && layer != module.layer()) {
            return false;
        }
        if (isOfLayer && module.layer() < 0) {
            return false;
        }
        if (layer >= 0 && plain.isEmpty() && glob == NOTHING) {
            return true; // the whole layer
        }
        for (String parent : module.parents()) {
            for (String name : module.names()) {
                if (isMeant(module.layer(), parent.isEmpty() ? name : parent + "." + name)) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean isMeant(int number, String name) {
        if (!plain.isEmpty()) {
            return layer >= 0 ? isHolder(plain, name) : isPart(plain, name);
        }
        if (regex != NOTHING) {
            return number < 0
                    ? regex.matcher(name).lookingAt()
                            || regex.matcher("model." + name).lookingAt()
                    : PREFIXES.stream()
                            .anyMatch(prefix -> regex.matcher(prefix + number + "." + name)
                                            .lookingAt()
                                    || regex.matcher(prefix + number + "." + name.replace("experts.", "experts.0."))
                                            .lookingAt());
        }
        if (layer >= 0) {
            return glob.matcher(name).matches();
        }
        String full = number < 0 ? name : number + "." + name;
        return glob.matcher(full).matches()
                || (!isOfLayer && glob.matcher("model.layers." + full).matches());
    }

    private static boolean isHolder(String holder, String name) {
        return name.equals(holder) || name.startsWith(holder + ".");
    }

    /** True if the part consists of whole components of a dotted name. */
    private static boolean isPart(String part, String name) {
        return ("." + name + ".").contains("." + part + ".");
    }
}
