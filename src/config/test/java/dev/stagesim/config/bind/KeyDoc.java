package dev.stagesim.config.bind;

import java.util.List;

/**
 * What is known about one configuration key, for reference pages, help and completion.
 *
 * @param path dotted path from the root; {@code <name>} stands for a key the user chooses, {@code <n>} for an index
 * @param kinds the variants it belongs to, outermost first, each as {@code workload.kind=serving}; empty when it is
 *     always legal
 * @param type readable type, for example {@code integer}, {@code list of string}, {@code one of}
 * @param unit unit of the value, or empty
 * @param required true when a preset or the user must give it
 * @param def the default as HOCON text; empty when required or when it is a section
 * @param range the legal range, or empty
 * @param options the legal values when there is a fixed set
 * @param doc one sentence
 * @param section simple name of the record that declares it
 * @param isSection true when it holds further keys
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
