package dev.stagesim.config.sweep;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Rules that filter the jobs of a sweep: keys that are swept only under a condition, and excluded jobs. */
public final class JobRules {
    private static final String EXCLUDE = "sweeper.exclude";
    private static final String WHEN = "sweeper.when";

    private record When(String key, Condition condition, String text) {}

    private final List<Condition> exclude;
    private final List<When> when;

    /**
     * Parses rules.
     *
     * @param exclude conditions of excluded jobs
     * @param when rules of the form {@code KEY: CONDITION}
     * @throws StageException (input) if a rule is invalid
     */
    public JobRules(List<String> exclude, List<String> when) {
        this.exclude =
                exclude.stream().map(text -> Condition.parse(text, EXCLUDE)).toList();
        this.when = when.stream().map(JobRules::when).toList();
    }

    private static When when(String text) {
        int colon = text.indexOf(':');
        if (colon <= 0) {
            throw StageException.input(Problem.config(WHEN, "'" + text + "' is not a rule")
                    .note("expected", "KEY: CONDITION, such as scheduler.chunk_size: scheduler=sarathi"));
        }
        return new When(text.substring(0, colon).strip(), Condition.parse(text.substring(colon + 1), WHEN), text);
    }

    /**
     * Applies the rules. Jobs that become equal are kept once, at the position of the first.
     *
     * @throws StageException (input) if a rule names a key that no job sets, or has no effect
     */
    public List<List<String>> apply(List<List<String>> jobs) {
        rejectUnknown(jobs);
        Set<List<String>> shaped = new LinkedHashSet<>();
        boolean[] dropped = new boolean[when.size()];
        boolean[] excluded = new boolean[exclude.size()];
        for (List<String> job : jobs) {
            List<String> left = new ArrayList<>(job);
            Map<String, String> values = values(job);
            for (int i = 0; i < when.size(); i++) {
                String key = when.get(i).key();
                if (!when.get(i).condition().matches(values)) {
                    dropped[i] |= left.removeIf(word -> key(word).equals(key));
                }
            }
            Map<String, String> kept = values(left);
            boolean out = false;
            for (int i = 0; i < exclude.size(); i++) {
                boolean matches = exclude.get(i).matches(kept);
                excluded[i] |= matches;
                out |= matches;
            }
            if (!out) {
                shaped.add(left);
            }
        }
        rejectIneffective(dropped, excluded);
        return List.copyOf(shaped);
    }

    private void rejectUnknown(List<List<String>> jobs) {
        Set<String> known = new TreeSet<>();
        jobs.forEach(job -> known.addAll(values(job).keySet()));
        List<Problem> problems = new ArrayList<>();
        for (When rule : when) {
            if (!known.contains(rule.key())) {
                problems.add(unknown(WHEN, rule.key(), known));
            }
            rule.condition().terms().stream()
                    .filter(term -> !known.contains(term.key()))
                    .forEach(term -> problems.add(unknown(WHEN, term.key(), known)));
        }
        exclude.stream()
                .flatMap(condition -> condition.terms().stream())
                .filter(term -> !known.contains(term.key()))
                .forEach(term -> problems.add(unknown(EXCLUDE, term.key(), known)));
        StageException.refuse(problems);
    }

    private static Problem unknown(String where, String key, Set<String> known) {
        return Problem.config(where, "no override of this sweep sets '" + key + "'")
                .didYouMean(Suggest.near(key, List.copyOf(known)))
                .options(List.copyOf(known));
    }

    private void rejectIneffective(boolean[] dropped, boolean[] excluded) {
        List<Problem> problems = new ArrayList<>();
        for (int i = 0; i < dropped.length; i++) {
            if (!dropped[i]) {
                problems.add(
                        Problem.config(WHEN, "'" + when.get(i).text() + "' has no effect: it is true for every job"));
            }
        }
        for (int i = 0; i < excluded.length; i++) {
            if (!excluded[i]) {
                problems.add(Problem.config(
                        EXCLUDE, "'" + exclude.get(i).text() + "' has no effect: it is false for every job"));
            }
        }
        StageException.refuse(problems);
    }

