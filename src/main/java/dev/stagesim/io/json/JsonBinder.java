package dev.stagesim.io.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Binds JSON documents to records with Jackson. Each component is the member of its name in snake case, or of the name in
 * its {@code @JsonProperty}.
 *
 * <p>All policies refuse malformed text, text after the value, repeated members, nesting deeper than 1,000 levels, members
 * that are missing or null without being {@link java.util.Optional}, and values of another kind: text for a number, 1.5
 * for an integer. Errors are {@link StageException}s (input) with file, line and JSON pointer. A record can check its
 * components in its constructor: the message of an {@link IllegalArgumentException} is reported with the place of the
 * object.
 *
 * <p>This class loads Jackson's databind at its first use only, because that takes longer than many commands.
 */
public final class JsonBinder {
    /** Reads files that the product writes: every member is there, even if null, and no other. */
    public static final JsonBinder OWN = new JsonBinder("own", true, true);

    /** Reads what a user or a client writes: optional members can be absent, unknown members are refused. */
    public static final JsonBinder STRICT = new JsonBinder("strict", true, false);

    /** Reads files of other tools: optional members can be absent, unknown members are ignored, NaN is a number. */
    public static final JsonBinder FOREIGN = new JsonBinder("foreign", false, false);

    private final String name;
    private final ObjectReader reader;

    private JsonBinder(String name, boolean refusesUnknown, boolean requiresOptional) {
        this.name = name;
        this.reader = BinderSetup.reader(refusesUnknown, requiresOptional);
    }

    /** Reads a file with one document; a missing file is the user's error. */
    public <R extends Record> R read(Path file, Class<R> type) throws IOException {
        try (InputStream in = InputFile.open(file);
                JsonParser parser = reader.createParser(in)) {
            return document(parser, file.toString(), type);
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
        try (JsonParser parser = reader.createParser(text)) {
            return document(parser, source, type);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Binds a value that was read before, for example one line of a JSON-lines file. */
    public <R extends Record> R bind(JsonAt at, Class<R> type) {
        TokenBuffer tokens = new TokenBuffer(reader, false);
        try {
            JsonTokens.write(at.value(), tokens);
            try (JsonParser parser = tokens.asParserOnFirstToken()) {
                return value(parser, new BindingErrors(at.source(), at.pointer(), false), type);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private <R extends Record> R document(JsonParser parser, String source, Class<R> type) throws IOException {
        BindingErrors errors = new BindingErrors(source, "", true);
        try {
            if (parser.nextToken() == null) {
                throw StageException.input(Problem.artifact(source, "the file is empty, expected JSON"));
            }
            R value = value(parser, errors, type);
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

    private <R extends Record> R value(JsonParser parser, BindingErrors errors, Class<R> type) throws IOException {
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
