package dev.stagesim.io.astra;

import java.util.List;

/**
 * Parsed content of a file with warnings.
 *
 * @param warnings keys without effect and similar findings, one sentence each; empty unless the reference is reproduced
 */
public record Reading<T>(T value, List<String> warnings) {
    public Reading {
        warnings = List.copyOf(warnings);
    }
}
