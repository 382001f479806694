package dev.stagesim.feature.mock;

import java.util.Map;
import java.util.Optional;

/**
 * A request as it came.
 *
 * @param method in capitals
 * @param path without the query
 * @param version11 true for HTTP/1.1, false for 1.0
 * @param headers by lower-case name, the last of equal ones
 * @param body empty when there is none
 */
record HttpRequest(String method, String path, boolean version11, Map<String, String> headers, byte[] body) {
    Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name));
    }

    /** Whether the connection is used for more requests. */
    boolean keepsAlive() {
        Optional<String> wish = header("connection");
        return version11
                ? !wish.filter("close"::equalsIgnoreCase).isPresent()
                : wish.filter("keep-alive"::equalsIgnoreCase).isPresent();
    }
}
