package dev.stagesim.stage.realbench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.bench.Endpoint;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LiveServerExposureTest {
    @ParameterizedTest
    @CsvSource({
        "http://gpu7:8000/v1, true, true",
        "http://10.0.0.7/v1, true, true",
        "http://[2001:db8::1]:8000/v1, true, true",
        "http://gpu7:8000/v1, false, false",
        "https://gpu7/v1, true, false",
        "http://127.0.0.1:8000/v1, true, false",
        "http://[::1]:8000/v1, true, false",
        "http://localhost/v1, true, false"
    })
    void warnsOfAKeyFileThatOthersCanRead(String base, boolean key, boolean warned) {
        Duration s = Duration.ofSeconds(1);
        Endpoint endpoint = new Endpoint(
                URI.create(base), false, "m", key ? Optional.of("sk-42") : Optional.empty(), s, s, s, true);
        Optional<String> warning = LiveServer.exposure(endpoint);
        assertThat(warning.isPresent()).isEqualTo(warned);
        warning.ifPresent(text ->
                assertThat(text).contains(endpoint.base().getHost(), "https://").doesNotContain("sk-42"));
    }
}
