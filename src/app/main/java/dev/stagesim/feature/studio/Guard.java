package dev.stagesim.feature.studio;

import com.sun.net.httpserver.Headers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Access control: accepts requests with the session token, from a page of this server, under a local host name.
 *
 * <p>The address that the user opens first contains the token, which is exchanged for a cookie. The host name is
 * checked because a foreign name may resolve to this machine (DNS rebinding). The origin is checked because foreign
 * pages may send requests to this server.
 */
final class Guard {
    private static final int TOKEN_BYTES = 24;

    private final String token;
    private final String cookie;
    private final Set<String> hosts;

    Guard(int port) {
        byte[] random = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(random);
        this.token = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        // Browsers share cookies between the ports of a host, so the port is part of the name.
        this.cookie = "stagesim-" + port;
        this.hosts = Set.of("127.0.0.1:" + port, "localhost:" + port);
    }

    String token() {
        return token;
    }

    /** Returns an error or a redirect, or empty if the request is allowed. */
    Optional<ApiResponse> check(String method, String path, Optional<String> given, Headers headers) {
        List<String> host = headers.getOrDefault("Host", List.of());
        if (host.size() != 1 || !hosts.contains(host.get(0))) {
            return Optional.of(ApiResponse.refuse(421, "unknown host name"));
        }
        String site = header(headers, "Sec-Fetch-Site").orElse("none");
        boolean foreign = header(headers, "Origin")
                .filter(origin -> !origin.equals("http://" + host.get(0)))
                .isPresent();
        if (foreign || !(site.equals("same-origin") || site.equals("none"))) {
            return Optional.of(ApiResponse.refuse(403, "requests from other pages are rejected"));
        }
        if (path.equals("/") && given.isPresent()) {
            return Optional.of(
                    equalInConstantTime(given.get(), token)
                            ? ApiResponse.moved("/", cookie + "=" + token + "; HttpOnly; SameSite=Strict; Path=/")
                            : ApiResponse.refuse(
                                    401, "the token is wrong: use the address that stage studio printed last"));
        }
        if (headers.getOrDefault("Cookie", List.of()).stream().noneMatch(this::hasToken)) {
            return Optional.of(ApiResponse.refuse(401, "open the address that stage studio printed, with its token"));
        }
        if (!method.equals("GET") && !method.equals("POST")) {
            return Optional.of(ApiResponse.refuse(405, "expected GET or POST"));
        }
        boolean json = header(headers, "Content-Type")
                .filter(type -> type.startsWith("application/json"))
                .isPresent();
        return method.equals("POST") && !json
                ? Optional.of(ApiResponse.refuse(415, "expected application/json"))
                : Optional.empty();
    }

    private boolean hasToken(String cookies) {
        for (String pair : cookies.split(";", -1)) {
            String text = pair.strip();
            if (text.startsWith(cookie + "=") && equalInConstantTime(text.substring(cookie.length() + 1), token)) {
                return true;
            }
        }
        return false;
    }

    /** Compares in constant time, so that timing does not reveal a correct prefix. */
    private static boolean equalInConstantTime(String a, String b) {
        return MessageDigest.isEqual(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
    }

    private static Optional<String> header(Headers headers, String name) {
        return Optional.ofNullable(headers.getFirst(name));
    }
}
