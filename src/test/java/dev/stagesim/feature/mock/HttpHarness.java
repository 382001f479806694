package dev.stagesim.feature.mock;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Bytes of a client of {@code serve_mock}, as they come from a socket: whole, and cut at a place that they name. */
public final class HttpHarness {
    private static final int MOST_REQUESTS = 10_000;

    private HttpHarness() {}

    /** Parses a connection's bytes until they end or are refused. */
    public static void requests(byte[] input) {
        parse(input, input.length);
        parse(input, input.length == 0 ? 0 : Math.floorMod(Arrays.hashCode(input), input.length));
    }

    private static void parse(byte[] input, int cut) {
        HttpParser parser = new HttpParser();
        try {
            parser.add(ByteBuffer.wrap(input, 0, cut));
            drain(parser);
            parser.add(ByteBuffer.wrap(input, cut, input.length - cut));
            drain(parser);
        } catch (Refusal refused) {
            return; // an answer like any other
        }
    }

    private static void drain(HttpParser parser) throws Refusal {
        int count = 0;
        while (parser.next().isPresent()) {
            if (++count > MOST_REQUESTS) {
                throw new AssertionError("requests without end");
            }
        }
    }
}
