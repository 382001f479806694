package dev.stagesim.feature.mock;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Parses the bytes of a client of {@code serve_mock}, as a whole and cut at a position that the first byte selects. */
public final class HttpHarness {
    private static final int MAX_REQUESTS = 10_000;

    private HttpHarness() {}

    /** Parses the bytes of a connection until their end or the first error. */
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
        } catch (ApiError refused) {
            return; // an expected response
        }
    }

    private static void drain(HttpParser parser) throws ApiError {
        int count = 0;
        while (parser.next().isPresent()) {
            if (++count > MAX_REQUESTS) {
                throw new AssertionError("requests without end");
            }
        }
    }
}
