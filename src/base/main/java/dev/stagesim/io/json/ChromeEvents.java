package dev.stagesim.io.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Streams the events of a Chrome trace of any size: an object with {@code traceEvents}, or the bare array. */
public final class ChromeEvents {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build();

    private ChromeEvents() {}

    /**
     * One event. A missing text is empty and a missing number is 0.
     *
     * @param phase kind of event, {@code X} for one with a duration
     * @param collective communication of the event, if the event describes one
     */
    public record Event(
            String phase,
            String category,
            String name,
            double startUs,
            double durationUs,
            Optional<Collective> collective) {}

    /**
     * Size of a communication kernel as recorded by PyTorch's profiler.
     *
     * @param elements elements of the larger of the two buffers
     * @param type type of the elements
     * @param ranks number of devices
     */
    public record Collective(String name, long elements, String type, int ranks) {}

    /**
     * Reads a trace.
     *
     * @return false if the trace is truncated, as traces of killed processes are
     */
    public static boolean read(InputStream in, String source, Consumer<Event> events) throws IOException {
        boolean begun = false;
        try (JsonParser parser = FACTORY.createParser(in)) {
            if (!toEvents(parser)) {
                throw StageException.input(Problem.artifact(source, "there is no array of traceEvents"));
            }
            begun = true;
            while (parser.nextToken() == JsonToken.START_OBJECT) {
                events.accept(event(parser));
            }
            if (parser.currentToken() != JsonToken.END_ARRAY) {
                return false;
            }
            end(parser, source);
            return true;
        } catch (JsonEOFException | EOFException e) {
            if (begun) {
                return false;
            }
            throw StageException.input(Problem.artifact(source, "the file ends before its events"), e);
        } catch (JsonProcessingException e) {
            throw JsonSyntaxError.error("artifact error", source, e);
        }
    }

    /** Reads the remaining members of the document and checks that nothing follows it. */
    private static void end(JsonParser parser, String source) throws IOException {
        if (!parser.getParsingContext().inRoot()) {
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                parser.nextToken();
                parser.skipChildren();
            }
        }
        JsonDocuments.end(parser, source, "artifact error");
    }

    /** Moves to the array of events. */
    private static boolean toEvents(JsonParser parser) throws IOException {
        JsonToken first = parser.nextToken();
        if (first == JsonToken.START_ARRAY) {
            return true;
        }
        while (first == JsonToken.START_OBJECT && parser.nextToken() == JsonToken.FIELD_NAME) {
            boolean events = parser.currentName().equals("traceEvents");
            JsonToken value = parser.nextToken();
            if (events) {
                return value == JsonToken.START_ARRAY;
            }
            parser.skipChildren();
        }
        return false;
    }

    private static Event event(JsonParser parser) throws IOException {
        String phase = "";
        String category = "";
        String name = "";
        double start = 0;
        double duration = 0;
        Optional<Collective> collective = Optional.empty();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String field = parser.currentName();
            JsonToken value = parser.nextToken();
            switch (field) {
                case "ph" -> phase = parser.getValueAsString("");
                case "cat" -> category = parser.getValueAsString("");
                case "name" -> name = parser.getValueAsString("");
                case "ts" -> start = parser.getValueAsDouble();
                case "dur" -> duration = parser.getValueAsDouble();
                case "args" -> collective = collective(parser, value);
                default -> {
                    if (value != null) {
                        parser.skipChildren();
                    }
                }
            }
        }
        return new Event(phase, category, name, start, duration, collective);
    }

    private static Optional<Collective> collective(JsonParser parser, @Nullable JsonToken value) throws IOException {
        if (value != JsonToken.START_OBJECT) {
            parser.skipChildren();
            return Optional.empty();
        }
        String name = "";
        String type = "";
        long elements = 0;
        int ranks = 0;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String field = parser.currentName();
            parser.nextToken();
            switch (field) {
                case "Collective name" -> name = parser.getValueAsString("");
                case "dtype" -> type = parser.getValueAsString("");
                case "In msg nelems", "Out msg nelems" -> elements = Math.max(elements, parser.getValueAsLong());
                case "Group size" -> ranks = parser.getValueAsInt();
                default -> parser.skipChildren();
            }
        }
        return name.isEmpty() ? Optional.empty() : Optional.of(new Collective(name, elements, type, ranks));
    }
}
