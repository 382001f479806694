package dev.stagesim.io.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.InvalidNullException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Translates Jackson's errors to {@link StageException}s.
 *
 * @param source name of the document
 * @param base JSON pointer of the bound value in the document
 * @param reopen reopens the document to find the line of a value, or null if lines are not available
 */
record BindingErrors(String source, String base, @Nullable Opening reopen) {
    /** Opens a document. */
    interface Opening {
        JsonParser open() throws IOException;
    }

    private static final Pattern MISSING =
            Pattern.compile("Missing required creator property '(.*)' \\(index \\d+\\).*");
    private static final Map<Class<?>, String> KINDS = Map.ofEntries(
            Map.entry(String.class, "a string"),
            Map.entry(boolean.class, "true or false"),
            Map.entry(Boolean.class, "true or false"),
            Map.entry(int.class, "an integer of 32 bits"),
            Map.entry(Integer.class, "an integer of 32 bits"),
            Map.entry(long.class, "an integer"),
            Map.entry(Long.class, "an integer"),
            Map.entry(double.class, "a number"),
            Map.entry(Double.class, "a number"));

    /** Returns the error for text that is not JSON. */
    StageException malformed(JsonProcessingException e) {
        return JsonSyntaxError.error("artifact error", source, e);
    }

    /** Returns the error for a value that does not fit its record. */
    StageException of(JsonMappingException e, JsonParser parser) throws IOException {
        Throwable cause = e.getCause();
        if (cause instanceof StageException known) {
            return known;
        }
        if (cause instanceof JsonProcessingException syntax && !(cause instanceof JsonMappingException)) {
            return malformed(syntax);
        }
        return StageException.input(problem(e, parser), e);
    }

    private Problem problem(JsonMappingException e, JsonParser parser) throws IOException {
        String where = where(e.getPath());
        if (e instanceof UnrecognizedPropertyException unknown) {
            List<String> names = unknown.getKnownPropertyIds().stream()
                    .map(Object::toString)
                    .sorted()
                    .toList();
            return Problem.artifact(where, "unknown member '" + unknown.getPropertyName() + "'")
                    .options(names)
                    .didYouMean(Suggest.near(unknown.getPropertyName(), names));
        }
        Matcher missing = MISSING.matcher(e.getOriginalMessage());
        if (missing.matches()) {
            List<JsonMappingException.Reference> path = e.getPath();
            return Problem.artifact(
                    where(path.subList(0, path.size() - 1)), "member '" + missing.group(1) + "' is missing");
        }
        if (e instanceof ValueInstantiationException && e.getCause() != null) {
            return Problem.artifact(where, String.valueOf(e.getCause().getMessage()));
        }
        Class<?> type = e instanceof MismatchedInputException mismatch ? mismatch.getTargetType() : null;
        String expected = type == null ? "a value of another kind" : kind(type);
        String found = e instanceof InvalidNullException ? "null" : found(parser);
        return Problem.artifact(where, "found " + found + ", expected " + expected);
    }

    private static String kind(Class<?> type) {
        if (type.isEnum()) {
            return "one of " + String.join(", ", KeyNames.constants(type));
        }
        boolean isList = type.isArray() || Iterable.class.isAssignableFrom(type);
        return KINDS.getOrDefault(type, isList ? "an array" : "an object");
    }

    private static String found(JsonParser parser) throws IOException {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.START_ARRAY) {
            return "an array";
        }
        return token == JsonToken.START_OBJECT || token == JsonToken.FIELD_NAME
                ? "an object"
                : token == null || token.isStructEnd() ? "null" : Json.describe(JsonTokens.read(parser));
    }

    /** Returns the document, line and JSON pointer of a value. */
    private String where(List<JsonMappingException.Reference> path) throws IOException {
        StringBuilder steps = new StringBuilder();
        for (JsonMappingException.Reference step : path) {
            String name = step.getFieldName();
            steps.append('/').append(name == null ? Integer.toString(step.getIndex()) : LocatedJson.escaped(name));
        }
        String pointer = base + steps;
        String line = reopen == null ? "" : JsonLines.suffix(reopen, steps.toString());
        return source + line + (pointer.isEmpty() ? "" : "#" + pointer);
    }
}
