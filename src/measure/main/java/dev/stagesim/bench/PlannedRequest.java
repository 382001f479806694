package dev.stagesim.bench;

import dev.stagesim.io.digest.Sha256;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * One request of a replay.
 *
 * @param id number of the request
 * @param arrivalNs send time since the start of the replay
 * @param prompt text of the prompt
 * @param outputTokens number of output tokens to request, at least 1
 * @param cancellation when the client cancels the request
 */
public record PlannedRequest(long id, long arrivalNs, String prompt, int outputTokens, Cancellation cancellation) {
    /** Creates a request that is never cancelled. */
    public PlannedRequest(long id, long arrivalNs, String prompt, int outputTokens) {
        this(id, arrivalNs, prompt, outputTokens, Cancellation.NEVER);
    }

    /** Returns a digest of the contents and times of these requests, equal on every machine. */
    public static String digest(List<PlannedRequest> requests) {
        Sha256 digest = new Sha256();
        for (PlannedRequest request : requests) {
            Cancellation end = request.cancellation;
            String text = request.id + " " + request.arrivalNs + " " + request.outputTokens + " " + end.afterNs() + " "
                    + end.chunks() + " " + request.prompt.length() + " " + request.prompt + "\n";
            digest.update(text.getBytes(StandardCharsets.UTF_8));
        }
        return digest.hex();
    }

    /** Returns a copy with another send time. */
    public PlannedRequest at(long ns) {
        return new PlannedRequest(id, ns, prompt, outputTokens, cancellation);
    }
}
