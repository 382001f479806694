package dev.stagesim.pipeline.request;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.Stage;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The arguments as the user typed them. Errors of the overrides that replace short keys name the typed arguments and their
 * positions.
 */
public final class TypedArguments {
    private static final Pattern ORIGIN = Pattern.compile("override #\\d+ '(.*)'(?=\\)?$)");
    private static final Pattern QUOTED = Pattern.compile("'([^'=]+=[^']*)'");
    private static final String ANY_POOL = "<name>";

    private final Stage<?> stage;
    private final List<String> words;

    public TypedArguments(Stage<?> stage, List<String> words) {
        this.stage = stage;
        this.words = List.copyOf(words);
    }

    /** Returns the error with the origins of the typed arguments; errors other than wrong input are returned unchanged. */
    public StageException locate(StageException error) {
        if (error.kind() != StageException.Kind.INPUT) {
            return error;
        }
        StageException located = StageException.input(error.problems().stream()
                .map(problem -> new Problem(
                        problem.category(),
                        located(problem.where()),
                        quoted(problem.what()),
                        problem.notes().stream()
                                .map(note -> new Problem.Note(note.label(), quoted(located(note.text()))))
                                .toList()))
                .toList());
        located.setStackTrace(error.getStackTrace());
        return located;
    }

    private String located(String text) {
        Matcher origin = ORIGIN.matcher(text);
        if (!origin.find()) {
            return text;
        }
        String override = origin.group(1);
        String key = Sections.key(override);
        int position = last(override::equals);
        if (position < 0) {
            position = last(word -> standsFor(word, key));
        }
        return position < 0
                ? text
                : origin.replaceFirst(
                        Matcher.quoteReplacement("override #" + (position + 1) + " '" + words.get(position) + "'"));
    }

    /** Returns a text with typed arguments in place of the quoted overrides that replaced them. */
    public String quoted(String text) {
        return QUOTED.matcher(text).replaceAll(quote -> Matcher.quoteReplacement("'" + typed(quote.group(1)) + "'"));
    }

    /** Returns overrides with the short keys that the user typed for them, without those that short keys imply. */
    public List<String> typed(List<String> overrides) {
        return overrides.stream()
                .filter(override -> !ShortKeys.isImplied(override, words))
                .map(this::typed)
                .distinct()
                .toList();
    }

    /** Returns an override with the short key that the user typed for it; other overrides are returned unchanged. */
    private String typed(String override) {
        String value = UnlimitedRate.item(override).orElseGet(() -> override.substring(override.indexOf('=') + 1)
                .replaceFirst("^\\[(.*)]$|^'(.*)'$", "$1$2"));
        int word = last(given -> standsFor(given, Sections.key(override))
                && (ShortKeys.inverted(given, value).isPresent()
                        || given.substring(given.indexOf('=') + 1).contains(value)));
        if (word < 0 || words.contains(override)) {
            return override;
        }
        String given = words.get(word);
        return Sections.key(given) + "=" + ShortKeys.inverted(given, value).orElse(value);
    }

    private boolean standsFor(String word, String key) {
        return ShortKeys.paths(Sections.key(word), stage).stream().anyMatch(path -> matches(path, key));
    }

    private int last(Predicate<String> isMeant) {
        int last = -1;
        for (int i = 0; i < words.size(); i++) {
            last = isMeant.test(words.get(i)) ? i : last;
        }
        return last;
    }

    private static boolean matches(String path, String key) {
        int pool = path.indexOf(ANY_POOL);
        return pool < 0
                ? path.equals(key)
                : key.startsWith(path.substring(0, pool)) && key.endsWith(path.substring(pool + ANY_POOL.length()));
    }
}
