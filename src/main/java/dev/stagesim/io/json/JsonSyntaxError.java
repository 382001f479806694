package dev.stagesim.io.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.regex.Pattern;

/** Says in our words where and why a text is not JSON. */
public final class JsonSyntaxError {
    /** The parser's note of a second place, for example of the bracket that is never closed. */
    private static final Pattern PLACE =
            Pattern.compile("\\[Source: [^\\[\\]]*?; (?:byte offset: #\\S+|(line: \\d+, column: \\d+))\\]");

    private JsonSyntaxError() {}

    /** The user's error that {@code source} is not JSON. */
    public static StageException error(String category, String source, JsonProcessingException e) {
        String place = e.getLocation() == null
                ? source
                : source + ":" + e.getLocation().getLineNr() + ":"
                        + e.getLocation().getColumnNr();
        String message = String.valueOf(e.getOriginalMessage());
        return StageException.input(Problem.of(category, place, "not valid JSON: " + plain(message)), e);
    }

    /** The first line of a message, without the parser's own notation for places. */
    static String plain(String message) {
        int end = message.indexOf('\n');
        String line = end < 0 ? message : message.substring(0, end);
        return PLACE.matcher(line).replaceAll(found -> found.group(1) == null ? "the start" : found.group(1));
    }
}
