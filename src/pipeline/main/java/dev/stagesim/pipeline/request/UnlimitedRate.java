package dev.stagesim.pipeline.request;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The value {@code inf} of the short key {@code rate}: all requests at once, as in vllm bench, or as a limit admits them. */
final class UnlimitedRate {
    private static final String INF = "inf";
    private static final String AT_ONCE = "arrival=static";
    private static final String ARRIVAL = "arrival=";
    private static final Pattern LIST = Pattern.compile("(?:\\[|choice\\()(.*)[\\])]");
    private static final Pattern NUMBER = Pattern.compile("[-+]?[\\d._]+(?:[eE][-+]?\\d+)?");
    private static final Pattern ITEM =
            Pattern.compile("arrival=static|arrival=\\{kind:(?:static|poisson,qps:(.*))}|arrival\\.qps=null");

    private UnlimitedRate() {}

    /** Returns true if a value of {@code rate}, or an item of a list, is {@code inf}. */
    static boolean isIn(String value) {
        return items(value).contains(INF);
    }

    private static List<String> items(String value) {
        Matcher list = LIST.matcher(value.strip());
        return Arrays.stream((list.matches() ? list.group(1) : value).split(",", -1))
                .map(String::strip)
                .toList();
    }

    /**
     * Returns the overrides of a rate with {@code inf}. The items of a list select different arrival processes.
     *
     * @throws StageException (input) if another argument has no effect with it or contradicts it
     */
    static List<String> overrides(String word, String value, List<String> words) {
        for (String other : words) {
            if (Sections.key(other).equals("burstiness")) {
                throw StageException.input(
                        Problem.usage(other, "has no effect with rate=inf, which leaves no gaps between arrivals")
                                .hint("remove burstiness, or set a finite rate"));
            }
        }
        List<String> items = items(value);
        if (words.stream().anyMatch(other -> other.startsWith("concurrency=") || other.equals("arrival=closed_loop"))) {
            return items.size() == 1
                    ? List.of()
                    : List.of("arrival.qps=" + String.join(",", items).replace(INF, "null"));
        }
        if (items.size() == 1) {
            return List.of(AT_ONCE);
        }
        for (String other : words) {
            if (other.startsWith(ARRIVAL)) {
                throw StageException.input(Problem.usage(word, "contradicts " + other + ": each rate selects arrivals")
                        .hint("keep one of them"));
            }
        }
        return List.of(ARRIVAL + items.stream().map(item -> process(word, item)).collect(Collectors.joining(",")));
    }

    private static String process(String word, String item) {
        if (item.equals(INF)) {
            return "{kind:static}";
        }
        if (!NUMBER.matcher(item).matches()) {
            throw StageException.input(Problem.usage(word, "expected numbers next to inf, got " + item)
                    .hint("list the rates, for example rate=1,2,inf"));
        }
        return "{kind:poisson,qps:" + item + "}";
    }

    /** Returns the item of a typed rate that an override of a job can stand for; empty for other overrides. */
    static Optional<String> item(String override) {
        Matcher item = ITEM.matcher(override);
        return item.matches() ? Optional.of(Optional.ofNullable(item.group(1)).orElse(INF)) : Optional.empty();
    }
}