    private static Map<String, String> values(List<String> job) {
        return job.stream()
                .filter(word -> word.indexOf('=') > 0)
                .collect(Collectors.toMap(
                        JobRules::key, JobRules::value, (first, second) -> second, LinkedHashMap::new));
    }

    private static String key(String word) {
        int equals = word.indexOf('=');
        return (equals < 0 ? word : word.substring(0, equals))
                .replaceFirst("^(\\+\\+?|~)", "")
                .strip();
    }

    private static String value(String word) {
        String text = word.substring(word.indexOf('=') + 1).strip();
        boolean quoted = text.length() > 1
                && (text.startsWith("'") || text.startsWith("\""))
                && text.charAt(text.length() - 1) == text.charAt(0);
        return quoted ? text.substring(1, text.length() - 1) : text;
    }

    /**
     * A condition on the overrides of a job. It consists of terms {@code key=value}, or with {@code != < <= > >=}, and
     * is true if all terms are true. {@code |} separates alternative values.
     *
     * @param text as written
     * @param terms the terms
     */
    private record Condition(String text, List<Term> terms) {
        private static final Pattern TERM = Pattern.compile("([^\\s=<>!]+)(!=|<=|>=|=|<|>)(\\S+)");

        /** One comparison. */
        record Term(String key, String operator, String value) {
            boolean matches(String actual) {
                return switch (operator) {
                    case "=" ->
                        List.of(value.split("\\|")).stream().anyMatch(alternative -> equal(actual, alternative));
                    case "!=" ->
                        List.of(value.split("\\|")).stream().noneMatch(alternative -> equal(actual, alternative));
                    case "<" -> compare(actual) < 0;
                    case "<=" -> compare(actual) <= 0;
                    case ">" -> compare(actual) > 0;
                    default -> compare(actual) >= 0;
                };
            }

            private static boolean equal(String actual, String expected) {
                return actual.equals(expected)
                        || (isNumber(actual)
                                && isNumber(expected)
                                && Double.parseDouble(actual) == Double.parseDouble(expected));
            }

            private int compare(String actual) {
                if (!isNumber(actual)) {
                    throw StageException.input(
                            Problem.of("sweep error", key + operator + value, "'" + actual + "' is not a number"));
                }
                return Double.compare(Double.parseDouble(actual), Double.parseDouble(value));
            }
        }

        Condition {
            terms = List.copyOf(terms);
        }

        /**
         * Parses a condition.
         *
         * @param where the key with the condition, for messages
         */
        static Condition parse(String text, String where) {
            List<Term> terms = new ArrayList<>();
            for (String word : text.strip().split("\\s+", 0)) {
                Matcher term = TERM.matcher(word);
                boolean ordered = term.matches() && !term.group(2).endsWith("=");
                if (!term.matches() || (needsNumber(term.group(2)) && !isNumber(term.group(3)))) {
                    throw StageException.input(Problem.config(where, "'" + word + "' is not a condition")
                            .note(
                                    "expected",
                                    ordered
                                            ? "a number after < or >"
                                            : "KEY=VALUE, or one of != < <= > >=; separate several terms by blanks"));
                }
                terms.add(new Term(term.group(1), term.group(2), term.group(3)));
            }
            return new Condition(text, terms);
        }

        private static boolean needsNumber(String operator) {
            return operator.startsWith("<") || operator.startsWith(">");
        }

        private static boolean isNumber(String text) {
            try {
                return !Double.isNaN(Double.parseDouble(text));
            } catch (NumberFormatException e) {
                return false;
            }
        }

        /** True if every term is true. A key that the job does not set is unequal to every value. */
        boolean matches(Map<String, String> job) {
            return terms.stream().allMatch(term -> {
                String actual = job.get(term.key());
                return actual == null ? term.operator().equals("!=") : term.matches(actual);
            });
        }
    }
}
