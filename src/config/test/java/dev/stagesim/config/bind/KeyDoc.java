package dev.stagesim.config.bind;

import java.util.List;

/**
 * Describes a configuration key for reference pages, help and completion.
 *
 * @param path dotted path from the root; {@code <name>} stands for a key that the user chooses, {@code <n>} for an
 *     index
 * @param kinds the variants that have the key, outermost first, each as {@code workload.kind=serving}; empty if it
 *     is always legal
 * @param type readable type, for example {@code integer}, {@code list of string}, {@code one of}
 * @param unit unit of the value, or empty
 * @param required true if a preset or the user must set it
 * @param def the default as HOCON text; empty if required or a section
 * @param range the legal range, or empty
 * @param options the legal values if the set is fixed
 * @param doc one sentence
 * @param section simple name of the record that declares it
 * @param isSection true if it contains further keys
 */
record KeyDoc(
        String path,
        List<String> kinds,
        String type,
        String unit,
        boolean required,
        String def,
        String range,
        List<String> options,
        String doc,
        String section,
        boolean isSection) {
    public KeyDoc {
        kinds = List.copyOf(kinds);
        options = List.copyOf(options);
    }
}
