package dev.stagesim.config.grammar;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

/** Copies sets without losing their order, so that output depends on the input alone. */
final class Labels {
    private Labels() {}

    static Set<String> copy(Set<String> labels) {
        return Collections.unmodifiableSet(new LinkedHashSet<>(labels));
    }
}
