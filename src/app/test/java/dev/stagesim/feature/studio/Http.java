package dev.stagesim.feature.studio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** A client that sends requests unchanged, including malformed ones that HTTP libraries reject. */
record Http(int port, String token) {
    static Http of(URI address) {
        return new Http(address.getPort(), address.getQuery().substring("token=".length()));
    }

    /** A response: status, head in lower case, and body. */
    record Got(int status, String head, String body) {
        boolean hasHeader(String line) {
            return head.lines().anyMatch(each -> each.startsWith(line));
        }
    }

    String cookie() {
        return "Cookie: stagesim-" + port + "=" + token;
    }

    Got get(String path, String... more) throws IOException {
        String[] headers = java.util.Arrays.copyOf(more, more.length + 2);
        headers[more.length] = cookie();
        headers[more.length + 1] = "Host: 127.0.0.1:" + port;
        return raw("GET " + path + " HTTP/1.1", "", headers);
    }

    Got post(String path, String body, String... more) throws IOException {
        String[] headers = java.util.Arrays.copyOf(more, more.length + 4);
        headers[more.length] = cookie();
        headers[more.length + 1] = "Host: localhost:" + port;
        headers[more.length + 2] = "Origin: http://localhost:" + port;
        headers[more.length + 3] = "Content-Type: application/json";
        return raw("POST " + path + " HTTP/1.1", body, headers);
    }

    Got raw(String line, String body, String... headers) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        String head = line + "\r\n" + String.join("\r\n", headers) + "\r\nConnection: close\r\n"
                + (bytes.length == 0 ? "" : "Content-Length: " + bytes.length + "\r\n") + "\r\n";
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(head.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().write(bytes);
            String all = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int end = all.indexOf("\r\n\r\n");
            return new Got(
                    Integer.parseInt(all.split(" ", 3)[1]),
                    all.substring(0, end).toLowerCase(Locale.ROOT),
                    all.substring(end + 4));
        }
    }
}
