package dev.stagesim.io.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.regex.Pattern;

/** Creates errors for text that is not JSON. */
public final class JsonSyntaxError {
    /** Location of a second position in the parser's message, for example of the bracket that is never closed. */
    private static final Pattern PLACE =
            Pattern.compile("\\[Source: [^\\[\\]]*?; (?:byte offset: #\\S+|(line: \\d+, column: \\d+))\\]");

    private JsonSyntaxError() {}

    /** Returns an input error about the text of {@code source}. */
    public static StageException error(String category, String source, JsonProcessingException e) {
        String place = e.getLocation() == null
                ? source
                : source + ":" + e.getLocation().getLineNr() + ":"
                        + e.getLocation().getColumnNr();
        String message = String.valueOf(e.getOriginalMessage());
        return StageException.input(Problem.of(category, place, "not valid JSON: " + plain(message)), e);
    }

    /** Returns the first line of a message with locations in plain text. */
    static String plain(String message) {
        int end = message.indexOf('\n');
        String line = end < 0 ? message : message.substring(0, end);
        return PLACE.matcher(line).replaceAll(found -> found.group(1) == null ? "the start" : found.group(1));
    }
}
