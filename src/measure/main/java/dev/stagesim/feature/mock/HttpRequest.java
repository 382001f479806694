package dev.stagesim.feature.mock;

import java.util.Map;
import java.util.Optional;

/**
 * A received request.
 *
 * @param method in capitals
 * @param path without the query
 * @param version11 true for HTTP/1.1, false for 1.0
 * @param headers by lower-case name; the last value if a name is repeated
 * @param body empty if absent
 */
record HttpRequest(String method, String path, boolean version11, Map<String, String> headers, byte[] body) {
    Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name));
    }

    /** Returns true if the connection stays open for further requests. */
    boolean keepsAlive() {
        Optional<String> option = header("connection");
        return version11
                ? !option.filter("close"::equalsIgnoreCase).isPresent()
                : option.filter("keep-alive"::equalsIgnoreCase).isPresent();
    }
}
