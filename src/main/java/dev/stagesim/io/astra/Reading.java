package dev.stagesim.io.astra;

import java.util.List;

/**
 * What a file says, and what a person should know about it.
 *
 * @param warnings keys without effect and the like, one sentence each; empty unless the reference is reproduced
 */
public record Reading<T>(T value, List<String> warnings) {
    public Reading {
        warnings = List.copyOf(warnings);
    }
}
