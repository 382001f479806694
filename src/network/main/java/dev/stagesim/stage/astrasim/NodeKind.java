package dev.stagesim.stage.astrasim;

import dev.stagesim.sim.collective.RankTrace;
import java.util.Locale;

/** Kinds of nodes in tables, timelines and reports. */
enum NodeKind {
    COMPUTE,
    HOST,
    COLLECTIVE,
    SEND,
    RECEIVE,
    MEMORY,
    OTHER;

    private final String text = name().toLowerCase(Locale.ROOT);

    static NodeKind of(RankTrace trace, int node) {
        if (trace.isOnHost(node)) {
            return HOST;
        }
        return switch (trace.type(node)) {
            case COMPUTE -> COMPUTE;
            case COLLECTIVE -> COLLECTIVE;
            case SEND -> SEND;
            case RECEIVE -> RECEIVE;
            case MEMORY -> MEMORY;
            case METADATA, INVALID, UNKNOWN -> OTHER;
        };
    }

    boolean isCommunication() {
        return this == COLLECTIVE || this == SEND || this == RECEIVE;
    }

    /** Name in tables. */
    String text() {
        return text;
    }
}
