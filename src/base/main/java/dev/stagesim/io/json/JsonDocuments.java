package dev.stagesim.io.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Streams the documents of one JSON text: a single value, JSON lines, or concatenated values.
 *
 * <p>Keeps one document in memory.
 */
public final class JsonDocuments implements Closeable {
    static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
            .enable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .build();

    private static final String TEXT_AFTER_END = "text after the end of the JSON value";

    private final JsonParser parser;
    private final String source;
    private boolean inArray;
    private long item;

    private JsonDocuments(JsonParser parser, String source, JsonMode mode) {
        this.parser = parser;
        this.source = source;
        if (mode != JsonMode.STRICT) {
            parser.enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS.mappedFeature());
        }
    }

    /** Opens a file. A missing file is an input error. */
    public static JsonDocuments open(Path file, JsonMode mode) throws IOException {
        try {
            return new JsonDocuments(FACTORY.createParser(InputFile.open(file)), file.toString(), mode);
        } catch (NoSuchFileException e) {
            throw StageException.input(Problem.artifact(file.toString(), "the file does not exist, expected JSON"), e);
        }
    }

    /** Opens a file with one array and streams its items as documents. Any other content is an input error. */
    public static JsonDocuments openItems(Path file, JsonMode mode) throws IOException {
        JsonDocuments documents = open(file, mode);
        try {
            JsonToken first = documents.parser.nextToken();
            if (first == JsonToken.START_ARRAY) {
                documents.inArray = true;
                return documents;
            }
        } catch (JsonProcessingException e) {
            documents.close();
            throw documents.malformed(e);
        }
        documents.close();
        throw StageException.input(Problem.artifact(documents.source, "expected a JSON array of items"));
    }

    static JsonDocuments open(InputStream in, String source, JsonMode mode) throws IOException {
        return new JsonDocuments(FACTORY.createParser(in), source, mode);
    }

    static JsonDocuments open(String text, String source, JsonMode mode) throws IOException {
        return new JsonDocuments(FACTORY.createParser(text), source, mode);
    }

    /**
     * Returns the next document, located as {@code file:line} and, for an item of an array, by its index; or empty at
     * the end.
     */
    public Optional<LocatedJson> next() throws IOException {
        try {
            JsonToken token = parser.nextToken();
            if (token == JsonToken.END_ARRAY) {
                end(parser, source, "artifact error");
                return Optional.empty();
            }
            if (token == null) {
                return Optional.empty();
            }
            String place = source + ":" + parser.currentTokenLocation().getLineNr();
            return Optional.of(new LocatedJson(place, inArray ? "/" + item++ : "", JsonTokens.read(parser)));
        } catch (JsonProcessingException e) {
            throw malformed(e);
        }
    }

    /** Returns all further documents. */
    public List<LocatedJson> rest() throws IOException {
        List<LocatedJson> all = new ArrayList<>();
        for (Optional<LocatedJson> next = next(); next.isPresent(); next = next()) {
            all.add(next.get());
        }
        return all;
    }

    /** Returns the only document. No document or a second one is an input error. */
    public LocatedJson single() throws IOException {
        LocatedJson first = next().orElseThrow(
                        () -> StageException.input(Problem.artifact(source, "the file is empty, expected JSON")));
        next().ifPresent(more -> {
            throw StageException.input(Problem.artifact(more.source(), TEXT_AFTER_END));
        });
        return new LocatedJson(source, "", first.value());
    }

    /** Throws an error if the text continues after the value that {@code parser} has just read. */
    public static void end(JsonParser parser, String source, String category) throws IOException {
        if (parser.nextToken() != null) {
            String place = source + ":" + parser.currentTokenLocation().getLineNr();
            throw StageException.input(Problem.of(category, place, TEXT_AFTER_END));
        }
    }

    private StageException malformed(JsonProcessingException e) {
        return JsonSyntaxError.error("artifact error", source, e);
    }

    @Override
    public void close() throws IOException {
        parser.close();
    }
}
