package dev.stagesim.io.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Finds the lines of values in a JSON document, for error messages. */
public final class JsonLines {
    private JsonLines() {}

    /** Returns an input error with the line in each place {@code source#pointer} of a document. */
    public static StageException located(StageException error, String source, String text) throws IOException {
        List<Problem> problems = new ArrayList<>();
        for (Problem problem : error.problems()) {
            problems.add(problem.where().startsWith(source + "#") ? located(problem, source, text) : problem);
        }
        return StageException.input(problems);
    }

    private static Problem located(Problem problem, String source, String text) throws IOException {
        String pointer = problem.where().substring(source.length() + 1);
        String line = suffix(() -> JsonDocuments.FACTORY.createParser(text), pointer);
        return new Problem(problem.category(), source + line + "#" + pointer, problem.what(), problem.notes());
    }

    /** Returns a colon and the line of a value, or an empty text if the document has no such value. */
    static String suffix(BindingErrors.Opening document, String pointer) throws IOException {
        try (JsonParser parser = document.open()) {
            while (parser.nextToken() != null) {
                boolean isValue = !parser.currentToken().isStructEnd() && !parser.hasToken(JsonToken.FIELD_NAME);
                if (isValue && pointer(parser).equals(pointer)) {
                    return ":" + parser.currentTokenLocation().getLineNr();
                }
            }
        } catch (JsonProcessingException malformed) {
            return ""; // the text after the value is not valid
        }
        return "";
    }

    private static String pointer(JsonParser parser) {
        JsonStreamContext context = parser.getParsingContext();
        boolean isStart = parser.currentToken().isStructStart();
        return (isStart ? context.getParent() : context).pathAsPointer().toString();
    }
}
