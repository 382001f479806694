package dev.stagesim.config.grammar;

import java.util.List;
import java.util.Set;

/**
 * Several keys that advance together as one dimension of a sweep; our dialect only.
 *
 * @param columns the keys with their values; all have equally many
 * @param tags labels
 */
public record ZipSweep(List<Column> columns, Set<String> tags) implements Sweep {
    /**
     * One key of a zip.
     *
     * @param key key or group, as on the left of an override, prefix and package included
     * @param values a choice, range or glob
     */
    public record Column(String key, Sweep values) {}

    public ZipSweep {
        columns = List.copyOf(columns);
        tags = Labels.copy(tags);
    }
}
