package dev.stagesim.comparison;

import dev.stagesim.model.KeyNames;
import java.util.Locale;

/** A compared time. {@code specs/comparison.md} defines the metrics. */
public enum Metric {
    TTFT("TTFT", "Time to first token", "", "From arrival to the first output token."),
    TPOT(
            "TPOT",
            "Time per output token",
            "A",
            "Mean gap between the tokens of a request, the first left out: (last − first) / (tokens − 1)."),
    TOKEN_GAP(
            "Token gap",
            "Token gap",
            "B",
            "Each gap between neighbouring tokens (or streamed chunks), pooled over all requests."),
    E2E("E2E", "End-to-end latency", "", "From arrival to the last output token."),
    NORM_LATENCY(
            "Normalised latency",
            "Normalised latency",
            "D",
            "End-to-end latency per output token, the wait for the first token included.");

    private final String shortName;
    private final String title;
    private final String definition;
    private final String doc;

    Metric(String shortName, String title, String definition, String doc) {
        this.shortName = shortName;
        this.title = title;
        this.definition = definition;
        this.doc = doc;
    }

    /** Name in files and keys. */
    public String key() {
        return KeyNames.constant(this);
    }

    /** Returns the name in file names and link targets. */
    public String slug() {
        return key().replace('_', '-');
    }

    public String shortName() {
        return shortName;
    }

    public String title() {
        return title;
    }

    /** Letter of the definition, for metrics that tools define differently; else empty. */
    public String definition() {
        return definition;
    }

    /** True if the definition is this metric's, or is not stated. */
    public boolean agrees(String published) {
        return published.isEmpty() || published.equals(definition);
    }

    /** Returns the metric with a name from a file. */
    public static Metric named(String key) {
        return valueOf(key.toUpperCase(Locale.ROOT));
    }

    public String doc() {
        return doc;
    }
}
