package dev.stagesim.config.compose;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The options encountered during expansion, by choice key and by group. */
final class KnownChoices {
    private final Map<String, Optional<String>> byKey = new LinkedHashMap<>();
    private final Map<String, Entry> appended = new LinkedHashMap<>();
    private final Set<String> belowAppended = new LinkedHashSet<>();
    private final Map<String, Set<String>> keysOfGroup = new LinkedHashMap<>();

    /**
     * Records the option of a group entry. A different option for the same key is an error.
     *
     * @param added true if the command line added the entry, or a config above it
     */
    void note(Entry entry, boolean added) {
        if (!entry.isGroup() || entry.optionList() != null) {
            return;
        }
        String key = entry.key();
        Optional<String> option = Optional.ofNullable(entry.option());
        Optional<String> before = byKey.putIfAbsent(key, option);
        if (before != null && !before.equals(option)) {
            throw Errors.multipleValues(entry, before.orElse("null"), appended.get(key));
        }
        if (entry.appended) {
            appended.putIfAbsent(key, entry);
        }
        if (added) {
            belowAppended.add(key);
        }
        keysOfGroup
                .computeIfAbsent(entry.groupPath(), group -> new LinkedHashSet<>())
                .add(key);
    }

    boolean has(String key) {
        return byKey.containsKey(key);
    }

    /** Returns true if the group is in the tree only because the command line added it, or a config above it. */
    boolean isAdded(String key) {
        return belowAppended.contains(key);
    }

    Map<String, Optional<String>> all() {
        return byKey;
    }

    /** Returns the choice keys of a group. */
    Set<String> keysOf(String group) {
        return keysOfGroup.getOrDefault(group, Set.of());
    }
}
