package dev.stagesim.pipeline.request;

import dev.stagesim.config.Composition;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.config.tree.ScalarNode;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lengths of requests that the user chose with short keys, in a composed workload of other lengths. */
final class ChosenLengths {
    private static final List<String> LENGTHS = List.of("workload", "lengths");
    private static final List<String> CAP = List.of("workload", "max_tokens");
    private static final List<String> CONTEXT = List.of("model", "max_position");
    private static final String SESSIONS = "workload.sharing.kind=";
    private static final String KIND = "workload.lengths.kind=";
    private static final String PROMPT = "prefill_tokens";
    private static final String OUTPUT = "decode_tokens";
    private static final Pattern MAXIMUM = Pattern.compile("(?:\\d+\\s*\\.\\.\\s*)?(\\d{1,8})");

    private final MapNode config;
    private final List<String> words;

    ChosenLengths(Composition composition, List<String> words) {
        this.config = composition.config();
        this.words = words;
    }

    private boolean areChosen() {
        return words.stream().anyMatch(word -> word.startsWith(KIND));
    }

    private boolean sets(List<String> section, String key) {
        return words.stream().anyMatch(word -> Sections.key(word).equals(Paths.dotted(section) + "." + key));
    }

    /**
     * Returns the configuration with the workload's limit raised to the longest chosen request, or for chosen sessions to
     * the context of the model. A limit that the user set remains.
     */
    MapNode withRaisedLimit() {
        Optional<Node> context = context();
        if (context.isPresent()) {
            return Paths.with(config, CAP, context.get());
        }
        OptionalInt prompt = maximum(PROMPT);
        OptionalInt output = maximum(OUTPUT);
        boolean isLimited = areChosen() && !sets(List.of("workload"), "max_tokens");
        if (!isLimited || prompt.isEmpty() || output.isEmpty()) {
            return config;
        }
        int longest = prompt.getAsInt() + output.getAsInt();
        return Paths.get(config, CAP) instanceof ScalarNode limit
                        && limit.value() instanceof Number tokens
                        && tokens.longValue() < longest
                ? Paths.with(config, CAP, ScalarNode.of(longest, Origin.UNKNOWN))
                : config;
    }

    /** Returns the context of the model if sessions were chosen without a limit and the limit of the preset may cut them. */
    private Optional<Node> context() {
        boolean hasSessions =
                words.stream().anyMatch(word -> word.equals(SESSIONS + "sessions") || word.equals(SESSIONS + "agents"));
        return hasSessions
                        && !sets(List.of("workload"), "max_tokens")
                        && Paths.get(config, CAP) instanceof ScalarNode limit
                        && limit.value() instanceof Number tokens
                        && Paths.get(config, CONTEXT) instanceof ScalarNode context
                        && context.value() instanceof Number position
                        && position.longValue() >= tokens.longValue()
                ? Optional.of(ScalarNode.of(position.longValue(), Origin.UNKNOWN))
                : Optional.empty();
    }

    /** Returns a note that the context of the model limits the chosen sessions; empty for other workloads. */
    Optional<String> note() {
        return context()
                .map(limit -> "sessions may have up to " + ((ScalarNode) limit).text()
                        + " tokens, the context of the model; max_model_len= sets another limit");
    }

    /** Returns the maximum of a length that is a number or a range. */
    private OptionalInt maximum(String key) {
        Node length = Paths.get(config, Paths.child(LENGTHS, key));
        Matcher number =
                MAXIMUM.matcher(length instanceof ScalarNode leaf ? leaf.text().strip() : "");
        return number.matches() ? OptionalInt.of(Integer.parseInt(number.group(1))) : OptionalInt.empty();
    }

    /** Returns a warning if only one of the two lengths was chosen, because the other one is then a default as well. */
    Optional<String> warning() {
        if (!areChosen() || sets(LENGTHS, PROMPT) == sets(LENGTHS, OUTPUT)) {
            return Optional.empty();
        }
        String missing = sets(LENGTHS, PROMPT) ? OUTPUT : PROMPT;
        Node length = Paths.get(config, Paths.child(LENGTHS, missing));
        return Optional.of((missing.equals(OUTPUT) ? "output_tokens" : "prompt_tokens")
                + " is not set: all requests have the default of "
                + (length instanceof ScalarNode leaf ? leaf.text() : "")
                + " tokens, not the lengths of the workload preset");
    }
}
