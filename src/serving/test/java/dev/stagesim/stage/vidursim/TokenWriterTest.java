package dev.stagesim.stage.vidursim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.contract.Tables;
import dev.stagesim.serving.ServingInput;
import dev.stagesim.sim.serving.metrics.BatchWindow;
import dev.stagesim.sim.serving.replica.RequestStates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tokens are written when all earlier tokens have been written. */
final class TokenWriterTest {
    private static final int REQUESTS = 40;
    private static final int TOKENS = 2000;

    @TempDir
    private Path dir;

    private long written() throws IOException {
        return Files.size(dir.resolve(Tables.TOKEN_METRICS.name()));
    }

    /** The first request is withdrawn, or stays incomplete to the end. Both files are equal. */
    private List<String> run(boolean isTold) throws IOException {
        ServingInput input = RequestWriterTest.input(dir, REQUESTS, TOKENS);
        RequestStates states = new RequestStates(input.trace());
        try (TokenWriter writer = new TokenWriter(dir, input, BatchWindow.all())) {
            writer.tokenEmitted(0, 0, 0.5);
            if (isTold) {
                writer.requestWithdrawn(0, 0.75);
            }
            long before = written();
            for (int request = 1; request < REQUESTS; request++) {
                for (int token = 0; token < TOKENS; token++) {
                    if (token == TOKENS - 1) {
                        writer.requestCompleted(request, token, states);
                    }
                    writer.tokenEmitted(request, token, request + token / 1e4);
                }
            }
            // All tokens except the ones in the buffer of the file.
            assertThat(written() > before + 1_000_000).isEqualTo(isTold);
        }
        return Files.readAllLines(dir.resolve(Tables.TOKEN_METRICS.name()));
    }

    @Test
    void writesTokensAfterAWithdrawnRequest() throws IOException {
        List<String> reported = run(true);
        assertThat(reported).hasSize(2 + (REQUESTS - 1) * TOKENS).isEqualTo(run(false));
    }
}
