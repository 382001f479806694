package dev.stagesim.io.tokenizer;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingRegistry;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Counts the tokens of a text, without chat template and special tokens. */
@FunctionalInterface
public interface Tokenizer {
    List<String> BUILT_IN = List.of("cl100k_base", "o200k_base", "p50k_base", "r50k_base");

    int count(String text);

    /**
     * Opens a tokenizer by name or file.
     *
     * @param reference a built-in encoding, or the path of a Hugging Face {@code tokenizer.json}
     * @param base directory for relative paths
     */
    static Tokenizer open(String reference, Path base) throws IOException {
        return open(reference, base, "workload.tokenizer");
    }

    /**
     * Opens a tokenizer by name or file.
     *
     * @param key setting that contains the reference, for messages
     */
    static Tokenizer open(String reference, Path base, String key) throws IOException {
        if (BUILT_IN.contains(reference)) {
            EncodingRegistry registry = Encodings.newLazyEncodingRegistry();
            Encoding encoding = registry.getEncoding(reference)
                    .orElseThrow(() -> new IllegalStateException("no encoding " + reference));
            return encoding::countTokensOrdinary;
        }
        Path file = base.resolve(reference);
        if (Files.isRegularFile(file)) {
            return BpeFile.read(file);
        }
        throw StageException.input(
                Problem.config(key, "'" + reference + "' is neither a built-in encoding nor a tokenizer.json file")
                        .options(BUILT_IN)
                        .didYouMean(Suggest.near(reference, BUILT_IN)));
    }
}
