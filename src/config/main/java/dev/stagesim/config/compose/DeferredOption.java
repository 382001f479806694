package dev.stagesim.config.compose;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Resolves interpolated options such as {@code ${model}_${hardware}} after all other groups are chosen. */
record DeferredOption(Rules rules, Function<String, Optional<String>> environment) {
    private static final Pattern INTERPOLATION = Pattern.compile("\\$\\{\\s*([^{}]*?)\\s*}");
    private static final Pattern LEGACY = Pattern.compile("\\$\\{defaults\\.\\d+\\.");
    private static final String ENVIRONMENT = "oc.env:";

    /** Replaces each interpolation in {@code entry} with the option of the named group. */
    void resolve(Entry entry, Map<String, Optional<String>> known) {
        String text = entry.isGroup() ? String.valueOf(entry.option()) : entry.name();
        if (entry.isGroup() && LEGACY.matcher(text).find()) {
            throw Errors.at(
                    entry.where, "'" + text + "' refers to the defaults list by position; name the group: ${db}");
        }
        Matcher whole = INTERPOLATION.matcher(text);
        if (whole.matches() && Optional.empty().equals(known.get(whole.group(1)))) {
            entry.resolved(null);
            return;
        }
        StringBuilder out = new StringBuilder();
        Matcher part = INTERPOLATION.matcher(text);
        while (part.find()) {
            String value = value(part.group(1), known);
            if (value == null) {
                throw Errors.unresolved(entry, text, known);
            }
            part.appendReplacement(out, Matcher.quoteReplacement(value));
        }
        part.appendTail(out);
        if (out.indexOf("${") >= 0) {
            throw Errors.unresolved(entry, text, known);
        }
        entry.resolved(out.toString());
    }

    private @Nullable String value(String key, Map<String, Optional<String>> known) {
        if (key.startsWith(ENVIRONMENT)) {
            String[] arguments = key.substring(ENVIRONMENT.length()).split(",", 2);
            String fallback = arguments.length > 1 ? arguments[1].strip() : null;
            return environment.apply(arguments[0].strip()).orElse(fallback);
        }
        Optional<String> option = known.get(key);
        if (option == null) {
            return null;
        }
        return option.orElse(rules.absentOptionText());
    }
}
