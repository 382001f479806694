package dev.stagesim.io.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import dev.stagesim.contract.JsonArtifact;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Binds JSON documents to records with Jackson. Each component is the member with its name in snake case, or with the
 * name in its {@code @JsonProperty}.
 *
 * <p>All policies reject malformed text, text after the value, repeated members, nesting deeper than 1,000 levels,
 * values of another type (text for a number, 1.5 for an integer), and members that are missing or null unless they are
 * {@link java.util.Optional}. Errors are {@link StageException}s (input) with file, line and JSON pointer. The message
 * of an {@link IllegalArgumentException} from a record's constructor is reported with the location of the object.
 *
 * <p>Jackson's databind is loaded on first use, because loading takes longer than many commands.
 */
public final class JsonBinder {
    /** Reads files of the product: every member is present, even if null, and no others. */
    public static final JsonBinder OWN = new JsonBinder("own", true, true);

    /** Reads input of users and clients: optional members can be absent, unknown members are rejected. */
    public static final JsonBinder STRICT = new JsonBinder("strict", true, false);

    /** Reads files of other tools: optional members can be absent, unknown members are ignored, NaN is a number. */
    public static final JsonBinder FOREIGN = new JsonBinder("foreign", false, false);

    private final String name;
    private final ObjectReader reader;

    private JsonBinder(String name, boolean refusesUnknown, boolean requiresOptional) {
        this.name = name;
        this.reader = BinderSetup.reader(refusesUnknown, requiresOptional);
    }

    /** Reads a file with one document. A missing file is an input error. */
    public <R extends Record> R read(Path file, Class<R> type) throws IOException {
        return document(() -> open(file), file.toString(), reader, type);
    }

    /** Reads a versioned document of the product. */
    public <R extends Record> R read(Path file, Class<R> type, JsonArtifact artifact) throws IOException {
        refuseOtherVersion(file, artifact);
        return document(() -> open(file), file.toString(), reader.withAttribute(BinderSetup.VERSION, true), type);
    }

    /** Checks the version first, because other versions have other members. */
    private void refuseOtherVersion(Path file, JsonArtifact artifact) throws IOException {
        String found = "member '" + BinderSetup.VERSION + "' is missing";
        try (JsonParser parser = open(file)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                boolean isVersion = parser.currentName().equals(BinderSetup.VERSION);
                boolean isInteger = parser.nextToken() == JsonToken.VALUE_NUMBER_INT;
                if (isVersion && isInteger && parser.getText().equals(Integer.toString(artifact.version()))) {
                    return;
                }
                found = isVersion ? "found contract version " + Json.describe(JsonTokens.read(parser)) : found;
                parser.skipChildren();
            }
        } catch (JsonProcessingException malformed) {
            return; // binding the document reports the error
        }
        throw StageException.input(
                Problem.artifact(file.toString(), found + ", expected contract version " + artifact.version()));
    }

    private JsonParser open(Path file) throws IOException {
        try {
            return reader.createParser(InputFile.open(file));
        } catch (NoSuchFileException e) {
            throw StageException.input(Problem.artifact(file.toString(), "the file does not exist, expected JSON"), e);
        }
    }

    /**
     * Reads a text with one document.
     *
     * @param source name of the text in messages
     */
    public <R extends Record> R parse(String text, String source, Class<R> type) {
        try {
            return document(() -> reader.createParser(text), source, reader, type);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Binds a value that was already parsed, for example one line of a JSON-lines file. */
    public <R extends Record> R bind(LocatedJson at, Class<R> type) {
        TokenBuffer tokens = new TokenBuffer(reader, false);
        try {
            JsonTokens.write(at.value(), tokens);
            try (JsonParser parser = tokens.asParserOnFirstToken()) {
                return value(parser, new BindingErrors(at.source(), at.pointer(), null), reader, type);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static <R extends Record> R document(
            BindingErrors.Opening opening, String source, ObjectReader reader, Class<R> type) throws IOException {
        BindingErrors errors = new BindingErrors(source, "", opening);
        try (JsonParser parser = opening.open()) {
            if (parser.nextToken() == null) {
                throw StageException.input(Problem.artifact(source, "the file is empty, expected JSON"));
            }
            R value = value(parser, errors, reader, type);
            if (parser.nextToken() != null) {
                throw StageException.input(Problem.artifact(
                        source + ":" + parser.currentTokenLocation().getLineNr(),
                        "text after the end of the JSON value"));
            }
            return value;
        } catch (JsonProcessingException e) {
            throw errors.malformed(e);
        }
    }

    private static <R extends Record> R value(
            JsonParser parser, BindingErrors errors, ObjectReader reader, Class<R> type) throws IOException {
        try {
            return reader.forType(type).readValue(parser);
        } catch (JsonMappingException e) {
            throw errors.of(e, parser);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
