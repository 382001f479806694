package dev.stagesim.pipeline.request;

import dev.stagesim.model.Feature;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.ResultFileReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The model that a measured file names. It is the default of {@code model} if the arguments choose no other. */
final class MeasuredModel {
    private static final String FILE = "real.file";
    private static final String MODEL = "model";

    private MeasuredModel() {}

    /** Returns the arguments that determine the model of a measured file. */
    static List<String> selecting(List<String> words) {
        return words.stream()
                .filter(word ->
                        Sections.of(word).equals(MODEL) || Sections.of(word).equals("real"))
                .toList();
    }

    /**
     * Returns the name of the model in the measured file; empty without a file, or if the arguments choose a model.
     *
     * @param work directory that relative paths start from
     */
    static Optional<String> in(List<String> words, Path work) {
        boolean isChosen =
                words.stream().anyMatch(word -> Sections.of(word).equals(MODEL) || word.startsWith("real.any_model="));
        return isChosen
                ? Optional.empty()
                : value(words, FILE)
                        .map(work::resolve)
                        .filter(Files::isRegularFile)
                        .flatMap(file -> name(file, words));
    }

    private static Optional<String> name(Path file, List<String> words) {
        Optional<ResultFileReader> reader =
                Feature.all(ResultFileReader.class).stream().findFirst();
        try {
            return reader.isEmpty()
                    ? Optional.empty()
                    : reader.get()
                            .model(
                                    file,
                                    value(words, "real.source"),
                                    value(words, "real.entry")
                                            .filter(text -> text.matches("\\d{1,9}"))
                                            .map(Integer::valueOf))
                            .map(name -> name.replaceFirst("/+$", ""))
                            .filter(name -> name.matches("[\\w./-]+"));
        } catch (IOException | StageException unreadable) {
            return Optional.empty(); // the run reports problems of its inputs
        }
    }

    private static Optional<String> value(List<String> words, String key) {
        return words.stream()
                .filter(word -> Sections.key(word).equals(key))
                .map(word -> word.substring(word.indexOf('=') + 1).strip().replaceAll("^(['\"])(.*)\\1$", "$2"))
                .reduce((first, last) -> last);
    }
}
