package dev.stagesim.config.compose;

import dev.stagesim.config.hocon.ConfigFile;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the {@code defaults} list of a config. */
record DefaultsParser(Rules rules) {
    private static final String OPTIONAL = "optional ";
    private static final String OVERRIDE_IF_PRESENT = "override_if_present";

    /** Returns the entries of the list in {@code file}; empty if the file has no list. */
    List<Entry> parse(ConfigFile file) {
        if (file.defaults().isEmpty()) {
            return List.of();
        }
        Node written = file.defaults().get();
        if (!(written instanceof ListNode list)) {
            throw Errors.at(written.origin(), "invalid defaults list: it must be a list, found " + kind(written));
        }
        List<Entry> entries = new ArrayList<>();
        for (Node item : list.items()) {
            Entry entry = entry(item);
            entry.where = item.origin();
            entries.add(entry);
        }
        return entries;
    }

    private Entry entry(Node item) {
        if (item instanceof MapNode map) {
            return group(map);
        }
        if (item instanceof ScalarNode leaf && leaf.kind() == ScalarNode.Kind.STRING) {
            return config(leaf);
        }
        throw Errors.at(
                item.origin(),
                "unsupported entry in the defaults list: expected a config or { group = option }, " + "found "
                        + kind(item));
    }

    private Entry config(ScalarNode leaf) {
        Named named = named(leaf.text(), leaf.origin());
        if (!named.name().equals(Entry.SELF)) {
            boolean optional = rules.allowsOptionalConfigs() && named.name().startsWith(OPTIONAL);
            String name = optional ? named.name().substring(OPTIONAL.length()).strip() : named.name();
            Entry entry = Entry.config(name, named.pkg());
            entry.optional = optional;
            return entry;
        }
        if (named.pkg() != null) {
            throw Errors.at(leaf.origin(), "_self_ cannot have a package");
        }
        return Entry.self();
    }

    private Entry group(MapNode map) {
        if (map.isEmpty()) {
            throw Errors.at(map.origin(), "missing group name in an entry of the defaults list");
        }
        if (map.keys().size() > 1) {
            throw Errors.at(
                    map.origin(),
                    "too many keys in one entry of the defaults list: " + String.join(", ", map.keys())
                            + "; write a separate entry for each group");
        }
        Map.Entry<String, Node> only = map.entries().entrySet().iterator().next();
        Named named = named(only.getKey(), map.origin());
        List<String> words = Arrays.asList(named.name().split(" ", -1));
        Entry entry = option(words.get(words.size() - 1), named.pkg(), only.getKey(), only.getValue());
        for (String word : words.subList(0, words.size() - 1)) {
            boolean conditional = word.equals(OVERRIDE_IF_PRESENT) && rules.allowsConditionalOverrides();
            entry.conditional |= conditional;
            entry.optional |= word.equals("optional");
            entry.override |= word.equals("override") || conditional;
            if (!word.equals("optional") && !word.equals("override") && !conditional) {
                if (rules.validatesDefaultsLists() && !word.isEmpty()) {
                    throw Errors.at(
                            map.origin(),
                            "unknown keyword '" + word + "' before group '" + entry.name()
                                    + "'; the keywords are optional, override and " + OVERRIDE_IF_PRESENT);
                }
                break;
            }
        }
        if (entry.optional && entry.override && rules.validatesDefaultsLists()) {
            throw Errors.at(
                    map.origin(),
                    "'optional' and 'override' cannot be combined for group '" + entry.name() + "'; write "
                            + OVERRIDE_IF_PRESENT + " if the group may be absent");
        }
        return entry;
    }

    private Entry option(String group, @Nullable String pkg, String key, Node value) {
        if (value instanceof ListNode list) {
            return Entry.group(group, list.items().stream().map(this::listed).toList(), pkg);
        }
        if (value instanceof ScalarNode leaf) {
            Optional<String> name = rules.option(leaf);
            if (name.isPresent() || leaf.isNull()) {
                return Entry.group(group, name.orElse(null), pkg);
            }
        }
        String hint = value instanceof MapNode ? "; a dotted key makes a map: quote the key" : "";
        throw Errors.at(
                value.origin(),
                "unsupported option of '" + key + "' in the defaults list: expected a name or a "
                        + "list of names, found " + kind(value) + hint);
    }

    private String listed(Node item) {
        Optional<String> name = item instanceof ScalarNode leaf ? rules.option(leaf) : Optional.empty();
        if (name.isPresent()) {
            return name.get();
        }
        throw Errors.at(item.origin(), "unsupported option in the defaults list: expected a name, found " + kind(item));
    }

    private record Named(String name, @Nullable String pkg) {}

    private Named named(String text, Origin where) {
        int at = text.indexOf('@');
        if (at < 0) {
            return new Named(text, null);
        }
        String pkg = text.substring(at + 1);
        int colon = pkg.indexOf(':');
        if (colon >= 0) {
            if (rules.validatesPackages()) {
                throw Errors.at(where, "a package has no ':', found '" + text + "'");
            }
            pkg = pkg.substring(0, colon);
        }
        return new Named(text.substring(0, at), pkg);
    }

    private static String kind(Node node) {
        if (node instanceof ScalarNode leaf) {
            return leaf.isNull() ? "null" : leaf.kind().name().toLowerCase(java.util.Locale.ROOT) + " " + leaf.text();
        }
        return node instanceof MapNode ? "a map" : "a list";
    }
}
