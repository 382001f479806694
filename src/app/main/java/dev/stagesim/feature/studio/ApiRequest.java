package dev.stagesim.feature.studio;

import dev.stagesim.io.json.JsonBinder;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An HTTP request to the studio that passed {@link Guard}.
 *
 * @param path decoded segments of the path
 * @param query decoded query parameters
 * @param body request body; empty for GET
 */
record ApiRequest(String method, List<String> path, Map<String, List<String>> query, byte[] body) {
    static ApiRequest of(String method, String rawPath, String rawQuery, byte[] body) {
        List<String> path = Arrays.stream(rawPath.substring(1).split("/", -1))
                .map(part -> decoded(part.replace("+", "%2B")))
                .toList();
        Map<String, List<String>> query = new LinkedHashMap<>();
        for (String pair : rawQuery.split("&", -1)) {
            int equals = pair.indexOf('=');
            String name = decoded(equals < 0 ? pair : pair.substring(0, equals));
            query.computeIfAbsent(name, none -> new ArrayList<>())
                    .add(equals < 0 ? "" : decoded(pair.substring(equals + 1)));
        }
        return new ApiRequest(method, path, query, body);
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    boolean isPost() {
        return method.equals("POST");
    }

    /** Returns the first value of a parameter, or an empty string if absent. */
    String text(String name) {
        return query.getOrDefault(name, List.of("")).get(0);
    }

    List<String> all(String name) {
        return query.getOrDefault(name, List.of());
    }

    /** Returns a parameter as a count of at most {@code max}; {@code otherwise} if it is missing or no number. */
    int count(String name, int otherwise, int max) {
        String text = text(name);
        return text.matches("\\d{1,9}") ? Math.min(Integer.parseInt(text), max) : otherwise;
    }

    /** Returns the body as a record. */
    <R extends Record> R body(Class<R> type) {
        return JsonBinder.STRICT.parse(new String(body, StandardCharsets.UTF_8), "request", type);
    }
}
