package dev.stagesim.sim.trace.text;

import dev.stagesim.model.Problem;
import dev.stagesim.model.PythonText;
import dev.stagesim.model.StageException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A parsed workload text.
 *
 * @param source name of the file in messages
 * @param text complete text with line ends {@code \n}
 * @param header words in the first line: the parallelism and its arguments
 * @param count number of layers stated in the second line
 * @param layers rows in file order
 */
public record TextWorkload(String source, String text, List<String> header, BigInteger count, List<TextLayer> layers) {
    static final String CATEGORY = "workload text error";

    private static final int COLUMNS = 12;
    private static final int FORWARD = 2;
    private static final int INPUT_GRADIENT = 5;
    private static final int WEIGHT_GRADIENT = 8;

    public TextWorkload {
        header = List.copyOf(header);
        layers = List.copyOf(layers);
    }

    /**
     * Parses a text.
     *
     * @param isStrict true if blank lines and a byte-order mark are errors, as in the reference
     */
    public static TextWorkload parse(String source, String content, boolean isStrict) {
        String text = isStrict || !content.startsWith("\ufeff") ? content : content.substring(1);
        List<String> lines = PythonText.lines(text);
        List<Problem> problems = new ArrayList<>();
        List<String> header = lines.isEmpty() ? List.of() : PythonText.words(lines.get(0));
        if (header.isEmpty()) {
            throw StageException.input(Problem.of(CATEGORY, source + ":1", "expected the parallelism"));
        }
        Optional<BigInteger> count = lines.size() < 2 ? Optional.empty() : PythonText.integer(lines.get(1));
        if (count.isEmpty()) {
            problems.add(Problem.of(CATEGORY, source + ":2", "expected the number of layers"));
        }
        boolean isLabelled =
                header.size() > 1 && PythonText.integer(header.get(1)).isEmpty();
        if (isStrict && header.get(0).startsWith("HYBRID_DLRM") && isLabelled) {
            problems.add(Problem.of(
                    CATEGORY,
                    source + ":1",
                    "expected the index of the last bottom layer as second word, found '" + header.get(1) + "'"));
        }
        List<TextLayer> layers = new ArrayList<>();
        for (int i = 2; i < lines.size(); i++) {
            List<String> words = PythonText.words(lines.get(i));
            if (isStrict || !words.isEmpty()) {
                layer(source, i + 1, words, problems).ifPresent(layers::add);
            }
        }
        StageException.refuse(problems);
        String normal = text.replace("\r\n", "\n").replace('\r', '\n');
        return new TextWorkload(source, normal, header, count.orElseThrow(), layers);
    }

    private static Optional<TextLayer> layer(String source, int line, List<String> words, List<Problem> problems) {
        if (words.size() < COLUMNS) {
            problems.add(
                    Problem.of(CATEGORY, source + ":" + line, "expected 12 columns of a layer, found " + words.size()));
            return Optional.empty();
        }
        int before = problems.size();
        TextLayer.Step forward = step(source, line, words, FORWARD, problems);
        TextLayer.Step input = step(source, line, words, INPUT_GRADIENT, problems);
        TextLayer.Step weight = step(source, line, words, WEIGHT_GRADIENT, problems);
        if (problems.size() > before) {
            return Optional.empty();
        }
        Optional<String> own = words.size() > COLUMNS ? Optional.of(words.get(COLUMNS)) : Optional.empty();
        return Optional.of(new TextLayer(line, words.get(0), forward, input, weight, own));
    }

    private static TextLayer.Step step(
            String source, int line, List<String> words, int column, List<Problem> problems) {
        BigInteger time = number(source, line, words, column, problems);
        BigInteger size = number(source, line, words, column + 2, problems);
        return new TextLayer.Step(time, words.get(column + 1), size);
    }

    private static BigInteger number(String source, int line, List<String> words, int column, List<Problem> problems) {
        Optional<BigInteger> value = PythonText.integer(words.get(column));
        if (value.isEmpty()) {
            problems.add(Problem.of(
                    CATEGORY,
                    source + ":" + line,
                    "column " + (column + 1) + ": expected a whole number, found '" + words.get(column) + "'"));
        }
        return value.orElse(BigInteger.ZERO);
    }

    /**
     * Returns a copy with all times divided by {@code divisor} and rounded up, so that a positive time remains
     * positive.
     */
    public TextWorkload faster(int divisor) {
        List<TextLayer> scaled = layers.stream()
                .map(layer -> new TextLayer(
                        layer.line(),
                        layer.name(),
                        layer.forward().faster(divisor),
                        layer.inputGradient().faster(divisor),
                        layer.weightGradient().faster(divisor),
                        layer.parallelism()))
                .toList();
        return new TextWorkload(source, text, header, count, scaled);
    }

    public String parallelism() {
        return header.get(0);
    }

    /** Creates an input error for a line. */
    StageException error(int line, String what) {
        return StageException.input(problem(line, what));
    }

    Problem problem(int line, String what) {
        return Problem.of(CATEGORY, source + ":" + line, what);
    }
}
