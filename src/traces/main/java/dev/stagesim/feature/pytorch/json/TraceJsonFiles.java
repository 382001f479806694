package dev.stagesim.feature.pytorch.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.JsonSyntaxError;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.zip.ZipException;

/** Opens JSON files, plain or gzip-compressed, and creates their error messages. */
final class TraceJsonFiles {
    static final String CATEGORY = "trace error";

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build();

    private TraceJsonFiles() {}

    /** Opens a file and decompresses it if necessary. */
    static InputStream open(Path file) throws IOException {
        try {
            return InputFile.open(file);
        } catch (NoSuchFileException missing) {
            throw StageException.input(Problem.trace(file.toString(), "there is no such file"), missing);
        } catch (EOFException | ZipException broken) {
            throw StageException.input(
                    Problem.trace(file.toString(), "the gzip header is damaged: " + broken.getMessage()), broken);
        }
    }

    /** Reads a whole file, which must fit into an array. */
    static byte[] bytes(Path file) throws IOException {
        try (InputStream in = open(file)) {
            return in.readAllBytes();
        } catch (EOFException | ZipException broken) {
            throw StageException.input(
                    Problem.trace(file.toString(), "the compressed data are damaged: " + broken.getMessage()), broken);
        } catch (OutOfMemoryError tooLarge) {
            throw StageException.input(
                    Problem.trace(file.toString(), "the host's trace does not fit the memory")
                            .hint("STAGE_JAVA_OPTS=-Xmx16g gives the process more"),
                    tooLarge);
        }
    }

    static JsonParser parser(byte[] json) throws IOException {
        return FACTORY.createParser(json);
    }

    static JsonParser parser(InputStream in) throws IOException {
        return FACTORY.createParser(in);
    }

    /** Creates an input error for a file that is not JSON. */
    static StageException malformed(String source, JsonProcessingException e) {
        return JsonSyntaxError.error(CATEGORY, source, e);
    }

    /** Creates an input error for an unexpected value. */
    static StageException expected(String source, String what, JsonParser at) throws IOException {
        String found = String.valueOf(at.getText());
        String shown = found.length() > 40 ? found.substring(0, 40) + "..." : found;
        return StageException.input(Problem.trace(
                source + ":" + at.currentTokenLocation().getLineNr(), "expected " + what + ", found " + shown));
    }
}
